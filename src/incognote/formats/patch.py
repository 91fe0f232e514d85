"""Patching: a file is written back by changing only the stretches whose text changed.

Structured text formats (JSON, XML, HL7) are read by position. Everything between the stretches,
white space, order, quoting, separators, stays byte for byte as it was.

A slot is what documents were made of and how their results go back: one stretch of the file, or
several that belong together (the lines of a report spread over OBX segments, the parts of a name
in their fields), or a whole file embedded in the file. Between its pieces a document has
separators of its own, and before them perhaps a lead-in that gives detectors context ("MRN: ");
neither is ever written back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from incognote.core.errors import TransformError
from incognote.core.labels import MADE_OF_NAMES
from incognote.core.types import Document, Result, Span
from incognote.formats.base import Record, new_text
from incognote.formats.charset import Text, check

_PARTIAL_DATE = re.compile(r"\d{4}(?:-?\d\d)?")


class Change(NamedTuple):
    """`text` takes the place of [start, end) in the raw text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """[start, end) of the raw text, and what it says once its escapes are undone.

    `encode` is for a piece that escapes otherwise than its neighbours (CDATA within XML).
    """

    start: int
    end: int
    text: str = field(repr=False)
    encode: Callable[[str], str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Slot:
    """Documents made of some stretches, and the changes their results make there."""

    documents: tuple[Document, ...]
    changes: Callable[[Sequence[Result]], list[Change]] = field(repr=False)


def text_slot(
    doc_id: str,
    pieces: Sequence[Piece],
    encode: Callable[[str], str],
    *,
    separators: Sequence[str] = (),
    repeat: bool = False,
    lead: str = "",
    label: str | None = None,
    clinical: bool = False,
    meta: Mapping[str, str] | None = None,
    locator: str = "",
) -> Slot:
    """A document of free text, or, with a label, of a field whose kind is known.

    `clinical` says that the text is a clinical value, in which only strong evidence counts.

    A replacement that cannot be divided appears in the first of its pieces, or with `repeat`, where
    no piece may be empty, in all of them.
    """
    for piece in pieces:
        check(piece.text)
    text = lead
    at: list[int] = []
    for i, piece in enumerate(pieces):
        if i:
            text += separators[i - 1]
        at.append(len(text))
        text += piece.text
    known = label is not None and len(text) > len(lead)
    document = Document(
        id=doc_id,
        text=text,
        meta=meta or {},
        locator=locator,
        given=(Span(len(lead), len(text), label),) if label is not None and known else (),
        free_text=label is None,
        lead=len(lead),
        clinical=clinical,
    )

    def changes(results: Sequence[Result]) -> list[Change]:
        news = spread(results[0], [piece.text for piece in pieces], at, repeat=repeat)
        return [
            Change(piece.start, piece.end, (piece.encode or encode)(new))
            for piece, new in zip(pieces, news, strict=True)
            if new != piece.text
        ]

    return Slot((document,), changes)


def embedded_slot(
    piece: Piece, original: bytes, records: Sequence[Record], encode: Callable[[bytes], str]
) -> Slot:
    """A file within the file: its records are documents here, and it is written back whole."""
    documents = tuple(document for record in records for document in record.documents)

    def changes(results: Sequence[Result]) -> list[Change]:
        rest = list(results)
        data = b""
        for record in records:
            own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
            data += record.render(own)
        return [Change(piece.start, piece.end, encode(data))] if data != original else []

    return Slot(documents, changes)


def inner_slot(piece: Piece, inner: Sequence[Slot], write: Callable[[str], str]) -> Slot:
    """Stretches of a value that are documents of their own: they appear in the text of the piece,
    which is patched and written back whole."""

    def changes(results: Sequence[Result]) -> list[Change]:
        new = patched(piece.text, inner, results)
        return [Change(piece.start, piece.end, write(new))] if new != piece.text else []

    return Slot(tuple(document for slot in inner for document in slot.documents), changes)


def dropped_slot(start: int, end: int, nothing: str) -> Slot:
    """A stretch that goes, whatever it says; `nothing` is what the format writes instead."""
    return Slot((), lambda _: [Change(start, end, nothing)])


def facts(documents: Iterable[Document]) -> tuple[tuple[str, str], ...]:
    """What the labelled fields of a record state: label and value."""
    return tuple(
        dict.fromkeys(
            (span.label, document.text[span.start : span.end])
            for document in documents
            for span in document.given
        )
    )


def asks_known(document: Document) -> bool:
    """Whether a document is replaced better for knowing the rest of its record."""
    return document.free_text or any(span.label in MADE_OF_NAMES for span in document.given)


def informed(slots: Sequence[Slot], also: tuple[tuple[str, str], ...] = ()) -> list[Slot]:
    """The slots, whose free texts know what the labelled fields of the record say, and `also`
    what others say of it; so are addresses that are made of names."""
    known = facts(document for slot in slots for document in slot.documents)
    known = tuple(dict.fromkeys([*known, *also]))
    return [
        replace(
            slot,
            documents=tuple(
                replace(document, known=known) if asks_known(document) else document
                for document in slot.documents
            ),
        )
        if any(map(asks_known, slot.documents))
        else slot
        for slot in slots
    ]


def patched_record(source: Text, slots: Sequence[Slot], raw: bytes | None = None) -> Record:
    """A piece of a file that is written back with its changed stretches."""
    return Record(
        tuple(document for slot in slots for document in slot.documents),
        lambda results: source.encode(patched(source.text, slots, results)),
        raw,
    )


def patched(raw: str, slots: Sequence[Slot], results: Sequence[Result]) -> str:
    """The raw text with every changed stretch written anew."""
    changes: list[Change] = []
    taken = 0
    for slot in slots:
        changes += slot.changes(results[taken : taken + len(slot.documents)])
        taken += len(slot.documents)
    return applied(raw, changes)


def applied(raw: str, changes: Sequence[Change]) -> str:
    """The raw text with the changes made."""
    parts: list[str] = []
    at = 0
    for change in sorted(changes):
        if change.start < at:
            raise TransformError("two documents of one file claim the same stretch")
        parts += [raw[at : change.start], change.text]
        at = change.end
    parts.append(raw[at:])
    return "".join(parts)


def spread(
    result: Result, pieces: Sequence[str], at: Sequence[int], *, repeat: bool = False
) -> list[str]:
    """The new text of each piece, from replacements that may cross from one into the next.

    `at` is where each piece starts in the document's text.
    """
    whole = new_text(result)
    old = result.document.text
    if not result.replacements and whole != old:
        if len(pieces) > 1 or not whole.startswith(old[: at[0]]):
            raise TransformError("a text that says not what became of its parts")
        return [whole[at[0] :]]
    new = list(pieces)
    ends = [start + len(piece) for start, piece in zip(at, pieces, strict=True)]
    # From the last to the first, so that earlier offsets stay true while later text changes.
    for replacement in sorted(result.replacements, key=lambda r: r.span, reverse=True):
        span = replacement.span
        touched = [i for i, start in enumerate(at) if start < span.end and span.start < ends[i]]
        # A replacement of the lead-in, or of a separator, is not written.
        outside = old[span.start : at[touched[0]]] if touched else ""
        fresh = replacement.text.removeprefix(outside)
        texts = _divide(fresh, [old[ends[i] : at[i + 1]] for i in touched[:-1]])
        if texts is None:
            texts = [fresh] + [fresh if repeat else ""] * (len(touched) - 1)
        for i, text in zip(touched, texts, strict=False):
            start = max(span.start - at[i], 0)
            end = min(span.end, ends[i]) - at[i]
            new[i] = new[i][:start] + text + new[i][end:]
    return new


def dated(new: str, after: str) -> str:
    """A new date and what followed the old one; a mere year or month has no time of day."""
    return new if _PARTIAL_DATE.fullmatch(new) else new + after


def _divide(text: str, separators: list[str]) -> list[str] | None:
    """A replacement that crosses pieces, cut where the original was, if it can be."""
    parts: list[str] = []
    rest = text
    for separator in separators:
        head, found, rest = rest.partition(separator) if separator else ("", "", rest)
        if not found:
            return None
        parts.append(head)
    return [*parts, rest]
