"""Leak tests of formats, apart from how good any detector is: what was planted is found."""

from __future__ import annotations

import base64
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


def placed(data: bytes, name: str) -> set[str]:
    """Where the documents of a file say that they stand in it."""
    return {d.locator.removeprefix(name).lstrip(": ") for d in documents(data, name)}


def left_over(text: str, name: str, planted: str) -> list[str]:
    """What is still planted in a text file that was masked: as it stands, in base64 or in
    hexadecimal."""
    out = masked(text.encode(), name, [planted, planted.upper()]).decode().lower()
    packed = re.findall(r"[A-Za-z0-9+/]{32,}={0,2}", out)
    said = [out, *(base64.b64decode(body + "==").decode("latin-1").lower() for body in packed)]
    forms = (planted.lower(), planted.encode().hex())
    return [form for form in forms if any(form in each for each in said)]


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
