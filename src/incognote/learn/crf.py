"""Training of the CRF detector, and the two studies of the HIDE paper on any corpus.

O-sampling keeps each unit outside PHI with some probability; window sampling keeps only units near
PHI; both together keep the window and a sample of the rest. They train faster and trade precision
for recall.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.detect.learned.crf import OUTSIDE, CrfScorer, sequences
from incognote.detect.learned.crf_features import GROUPS, FeatureReader
from incognote.detect.learned.model_folder import ModelFolder, open_model
from incognote.detect.learned.suite import crfsuite
from incognote.learn.data import Note, labels_of
from incognote.learn.folder import write_folder
from incognote.learn.network.windows import unit_targets

Progress = Callable[[str], None]
EXPERIMENTS = ("features", "sampling")


@dataclass(frozen=True, slots=True)
class CrfTraining:
    """Everything that decides how a run goes; written into the model card."""

    groups: tuple[str, ...] = GROUPS
    keep_outside: float = 1.0  # O-sampling: the share of units outside PHI that is kept
    window: int | None = None  # window sampling: only units this near to PHI are kept
    iterations: int = 80
    l1: float = 0.05
    l2: float = 0.01
    frequency: int = 2  # features seen less often are dropped
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Trial:
    """One row of a study."""

    name: str
    recall: float
    precision: float
    seconds: float
    kept: int

    @property
    def f1(self) -> float:
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0


def train(
    notes: Sequence[Note],
    held: Sequence[Note],
    out: Path,
    options: CrfTraining,
    card: dict[str, object],
    progress: Progress = lambda _: None,
) -> ModelFolder:
    """Trains with L-BFGS and writes a model folder."""
    if not 0 < options.keep_outside <= 1:
        raise UsageError("the share of kept units must be above 0 and at most 1")
    if options.window is not None and options.window < 0:
        raise UsageError("the window must be 0 or more")
    if options.iterations < 1:
        raise UsageError("there must be at least one iteration")
    labels = labels_of(notes)
    index = {label: number for number, label in enumerate(labels, 1)}
    names = (OUTSIDE, *labels)
    reader = FeatureReader(options.groups)
    rng = random.Random(options.seed)
    trainer = crfsuite().Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": options.l1,
            "c2": options.l2,
            "max_iterations": options.iterations,
            "feature.minfreq": options.frequency,
            "feature.possible_transitions": False,
        }
    )
    kept = 0
    for note in notes:
        units, features = reader.read(note.text)
        targets, _ = unit_targets(note, units, index)
        position = 0
        for size in sequences(note.text, units):
            part = targets[position : position + size]
            chosen = [position + i for i in sample(part, options, rng)]
            position += size
            if chosen:
                trainer.append([features[i] for i in chosen], [names[targets[i]] for i in chosen])
                kept += len(chosen)
    out.mkdir(parents=True, exist_ok=True)
    started = time.process_time()  # what else the machine does must not show in a study
    trainer.train(str(out / "model.crfsuite"))
    seconds = time.process_time() - started
    progress(f"{kept:,} units, {seconds:.1f} s")
    return write_folder(
        "crf",
        out,
        ("model.crfsuite",),
        labels,
        {"groups": list(options.groups)},
        held,
        {
            **card,
            "training": asdict(options),
            "units": kept,
            "seconds": round(seconds, 2),
        },
        CrfScorer,
    )


def sample(targets: Sequence[int], options: CrfTraining, rng: random.Random) -> list[int]:
    """Which units of a sequence are kept: all of PHI, those near it, and a share of the rest.

    With a window alone the rest goes; with a share as well, the window stays whole and the rest is
    drawn from, as HIDE does.
    """
    near = [options.window is None and options.keep_outside >= 1] * len(targets)
    if options.window is not None:
        for i, target in enumerate(targets):
            if target:
                low, high = max(0, i - options.window), min(len(targets), i + options.window + 1)
                near[low:high] = [True] * (high - low)
    share = 0.0 if options.keep_outside >= 1 else options.keep_outside
    return [i for i, target in enumerate(targets) if target or near[i] or rng.random() < share]


def study(
    which: str,
    notes: Sequence[Note],
    held: Sequence[Note],
    scratch: Path,
    options: CrfTraining,
    progress: Progress,
) -> dict[str, list[Trial]]:
    """The trials of an experiment, by panel."""
    if which == "features":
        runs = {
            "feature groups": [
                ("+".join(groups), replace(options, groups=groups))
                for size in range(1, len(GROUPS) + 1)
                for groups in combinations(GROUPS, size)
            ]
        }
    elif which == "sampling":
        runs = {
            "share of outside units kept": [
                (f"{share:g}", replace(options, keep_outside=share))
                for share in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
            ],
            "window around PHI": [
                (str(size), replace(options, window=size)) for size in (0, 1, 2, 4, 8, 16, 32)
            ],
        }
    else:
        raise UsageError(f"experiments are {', '.join(EXPERIMENTS)}")
    return {
        panel: [_trial(name, notes, held, scratch, chosen, progress) for name, chosen in rows]
        for panel, rows in runs.items()
    }


def _trial(
    name: str,
    notes: Sequence[Note],
    held: Sequence[Note],
    scratch: Path,
    options: CrfTraining,
    progress: Progress,
) -> Trial:
    folder = train(notes, held, scratch / "crf", options, {})
    folder = open_model(str(folder.path), "crf")
    recall, precision = measured(folder, held)
    card = folder.card
    trial = Trial(name, recall, precision, float(card["seconds"]), int(card["units"]))
    progress(f"{name}: recall {recall:.4f} precision {precision:.4f} {trial.seconds:.1f} s")
    return trial


def measured(folder: ModelFolder, held: Sequence[Note]) -> tuple[float, float]:
    """Recall and precision of the most likely labels, word level, PHI or not."""
    index = {label: number for number, label in enumerate(folder.labels, 1)}
    hits = said = true = 0
    for note, scores in zip(held, CrfScorer(folder).score([n.text for n in held]), strict=True):
        targets, _ = unit_targets(note, scores.units, index)
        best = scores.labels.argmax(axis=1)
        for (start, _), target, guess in zip(scores.units, targets, best, strict=True):
            if note.text[start].isalnum():
                hits += bool(target and guess)
                said += bool(guess)
                true += bool(target)
    return hits / max(1, true), hits / max(1, said)
