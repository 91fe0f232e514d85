"""Small annotated notes for the tests of this room."""

from __future__ import annotations

from tests.marked import annotated

from incognote.core.types import AnnotatedDocument, Span
from incognote.evaluate.scoring.pairs import Pair


def pair_of(gold: str, pred: str, key: str = "n1", **meta: str) -> Pair:
    """One text marked twice."""
    one, other = annotated(gold, key, **meta), annotated(pred, key, **meta)
    assert one.text == other.text
    return Pair(one.document, one.spans, other.spans)


def without(doc: AnnotatedDocument, *labels: str) -> AnnotatedDocument:
    return AnnotatedDocument(doc.document, tuple(s for s in doc.spans if s.label not in labels))


def span(start: int, end: int, label: str, score: float = 1.0) -> Span:
    return Span(start, end, label, score)
