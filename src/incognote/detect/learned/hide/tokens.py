"""HIDE's tokens: runs of letters and digits, and every other character by itself, blanks left out.

Labels follow the IOB scheme: B- begins a mention, I- goes on, O is outside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from incognote.core.types import AnnotatedDocument, Span

OUTSIDE = "O"
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text, cut: the tokens and where they appear."""

    words: tuple[str, ...] = field(repr=False)
    places: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)


def tokens_of(text: str) -> Tokens:
    found = list(_TOKEN.finditer(text))
    return Tokens(tuple(each[0] for each in found), tuple(each.span() for each in found))


def labels_of(tokens: Tokens, spans: Sequence[Span]) -> list[str]:
    """A label for each token; one that a mention covers in part belongs to it."""
    labels = [OUTSIDE] * len(tokens)
    for span in spans:
        begin = "B"
        for number, (start, end) in enumerate(tokens.places):
            if start < span.end and span.start < end and labels[number] == OUTSIDE:
                labels[number] = f"{begin}-{span.label}"
                begin = "I"
    return labels


def spans_of(tokens: Tokens, labels: Sequence[str]) -> list[Span]:
    """The mentions that labels spell. An I- that follows nothing of its kind begins a mention."""
    spans: list[Span] = []
    before = OUTSIDE
    for (start, end), label in zip(tokens.places, labels, strict=True):
        prefix, _, kind = label.partition("-")
        if prefix == "I" and before.partition("-")[2] == kind:
            spans[-1] = Span(spans[-1].start, end, kind)
        elif prefix != OUTSIDE:
            spans.append(Span(start, end, kind))
        before = label
    return spans


def annotated(document: AnnotatedDocument) -> tuple[Tokens, list[str]]:
    tokens = tokens_of(document.text)
    return tokens, labels_of(tokens, document.spans)
