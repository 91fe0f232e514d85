"""Training of the transformer detector.

A network also learns from teachers, mostly larger ones that were trained before it: what they say
of every unit, annotated or not, is a target beside the annotation.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.learn.data import Note, labels_of
from incognote.learn.network.base import Base
from incognote.learn.network.checkpoint import Best, load_weights, read_state
from incognote.learn.network.encoder import build
from incognote.learn.network.exits import exit_loss
from incognote.learn.network.feed import (
    BatchMaker,
    EpochMaker,
    Lesson,
    LessonMaker,
    Maker,
    epochs,
)
from incognote.learn.network.steps import Schedule, Steps, mixed_precision
from incognote.learn.network.teachers import Teacher, mean_answer
from incognote.learn.network.windows import IGNORED, Batch, phi_error
from incognote.learn.text.augment import Source

if TYPE_CHECKING:
    import torch

Progress = Callable[[str], None]
OVERLAP = 32  # what two readings see twice is missed less


@dataclass(frozen=True, slots=True)
class Training:
    """Everything that decides how a run goes; written into the model card."""

    epochs: int = 10
    minutes: float | None = None  # the schedule ends here at the latest
    window: int = 128
    overlap: int = OVERLAP  # pieces that two windows share when the trained model reads
    budget: int = 2048  # pieces in a batch
    rate: float = 2e-4
    head_rate: float = 1e-3
    decay: float = 0.01
    warmup: float = 0.04
    blanked: float = 0.06  # share of pieces replaced by the unknown piece, instead of dropout
    dropout: float = 0.0
    learn_overlap: int = 0  # pieces that two windows share in training
    averaging: float = 0.995
    patience: int = 3
    seed: int = 1
    workers: int = 1  # copies of the network, each with one thread and its part of a batch
    feeders: int = 0  # processes that make the next epochs ahead; 0 makes them in between
    learn_words: bool = False  # word vectors learn, too: for a base of another language
    frozen: int = 0  # layers from below that stay as they are


def loss_of(
    logits: torch.Tensor, labels: torch.Tensor, opens: torch.Tensor, taught: torch.Tensor | None
) -> torch.Tensor:
    """Cross-entropy over labels, plus a lighter one for "a span opens here" on marked units.

    `taught` are the teachers' mean probabilities (of labels, then of openings) where there are any;
    the annotation then counts half, for a teacher has seen it and says more about each unit.
    """
    import torch.nn.functional as F  # noqa: N812

    read = labels != IGNORED
    logits, labels, opens = logits[read].float(), labels[read], opens[read]
    gold = labels >= 0
    loss = logits.new_zeros(())
    if gold.any():
        loss = F.cross_entropy(logits[gold, :-1], labels[gold], label_smoothing=0.02)
        marked = labels > 0
        if marked.any():
            loss = loss + 0.3 * F.binary_cross_entropy_with_logits(
                logits[marked, -1], opens[marked].float()
            )
    if taught is not None:
        taught = taught[read]
        said = taught[:, 0] < 0.5
        loss = 0.5 * loss + F.cross_entropy(logits[:, :-1], taught[:, :-1])
        if said.any():
            loss = loss + 0.15 * F.binary_cross_entropy_with_logits(
                logits[said, -1], taught[said, -1]
            )
    return loss


def train(
    base: Base,
    source: Source,
    held: Sequence[Note],
    out: Path,
    options: Training,
    progress: Progress,
    *,
    resume: bool = False,
    teachers: Sequence[Teacher] = (),
    lessons: Maker[list[Lesson]] | None = None,
) -> None:
    """Trains, and keeps the best epoch in `out`.

    The kept weights are a running average, so that any epoch's are good enough to use. `lessons`
    are epochs that teachers have read already, in place of those that `source` makes.
    """
    import torch

    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    labels = labels_of(source.notes)
    index = {label: i for i, label in enumerate(labels, 1)}
    if options.window > base.longest:
        raise UsageError(f"{base.name} reads at most {base.longest} pieces at once")
    for teacher in teachers:
        if teacher.labels != labels:
            raise UsageError(f"the teacher {teacher.name} knows other labels than these notes have")
    model = build(
        base,
        labels,
        learn_words=options.learn_words,
        frozen=options.frozen,
        dropout=options.dropout,
    )
    first_epoch, best = 0, Best(out, options.patience)
    if resume:
        first_epoch, best = _resumed(model, out, labels, options)
    model.to(device)

    steps = Steps(
        [
            (_trained(model, of_base=True), options.rate),
            (_trained(model, of_base=False), options.head_rate),
        ],
        options.decay,
        options.averaging,
    )
    threads = WorkerThreads(model, options.workers, device, base.pieces.unknown, options.blanked)
    schedule = Schedule(options.epochs, options.minutes)
    make = BatchMaker(
        base.pieces,
        index,
        options.window,
        options.budget // options.workers,
        options.learn_overlap,
    )
    check = replace(make, budget=options.budget * 2, overlap=0)([Lesson(note) for note in held], 0)
    numbers = range(first_epoch, options.epochs)
    seeds = [options.seed * 1000 + epoch for epoch in numbers]
    for epoch, parts in zip(
        numbers, _fed(lessons or LessonMaker(source), make, seeds, options, teachers), strict=True
    ):
        model.train()
        _run_epoch(epoch, parts, threads, steps, schedule, options, progress)
        with steps.average.in_place():
            error = _held_out_error(model, check, device)
            progress(f"epoch {epoch + 1} held-out error {error:.4f}")
            best.offer(
                model,
                error,
                epoch=epoch + 1,
                labels=labels,
                base=base.name,
                training=asdict(options),
                augmentation=asdict(source.options),
            )
        if best.out_of_patience or schedule.is_out_of_time:
            break


def _fed(
    lessons: Maker[list[Lesson]],
    make: BatchMaker,
    seeds: Sequence[int],
    options: Training,
    teachers: Sequence[Teacher],
) -> Iterator[list[Batch]]:
    """The batches of each epoch. Teachers read in this process, which has the device."""
    if not teachers:
        yield from epochs(EpochMaker(lessons, make), seeds, options.feeders)
        return
    for seed, notes in zip(seeds, epochs(lessons, seeds, options.feeders), strict=True):
        said = mean_answer(teachers, [one.note.text for one in notes])
        yield make(
            [replace(one, taught=taught) for one, taught in zip(notes, said, strict=True)], seed
        )


def _resumed(model: Any, out: Path, labels: tuple[str, ...], options: Training) -> tuple[int, Best]:
    """The epoch to go on with, its weights in the model, and the error that is to be beaten."""
    state = read_state(out)
    if tuple(state["labels"]) != labels:
        raise UsageError(f"{out} was trained on other labels; it cannot be resumed on this data")
    load_weights(model, out)
    return state["epoch"], Best(out, options.patience, state["held_out_error"])


_NEW = ("heads", "shapes", "layouts", "exits")


def _trained(model: Any, *, of_base: bool) -> list[Any]:
    """The weights that learn: those that came trained, or those that are new to the base."""
    return [
        weights
        for name, weights in model.named_parameters()
        if name.startswith(_NEW) != of_base and weights.requires_grad
    ]


def _run_epoch(
    epoch: int,
    parts: Sequence[Batch],
    threads: WorkerThreads,
    steps: Steps,
    schedule: Schedule,
    options: Training,
    progress: Progress,
) -> None:
    """All steps of an epoch, or as many as there is time for."""
    size = options.workers
    todo = [parts[i : i + size] for i in range(0, len(parts), size)]
    total, seen, started = 0.0, 0, time.monotonic()
    for number, batch in enumerate(todo):
        done = schedule.done(epoch + number / len(todo))
        if done >= 1:
            break
        loss = threads.backward(batch)
        if not isfinite(loss):
            raise UsageError(
                f"training failed in epoch {epoch + 1}: the loss is not a number any more. Lower "
                "the rate, or look for damaged weights in the base"
            )
        total += loss
        rising = min(1.0, (done + 1e-4) / options.warmup) if options.warmup else 1.0
        steps.take(rising * (1.0 - done))
        seen += sum(part.ids.size for part in batch)
        if number % 50 == 49:
            speed = seen / (time.monotonic() - started)
            progress(
                f"epoch {epoch + 1}/{options.epochs} {number + 1}/{len(todo)} "
                f"loss {total / (number + 1):.4f} {speed:,.0f} pieces/s done {done:.0%}"
            )


class WorkerThreads:
    """Copies of a network that share one step: each reads a part of the batch, in its own thread.

    Where other programs use the machine too, this is far faster than spreading every operation
    over all cores: the threads wait for each other once a step, not at each operation.
    """

    def __init__(
        self,
        model: Any,
        workers: int,
        device: str,
        unknown: int,
        blanked: float,
    ) -> None:
        self._models = [model, *(copy.deepcopy(model) for _ in range(workers - 1))]
        self._work = partial(_loss, device=device, unknown=unknown, blanked=blanked)
        self._pool = ThreadPoolExecutor(workers, initializer=_one_thread if workers > 1 else None)

    def backward(self, parts: Sequence[Batch]) -> float:
        """Gradients of the mean loss, left in the first copy; returns that loss."""
        import torch

        leader = [p for p in self._models[0].parameters() if p.requires_grad]
        jobs = [
            self._pool.submit(self._one, model, leader, part, len(parts))
            for model, part in zip(self._models, parts, strict=False)
        ]
        losses = [job.result() for job in jobs]
        for model in self._models[1 : len(parts)]:
            theirs = [p.grad for p in model.parameters() if p.requires_grad]
            torch._foreach_add_([p.grad for p in leader], theirs)
        return sum(losses)

    def _one(self, model: Any, leader: Sequence[Any], part: Batch, parts: int) -> float:
        import torch

        if model is not self._models[0]:
            own = [p for p in model.parameters() if p.requires_grad]
            with torch.no_grad():
                torch._foreach_copy_(own, leader)
            for parameter in own:
                parameter.grad = None
        loss = self._work(model, part) / parts
        loss.backward()
        return float(loss.item())


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)  # holds for the calling thread


def _loss(model: Any, batch: Batch, device: str, unknown: int, blanked: float) -> torch.Tensor:
    import torch

    ids, shapes, layouts, mask, labels, opens = (
        torch.from_numpy(array).to(device, non_blocking=True)
        for array in (batch.ids, batch.shapes, batch.layouts, batch.mask, batch.labels, batch.opens)
    )
    taught = None if batch.taught is None else torch.from_numpy(batch.taught).to(device).float()
    if blanked:  # teachers saw every piece, also those blanked for the student
        ids = torch.where(torch.rand(ids.shape, device=device) < blanked, unknown, ids)
    with mixed_precision(device):
        logits, verdicts = model.read(ids, shapes, layouts, mask)
    loss = loss_of(logits, labels, opens, taught)
    return loss + exit_loss(verdicts, labels, taught) if verdicts else loss


def _held_out_error(model: Any, check: Sequence[Batch], device: str) -> float:
    import torch

    model.eval()
    said, gold = [], []
    for batch in check:
        read = batch.labels != IGNORED
        inputs = (batch.ids, batch.shapes, batch.layouts, batch.mask)
        with torch.no_grad(), mixed_precision(device):
            logits = model(*(torch.from_numpy(array).to(device) for array in inputs))
        said.append(logits[..., :-1].argmax(-1).cpu().numpy()[read])
        gold.append(batch.labels[read])
    return phi_error(np.concatenate(said), np.concatenate(gold))
