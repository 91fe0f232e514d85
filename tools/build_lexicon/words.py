"""Ordinary English: how frequent a word is, and whether it is a word or only a name."""

from __future__ import annotations

import re

from pack import lines
from sources import Sources, curated

from incognote.lexicon.fold import fold

# Web text mentions a bearer's name about 30 times for each person who has it; a string that
# turns up much more often than its bearers explain is also a word.
MENTIONS_PER_BEARER = 70
ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ly")


def word_tables(sources: Sources) -> dict[str, bytes]:
    frequency = sources.word_frequencies()
    order = sorted(
        (word for word in frequency if re.fullmatch(r"[a-z]+(?:'[a-z]+)?", word)),
        key=lambda word: (-frequency[word], word),
    )
    webster = sources.webster()
    bearers = _bearers(sources)
    added, removed = _corrections()
    ordinary = [
        word
        for word in order
        if word not in removed
        and (
            word in added
            or (
                _in_dictionary(word, webster)
                and frequency[word] >= MENTIONS_PER_BEARER * bearers.get(word, 0)
            )
        )
    ]
    return {
        "words": lines(fold(word) for word in order),
        "ordinary": lines(fold(word) for word in ordinary),
    }


def _bearers(sources: Sources) -> dict[str, int]:
    total: dict[str, int] = {}
    for kind in ("2020", "2020_first_names"):
        table = sources.census_names(kind)
        for name, count in zip(table["name"], table["count"], strict=True):
            total[name.lower()] = total.get(name.lower(), 0) + count
    return total


def _in_dictionary(word: str, webster: set[str]) -> bool:
    if word in webster:
        return True
    return any(
        len(word) > len(ending) + 2
        and word.endswith(ending)
        and (word[: -len(ending)] in webster or word[: -len(ending)] + "e" in webster)
        for ending in ENDINGS
    )


def _corrections() -> tuple[set[str], set[str]]:
    rows = [row.split() for row in curated("ordinary")]
    added = {word for row in rows if row[0] == "+" for word in row[1:]}
    return added, {word for row in rows if row[0] == "-" for word in row[1:]}
