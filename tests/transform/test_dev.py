"""What surrogates must reach on the dev notes, with their gold spans given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import combinations

import pytest
from tests.transform.conftest import KEY, corpus_notes

from incognote.core.errors import DocumentError
from incognote.core.types import Document, Result
from incognote.policy import load_policy
from incognote.transform import Transformer, new_spans
from incognote.transform.dates.facts import DateFacts
from incognote.transform.leaks import check as leaks
from incognote.transform.leaks.needles import needles
from incognote.transform.record import Mention, Scope, TransformRecord

POLICY = load_policy("i2b2-2014")
IDS = ("SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM").split()


@pytest.fixture(scope="module", params=[KEY, b"another key, as good as the first"], ids=["a", "b"])
def results(request, dev_notes) -> list[Result]:
    transformer = Transformer(POLICY, request.param)
    return [transformer.apply(document, spans) for document, spans in dev_notes]


def mentions(result: Result) -> list[tuple[str, str, str]]:
    """Label, original and replacement of everything that was replaced."""
    text = result.document.text
    return [
        (each.span.label, text[each.span.start : each.span.end], each.text)
        for each in result.replacements
    ]


def test_every_label_but_times_is_replaced(results):
    replaced = {each.span for result in results for each in result.replacements}
    spans = [span for result in results for span in result.spans]
    kept = {span.label for span in spans} - {span.label for span in replaced}
    assert kept <= {"TIME", "AGE"}
    moving = {"TIME", "AGE", "DATE"}  # a bare year may stay where it is
    stayed = [span for span in spans if span not in replaced and span.label not in moving]
    # A permutation leaves a value where it is as often as chance has it.
    assert len(stayed) <= len(spans) / 100


def test_hardly_an_original_comes_back(results):
    found = []
    for result in results:
        wanted = [
            Mention(label, original, 0, len(original), result.spans[0])
            for label, original, _ in mentions(result)
            if label != "DATE"
        ]
        found += leaks.find(result.text, needles(wanted))
    # One name in a hundred or more goes to itself or to another of its record, as chance has it.
    assert len(found) <= len(results) / 5


def test_no_repair_was_needed_for_gold(results):
    repaired = [s for result in results for s in result.spans if s.sources == ("leak-check",)]
    assert len(repaired) <= 1


def test_no_surrogate_equals_an_original_of_its_record(results):
    calendar = {"DATE", "AGE", "TIME"}
    for result in results:
        rows = [row for row in mentions(result) if row[0] not in calendar]
        originals = {original.casefold() for _, original, _ in rows}
        assert not originals & {new.casefold() for _, _, new in rows}
        assert all(original != new for _, original, new in mentions(result))


def test_every_interval_stays(results):
    full = partial = 0
    for result in results:
        before = _days(result.document.text, result.spans)
        after = _days(result.text, new_spans(result))
        # "10/22" that was a month and a year may, moved to "2/23", look like a day.
        dated = [(a, b) for a, b in zip(before, after, strict=True) if a]
        pairs = [pair for a, b in dated for pair in zip(a, b, strict=True)]
        for (a, c), (b, d) in combinations(pairs, 2):
            if a.year and b.year:
                full += 1
                assert b.day - a.day == d.day - c.day
            else:
                # Without a year an interval is known up to whole years.
                partial += 1
                change = abs((b.day - a.day) - (d.day - c.day)).days
                assert min(change % 365, -change % 365) <= 1
    assert full > 100
    assert partial > 100


@dataclass(frozen=True)
class Day:
    day: date
    year: bool


def _days(text: str, spans) -> list[list[Day]]:
    """The days that each date names, with or without their year."""
    record = TransformRecord(Document("d", text), spans, Scope(KEY, "s", POLICY.transform), POLICY)
    facts = DateFacts(record)
    return [
        [
            Day(facts.resolve(part), part.year is not None)
            for part in facts.form(mention).dates
            if part.exact
        ]
        for mention in record.mentions
        if mention.label == "DATE"
    ]


def shape(text: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", text)))


def words(text: str) -> str:
    """Words by their case, what stands between them as it is."""
    return re.sub(
        r"[^\W\d_]+(?:'[^\W\d_]+)*",
        lambda m: "A" if m[0].isupper() else "a" if m[0].islower() else "Aa",
        text,
    )


def numbers(text: str) -> str:
    """Numbers without their length, month and weekday names as words."""
    return re.sub(r"\d+(?:st|nd|rd|th)?", "9", words(text))


def test_every_replaced_string_is_of_the_same_format_class(results):
    wrong = []
    for result in results:
        for label, old, new in mentions(result):
            if label in IDS or label in ("ZIP", "PHONE", "FAX"):
                same = shape(old) == shape(new)
            elif label in ("PATIENT", "DOCTOR"):
                same = words(old).replace("Aa", "A") == words(new).replace("Aa", "A") or (
                    old.isupper() == new.isupper() and words(old).lower() == words(new).lower()
                )
            elif label == "DATE" and any(c.isdigit() for c in old):
                same = numbers(old) == numbers(new)
            elif label in ("HOSPITAL", "ORGANIZATION"):
                same = old.isupper() == new.isupper() and bool(new.strip())
            else:
                same = (old.isupper(), old.islower()) == (new.isupper(), new.islower()) or (
                    # "CPA" becomes a job in small letters, "M" (Monday) may become "Th".
                    label in ("PROFESSION", "COUNTRY", "STATE", "DATE") and len(old) <= 4
                )
            if not same:
                wrong.append((label, shape(old), shape(new)))
    assert not wrong


def test_hardly_a_note_of_the_corpus_has_to_stop():
    """Every kind of writing there is, a fifth of it: gold spans in, surrogates out."""
    transformer = Transformer(POLICY, KEY)
    notes = corpus_notes("train")[::5]
    stopped = []
    for document, spans in notes:
        try:
            transformer.apply(document, spans)
        except DocumentError as error:
            stopped.append(f"{document.id}: {error}")
    assert len(notes) > 300
    assert not stopped
