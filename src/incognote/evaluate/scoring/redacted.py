"""Spans from a text that was already redacted: what changed is what a system took for PHI.

The redacted text is aligned to its original word by word. Words that are gone or replaced are a
span; a replacement that names a label, as "[DATE]" or "<PERSON>", gives the span that label. Line
breaks may have changed: any white space is like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.scoring.subsets import UNTYPED

# Tags replace what was there: a date inside of "[**2012-3-4**]" is not the original one.
_TAG = re.compile(
    r"\[\*\*.*?\*\*\]|<[A-Z][^<>\n]{1,40}>|\[[A-Z][^\[\]\n]{1,40}\]|\{[A-Z][^{}\n]{1,40}\}"
)
# A full stop and the blank behind it are one token, or it would be taken for the one in "j.doe@".
_PIECE = re.compile(r"\w+|[^\w\s]\s*")
_NAME = re.compile(r"[\[<{]\**([A-Z][A-Z_-]*[A-Z])")
_SAYS_NOTHING = frozenset({"PHI", "PII", "REDACTED", "REMOVED", "MASKED", "HIDDEN", "DEIDENTIFIED"})
# How much of a redacted text may be new before it is no redaction of this original. Surrogates are
# new too, so half of a text may be; of two unrelated notes, two thirds are.
_MOST_NEW = 0.6
_PHRASE = 6  # tokens
_ENOUGH = 20  # words; of fewer nothing can be said


Change = tuple[str, int, int, int, int]  # as of difflib


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a sign or a tag. `key` is what two tokens are compared by."""

    start: int
    end: int
    key: str

    @property
    def is_word(self) -> bool:
        return self.key[:1].isalnum()


def from_redacted(document: Document, redacted: str) -> AnnotatedDocument:
    text = document.text
    before, after = list(_tokens(text)), list(_redacted_tokens(redacted))
    changes = list(_changes([token.key for token in before], [token.key for token in after]))
    _belongs(document.id, changes, after)
    spans = []
    for kind, i, j, k, m in changes:
        if kind not in ("replace", "delete"):
            continue
        words = [token for token in before[i:j] if token.is_word]
        # Where only punctuation changed, nothing was hidden.
        if words:
            label = _label(redacted[after[k].start : after[m - 1].end]) if m > k else UNTYPED
            spans.append(Span(words[0].start, words[-1].end, label))
    return AnnotatedDocument(document, tuple(_joined(text, spans)))


def _tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    for found in _PIECE.finditer(text, start, len(text) if end is None else end):
        yield Token(
            *found.span(), " ".join(found[0].split()) + (" " if found[0][-1:].isspace() else "")
        )


def _redacted_tokens(text: str) -> Iterator[Token]:
    at = 0
    for tag in _TAG.finditer(text):
        yield from _tokens(text, at, tag.start())
        yield Token(*tag.span(), f"\0{tag[0]}")  # like nothing in any original
        at = tag.end()
    yield from _tokens(text, at)


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """How one becomes the other. Between phrases that both have once the alignment is made anew:
    a long text costs as much as its parts, and not their square."""
    i = k = 0
    for j, m in (*_anchors(before, after), (len(before), len(after))):
        matcher = SequenceMatcher(
            None,
            before[i:j],
            after[k:m],
            autojunk=False,  # the heuristic drops frequent words, which anchor clinical text
        )
        for kind, a, b, c, d in matcher.get_opcodes():
            yield kind, i + a, i + b, k + c, k + d
        i, k = j, m


def _anchors(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of phrases that appear once in either text and in the same order: the longest such
    row of them."""
    there = _once(after)
    places = [(at, there[phrase]) for phrase, at in _once(before).items() if phrase in there]
    ends: list[int] = []  # for each length, the smallest place in `after` a row can end with
    rows: list[int] = []
    for _, place in places:
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        rows.append(length)
    chosen: list[tuple[int, int]] = []
    wanted = len(ends) - 1
    for length, both in zip(reversed(rows), reversed(places), strict=True):
        if length == wanted and (not chosen or both[1] < chosen[-1][1]):
            chosen.append(both)
            wanted -= 1
    return reversed(chosen)


def _once(keys: Sequence[str]) -> dict[tuple[str, ...], int]:
    phrases = [tuple(keys[at : at + _PHRASE]) for at in range(len(keys) - _PHRASE + 1)]
    counts = Counter(phrases)
    return {phrase: at for at, phrase in enumerate(phrases) if counts[phrase] == 1}


def _belongs(key: str, changes: Sequence[Change], after: Sequence[Token]) -> None:
    """A redacted text of another note would look as if all had been found."""
    words = sum(token.is_word for token in after)
    kept = sum(
        token.is_word for kind, _, _, k, m in changes if kind == "equal" for token in after[k:m]
    )
    if words >= _ENOUGH and words - kept > _MOST_NEW * words:
        raise UsageError(
            f"document {key!r}: the redacted text is no redaction of its original "
            f"({words - kept} of {words} words are not in it)"
        )


def _joined(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Parts of one word or number are one span: 03, 04 and 1950 of 03/04/1950."""
    last: Span | None = None
    for span in spans:
        if last and span.label == last.label and not re.search(r"\s", text[last.end : span.start]):
            last = Span(last.start, span.end, span.label)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def _label(replacement: str) -> str:
    tag = _TAG.search(replacement)
    name = _NAME.match(tag[0]) if tag else None
    return UNTYPED if name is None or name[1] in _SAYS_NOTHING else name[1]
