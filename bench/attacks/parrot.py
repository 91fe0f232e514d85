"""The parrot attack: a tagger learns from the released notes what surrogates look like, and names
that it doubts are taken for those that slipped through."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.attacks.pairs import PEOPLE, WORD, auc
from incognote.core.types import Result

# So many of a hundred mentions slip through.
_MISSED = 5


def parrot(results: Sequence[Result], seed: int = 7) -> float:
    """AUC of separating missed names from surrogates, over both halves of the notes."""
    import pycrfsuite

    chance = random.Random(seed)
    notes = [_released(result, chance) for result in results]
    halves = notes[::2], notes[1::2]
    missed: list[float] = []
    surrogates: list[float] = []
    for learned, read in (halves, halves[::-1]):
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 40})
        for words, kinds in learned:
            # Whoever copies the tool learns what it replaced; what it missed looks like the rest.
            trainer.append(_features(words), ["N" if kind == 1 else "O" for kind in kinds])
        with TemporaryDirectory() as folder:
            path = str(Path(folder) / "parrot")
            trainer.train(path)
            tagger = pycrfsuite.Tagger()
            tagger.open(path)
            for words, kinds in read:
                tagger.set(_features(words))
                for at, kind in enumerate(kinds):
                    if kind:
                        doubt = 1 - tagger.marginal("N", at)
                        (missed if kind == 2 else surrogates).append(doubt)
            tagger.close()
    return auc(missed, surrogates)


def _released(result: Result, chance: random.Random) -> tuple[list[str], list[int]]:
    """The words of a released note: 1 for those of a surrogate name, 2 for names that slipped
    through, 0 for the rest."""
    text = result.document.text
    words: list[str] = []
    kinds: list[int] = []
    at = 0
    for each in sorted(result.replacements, key=lambda one: one.span.start):
        span = each.span
        for word in WORD.findall(text[at : span.start]):
            words.append(word)
            kinds.append(0)
        person = span.label in PEOPLE
        slipped = person and chance.randrange(100) < _MISSED
        for word in WORD.findall(text[span.start : span.end] if slipped else each.text):
            words.append(word)
            kinds.append(2 if slipped else 1 if person else 0)
        at = span.end
    for word in WORD.findall(text[at:]):
        words.append(word)
        kinds.append(0)
    return words, kinds


def _features(words: Sequence[str]) -> list[list[str]]:
    rows = [
        [
            f"w={word.lower()}",
            f"p={word[:3].lower()}",
            f"s={word[-3:].lower()}",
            f"c={word.isupper()}{word.istitle()}",
            f"n={min(len(word), 10)}",
        ]
        for word in words
    ]
    for (before, row), (after, other) in pairwise(zip(words, rows, strict=True)):
        row.append(f"+1={after.lower()}")
        other.append(f"-1={before.lower()}")
    return rows
