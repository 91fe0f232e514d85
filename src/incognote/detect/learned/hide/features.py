"""What HIDE's CRF sees of a token: four groups of features, each of which can be left out.

The word itself is a feature of its own, `word`, so that subsets can be studied without it. Among
the context is how often the token appears in the note, scaled by the length of the note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.core.errors import UsageError
from incognote.detect.learned.hide.tokens import tokens_of

Features = dict[str, float]
WORD = "word"
GROUPS = (WORD, "regex", "affix", "dictionary", "context")

REGEXES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "ALPHA": r"^[A-Za-z]+$",
        "INITCAPS": r"^[A-Z].*$",
        "UPPER-LOWER": r"^[A-Z][a-z].*$",
        "LOWER-UPPER": r"^[a-z]+[A-Z]+.*$",
        "ALLCAPS": r"^[A-Z]+$",
        "MIXEDCAPS": r"^[A-Z][a-z]+[A-Z][A-Za-z]*$",
        "SINGLECHAR": r"^[A-Za-z]$",
        "SINGLEDIGIT": r"^[0-9]$",
        "DOUBLEDIGIT": r"^[0-9][0-9]$",
        "TRIPLEDIGIT": r"^[0-9]{3}$",
        "QUADDIGIT": r"^[0-9]{4}$",
        "NUMBER": r"^[0-9,]+$",
        "HASDIGIT": r"[0-9]",
        "ALPHANUMERIC": r"^(?=.*[0-9])(?=.*[A-Za-z]).*$",
        "NUMBERS-LETTERS": r"^[0-9]+[A-Za-z]+$",
        "LETTERS-NUMBERS": r"^[A-Za-z]+[0-9]+$",
        "HASDASH": r"-",
        "HASQUOTE": r"'",
        "HASSLASH": r"/",
        "ISPUNCT": r"^[^\w\s]$",
        "REALNUMBER": r"^[-+]?[0-9,]+(?:\.[0-9]*)?%?$",
        "STARTMINUS": r"^-.*$",
        "STARTPLUS": r"^\+.*$",
        "ENDPERCENT": r"^.*%$",
        "ROMAN": r"^[IVXDLCM]+$",
        "ISSPACE": r"^\s+$",
    }.items()
}


@dataclass(frozen=True, slots=True)
class HideFeatures:
    """`history` are the tokens before that count as context, `ahead` those behind; `affixes` is the
    longest prefix and suffix; `dictionaries` are lists of phrases by their name."""

    groups: tuple[str, ...] = GROUPS
    history: int = 4
    ahead: int = 4
    affixes: int = 4
    dictionaries: Mapping[str, Phrases] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.groups) - set(GROUPS))
        if unknown or not self.groups or len(set(self.groups)) < len(self.groups):
            raise UsageError(f"feature groups are {', '.join(GROUPS)}, each once")
        for name in ("history", "ahead", "affixes"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must be 0 or more")

    def read(self, words: Sequence[str]) -> list[Features]:
        """The features of each token with their weights."""
        lower = [word.lower() for word in words]
        rows = [
            dict.fromkeys(self._alone(word, small), 1.0)
            for word, small in zip(words, lower, strict=True)
        ]
        if "dictionary" in self.groups:
            for name, phrases in self.dictionaries.items():
                for number, (place, length) in phrases.found(lower):
                    # Longer phrases say more: each length has a weight of its own.
                    rows[number][f"dict={name}:{place}:{length}"] = 1.0
        if "context" in self.groups:
            counts = Counter(lower)
            for number, row in enumerate(rows):
                row.update(dict.fromkeys(self._context(lower, number), 1.0))
                row["count"] = _PER * counts[lower[number]] / len(lower)
        return rows

    def _alone(self, word: str, lower: str) -> list[str]:
        row = ["bias"]
        if WORD in self.groups:
            row.append(f"w={lower}")
        if "regex" in self.groups:
            row += [f"re={name}" for name, pattern in REGEXES.items() if pattern.search(word)]
        if "affix" in self.groups:
            longest = min(self.affixes, len(lower))
            for size in range(1, longest + 1):
                row += [f"pre={lower[:size]}", f"suf={lower[-size:]}"]
        return row

    def _context(self, lower: Sequence[str], number: int) -> list[str]:
        before = [
            f"-{back}={lower[number - back]}"
            for back in range(1, self.history + 1)
            if number >= back
        ]
        behind = [
            f"+{on}={lower[number + on]}"
            for on in range(1, self.ahead + 1)
            if number + on < len(lower)
        ]
        return before + behind


_PER = 100  # a count is that of so many tokens


class Phrases:
    """A list of phrases, found in a row of tokens; of those that begin together, the longest."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._known: dict[str, set[tuple[str, ...]]] = {}
        self.lines = tuple(lines)
        for line in self.lines:
            words = tuple(word.lower() for word in tokens_of(line).words)
            if words:
                self._known.setdefault(words[0], set()).add(words)

    def found(self, lower: Sequence[str]) -> Iterable[tuple[int, tuple[str, int]]]:
        """Tokens inside a phrase: (number, (B or I, length of the phrase))."""
        number = 0
        while number < len(lower):
            known = self._known.get(lower[number], ())
            fitting = [each for each in known if tuple(lower[number : number + len(each)]) == each]
            length = max(map(len, fitting), default=0)
            for step in range(length):
                yield number + step, ("I" if step else "B", length)
            number += length or 1
