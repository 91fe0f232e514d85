"""Gives a note typed all in capitals, or with none, the letter case it should have.

The length stays the same, so offsets do too. The model is a part-of-speech tagger whose tags also
say how a word is written (tools/train_speech.py), read from our own corpus; names and towns that
the corpus does not hold come from the lexicon.
"""

from __future__ import annotations

import gzip
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from importlib.resources import files

from incognote.core.caches import once
from incognote.core.text.letters import count_letters
from incognote.core.types import Tokens
from incognote.lexicon import lexicon
from incognote.lexicon.speech import Tagger

# How a tag that also knows letter case ends.
LOWER, TITLE, UPPER = "lower", "title", "upper"

_CODE_BEFORE = re.compile(r"\d[-/#_]?$")
_CODE_BEHIND = re.compile(r"[-/#_]?\d")
_SHORTEST_LOGIN = 3
# The corpus is no witness for a name it shows this seldom: some notes in it lack case too.
_SELDOM = 4
_FEWEST_LETTERS = 20
_ALL_CAPITALS = 0.85
_NO_CAPITALS = 0.005


def lacks_case(text: str) -> bool:
    """Whether letter case says nothing in this text, because there is (nearly) only one."""
    if text.isascii():
        capitals, letters = count_letters(text)
    else:  # letters of scripts without case do not count
        capitals = sum(map(str.isupper, text))
        letters = capitals + sum(map(str.islower, text))
    if letters < _FEWEST_LETTERS:
        return False
    return not _NO_CAPITALS * letters < capitals < _ALL_CAPITALS * letters


def true_case(text: str, tokens: Tokens, sentences: tuple[tuple[int, int], ...]) -> str:
    """The text with its words written as in ordinary prose."""
    parts = list(text)
    for start, end in sentences:
        first, last = bisect_left(tokens.starts, start), bisect_left(tokens.starts, end)
        # A full stop would come between "Dr." and the name: the model reads sentences without.
        places = [
            (tokens.starts[i], tokens.ends[i])
            for i in range(first, last)
            if text[tokens.starts[i]] != "."
        ]
        words = [text[s:e].lower() for s, e in places]
        for i, (word, tag) in enumerate(zip(words, _model().tag(words), strict=True)):
            written = _written(word, tag, first=i == 0)
            s, e = places[i]
            # Some letters beyond ASCII change length with their case.
            if len(written) == e - s and not _in_code(text, s, e):
                parts[s:e] = written
    return "".join(parts)


def _in_code(text: str, start: int, end: int) -> bool:
    """Whether letters belong to a code that is written right: "AB-1029", "7W", or "jsmith3"."""
    if not text[start:end].isupper():
        return end - start >= _SHORTEST_LOGIN and text[end : end + 1].isdigit()
    return (
        _CODE_BEFORE.search(text, max(0, start - 2), start) is not None
        or _CODE_BEHIND.match(text, end) is not None
    )


def _written(word: str, tag: str, *, first: bool) -> str:
    if tag.endswith(UPPER):
        return word.upper()
    if tag.endswith(TITLE) or first:
        return word[:2].upper() + word[2:].capitalize() if word[1:2] == "'" else word.capitalize()
    return word


class _Words(Mapping[str, Mapping[str, int]]):
    """The words of the corpus, and for what it seldom shows the names of the lexicon."""

    _NAME = {f"NNP:{TITLE}": 19, f"NN:{LOWER}": 1}  # noqa: RUF012 - never changed

    def __init__(self, words: Mapping[str, Mapping[str, int]]) -> None:
        self._words = words

    def __getitem__(self, word: str) -> Mapping[str, int]:
        seen = self._words.get(word)
        if (seen is None or sum(seen.values()) <= _SELDOM) and _is_name(word):
            return self._NAME
        if seen is None:
            raise KeyError
        return seen

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def _is_name(word: str) -> bool:
    lex = lexicon()
    if len(word) < 3 or not word.isalpha() or lex.is_clinical(word):
        return False
    name = lex.first_name(word) or lex.surname(word)
    return (name is not None and not name.common_word) or (
        bool(lex.city(word)) and not lex.is_ordinary(word)
    )


@once
def _model() -> Tagger:
    packed = files("incognote.prepare").joinpath("truecase.json.gz").read_bytes()
    counts = json.loads(gzip.decompress(packed))
    return Tagger(**{**counts, "words": _Words(counts["words"])})
