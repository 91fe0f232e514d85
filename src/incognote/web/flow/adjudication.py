"""Two annotators of one note: what they agree on, and the places where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.agreement import disputes
from incognote.web.flow.edits import Mark


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch on which A and B differ, with what each of them and the ensemble mark in it."""

    start: int
    end: int
    a: tuple[Mark, ...]
    b: tuple[Mark, ...]
    ensemble: tuple[Mark, ...] = ()


def agreed(a: Sequence[Mark], b: Sequence[Mark]) -> tuple[Mark, ...]:
    """What both mark alike and no dispute touches."""
    places = disputed(a, b)
    return tuple(
        mark
        for mark in sorted(set(a) & set(b))
        if not any(place.start < mark[1] and mark[0] < place.end for place in places)
    )


def disputed(a: Sequence[Mark], b: Sequence[Mark], ensemble: Sequence[Mark] = ()) -> list[Place]:
    end = max((mark[1] for mark in (*a, *b)), default=0)
    found = disputes({"a": [_document(a, end)], "b": [_document(b, end)]})
    return [
        Place(
            one.start,
            one.end,
            _within(a, one.start, one.end),
            _within(b, one.start, one.end),
            _within(ensemble, one.start, one.end),
        )
        for one in found
    ]


def _within(spans: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    return tuple(mark for mark in spans if mark[0] < end and start < mark[1])


def _document(spans: Sequence[Mark], length: int) -> AnnotatedDocument:
    # Only offsets are compared; the text itself stays where it is.
    text = " " * length
    return AnnotatedDocument(Document("", text), tuple(Span(*mark) for mark in sorted(spans)))
