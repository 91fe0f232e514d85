"""What the tests of the link room share."""

from __future__ import annotations

from incognote.core.people import People
from incognote.core.types import Document, Span
from incognote.link import Linked, link, people_in
from incognote.testing import parse_markup


def document(marked: str) -> tuple[Document, tuple[Span, ...]]:
    text, spans = parse_markup(marked)
    return Document("d", text), spans


def people(marked: str) -> People:
    """The people of a marked text, with the spans as they are."""
    text, spans = parse_markup(marked)
    return people_in(Document("d", text), spans)


def groups(marked: str) -> list[list[str]]:
    """What each person is called, in order of appearance."""
    text, spans = parse_markup(marked)
    found = people_in(Document("d", text), spans)
    return [[text[m.start : m.end] for m in person.mentions] for person in found]


def linked(marked: str, **facts: object) -> tuple[str, Linked]:
    text, spans = parse_markup(marked)
    return text, link(Document("d", text, **facts), spans)  # type: ignore[arg-type]


def labels(marked: str) -> list[tuple[str, str]]:
    """All spans after linking: what they cover, and their labels."""
    text, found = linked(marked)
    return [(text[span.start : span.end], span.label) for span in found.spans]
