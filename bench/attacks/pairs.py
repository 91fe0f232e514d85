"""Originals and their surrogates, word by word, from notes with gold spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from incognote.core.types import AnnotatedDocument, Result
from incognote.lexicon import fold
from incognote.lexicon.name_words import name_pool
from incognote.link import people_in
from incognote.policy import load_policy
from incognote.transform import Transformer

PEOPLE = frozenset({"PATIENT", "DOCTOR"})
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class NamePair:
    """A name word before and after. `full` numbers the mentions that have two words or more."""

    document: str
    old: str
    new: str
    full: int = 0

    @property
    def kind(self) -> str:
        return name_pool(self.old) or "family"


def replaced(documents: Sequence[AnnotatedDocument], key: bytes) -> list[Result]:
    transformer = Transformer(load_policy(), key)
    return [
        transformer.apply(doc.document, doc.spans, people_in(doc.document, doc.spans))
        for doc in documents
    ]


def values(result: Result) -> Iterable[tuple[str, str, str]]:
    """Label, original and surrogate; the same text twice where it stayed."""
    new = {each.span: each.text for each in result.replacements}
    for span in result.spans:
        old = result.document.text[span.start : span.end]
        yield span.label, old, new.get(span, old)


def name_pairs(results: Iterable[Result]) -> list[NamePair]:
    """Words of names that have as many words as before; initials are left out."""
    pairs: list[NamePair] = []
    number = 0
    for result in results:
        for label, old, new in values(result):
            if label not in PEOPLE:
                continue
            before, after = map(WORD.findall, (old, new))
            if len(before) != len(after):
                continue
            number += 1
            full = number if len(before) > 1 else 0
            pairs += [
                NamePair(result.document.id, fold(one), fold(two), full)
                for one, two in zip(before, after, strict=True)
                if len(one) > 1 and len(two) > 1
            ]
    return pairs


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """How often a positive scores higher than a negative; 0.5 is blind."""
    ranked = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    total, at = 0.0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        rank = (at + 1 + end) / 2
        total += rank * sum(kind for _, kind in ranked[at:end])
        at = end
    n, m = len(positives), len(negatives)
    return (total - n * (n + 1) / 2) / (n * m)
