"""What several writers need: ids, file names, text in XML, spans that do not cross."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Span

# Characters that XML 1.0 cannot hold in any spelling.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNSAFE = re.compile(r"[^\w.-]")


def refuse_doubles(documents: Iterable[AnnotatedDocument]) -> None:
    """Two documents with one id cannot be distinguished by anybody downstream."""
    doubled = next((key for key, n in Counter(d.id for d in documents).items() if n > 1), None)
    if doubled is not None:
        raise UsageError(f"more than one document has the id {doubled!r}")


def new_file(folder: Path, doc_id: str, suffix: str) -> Path:
    """Where a document goes. What no file system likes in its id becomes an underscore; a file
    that is there already is never overwritten, be it an older run's or a similar id's."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_UNSAFE.sub('_', doc_id)}{suffix}"
    if path.exists():
        raise UsageError(f"{path}: exists already")
    return path


def xml_legal(text: str) -> str:
    """A character that XML cannot hold becomes U+FFFD: one for one, so offsets stay."""
    return _ILLEGAL.sub("\ufffd", text)


def xml_text(text: str) -> str:
    """Text that reads back with the same offsets. Carriage returns are spelled out, or a parser
    would fold them into line feeds and shift every offset after them."""
    return escape(xml_legal(text), {"\r": "&#13;"})


def without_overlap(doc: AnnotatedDocument) -> list[Span]:
    """The spans in order, for formats whose tags appear in the text and cannot cross."""
    spans = sorted(doc.spans)
    if any(one.overlaps(other) for one, other in pairwise(spans)):
        raise UsageError(f"document {doc.id!r}: overlapping spans cannot be written in this format")
    return spans
