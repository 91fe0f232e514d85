"""The parrot attack (Carrell and others, JAMIA 2019): who has only the released notes, marks all
that looks like PHI in half of them, trains a tagger on those marks and lets it tag the other half.
The tagger has learned what surrogates look like; what a reader would mark and the tagger does not
is called a leak. Halves swap.

crf    a CRF trained on the other half (the attack as published)
list   a name that is on none of our public lists is called a leak
once   a name that stands once in the whole release is called a leak

The reader is given all marks: surrogates and leaks both. Real readers see less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.core.types import Span
from incognote.evaluate.confidence import upper_bound

ATTACKERS = ("crf", "list", "once")
FEWEST = 20  # leaks: below, an attack's power cannot be told, and detection counts as 1
_SEED = 1
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
    by_label: dict[str, tuple[int, int]] = field(default_factory=dict)

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
            "marks": self.marks,
            "leaks": self.leaks,
            "detection": round(self.detection, 4),
            "precision": round(self.precision, 4),
            "base_rate": round(self.base, 4),
            "auc": round(self.auc, 4),
            "auc_interval": [round(self.auc_low, 4), round(self.auc_high, 4)],
            "detection_bound_97.5": round(self.detection_bound(), 4),
            "by_label": {
                label: {"leaks": leaks, "found": found}
                for label, (leaks, found) in sorted(self.by_label.items())
            },
        }


def parrot(
    notes: Sequence[Marked],
    attackers: Sequence[str] = ATTACKERS,
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
    found = []
    for name in attackers:
        progress(f"attacker {name}")
        suspicion = {"crf": _by_crf, "list": _by_list, "once": _by_once}[name](kept)
        found.append(_judged(name, kept, suspicion))
    return found


def strongest(attacks: Sequence[Attack]) -> Attack | None:
    return max(attacks, key=lambda each: (each.detection_bound(), each.auc), default=None)


Suspicion = dict[
    tuple[int, Span], float
]  # (note, span) -> how sure the attacker is; over 0.5 calls


def _judged(name: str, notes: Sequence[Marked], suspicion: Suspicion) -> Attack:
    scores, truth, owners, labels = [], [], [], []
    for (number, span), score in sorted(suspicion.items(), key=lambda item: item[0]):
        note = notes[number]
        scores.append(score)
        truth.append(span in note.leaks)
        owners.append(note.patient or note.id)
        labels.append(span.label)
    suspicious, real = np.array(scores), np.array(truth, dtype=bool)
    called = suspicious > 0.5
    low, high = _interval(suspicious, real, owners)
    by_label = {
        label: (
            int(sum(t for t, own in zip(truth, labels, strict=True) if own == label)),
            int(
                sum(
                    t and c
                    for t, c, own in zip(truth, called.tolist(), labels, strict=True)
                    if own == label
                )
            ),
        )
        for label in sorted({own for own, t in zip(labels, truth, strict=True) if t})
    }
    return Attack(
        name,
        len(scores),
        int(real.sum()),
        int(called.sum()),
        int((called & real).sum()),
        auc(suspicious, real),
        low,
        high,
        by_label,
    )


def auc(score: Any, real: Any) -> float:
    """The chance that a leak looks more suspicious than a surrogate; 0.5 where there is neither."""
    ones, zeros = int(real.sum()), int((~real).sum())
    if not ones or not zeros:
        return 0.5
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    for value in np.unique(score):  # ties share their rank
        same = score == value
        ranks[same] = ranks[same].mean()
    return float((ranks[real].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def _interval(score: Any, real: Any, owners: Sequence[str]) -> tuple[float, float]:
    """95 % by resampling patients."""
    if not real.any():
        return 0.0, 1.0
    names, index = np.unique(np.array(owners), return_inverse=True)
    members = [np.flatnonzero(index == n) for n in range(len(names))]
    rng = np.random.default_rng(_SEED)
    rounds = _RESAMPLES if len(score) < 20_000 else 100
    found = []
    for _ in range(rounds):
        drawn = np.concatenate([members[n] for n in rng.integers(0, len(names), len(names))])
        if real[drawn].any() and not real[drawn].all():
            found.append(auc(score[drawn], real[drawn]))
    if not found:
        return 0.0, 1.0
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


# -------------------------------------------------------------------------------------- attackers


def _by_crf(notes: Sequence[Marked]) -> Suspicion:
    """Train on one half, tag the other: what is marked and not tagged is suspicious."""
    from incognote.core.types import Document
    from incognote.detect.learned.crf import CrfDetector
    from incognote.learn.crf import CrfTraining, train
    from incognote.learn.data import Note
    from incognote.policy import load_policy
    from incognote.prepare import prepare

    rules = load_policy("group-a").prepare
    found: Suspicion = {}
    order = np.random.default_rng(_SEED).permutation(len(notes)).tolist()
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    options = CrfTraining(iterations=40)
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
            train(lessons, lessons[:1], Path(scratch), options, {})
            detector = CrfDetector(model=scratch)
            for number in asked:
                note = notes[number]
                views = prepare(Document(note.id, note.text), rules)
                tagged = [
                    view.to_source(span)
                    for view, spans in zip(views, detector.detect(views), strict=True)
                    for span in spans
                ]
                for span in note.spans:
                    covered = sum(
                        max(0, min(span.end, t.end) - max(span.start, t.start)) for t in tagged
                    )
                    found[number, span] = 1.0 - min(1.0, covered / span.length)
    return found


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
