"""Files inside files: an attachment is recognised by its content and read by its own format."""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure
from incognote.formats import HEAD, format_of
from incognote.formats.base import SHARED, Record
from incognote.formats.patch import Piece, Slot, embedded_slot
from incognote.policy import FormatRules

_DATA_URI = re.compile(r"data:[^,]{0,200};base64,")
# With + and /, or with - and _, which appear in addresses.
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/]{4}[\r\n\t]*+)++[A-Za-z0-9+/]{0,3}={0,2}\s*+"
    r"|(?:[A-Za-z0-9_-]{4})++[A-Za-z0-9_-]{0,3}={0,2}"
)
_BLOCK = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,}+(?:\r?\n)?+)++[A-Za-z0-9+/]*+")
_DECLARED = re.compile(
    r"^Content-Transfer-Encoding:[ \t]*(?:base64|quoted-printable)\b", re.IGNORECASE | re.MULTILINE
)
# Shorter runs of letters are keys and hashes, which hold no text.
_SHORTEST_FILE = 256


def is_base64_file(text: str) -> bool:
    """Whether a value is nothing but a file in base64: to a detector it would say nothing."""
    if len(text) < _SHORTEST_FILE:
        return False
    start = _DATA_URI.match(text)
    if start:
        return True
    return _BASE64.fullmatch(text) is not None and _is_mixed(text)


def holds_packed_file(text: str) -> bool:
    """Whether a file in base64 appears within a text, as below the headers of an e-mail, or the
    text says of itself that its letters are packed."""
    return _DECLARED.search(text) is not None or any(
        len(block[0]) >= _SHORTEST_FILE and _is_mixed(block[0]) for block in _BLOCK.finditer(text)
    )


def _is_mixed(text: str) -> bool:
    """Sequences of bases and hexadecimal numbers have not all three kinds of characters."""
    return all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def base64_slot(
    piece: Piece,
    where: str,
    rules: FormatRules,
    doc_id: str = "",
    meta: Mapping[str, str] | None = None,
) -> Slot:
    """The documents of a base64 body. What no format reads is refused, never passed through.

    They belong to the document `doc_id` and to its patient, whatever the file says of itself.
    """
    start = _DATA_URI.match(piece.text)
    lead = start[0] if start else ""
    body = "".join(piece.text[len(lead) :].split())
    marks = b"-_" if "-" in body or "_" in body else b"+/"
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=marks, validate=True)
    except (binascii.Error, ValueError):
        raise ReadError(f"{where}: an attachment is not valid base64") from None
    return embedded_slot(
        piece,
        data,
        belonging(records_of(data, where, rules), doc_id, meta or {}),
        lambda new: lead + base64.b64encode(new, altchars=marks).decode("ascii"),
    )


def belonging(records: Sequence[Record], doc_id: str, meta: Mapping[str, str]) -> list[Record]:
    """The records of a file that is part of another document: they share its id and patient, and so
    its surrogates and its date shift."""

    def owned(document: Document) -> Document:
        shared = document.meta == SHARED
        return replace(
            document,
            id=doc_id or document.id,
            meta=document.meta if shared else {**document.meta, **meta},
        )

    return [replace(each, documents=tuple(map(owned, each.documents))) for each in records]


def records_of(data: bytes, where: str, rules: FormatRules, name: str = "") -> list[Record]:
    """The records of a file held in memory; any part that fails, fails the whole.

    Its format is recognised by its content, or by its name where it has one.
    """
    try:
        form = format_of(name, data[:HEAD])
    except ReadError:
        raise ReadError(f"{where}: an embedded file is of no known format") from None
    records = []
    for record in form.read(io.BytesIO(data), where, rules):
        if isinstance(record, Failure):
            raise ReadError(f"{where}: an embedded file cannot be read: {record.error}")
        records.append(record)
    return records
