"""Files inside files: an attachment is told by its content and read by its own format."""

from __future__ import annotations

import base64
import binascii
import io

from incognote.core.errors import ReadError
from incognote.core.types import Failure
from incognote.formats import HEAD, format_of
from incognote.formats.base import Record
from incognote.formats.patch import Piece, Slot, embedded_slot
from incognote.policy import FormatRules


def base64_slot(piece: Piece, where: str, rules: FormatRules) -> Slot:
    """The documents of a base64 body. What no format reads is refused, never passed through."""
    try:
        data = base64.b64decode("".join(piece.text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ReadError(f"{where}: an attachment is not valid base64") from None
    return embedded_slot(
        piece,
        data,
        records_of(data, where, rules),
        lambda new: base64.b64encode(new).decode("ascii"),
    )


def records_of(data: bytes, where: str, rules: FormatRules) -> list[Record]:
    """The records of a file held in memory; any part that fails, fails the whole."""
    try:
        form = format_of("", data[:HEAD])
    except ReadError:
        raise ReadError(f"{where}: an embedded file is of no known format") from None
    records = []
    for record in form.read(io.BytesIO(data), where, rules):
        if isinstance(record, Failure):
            raise ReadError(f"{where}: an embedded file cannot be read: {record.error}")
        records.append(record)
    return records
