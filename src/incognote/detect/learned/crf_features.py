"""What the conditional random field sees of a text: switchable groups of features.

Everything that depends on a unit alone is made once for each distinct unit and kept, so that
reading a text is little more than joining lists.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from incognote.core.caches import BoundedDict
from incognote.core.errors import UsageError
from incognote.detect.learned.units import layouts, split
from incognote.detect.word_class import word_class

GROUPS = ("regex", "affix", "dictionary", "context")
REACH = 4  # units of context on either side
_CACHED = 200_000

# The 26 regular-expression features.
_SHAPES = files("incognote.detect.learned").joinpath("crf_shapes.toml").read_text("utf-8")
REGEXES = {name: re.compile(pattern) for name, pattern in tomllib.loads(_SHAPES).items()}


class FeatureReader:
    """Texts to units and their features, for the groups that are switched on."""

    def __init__(self, groups: Sequence[str] = GROUPS) -> None:
        unknown = set(groups) - set(GROUPS)
        if unknown or not groups:
            raise UsageError(f"feature groups are {', '.join(GROUPS)}; not {sorted(unknown)}")
        self.groups = tuple(group for group in GROUPS if group in groups)
        self._own: BoundedDict[str, list[str]] = BoundedDict(f"{__name__}.own", _CACHED)
        self._seen_from: BoundedDict[str, tuple[str, ...]] = BoundedDict(
            f"{__name__}.seen_from", _CACHED
        )

    def read(self, text: str) -> tuple[list[tuple[int, int]], list[list[str]]]:
        units = split(text)
        words = [text[start:end] for start, end in units]
        rows = [self._of(word) for word in words]
        if "context" not in self.groups:
            return units, [list(row) for row in rows]
        around = [self._around(word) for word in words]
        edge = tuple(f"{offset:+d}=" for offset in _OFFSETS)
        padded = [edge] * REACH + around + [edge] * REACH
        counts = Counter(words)
        gaps = layouts(text, units)
        features = []
        for i, (row, word, gap) in enumerate(zip(rows, words, gaps, strict=True)):
            features.append(
                [
                    *row,
                    # A unit at distance d wrote down what it looks like when seen from there.
                    padded[i][0],
                    padded[i + 1][1],
                    padded[i + 2][2],
                    padded[i + 3][3],
                    padded[i + 5][4],
                    padded[i + 6][5],
                    padded[i + 7][6],
                    padded[i + 8][7],
                    _GAPS[gap],
                    _COUNTS[min(counts[word], 9)],
                ]
            )
        return units, features

    def _of(self, word: str) -> list[str]:
        row = self._own.get(word)
        if row is None:
            row = self._own[word] = self._made(word)
        return row

    def _made(self, word: str) -> list[str]:
        low = word.lower()
        row = ["bias", f"w={low}"]
        if "regex" in self.groups:
            row += [f"r={name}" for name, regex in REGEXES.items() if regex.fullmatch(word)]
        if "affix" in self.groups and low.isalpha():
            row += [f"p={low[:n]}" for n in (1, 2, 3)] + [f"s={low[-n:]}" for n in (1, 2, 3)]
        if "dictionary" in self.groups:
            known = word_class(word)
            row += [f"d={bit}" for bit in range(7) if known >> bit & 1]
        return row

    def _around(self, word: str) -> tuple[str, ...]:
        seen = self._seen_from.get(word)
        if seen is None:
            short = word.lower() if word.isalpha() else "0" * len(word) if word.isdigit() else word
            seen = tuple(f"{offset:+d}={short}" for offset in _OFFSETS)
            self._seen_from[word] = seen
        return seen


_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
_GAPS = tuple(f"gap={kind}" for kind in range(8))
_COUNTS = tuple(f"n={min(count, 4) if count < 6 else 6}" for count in range(10))
