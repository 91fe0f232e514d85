"""Recogniser tables of other projects: misses count strictly, false alarms where none is expected.

The tables lie in the shared data folder and are not shipped, so rows are named by their line. A row
counts as found when every letter and digit that should be found is covered, under whatever label:
a record number that another tool calls a bank account is still hidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from incognote.core.types import Document, Span
from incognote.detect.patterns import PatternDetector
from incognote.policy import PrepareRules
from incognote.prepare import prepare

DETECTOR = PatternDetector()


class Row(NamedTuple):
    line: int
    kind: str
    text: str
    expected: list[tuple[int, int]]


def rows_of(path: Path) -> Iterator[tuple[int, dict]]:
    for line, row in enumerate(path.read_text("utf-8").splitlines(), 1):
        yield line, json.loads(row)


def presidio(path: Path) -> Iterator[Row]:
    for line, row in rows_of(path):
        spans = [(start, end) for start, end in row["spans"]] if row["n"] else []
        yield Row(line, row["recogniser"], row["text"], spans)


def whole(text: str) -> list[tuple[int, int]]:
    return [(0, len(text))]


def phonenumbers(path: Path) -> Iterator[Row]:
    for line, row in rows_of(path):
        if row["text"] is not None:
            impossible = row["group"] == "IMPOSSIBLE_CASES"
            yield Row(line, row["group"], row["text"], [] if impossible else whole(row["text"]))


def commonregex(path: Path) -> Iterator[Row]:
    for line, row in rows_of(path):
        yield Row(line, row["kind"], row["text"], whole(row["text"]) if row["positive"] else [])


def scrubadub(path: Path) -> Iterator[Row]:
    for line, row in rows_of(path):
        if "before" in row:
            yield Row(line, row["kind"], row["before"], gaps(row["before"], row["after"]))
        else:
            value = row["value"]
            text, positive = value if isinstance(value, list) else (value, True)
            yield Row(line, row["kind"], text, whole(text) if positive else [])


def gaps(before: str, after: str) -> list[tuple[int, int]]:
    """Where `after` has a placeholder instead of the text of `before`."""
    first, *rest = re.split(r"\{\{[A-Z_]+\}\}", after)
    spans, at = [], len(first)
    for kept in rest:
        end = before.index(kept, at) if kept else len(before)
        spans.append((at, end))
        at = end + len(kept)
    return spans


MONTH_OR_DAY = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"


def dateparser(path: Path) -> Iterator[Row]:
    """English (and other ASCII) strings; numbers and names of months and weekdays count."""
    for line, row in rows_of(path):
        args = row["args"]
        if "search" in row["file"]:
            args = args[1:] if args and args[0] == "en" else []
        if args and isinstance(args[0], str) and args[0].isascii():
            words = re.finditer(rf"\d+|\b(?:{MONTH_OR_DAY})[a-z]*", args[0], re.IGNORECASE)
            yield Row(line, row["test"], args[0], [word.span() for word in words])


TABLES = {
    "presidio_us_clinical": presidio,
    "phonenumbers_matcher": phonenumbers,
    "commonregex": commonregex,
    "scrubadub": scrubadub,
    "dateparser": dateparser,
}

# Kinds that are not PHI, or not this detector's: why each is left out.
OUT_OF_SCOPE = {
    "BTCAddresses": "no payment by cryptocurrency in clinical notes",
    "HexColors": "not PHI",
    "Prices": "not PHI",
    "credentials": "passwords are no label of the taxonomy",
    "skype": "a bare name without digits is the names detector's",
    "twitter": "handles without digits or marks are the names detector's",
    "text_blob": "names are the names detector's",
    "en_GB_trn": "a temporary tax reference without its keyword",
    "VALID_CASES": "valid only to a parser that ignores grouping; dates for everybody else",
    "POSSIBLE_ONLY_CASES": "no valid numbers by the table's own word",
    "test_dates_not_parsed": "strings that are no dates by the table's own word",
    "test_relative_date_with_time_offset": "relative times are not PHI",
    "test_word_numbers_with_later": "relative times are not PHI",
    "test_word_numbers_advanced": "relative times are not PHI",
    "test_order_no_spaces": "six digits without context are a value more often than a month",
    "test_parse_negative_timestamp": "not a date people write",
}

# Single rows, by table and line.
ROWS_OUT_OF_SCOPE = {
    (table, line): why
    for table, why, lines in [
        ("presidio_us_clinical", "an address glued to a word", [253]),
        (
            "phonenumbers_matcher",
            "a German or Australian number without its prefix",
            [17, 26, 28, 31, 32],
        ),
        ("commonregex", "zeros only", [29]),
        ("scrubadub", "the table hides the word before the date too", [14]),
        ("dateparser", "relative, or a day of the month without one", [68, 84]),
        ("dateparser", "a month in brackets", [131, 219]),
        ("dateparser", "a dotted time, which reads as a value", [141, 142, 210, 211]),
        (
            "dateparser",
            "months of languages that the packs do not hold",
            [152, 157, 159, 160, 174, 175, 193, 194, 212, 215, 216, 217, 233, 244, 249, 258],
        ),
        ("dateparser", "year, day and month in that order", [341]),
        ("dateparser", "a Buddhist year", [348]),
    ]
    for line in lines
}

# The label that would be a false alarm in a row of a kind that expects nothing. A number that fails
# its check may still be an identifying number, so other labels are none.
OWN_LABEL = {
    "aba_routing": "ACCOUNT", "ca_sin": "NATIONALID", "credit_card": "CARD", "date": "DATE",
    "email": "EMAIL", "iban": "IBAN", "ip": "IPADDR", "mac": "MAC", "phone": "PHONE",
    "uk_nhs": "NATIONALID", "uk_nino": "NATIONALID", "uk_postcode": "ZIP", "url": "URL",
    "us_bank": "ACCOUNT", "us_driver_license": "LICENSE", "us_itin": "SSN", "us_mbi": "HEALTHPLAN",
    "us_npi": "LICENSE", "us_passport": "IDNUM", "us_ssn": "SSN", "certificate_number": "LICENSE",
    "IMPOSSIBLE_CASES": "PHONE", "SSN": "SSN", "ZipCodes": "ZIP", "postal_codes": "ZIP",
}  # fmt: skip
# Two rows of commonregex: any "www." host is taken, and a local number with an extension.
FALSE_ALARM_BY_CHOICE = {"Links", "PhonesWithExts"}


def find(text: str) -> list[Span]:
    return [
        view.to_source(span)
        for view in prepare(Document("row", text), PrepareRules())
        for span in DETECTOR.detect([view])[0]
    ]


def uncovered(row: Row) -> str:
    """The letters and digits that should have been found and were not."""
    covered = {at for span in find(row.text) for at in range(span.start, span.end)}
    # The "T" between date and time of a timestamp belongs to neither.
    stamps = {match.start() for match in re.finditer(r"(?<=\d)T(?=\d\d:)", row.text)}
    return "".join(
        row.text[at]
        for start, end in row.expected
        for at in range(start, end)
        if row.text[at].isalnum() and at not in covered | stamps
    )


def rows(shared: Path, table: str) -> list[Row]:
    path = shared / "cases" / f"{table}.jsonl"
    if not path.is_file():
        pytest.skip(f"{table} is not in the shared data folder")
    found = list(TABLES[table](path))
    assert found, "the table is empty"
    return found


@pytest.mark.parametrize("table", TABLES)
def test_no_misses(shared: Path, table: str) -> None:
    missed = {
        (table, row.line): uncovered(row)
        for row in rows(shared, table)
        if row.kind not in OUT_OF_SCOPE and (table, row.line) not in ROWS_OUT_OF_SCOPE
    }
    assert {key: text for key, text in missed.items() if text} == {}


@pytest.mark.parametrize(
    "table", ["presidio_us_clinical", "phonenumbers_matcher", "commonregex", "scrubadub"]
)
def test_no_false_alarms_where_nothing_is_expected(shared: Path, table: str) -> None:
    alarms = [
        (table, row.line, span.label)
        for row in rows(shared, table)
        if not row.expected and row.kind not in FALSE_ALARM_BY_CHOICE
        for span in find(row.text)
        if span.label == OWN_LABEL.get(row.kind, span.label)
    ]
    assert alarms == []


def test_dates_in_notes_of_pydeid(shared: Path) -> None:
    path = shared / "cases" / "pydeid.jsonl"
    if not path.is_file():
        pytest.skip("pydeid is not in the shared data folder")
    notes, gold = {}, []
    for _, row in rows_of(path):
        cells = row["row"]
        if "note_text" in cells:
            notes[cells["note_id"]] = cells["note_text"]
        elif cells.get("annotation") in ("d", "l") and cells["start"]:
            gold.append((cells["note_id"], int(cells["start"]), int(cells["end"])))
    # Towns are the places detector's; what has digits is ours.
    wanted = [
        Row(0, "pydeid", notes[note], [(start, end)])
        for note, start, end in gold
        if any(c.isdigit() for c in notes[note][start:end])
    ]
    assert len(wanted) == 4
    assert [uncovered(row) for row in wanted] == [""] * len(wanted)
