"""The same notes as hospitals also write them: shouting, whispering, wrapped, typeset, scanned.

A variant maps each character to a string and keeps the gold spans true, so that scores before and
after can be compared.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from incognote.core.types import AnnotatedDocument, Document

Change = Callable[[str], Iterator[str]]

_WIDTH = 62
_LOOKALIKES = {"l": "1", "O": "0", "S": "5", "B": "8", "i": "l", "e": "c"}
_NOISE = 0.04


def _upper(text: str) -> Iterator[str]:
    yield from (char.upper() for char in text)


def _lower(text: str) -> Iterator[str]:
    yield from (char.lower() for char in text)


def _wrapped(text: str) -> Iterator[str]:
    """Lines broken at a fixed width, also inside names and dates."""
    column = 0
    for char in text:
        broken = char == " " and column >= _WIDTH
        column = 0 if broken or char == "\n" else column + 1
        yield "\n" if broken else char


def _typeset(text: str) -> Iterator[str]:
    """Curly quotes, dashes and hard blanks, as word processors put them."""
    table = {"'": "\u2019", "-": "\u2010", " ": "\u00a0", '"': "\u201d"}
    for at, char in enumerate(text):
        # Every third blank: a text of hard blanks only exists nowhere.
        yield char if char == " " and at % 3 else table.get(char, char)


def _flattened(text: str) -> Iterator[str]:
    """Line breaks gone, as in exports of database columns."""
    yield from (" " if char in "\r\n" else char for char in text)


def _unpunctuated(text: str) -> Iterator[str]:
    """No commas, stops or colons between words, as in raw dictation."""
    for at, char in enumerate(text):
        between = text[at + 1 : at + 2].isspace() or at + 1 == len(text)
        yield "" if char in ".,;:" and between else char


def _scanned(text: str) -> Iterator[str]:
    """A few letters misread, as by a scanner."""
    rng = random.Random(len(text))
    for char in text:
        yield _LOOKALIKES.get(char, char) if rng.random() < _NOISE else char


VARIANTS: Mapping[str, Change] = MappingProxyType(
    {
        "upper case": _upper,
        "lower case": _lower,
        "wrapped lines": _wrapped,
        "typeset marks": _typeset,
        "no line breaks": _flattened,
        "no punctuation": _unpunctuated,
        "scanned": _scanned,
    }
)


def varied(docs: Sequence[AnnotatedDocument], name: str) -> list[AnnotatedDocument]:
    return [_changed(doc, VARIANTS[name]) for doc in docs]


def _changed(doc: AnnotatedDocument, change: Change) -> AnnotatedDocument:
    pieces = list(change(doc.text))
    at = [0, *accumulate(map(len, pieces))]
    spans = tuple(
        span.moved(at[span.start], at[span.end])
        for span in doc.spans
        if at[span.start] < at[span.end]
    )
    return AnnotatedDocument(Document(doc.id, "".join(pieces), doc.document.meta), spans)
