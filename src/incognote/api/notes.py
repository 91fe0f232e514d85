"""What counts as a note, and what is refused at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import Document, Failure

Note = str | Document


def refuse_what_is_no_notes(notes: object) -> None:
    """A UsageError, before anything is read, for what is neither a note nor notes.

    Some of these can be iterated, and would pass for notes: a dict for its keys, a data frame for
    the names of its columns, bytes for numbers.
    """
    if isinstance(notes, str | Document):
        return
    kind = type(notes).__name__
    if is_table(notes):
        raise UsageError(
            f"a table ({kind}) has columns, not notes: use deid_table(table, text=...)"
        )
    hint = {
        bytes: "decode them first",
        bytearray: "decode them first",
        dict: "give its values, or a Document with its meta data",
        type(None): "there is no note",
    }.get(type(notes), "")
    if isinstance(notes, bytes | bytearray | memoryview | Mapping) or not isinstance(
        notes, Iterable
    ):
        raise UsageError(
            f"a note is a str or a Document, notes are an iterable of them, not {kind}"
            + (f": {hint}" if hint else "")
        )


def is_table(value: object) -> bool:
    """A data frame or an Arrow table, recognised by its methods: none of the libraries is
    imported."""
    return hasattr(value, "columns") and (
        hasattr(value, "to_dict") or hasattr(value, "to_pylist") or hasattr(value, "column_names")
    )


def as_document(note: Any, number: int) -> Document | Failure:
    """A note as a document. A hole in a column (None, NaN) and what is no text are failures."""
    if isinstance(note, Document):
        return note
    if hasattr(note, "as_py"):  # a value of an Arrow array
        note = note.as_py()
    if isinstance(note, str):
        return Document(str(number), note)
    message = f"a note is a str or a Document, not {type(note).__name__}"
    return Failure(str(number), "read", "NotText", message)
