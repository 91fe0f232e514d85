"""Two annotators of one note: what they agree on, and the places where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.agreement import disputes
from incognote.web.flow.edits import Mark

EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch on which A and B differ, with what each of them and the ensemble mark in it."""

    start: int
    end: int
    a: tuple[Mark, ...]
    b: tuple[Mark, ...]
    ensemble: tuple[Mark, ...] = ()

    def of(self, choice: str) -> tuple[Mark, ...] | None:
        """The spans of a choice; None for one that says nothing of them."""
        chosen: dict[str, tuple[Mark, ...]] = {
            "a": self.a,
            "b": self.b,
            "ensemble": self.ensemble,
            "none": (),
        }
        return chosen.get(choice)


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
            within(a, one.start, one.end),
            within(b, one.start, one.end),
            within(ensemble, one.start, one.end),
        )
        for one in found
    ]


def within(spans: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """The spans that touch a stretch."""
    return tuple(mark for mark in spans if mark[0] < end and start < mark[1])


def _document(spans: Sequence[Mark], length: int) -> AnnotatedDocument:
    # Only offsets are compared; the text itself stays where it is.
    text = " " * length
    return AnnotatedDocument(Document("", text), tuple(Span(*mark) for mark in sorted(spans)))
