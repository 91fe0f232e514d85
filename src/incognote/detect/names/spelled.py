"""Names spelled out in dictation: "N-Y-G-A-A-R-D", "last name p e t t i b o n e"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.core.types import Span
from incognote.detect.names.facts import HYPHEN, LETTER, SMALL_LETTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from incognote.detect.names.page import Page

_SHORTEST = 4
_NEAR = 60  # characters in which the spelled name or a word such as "spelled" must come before
_ANNOUNCED = ("spell", "name", "capital", "that's", "thats")
_SCORE = 0.8


def find_spelled(page: Page, spans: Sequence[Span]) -> list[Span]:
    """Letters in a row behind a name or behind words that announce spelling."""
    found: list[Span] = []
    for start, end in _letter_rows(page):
        owner = next((span for span in reversed(spans) if start - _NEAR <= span.end <= start), None)
        owner = owner or next((span for span in reversed(found) if start - _NEAR <= span.end), None)
        before = page.text[max(0, start - _NEAR) : start].lower()
        if owner or any(word in before for word in _ANNOUNCED):
            label = owner.label if owner else "PATIENT"
            found.append(Span(start, end, label, _SCORE, ("names/spelled",)))
    return found


def _letter_rows(page: Page) -> Iterator[tuple[int, int]]:
    """[start, end) in the text of rows of single letters, joined by blanks or by hyphens."""
    letters = LETTER | SMALL_LETTER
    size = len(page)
    last = -1
    for index in page.notable:
        if index <= last or not page.bits[index] & letters:
            continue
        last, count = index, 1
        while True:
            ahead = last + 1
            if (
                ahead + 1 < size
                and page.bits[ahead] & HYPHEN
                and page.glued(ahead)
                and page.glued(ahead + 1)
            ):
                ahead += 1
            if ahead >= size or not page.bits[ahead] & letters or page.gap(ahead):
                break
            last, count = ahead, count + 1
        if count >= _SHORTEST:
            yield page.starts[index], page.ends[last]
