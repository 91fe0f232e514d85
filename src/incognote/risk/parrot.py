"""The parrot attack (Carrell and others, JAMIA 2019): who has only the released notes, marks all
that looks like PHI in half of them, trains a tagger on those marks and lets it tag the other half.
The tagger has learned what surrogates look like; what a reader would mark and the tagger does not
is called a leak. Halves swap.

crf           a CRF trained on the other half (the attack as published)
transformer   an encoder trained on it; takes minutes and the extra `train`
list          a name that is on none of our public lists is called a leak
once          a name that appears once in the whole release is called a leak

The reader is given all marks: surrogates and leaks both. Real readers see less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.core.types import Span
from incognote.detect.learned.detector import Scorer
from incognote.detect.learned.tagging import Scores
from incognote.evaluate.confidence import upper_bound
from incognote.learn.data import Note

USUAL = ("crf", "list", "once")
ATTACKERS = ("crf", "transformer", "list", "once")
FEWEST = 20  # leaks: below, the power of an attack cannot be estimated, and detection counts as 1
SEED = 1
CALLED = 0.2  # how surely a tagger must take a mark for no PHI for the attacker to call it a leak
_ROUNDS = 40  # of training a CRF: more find no more leaks
_ENCODER, _EPOCHS = "accurate", 4
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Marked:
    """A note of the release with everything that looks like PHI; `leaks` are the real ones."""

    id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(repr=False)
    leaks: frozenset[Span] = field(repr=False)
    patient: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Attack:
    """What an attacker achieves. `detection`: the share of leaks that are called so; `precision`:
    the share of calls that are leaks; `base`: the share of marks that are leaks, which is the
    precision of guessing; `auc`: how well the attacker's suspicion orders them, 0.5 is blind."""

    attacker: str
    marks: int
    leaks: int
    calls: int
    hits: int
    auc: float
    auc_low: float
    auc_high: float
    by_label: dict[str, Attack] = field(default_factory=dict)

    @property
    def detection(self) -> float:
        return self.hits / self.leaks if self.leaks else 0.0

    @property
    def precision(self) -> float:
        return self.hits / self.calls if self.calls else 0.0

    @property
    def base(self) -> float:
        return self.leaks / self.marks if self.marks else 0.0

    def detection_bound(self, level: float = 0.975) -> float:
        return 1.0 if self.leaks < FEWEST else upper_bound(self.hits, self.leaks, level)

    def as_dict(self) -> dict[str, Any]:
        return {
            "attacker": self.attacker,
            **self.figures(),
            "detection_bound_97.5": round(self.detection_bound(), 4),
            "by_label": {name: each.figures() for name, each in sorted(self.by_label.items())},
        }

    def figures(self) -> dict[str, Any]:
        return {
            "marks": self.marks,
            "leaks": self.leaks,
            "found": self.hits,
            "detection": round(self.detection, 4),
            "precision": round(self.precision, 4),
            "base_rate": round(self.base, 4),
            "auc": round(self.auc, 4),
            "auc_interval": [round(self.auc_low, 4), round(self.auc_high, 4)],
        }


def parrot(
    notes: Sequence[Marked],
    attackers: Sequence[str] = USUAL,
    *,
    ignore: frozenset[str] = frozenset(),
    progress: Callable[[str], None] = lambda _: None,
) -> list[Attack]:
    """Every attacker on these notes. `ignore`: labels that are left out."""
    for name in attackers:
        if name not in ATTACKERS:
            raise UsageError(f"no attacker named {name!r}; there are: {', '.join(ATTACKERS)}")
    if len(notes) < 2:
        raise UsageError("the attack needs at least two notes")
    kept = [
        Marked(
            note.id,
            note.text,
            tuple(s for s in note.spans if s.label not in ignore),
            frozenset(s for s in note.leaks if s.label not in ignore),
            note.patient,
        )
        for note in notes
    ]
    attacks = {
        "crf": _by_tagger(_learn_crf),
        "transformer": _by_tagger(_learn_transformer),
        "list": _by_list,
        "once": _by_once,
    }
    found = []
    for name in attackers:
        progress(f"attacker {name}")
        suspicion = attacks[name](kept)
        found.append(_judged(name, kept, suspicion))
    return found


def strongest(attacks: Sequence[Attack]) -> Attack | None:
    return max(attacks, key=lambda each: (each.detection_bound(), each.auc), default=None)


Suspicion = dict[
    tuple[int, Span], float
]  # (note, span) -> how sure the attacker is; over 0.5 calls


def _judged(name: str, notes: Sequence[Marked], suspicion: Suspicion) -> Attack:
    """The attack on all marks, and on those of each label that leaks."""
    marks = sorted(suspicion, key=lambda mark: (mark[0], mark[1]))
    score = np.array([suspicion[mark] for mark in marks])
    real = np.array([span in notes[number].leaks for number, span in marks], dtype=bool)
    owners = np.array([notes[number].patient or notes[number].id for number, _ in marks], dtype=str)
    labels = np.array([span.label for _, span in marks], dtype=str)
    by_label = {
        label: _measured(name, score[own], real[own], owners[own])
        for label in sorted(set(labels[real].tolist()))
        for own in [labels == label]
    }
    return replace(_measured(name, score, real, owners), by_label=by_label)


def _measured(name: str, score: Any, real: Any, owners: Any) -> Attack:
    called = score > 0.5
    low, high = _interval(score, real, owners)
    return Attack(
        name,
        len(score),
        int(real.sum()),
        int(called.sum()),
        int((called & real).sum()),
        auc(score, real),
        low,
        high,
    )


def auc(score: Any, real: Any) -> float:
    """The chance that a leak looks more suspicious than a surrogate; 0.5 where there is neither."""
    place = np.unique(score, return_inverse=True)[1]
    return _weighted_auc(place, real, np.ones(len(place)))


def _weighted_auc(place: Any, real: Any, weight: Any) -> float:
    """`place` is the rank of each score; equal scores share one."""
    ones = np.bincount(place, weight * real)
    zeros = np.bincount(place, weight * ~real)
    pairs = float(ones.sum() * zeros.sum())
    below = np.cumsum(zeros) - zeros
    return float((ones * (below + zeros / 2)).sum()) / pairs if pairs else 0.5


def _interval(score: Any, real: Any, owners: Any) -> tuple[float, float]:
    """95 % by resampling patients: each counts as often as it is drawn."""
    if not real.any():
        return 0.0, 1.0
    place = np.unique(score, return_inverse=True)[1]
    names, index = np.unique(owners, return_inverse=True)
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(_RESAMPLES):
        weight = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))[index]
        if weight[real].any() and weight[~real].any():
            found.append(_weighted_auc(place, real, weight))
    if not found:
        return 0.0, 1.0
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


# -------------------------------------------------------------------------------------- attackers


Learn = Callable[[Sequence[Note], Path], Scorer]  # from notes, in a folder


def _by_tagger(learn: Learn) -> Callable[[Sequence[Marked]], Suspicion]:
    """Train on one half, tag the other: what is marked and not tagged is suspicious. A mark is as
    suspicious as that word of it which looks most like a surrogate."""

    def suspect(notes: Sequence[Marked]) -> Suspicion:
        found: Suspicion = {}
        order = np.random.default_rng(SEED).permutation(len(notes)).tolist()
        halves = order[: len(order) // 2], order[len(order) // 2 :]
        for taught, asked in (halves, halves[::-1]):
            lessons = [
                Note(
                    notes[n].id,
                    notes[n].text,
                    tuple((s.start, s.end, s.label) for s in apart(notes[n].spans)),
                )
                for n in taught
            ]
            with TemporaryDirectory() as scratch:
                scorer = learn(lessons, Path(scratch))
                answers = scorer.score([notes[number].text for number in asked])
                for number, scores in zip(asked, answers, strict=True):
                    for span in notes[number].spans:
                        found[number, span] = _strangeness(span, scores)
        return found

    return suspect


def _strangeness(span: Span, scores: Scores) -> float:
    """How surely a tagger takes the span for no PHI; over 0.5 where it tags no word of it."""
    units = np.array(scores.units, np.int64).reshape(-1, 2)
    inside = (units[:, 0] < span.end) & (units[:, 1] > span.start)
    outside = scores.labels[inside, 0]
    if not len(outside):
        return 1.0
    # Tagged is what is more likely PHI than CALLED: the scale is bent so that 0.5 divides.
    surest = float(outside.min())
    return float(np.interp(surest, (0.0, CALLED, 1.0), (0.0, 0.5, 1.0)))


def _learn_crf(notes: Sequence[Note], scratch: Path) -> Scorer:
    from incognote.detect.learned.crf import CrfScorer
    from incognote.learn.crf import CrfTraining, train

    return CrfScorer(train(notes, notes[:1], scratch, CrfTraining(iterations=_ROUNDS), {}))


def _learn_transformer(notes: Sequence[Note], scratch: Path) -> Scorer:
    """From the encoder of the model that ships, with new heads: an attacker has it, too."""
    from incognote.detect.learned.transformer import TransformerScorer
    from incognote.learn.network.base import find_base, open_base
    from incognote.learn.recipe import TrainingData, require_training, train_transformer
    from incognote.learn.text.augment import Augmentation
    from incognote.learn.transformer import Training

    require_training()
    held = max(1, len(notes) // 20)
    data = TrainingData(notes[held:], notes[:held], (), (), None, {}, ())
    # Notes are learned as they are written: what other names would look like is not the question.
    plain = Augmentation(1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    folder = train_transformer(
        data,
        open_base(find_base(_ENCODER)),
        scratch,
        Training(epochs=_EPOCHS, seed=SEED),
        lambda _: None,
        augmentation=plain,
    )
    return TransformerScorer(folder)


def apart(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, without those that overlap an earlier one."""
    found: list[Span] = []
    for span in sorted(spans):
        if not found or span.start >= found[-1].end:
            found.append(span)
    return found


def _by_list(notes: Sequence[Marked]) -> Suspicion:
    """A name word that our public pools do not hold cannot be a surrogate."""
    from incognote.lexicon import fold, lexicon

    words = lexicon()
    pool = {fold(name) for name in words.surnames()} | {fold(name) for name in words.first_names()}
    found: Suspicion = {}
    for number, note in enumerate(notes):
        for span in note.spans:
            parts = [fold(p) for p in note.text[span.start : span.end].split() if p[:1].isalpha()]
            named = span.label in ("PATIENT", "DOCTOR") and parts
            strange = sum(part.strip(".,'") not in pool for part in parts) if named else 0
            found[number, span] = strange / len(parts) if named else 0.0
    return found


def _by_once(notes: Sequence[Marked]) -> Suspicion:
    """Surrogates come from pools and repeat; a name seen once may be real."""
    counts: Counter[str] = Counter()
    for note in notes:
        counts.update({note.text[s.start : s.end].casefold() for s in note.spans})
    return {
        (number, span): 1.0 if counts[note.text[span.start : span.end].casefold()] == 1 else 0.0
        for number, note in enumerate(notes)
        for span in note.spans
    }
