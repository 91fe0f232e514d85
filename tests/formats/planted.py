"""Leak tests of formats, apart from how good any detector is: what was planted is found."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from incognote.core.types import Document, Replacement, Result, Span
from incognote.formats import HEAD, format_of
from incognote.formats.base import Record
from incognote.policy import FormatRules


def unchanged(data: bytes, name: str, rules: FormatRules | None = None) -> bytes:
    """The file written back with nothing found in it."""
    return _written(data, name, rules, lambda document: ())


def masked(
    data: bytes, name: str, planted: Sequence[str], rules: FormatRules | None = None
) -> bytes:
    """The file with its known fields and every planted string in its texts replaced by tags."""
    pattern = re.compile("|".join(map(re.escape, sorted(planted, key=len, reverse=True))))

    def find(document: Document) -> tuple[Span, ...]:
        if document.given:
            return document.given
        return tuple(Span(*m.span(), "PATIENT") for m in pattern.finditer(document.text))

    return _written(data, name, rules, find)


def read(data: bytes, name: str, rules: FormatRules | None = None):
    form = format_of(name, data[:HEAD])
    return list(form.read(io.BytesIO(data), name, rules or FormatRules()))


def documents(data: bytes, name: str, rules: FormatRules | None = None) -> list[Document]:
    return [d for record in read(data, name, rules) for d in record.documents]


def _written(data, name, rules, find) -> bytes:
    out = b""
    for record in read(data, name, rules):
        assert isinstance(record, Record), record
        out += record.render([_result(document, find(document)) for document in record.documents])
    return out


def _result(document: Document, spans: tuple[Span, ...]) -> Result:
    replacements = tuple(Replacement(span, f"[{span.label}]", "tag") for span in spans)
    text, at = "", 0
    for replacement in replacements:
        text += document.text[at : replacement.span.start] + replacement.text
        at = replacement.span.end
    return Result(document, spans, (), replacements, text + document.text[at:])
