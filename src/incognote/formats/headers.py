"""What a field holds, told by the name of its column or key where no policy names it.

"DOB", "birth_date" and "PatientDateOfBirth" hold dates of birth in every export. A value that
cannot be what its column promises ("unknown" under a date, a sentence under a telephone) is read as
text instead, so that a wrong guess about a name destroys nothing and lets nothing through.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from incognote.core.labels import label as label_named
from incognote.policy import KEEP, TEXT

# Another word begins: "patientName", "HTTPServer", "patient_name", "phone2".
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|[\W_]+")
_RUNNING_NUMBER = re.compile(r"(?: \d+)+$")

# Kinds of columns besides labels.
CODES = "codes"
MEASURES = "measures"
# "name" means a person where the table has columns that only people have.
_PERSONAL = frozenset({"SSN", "MEDICALRECORD", "PHONE", "EMAIL", "STREET", "CITY", "ZIP"})

# A quantity identifies nobody: few digits, with marks of comparison and a unit.
_QUANTITY = re.compile(r"[<>=~]{0,2}\s?[+-]?\d{1,4}(?:[.,]\d{1,6})?\s?%?")
_MEASURE = re.compile(
    r"(?=(?:\D*\d){0,6}\D*$)(?:[A-Za-z]{0,3}[\d.,/+*^<>=%-]+[A-Za-z%/]{0,6}|[A-Z]{1,3})"
)
_CATALOGUED = re.compile(r"[A-Za-z]{0,3}[\d.-]{1,20}[A-Za-z]{0,3}")
_DATE_LIKE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}|(?:18|19|20|21)\d{6}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=[T ]\d\d:)")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
# A longer value is a sentence, whatever its column is called.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class _Table:
    kinds: tuple[tuple[re.Pattern[str], str], ...]
    blanks: frozenset[str]


@cache
def _table() -> _Table:
    raw = tomllib.loads(files("incognote.formats").joinpath("headers.toml").read_text("utf-8"))

    def pattern(alternatives: list[str]) -> re.Pattern[str]:
        filled = "|".join(alternatives)
        for word, expression in raw["words"].items():
            filled = filled.replace(f"{{{word}}}", expression)
        return re.compile(filled)

    harmless = raw["harmless"]
    named = {**raw["labels"], CODES: harmless["codes"], MEASURES: harmless["measures"]}
    return _Table(
        tuple((pattern(names), kind) for kind, names in named.items()),
        frozenset(harmless["blanks"]),
    )


def words_of(name: str) -> str:
    """`patientName`, `patient_name` and `patient-name` all read "patient Name"."""
    return _SEAM.sub(" ", name).strip()


@lru_cache(maxsize=4096)
def promise(name: str) -> str | None:
    """What a column of this name holds: a label, CODES, MEASURES, or None where it may be all."""
    words = _RUNNING_NUMBER.sub("", words_of(name).lower())
    return next((kind for pattern, kind in _table().kinds if pattern.fullmatch(words)), None)


def promises(names: Iterable[str]) -> dict[str, str | None]:
    """What each column of a table holds; some are told by the company they keep."""
    found = {name: promise(name) for name in names}
    if not _PERSONAL.isdisjoint(found.values()):
        found |= {name: "PATIENT" for name in found if words_of(name).lower() in ("name", "names")}
    return found


def is_patient_number(name: str) -> bool:
    """Whether a column numbers the patients: those of an export go by it, whatever else it has."""
    words = words_of(name).lower()
    return promise(name) == "IDNUM" and words.startswith(("pat", "pt ", "subject", "person"))


def judged(kind: str | None, value: str) -> tuple[str, int, int]:
    """What a value is under a column of this kind, and where: KEEP, TEXT or a label."""
    plain = value.strip()
    start = value.find(plain)
    whole = start, start + len(plain)
    if plain.lower() in _table().blanks:
        return KEEP, *whole
    if kind is None and _STAMP.fullmatch(plain):
        kind = "DATE"  # whatever the column is called
    if kind in (None, CODES, MEASURES):
        harmless = {CODES: _CATALOGUED, MEASURES: _MEASURE}.get(kind or "", _QUANTITY)
        is_code = harmless.fullmatch(plain) and not _DATE_LIKE.fullmatch(plain)
        return KEEP if is_code else TEXT, *whole
    assert kind is not None
    if not _could_be(kind, plain):
        return TEXT, *whole
    day = _DAY.match(plain) if kind == "DATE" else None
    return kind, start, start + day.end() if day else whole[1]


def _could_be(label: str, value: str) -> bool:
    """Whether a value may be what its column promises; a sentence or a mere mark is not."""
    if len(value) > _LONGEST or "\n" in value:
        return False
    if label_named(label).category in ("NAME", "LOCATION", "PROFESSION") and label not in (
        "ZIP", "ROOM", "COORDINATES", "STREET", "USERNAME",
    ):  # fmt: skip
        return _LETTER.search(value) is not None
    if label in ("EMAIL", "URL", "USERNAME", "STREET", "ROOM"):
        return True
    return _DIGIT.search(value) is not None
