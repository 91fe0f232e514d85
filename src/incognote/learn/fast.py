"""Training of the fast detector: residual dilated convolutions over hashed features.

It learns from gold notes and, where a teacher is given, from the teacher's probabilities on
unlabelled text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.core.errors import UsageError
from incognote.detect.learned.fast import AFFIXES, SEPARATOR, WORDS, UnitTable, stacked
from incognote.detect.learned.tagging import Scores
from incognote.detect.learned.units import LAYOUTS, SHAPES, split
from incognote.detect.word_class import CLASSES
from incognote.learn.data import Note, labels_of
from incognote.learn.network.checkpoint import Best
from incognote.learn.network.feed import Lesson, LessonMaker, Maker, epochs
from incognote.learn.network.steps import Schedule, Steps
from incognote.learn.network.windows import IGNORED, Halves, phi_error, unit_targets
from incognote.learn.text.augment import Source

if TYPE_CHECKING:
    import torch

Progress = Callable[[str], None]
Teacher = Callable[[Sequence[str]], Iterable[Scores]]
_DILATIONS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class FastTraining:
    """Everything that decides how a run goes; written into the model card."""

    epochs: int = 30
    minutes: float | None = None
    width: int = 160
    word_width: int = 64
    affix_width: int = 24
    budget: int = 4096  # units in a batch
    rate: float = 3e-3
    decay: float = 0.02
    dropout: float = 0.1
    blanked: float = 0.1  # share of words hidden, so that affixes and context are learned
    averaging: float = 0.998
    patience: int = 8
    seed: int = 1
    threads: int | None = None
    feeders: int = 0  # processes that make the next epochs ahead; 0 makes them in between
    rounds: int = 2  # rewritten copies of the notes that a teacher reads
    taught: int = 4000  # of the texts that it read, drawn anew for each epoch


@dataclass(frozen=True, slots=True)
class Sample:
    features: NDArray[np.int64]
    labels: NDArray[np.int64]
    opens: NDArray[np.int64]
    taught: Halves | None = None


def build(labels: int, options: FastTraining) -> Any:
    import torch
    from torch import nn

    class Layer(nn.Module):
        """A dilated convolution of width 3, written as one matrix product, which int8 likes."""

        def __init__(self, width: int, dilation: int) -> None:
            super().__init__()
            self.dilation = dilation
            self.norm = nn.LayerNorm(width)
            self.mix = nn.Linear(3 * width, width)
            self.drop = nn.Dropout(options.dropout)

        def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            y = self.norm(x) * mask
            edge = y.new_zeros(self.dilation, y.shape[1])
            before = torch.cat([edge, y[: -self.dilation]])
            after = torch.cat([y[self.dilation :], edge])
            mixed = torch.relu(self.mix(torch.cat([before, y, after], dim=1)))
            out: torch.Tensor = x + self.drop(mixed)
            return out

    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, options.word_width)
            self.affixes = nn.Embedding(AFFIXES, options.affix_width)
            self.shapes = nn.Embedding(SHAPES, 16)
            self.classes = nn.Embedding(CLASSES, 16)
            self.layouts = nn.Embedding(LAYOUTS, 8)
            for table in (self.words, self.affixes, self.shapes, self.classes, self.layouts):
                nn.init.normal_(table.weight, std=0.1)
            read = options.word_width + 5 * options.affix_width + 16 + 16 + 8
            self.enter = nn.Linear(read, options.width)
            self.layers = nn.ModuleList(Layer(options.width, d) for d in _DILATIONS)
            self.norm = nn.LayerNorm(options.width)
            self.heads = nn.Linear(options.width, labels + 2)

        def forward(self, features: torch.Tensor) -> torch.Tensor:
            mask = (features[:, 6:7] > 0).float()
            x = torch.cat(
                [
                    self.words(features[:, 0]),
                    self.affixes(features[:, 1:6]).flatten(1),
                    self.shapes(features[:, 6]),
                    self.classes(features[:, 7]),
                    self.layouts(features[:, 8]),
                ],
                dim=1,
            )
            x = torch.relu(self.enter(x))
            for layer in self.layers:
                x = layer(x, mask)
            out: torch.Tensor = self.heads(self.norm(x))
            return out

    return Tagger()


@dataclass(frozen=True, slots=True)
class SampleMaker:
    """The samples of one epoch, by its seed."""

    lessons: Maker[list[Lesson]]
    index: dict[str, int]

    def __call__(self, seed: int) -> list[Sample]:
        return samples_of(self.lessons(seed), self.index, UnitTable())


def samples_of(lessons: Iterable[Lesson], index: dict[str, int], table: UnitTable) -> list[Sample]:
    samples = []
    for lesson in lessons:
        units = split(lesson.note.text)
        if units:
            labels, opens = unit_targets(lesson.note, units, index)
            known = np.array(labels) if lesson.marked else np.full(len(units), IGNORED)
            features = table.features(lesson.note.text, units)
            samples.append(Sample(features, known, np.array(opens), lesson.taught))
    return samples


def taught_samples(texts: Sequence[str], teacher: Teacher) -> list[Sample]:
    """Samples whose targets are a teacher's probabilities."""
    lessons = (
        # Half precision: there may be millions of these rows.
        Lesson(
            Note("", text, ()),
            marked=False,
            taught=np.concatenate([said.labels, said.opens[:, None]], axis=1).astype(np.float16),
        )
        for text, said in zip(texts, teacher(texts), strict=True)
        if len(said.units)
    )
    return samples_of(lessons, {}, UnitTable())


def train(
    source: Source,
    held: Sequence[Note],
    out: Path,
    options: FastTraining,
    progress: Progress,
    *,
    labels: tuple[str, ...] | None = None,
    taught: Sequence[Sample] = (),
    lessons: Maker[list[Lesson]] | None = None,
) -> None:
    """Trains, and keeps the best epoch in `out`. `lessons` are epochs that teachers have read
    already, in place of those that `source` makes."""
    import torch

    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    labels = labels or labels_of(source.notes)
    index = {label: i for i, label in enumerate(labels, 1)}
    model = build(len(labels), options).to(device)
    steps = Steps([(list(model.parameters()), options.rate)], options.decay, options.averaging)
    best = Best(out, options.patience)
    check = samples_of(map(Lesson, held), index, UnitTable())
    rng = random.Random(options.seed)
    schedule = Schedule(options.epochs, options.minutes)
    seeds = [options.seed * 1000 + epoch for epoch in range(options.epochs)]
    make = SampleMaker(lessons or LessonMaker(replace(source, unmarked=())), index)
    feed = epochs(make, seeds, options.feeders)
    for epoch, gold in enumerate(feed):
        samples = gold + rng.sample(taught, min(options.taught, len(taught)))
        rng.shuffle(samples)
        todo = _grouped(samples, options.budget)
        model.train()
        total = torch.zeros((), device=device)
        for number, group in enumerate(todo):
            loss = _loss(model, group, options.blanked)
            loss.backward()
            done = schedule.done(epoch + number / len(todo))
            steps.take(min(1.0, done / 0.02 + 0.01) * max(0.0, 1 - done))
            total += loss.detach()
        if not torch.isfinite(total):
            raise UsageError(
                f"training failed in epoch {epoch + 1}: the loss is not a number any more"
            )
        model.eval()
        with steps.average.in_place():
            error = _held_out_error(model, _grouped(check, options.budget))
            progress(
                f"epoch {epoch + 1}/{options.epochs} loss {total.item() / max(1, len(todo)):.4f} "
                f"held-out error {error:.4f} {schedule.seconds:.0f} s"
            )
            best.offer(
                model,
                error,
                epoch=epoch + 1,
                labels=labels,
                training=asdict(options),
                augmentation=asdict(source.options),
            )
        if best.out_of_patience or schedule.is_out_of_time:
            break


def _grouped(samples: Sequence[Sample], budget: int) -> list[list[Sample]]:
    groups: list[list[Sample]] = [[]]
    size = 0
    for sample in samples:
        if size and size + len(sample.labels) > budget:
            groups.append([])
            size = 0
        groups[-1].append(sample)
        size += len(sample.labels) + SEPARATOR
    return groups


def _held_out_error(model: Any, check: Sequence[Sequence[Sample]]) -> float:
    import torch

    device = next(model.parameters()).device
    said, gold = [], []
    for group in check:
        rows, starts = stacked([sample.features for sample in group])
        with torch.no_grad():
            best = model(torch.from_numpy(rows).to(device))[:, :-1].argmax(-1).cpu().numpy()
        for sample, start in zip(group, starts, strict=True):
            said.append(best[start : start + len(sample.labels)])
            gold.append(sample.labels)
    return phi_error(np.concatenate(said), np.concatenate(gold))


def _loss(model: Any, group: Sequence[Sample], blanked: float) -> torch.Tensor:
    import torch
    import torch.nn.functional as F  # noqa: N812

    rows, starts = stacked([sample.features for sample in group])
    labels = np.full(len(rows), IGNORED, np.int64)
    opens = np.zeros(len(rows), np.float32)
    device = next(model.parameters()).device
    soft_rows: list[int] = []
    soft: list[Halves] = []
    for sample, start in zip(group, starts, strict=True):
        part = slice(start, start + len(sample.labels))
        labels[part] = sample.labels
        opens[part] = sample.opens
        if sample.taught is not None:
            soft_rows += range(start, start + len(sample.labels))
            soft.append(sample.taught)
    features = torch.from_numpy(rows).to(device)
    if blanked:
        hidden = torch.rand(len(features), device=device) < blanked
        features[hidden, 0] = 0
    logits = model(features)
    target = torch.from_numpy(labels).to(device)
    gold = target != IGNORED
    loss = logits.new_zeros(())
    if gold.any():
        loss = F.cross_entropy(logits[gold, :-1], target[gold], label_smoothing=0.02)
        marked = gold & (target > 0)
        if marked.any():
            wanted = torch.from_numpy(opens).to(device)[marked]
            loss = loss + 0.3 * F.binary_cross_entropy_with_logits(logits[marked, -1], wanted)
    if soft:
        wanted = torch.from_numpy(np.concatenate(soft)).to(device).float()
        read = logits[soft_rows]
        # A teacher has seen the annotation and says more about each unit: it counts for more.
        loss = 0.5 * loss + F.cross_entropy(read[:, :-1], wanted[:, :-1])
        said = wanted[:, 0] < 0.5
        if said.any():
            loss = loss + 0.15 * F.binary_cross_entropy_with_logits(
                read[said, -1], wanted[said, -1]
            )
    return loss
