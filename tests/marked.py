"""Documents whose annotations stand in the text itself: "Dr. [[Chen|DOCTOR]]"."""

from __future__ import annotations

from incognote.core.types import AnnotatedDocument, Document
from incognote.testing import parse_markup


def annotated(marked: str, key: str = "n1", **meta: str) -> AnnotatedDocument:
    text, spans = parse_markup(marked)
    return AnnotatedDocument(Document(key, text, meta), spans)
