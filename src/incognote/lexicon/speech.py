"""The part of speech of each word of a sentence, as Penn Treebank tags.

A first-order hidden Markov model: how often a word (or, for unknown words, its ending) carries a
tag, how tags follow each other, and how a tag's words are written. It was learned from the notes
of our own corpus (tools/train_speech.py), so it knows clinical shorthand, and it reads some 50,000
words a second without any dependency.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import log

from incognote.core.caches import BoundedDict, once

START, END = "<s>", "</s>"
LONGEST_ENDING = 4

# Any capitalised word may be a name, however often it is something else in the corpus.
_NAME = "NNP"
_NAME_FLOOR = 0.01
# Rarer readings than this are noise of the training data.
_READING_FLOOR = 0.004
_BACK_OFF = 0.3
# Words whose readings are kept.
_READINGS = 50_000

_Counts = Mapping[str, int]


def tag(words: Sequence[str]) -> list[str]:
    """One tag for each word; punctuation marks and numbers are words too."""
    return _model().tag(words)


def shape(word: str, *, first: bool) -> str:
    """How a word is written, as far as it hints at a tag."""
    if not word[0].isalpha():
        return "digit" if word[0].isdigit() else "mark"
    if word.islower():
        return "lower"
    if len(word) > 1 and word.isupper():
        return "upper"
    if word[0].isupper():
        return "first" if first else "title"
    return "mixed"


SHAPES = ("digit", "mark", "lower", "upper", "first", "title", "mixed")


class Tagger:
    def __init__(
        self,
        *,
        words: Mapping[str, _Counts],
        endings: Mapping[str, _Counts],
        shapes: Mapping[str, _Counts],
        following: Mapping[str, _Counts],
    ) -> None:
        """Counts of tags by word, ending, shape (of each tag) and preceding tag."""
        self._words = words
        self._endings = {ending: _shares(counts) for ending, counts in endings.items()}
        counts = {name: sum(of.values()) for name, of in shapes.items()}
        total = sum(counts.values())
        self._log_prior = {name: log(count / total) for name, count in counts.items()}
        self._log_shape = {
            name: {form: log((of.get(form, 0) + 0.5) / (counts[name] + 3.5)) for form in SHAPES}
            for name, of in shapes.items()
        }
        tags = (*counts, END)
        self._log_next = {
            before: {
                after: log((of.get(after, 0) + 0.3) / (sum(of.values()) + 0.3 * len(tags)))
                for after in tags
            }
            for before, of in following.items()
        }
        self._seen: BoundedDict[tuple[str, str], list[tuple[str, float]]] = BoundedDict(
            f"{__name__}.readings", _READINGS
        )

    def tag(self, words: Sequence[str]) -> list[str]:
        best = {START: 0.0}
        steps: list[dict[str, str]] = []
        for i, word in enumerate(words):
            here: dict[str, float] = {}
            step: dict[str, str] = {}
            roads = [(so_far, self._log_next[before], before) for before, so_far in best.items()]
            readings = self._readings(word, first=i == 0)
            if len(roads) == 1:  # half of the words of a note are nothing but one thing
                so_far, onward, before = roads[0]
                here = {name: so_far + onward[name] + evidence for name, evidence in readings}
                step = dict.fromkeys(here, before)
            else:
                for name, evidence in readings:
                    score, step[name] = max(
                        [(so_far + onward[name], before) for so_far, onward, before in roads]
                    )
                    here[name] = score + evidence
            best = here
            steps.append(step)
        last = max(best, key=lambda name: best[name] + self._log_next[name][END])
        tags = []
        for step in reversed(steps):
            tags.append(last)
            last = step[last]
        return tags[::-1]

    def _readings(self, word: str, *, first: bool) -> list[tuple[str, float]]:
        """The tags a word may carry, each with log P(word, shape | tag) up to a constant."""
        key = (word.lower(), shape(word, first=first))
        found = self._seen.get(key)
        if found is None:
            form = key[1]
            found = self._seen[key] = [
                (name, log(share) - self._log_prior[name] + self._log_shape[name][form])
                for name, share in self._shares(*key).items()
            ]
        return found

    def _shares(self, word: str, form: str) -> dict[str, float]:
        known = self._words.get(word)
        if known is not None:
            shares = _shares(known)
        elif form == "digit":
            shares = {"CD": 1.0}
        else:
            shares = self._by_ending(word)
        likely = {name: share for name, share in shares.items() if share > _READING_FLOOR}
        if form in ("upper", "first", "title") and likely.get(_NAME, 0) < _NAME_FLOOR:
            likely[_NAME] = _NAME_FLOOR
        return likely

    def _by_ending(self, word: str) -> dict[str, float]:
        shares = self._endings[""]
        for length in range(1, min(LONGEST_ENDING, len(word) - 1) + 1):
            longer = self._endings.get(word[-length:])
            if longer is not None:
                shares = {
                    name: (longer.get(name, 0) + _BACK_OFF * share) / (1 + _BACK_OFF)
                    for name, share in shares.items()
                }
        return shares


def _shares(counts: _Counts) -> dict[str, float]:
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


@once
def _model() -> Tagger:
    packed = files("incognote.lexicon").joinpath("speech.json.gz").read_bytes()
    return Tagger(**json.loads(gzip.decompress(packed)))
