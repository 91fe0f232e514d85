"""What a field holds, by the name of its column or key where no policy names it.

"DOB", "birth_date" and "PatientDateOfBirth" hold dates of birth in every export. A value that
does not fit the name of its column ("unknown" under a date, a sentence under a telephone) is read
as text instead, so that a wrong guess about a name destroys nothing and lets nothing through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from incognote.core.fields import CODES, VALUES, is_blank, label_from_header, words_of
from incognote.core.labels import label as label_named
from incognote.formats.clinical import VALUE, is_measurement
from incognote.lexicon import lexicon
from incognote.lexicon.words import SHORT, UNCUED, is_borne, is_word
from incognote.policy import KEEP, TEXT

# A column called by a program.
_PROGRAMS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
# A position is one in the genome where the table has chromosomes, a site one of the body where it
# says by which route a drug was given.
_COMPANY = (
    (
        frozenset({"chrom", "chromosome", "chr"}),
        frozenset({"position", "pos", "start", "end", "stop", "build"}),
    ),
    (frozenset({"route", "vaccine"}), frozenset({"site"})),
)
# "name" means a person where the table has columns that only people have.
_PERSONAL = frozenset({"SSN", "MEDICALRECORD", "PHONE", "EMAIL", "STREET", "CITY", "ZIP"})
_NAMES = frozenset({"name", "names", "nombre", "nombres"})

# A quantity is no identifier: few digits, with marks of comparison and a unit.
_QUANTITY = re.compile(r"[<>=~]{0,2}\s?[+-]?\d{1,4}(?:[.,]\d{1,6})?\s?%?")
_CATALOGUED = re.compile(r"[A-Za-z]{0,3}[\d.-]{1,20}[A-Za-z]{0,3}")
_DATE_LIKE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}|(?:18|19|20|21)\d{6}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=[T ]\d\d:)")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
# A longer value is a sentence, whatever its column is called.
_LONGEST = 80


def labels_from_headers(names: Iterable[str]) -> dict[str, str | None]:
    """What each column of a table holds; some are recognised by their neighbours: a name beside an
    address is a patient's, a position beside a chromosome is one in the genome."""
    found = {name: label_from_header(name) for name in names}
    if not _PERSONAL.isdisjoint(found.values()):
        found |= {name: "PATIENT" for name in found if words_of(name).lower() in _NAMES}
    return found | values_by_company(found)


def values_by_company(names: Iterable[str]) -> dict[str, str]:
    """The columns that hold clinical values because others are beside them."""
    plain = {name: _plain(name) for name in names}
    every = set(plain.values())
    return {
        name: VALUES
        for beside, columns in _COMPANY
        if not beside.isdisjoint(every)
        for name, words in plain.items()
        if words in columns
    }


def _plain(name: str) -> str:
    return words_of(name).lower()


def is_patient_number(name: str) -> bool:
    """Whether a column numbers the patients: those of an export go by it, whatever else it has."""
    words = words_of(name).lower()
    return label_from_header(name) == "IDNUM" and words.startswith(
        ("pat", "pt ", "subject", "person")
    )


def is_column_name(name: str) -> bool:
    """Whether a header is written as programs write them, of words that are not names."""
    return _PROGRAMS.fullmatch(name) is not None and all(
        len(word) <= SHORT or is_word(word) for word in name.split("_") if word.isalpha()
    )


def is_test_name(name: str) -> bool:
    """Whether a header is a symbol or an abbreviation of medicine and hardly a name: K, Na, Hgb."""
    if not name.isalpha() or is_borne(name, UNCUED):
        return False
    return (
        len(name) <= 2 or lexicon().is_abbreviation(name) or lexicon().is_abbreviation(name.upper())
    )


def classify_value(kind: str | None, value: str) -> tuple[str, int, int]:
    """What a value is under a column of this kind, and where: KEEP, TEXT, VALUE or a label."""
    plain = value.strip()
    start = value.find(plain)
    whole = start, start + len(plain)
    if is_blank(plain):
        return KEEP, *whole
    if kind is None and _STAMP.fullmatch(plain):
        kind = "DATE"  # whatever the column is called
    if kind == VALUES:
        return KEEP if is_measurement(plain) else _clinical(plain), *whole
    if kind in (None, CODES):
        harmless = _CATALOGUED if kind == CODES else _QUANTITY
        is_code = harmless.fullmatch(plain) and not _DATE_LIKE.fullmatch(plain)
        return KEEP if is_code else TEXT, *whole
    assert kind is not None
    if not _could_be(kind, plain):
        return TEXT, *whole
    day = _DAY.match(plain) if kind == "DATE" else None
    return kind, start, start + day.end() if day else whole[1]


def _clinical(value: str) -> str:
    """A value in words, unless it goes on like a note."""
    return TEXT if len(value) > _LONGEST or "\n" in value else VALUE


def _could_be(label: str, value: str) -> bool:
    """Whether a value fits the label of its column; a sentence or a mere mark does not."""
    if len(value) > _LONGEST or "\n" in value:
        return False
    if label_named(label).category in ("NAME", "LOCATION", "PROFESSION") and label not in (
        "ZIP", "ROOM", "COORDINATES", "STREET", "USERNAME",
    ):  # fmt: skip
        return _LETTER.search(value) is not None
    if label in ("EMAIL", "URL", "USERNAME", "STREET", "ROOM"):
        return True
    return _DIGIT.search(value) is not None
