"""Texts with tags in them, <DATE>3/4/20</DATE> or <PHI TYPE="DATE">3/4/20</PHI>: a folder of .txt.

This is no XML: notes are full of "<" and "&". Only a matching pair of tags is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.core.errors import ReadError, UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import new_file, without_overlap

_TAGGED = re.compile(
    r'<(?P<tag>[A-Z][A-Z0-9_-]*)(?: TYPE="(?P<type>[^"<>]+)")?>(?P<surface>[^<>]+)</(?P=tag)>'
)


def read(path: Path) -> Iterator[AnnotatedDocument]:
    for file in sorted(path.glob("*.txt")) if path.is_dir() else [path]:
        try:
            with file.open(encoding="utf-8", newline="") as stream:
                tagged = stream.read()
        except UnicodeDecodeError:
            raise ReadError(f"{file.name}: not UTF-8 text") from None
        text, spans = untag(tagged)
        yield AnnotatedDocument(Document(file.stem, text, {}, file.name), spans)


def untag(tagged: str) -> tuple[str, tuple[Span, ...]]:
    parts: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for mark in _TAGGED.finditer(tagged):
        before, surface = tagged[at : mark.start()], mark["surface"]
        start = length + len(before)
        spans.append(Span(start, start + len(surface), (mark["type"] or mark["tag"]).upper()))
        parts += [before, surface]
        length = start + len(surface)
        at = mark.end()
    return "".join([*parts, tagged[at:]]), tuple(spans)


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    for doc in documents:
        parts: list[str] = []
        at = 0
        for span in without_overlap(doc):
            surface = doc.text[span.start : span.end]
            parts += [doc.text[at : span.start], f"<{span.label}>{surface}</{span.label}>"]
            at = span.end
        tagged = "".join([*parts, doc.text[at:]])
        if untag(tagged) != (doc.text, tuple(_plain(doc))):
            raise UsageError(f"document {doc.id!r}: its text looks like tags; use another format")
        new_file(path, doc.id, ".txt").write_text(tagged, "utf-8", newline="")


def _plain(doc: AnnotatedDocument) -> list[Span]:
    return [Span(span.start, span.end, span.label) for span in sorted(doc.spans)]


INLINE = CorpusFormat("folder of texts with tags: <DATE>3/4/20</DATE>", read, write)
