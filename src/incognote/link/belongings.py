"""What belongs to whom: birth dates, ages, phones, addresses, user names, employers, jobs, ids.

E-mail addresses and user names belong to those whose names they are made of. Everything else
belongs to who was named last before it in the same sentence or line; in a sentence without
a person, it is the patient's if only patients have it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from incognote.core.people import Belonging, BelongingKind, Person
from incognote.core.types import Span
from incognote.lexicon import fold

_KINDS: dict[str, BelongingKind] = {
    "AGE": "age",
    "PHONE": "phone",
    "FAX": "phone",
    "EMAIL": "email",
    "USERNAME": "username",
    "STREET": "address",
    "CITY": "address",
    "ZIP": "address",
    "ORGANIZATION": "employer",
    "PROFESSION": "job",
    "MEDICALRECORD": "id",
    "SSN": "id",
    "HEALTHPLAN": "id",
    "ACCOUNT": "id",
    "LICENSE": "id",
}
_MADE_OF_NAMES = frozenset({"email", "username"})
# Without a name beside them these are the patient's: notes are written about them.
_OF_PATIENTS = frozenset({"birth date", "age", "id", "address"})
_BORN = re.compile(r"\b(?:dob|born|birth\s?date|date of birth)\W{0,4}(?:on )?$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?]\s+[A-Z\d]|\n\s*\n")
_SHORTEST = 4
_NEAR = 160


def with_belongings(
    people: tuple[Person, ...], spans: Sequence[Span], text: str
) -> tuple[Person, ...]:
    """The people with what is theirs."""
    things = [(span, kind) for span in spans if (kind := _kind(span, text))]
    if not things:
        return people
    named = sorted((m.start, i) for i, person in enumerate(people) for m in person.mentions)
    patient = next((i for i, person in enumerate(people) if person.role == "patient"), None)
    owned: list[list[Belonging]] = [[] for _ in people]
    for span, kind in things:
        owner, reason = _owner(span, kind, people, named, text)
        if owner is None and kind in _OF_PATIENTS:
            owner, reason = patient, "patient"
        if owner is not None:
            value = text[span.start : span.end]
            owned[owner].append(Belonging(kind, span.start, span.end, value, reason))
    return tuple(
        replace(person, belongings=tuple(mine)) if mine else person
        for person, mine in zip(people, owned, strict=True)
    )


def _kind(span: Span, text: str) -> BelongingKind | None:
    if span.label == "DATE":
        return "birth date" if _BORN.search(text, max(0, span.start - 24), span.start) else None
    return _KINDS.get(span.label)


def _owner(
    span: Span,
    kind: BelongingKind,
    people: tuple[Person, ...],
    named: Sequence[tuple[int, int]],
    text: str,
) -> tuple[int | None, str]:
    if kind in _MADE_OF_NAMES:
        written = fold(text[span.start : span.end].partition("@")[0])
        for i, person in enumerate(people):
            families = (part.canonical for part in person.of("family"))
            if any(len(name) >= _SHORTEST and name in written for name in families):
                return i, "made-of-name"
        return None, ""
    at = bisect_left(named, (span.start, 0)) - 1
    if at < 0:
        return None, ""
    start, last = named[at]
    between = text[start : span.start]
    if len(between) > _NEAR or _SENTENCE_END.search(between):
        return None, ""
    return last, "same-sentence"
