"""What every format owes: bytes that come back, and no planted value left in any corner.

The kit does without detectors. It marks what was planted by searching for it, so that a leak is the
format's own: a corner it never read, or read and did not write back.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

from incognote.core.types import Document, Failure, Replacement, Result, Span
from incognote.formats import HEAD, format_of
from incognote.formats.base import Record
from incognote.policy import FormatRules


def check_format(
    data: bytes, name: str, planted: Sequence[str], rules: FormatRules | None = None
) -> None:
    """A file with planted values, which must be plain in its bytes or its documents.

    It comes back byte for byte where nothing was found; where the planted values were found, none
    is left; half a file is refused or read, but raises nothing.
    """
    assert unchanged(data, name, rules) == data, "a file in which nothing was found has changed"
    texts = "\n".join(document.text for document in documents(data, name, rules))
    for value in planted:
        assert value in texts, f"the planted value number {planted.index(value)} is read by nobody"
    written = masked(data, name, planted, rules)
    left = [index for index, value in enumerate(planted) if value.encode() in written]
    assert not left, f"planted values that are still there: numbers {left}"
    for record in read(data[: len(data) // 2], name, rules):
        assert isinstance(record, Record | Failure), "a reader yields records and failures only"


def unchanged(data: bytes, name: str, rules: FormatRules | None = None) -> bytes:
    """The file written back with nothing found in it."""
    return _written(data, name, rules, lambda _: ())


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


def read(data: bytes, name: str, rules: FormatRules | None = None) -> list[Record | Failure]:
    """The records of a file, in the format that its name and content show."""
    form = format_of(name, data[:HEAD])
    return list(form.read(io.BytesIO(data), name, rules or FormatRules()))


def documents(data: bytes, name: str, rules: FormatRules | None = None) -> list[Document]:
    """The documents of all records of a file."""
    return [document for record in _records(data, name, rules) for document in record.documents]


def _records(data: bytes, name: str, rules: FormatRules | None) -> list[Record]:
    records = read(data, name, rules)
    for record in records:
        assert isinstance(record, Record), record
    return [record for record in records if isinstance(record, Record)]


def _written(
    data: bytes,
    name: str,
    rules: FormatRules | None,
    find: Callable[[Document], tuple[Span, ...]],
) -> bytes:
    return b"".join(
        record.render([_result(document, find(document)) for document in record.documents])
        for record in _records(data, name, rules)
    )


def _result(document: Document, spans: tuple[Span, ...]) -> Result:
    replacements = tuple(Replacement(span, f"[{span.label}]", "tag") for span in spans)
    text, at = "", 0
    for replacement in replacements:
        text += document.text[at : replacement.span.start] + replacement.text
        at = replacement.span.end
    return Result(document, spans, (), replacements, text + document.text[at:])
