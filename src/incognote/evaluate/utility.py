"""What de-identification cost: clinical words that were taken for PHI though they are none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import count

import numpy as np

from incognote.evaluate.scoring.counts import ratio
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.tokens import tokens_of
from incognote.evaluate.scoring.words import WordTable

Belongs = Callable[[str], bool]

MEASURED = "numbers with units"
_MEASURED = re.compile(
    r"\b\d+(?:[.,/]\d+)*\s?(?:%|mg|mcg|g|kg|ml|l|dl|cc|units?|iu|meq|mmol|mmhg|bpm|cm|mm|lbs?|"
    r"oz|kcal|hz|fr|ng|pg|u)\b(?:/\w+)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Survival:
    """Words of one term list that are no PHI: how many there are, how many were hidden."""

    words: int
    lost: int

    @property
    def share(self) -> float:
        return 1 - ratio(self.lost, self.words)


def term_lists(own: Mapping[str, Sequence[str]] | None = None) -> dict[str, Belongs]:
    """The built-in lists of single words, and a user's own."""
    from incognote.lexicon import lexicon

    known = lexicon()
    lists: dict[str, Belongs] = {
        "diagnoses and findings": known.is_clinical,
        "drugs": known.is_drug,
        "anatomy": _in(_shipped("anatomy")),
        "laboratory": _in(_shipped("labs")),
        "eponyms": known.is_eponym,
    }
    return lists | {name: _in(words) for name, words in (own or {}).items()}


def _shipped(name: str) -> list[str]:
    path = files("incognote.evaluate").joinpath("terms", f"{name}.txt")
    return path.read_text("utf-8").split()


def _in(words: Sequence[str]) -> Belongs:
    lowered = frozenset(word.lower() for word in words)
    return lambda word: word.lower() in lowered


def survival(
    table: WordTable, pairs: Sequence[Pair], lists: Mapping[str, Belongs] | None = None
) -> dict[str, Survival]:
    """By term list, plus numbers with units and every word that is no PHI."""
    lists = term_lists() if lists is None else lists
    plain = (table.gold == 0) & ~table.neutral
    hidden = plain & (table.pred > 0)
    texts = [pair.document.text for pair in pairs]
    # Each distinct word is looked up once: notes repeat their words.
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    word_of = np.fromiter(
        (numbers[word] for text in texts for word in tokens_of(text, table.tokeniser)),
        np.int32,
        len(table),
    )
    found = {}
    for name, belongs in lists.items():
        on_list = np.array([belongs(word) for word in numbers], bool)
        chosen = on_list[word_of] if len(word_of) else np.zeros(0, bool)
        found[name] = Survival(int((plain & chosen).sum()), int((hidden & chosen).sum()))
    measured = _in_measures(table, texts)
    found[MEASURED] = Survival(int((plain & measured).sum()), int((hidden & measured).sum()))
    found["all words that are no PHI"] = Survival(int(plain.sum()), int(hidden.sum()))
    return found


def _in_measures(table: WordTable, texts: Sequence[str]) -> np.ndarray:
    inside = np.zeros(len(table), bool)
    bounds = np.searchsorted(table.document, np.arange(len(texts) + 1))
    for number, text in enumerate(texts):
        measures = [measure.span() for measure in _MEASURED.finditer(text)]
        if measures:
            first, last = bounds[number], bounds[number + 1]
            for a, b in np.searchsorted(table.start[first:last], measures):
                inside[first + a : first + b] = True
    return inside
