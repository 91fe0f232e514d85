"""Training from end to end: check the data, hold some out, train, export, calibrate."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.core.errors import MissingExtra, UsageError
from incognote.core.types import AnnotatedDocument
from incognote.detect.learned.model_folder import ModelFolder, open_model
from incognote.detect.learned.tagging import Scores
from incognote.detect.learned.transformer import TransformerScorer
from incognote.learn import crf, fast, transformer
from incognote.learn.data import (
    Note,
    check_notes,
    hold_out,
    labels_of,
    labels_of_types,
    languages_of,
    notes_of,
    only,
)
from incognote.learn.folder import keep_version
from incognote.learn.network.base import Base
from incognote.learn.network.checkpoint import restart
from incognote.learn.network.feed import Lesson, Maker
from incognote.learn.network.teachers import Teacher
from incognote.learn.network.windows import unit_targets
from incognote.learn.text.augment import Augmentation, Source
from incognote.learn.text.pools import gather
from incognote.prepare.fold import fold

Progress = Callable[[str], None]
TRAINING = "training"  # the sub-folder with what resuming needs; detectors never read it


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Notes to learn from, notes to measure on, and what the card says of them."""

    notes: Sequence[Note] = field(repr=False)
    held: Sequence[Note] = field(repr=False)
    extra: Sequence[Note] = field(repr=False)
    unmarked: Sequence[Note] = field(repr=False)  # without annotation: for teachers to read
    pools: Path | None
    card: dict[str, Any]
    warnings: Sequence[str]

    def source(self, options: Augmentation) -> Source:
        pools = gather(self.notes, self.pools)
        return Source(self.notes, pools, self.extra, options, self.unmarked)


def prepare_data(
    documents: Sequence[AnnotatedDocument],
    extra: Sequence[AnnotatedDocument] = (),
    unmarked: Sequence[str] = (),
    *,
    types: Sequence[str] = (),
    held_out: int | None = None,
    pools: Path | None = None,
    languages: Sequence[str] = (),
    seed: int = 1,
) -> TrainingData:
    """Refuses data that cannot be trained on. A twentieth of the notes is held out by default.

    With `types` the model learns those alone; all else in the notes is no PHI to it. `languages`
    are those that the model will serve; without them, those that the notes are written in.
    """
    notes, more = notes_of(documents), notes_of(extra)
    warnings = check_notes(notes)
    if more:
        check_notes([*more, *notes])
    if types:
        wanted = labels_of_types(types)
        notes, more = only(notes, wanted), only(more, wanted)
        warnings = check_notes(notes, wanted=wanted)
    count = held_out if held_out is not None else max(1, len(notes) // 20)
    if not 0 < count < len(notes):
        raise UsageError(f"{count} notes to hold out of {len(notes)}: some must be on either side")
    kept, held = hold_out(notes, count, seed)
    lacking = sorted({m[2] for n in held for m in n.marks} - {m[2] for n in kept for m in n.marks})
    if lacking:
        warnings.append(f"only held-out notes have {', '.join(lacking)}: nothing to learn it from")
    card = {
        "incognote": __version__,
        "notes": len(kept),
        "languages": list(languages or languages_of(notes)),
        "extra_notes": len(more),
        "seed": seed,
        "data_sha256": _fingerprint(notes),
    }
    if types:
        card["types"] = ", ".join(types)
    if more:
        card["extra_sha256"] = _fingerprint(more)
    texts = [Note(f"unmarked_{number}", fold(text)[0], ()) for number, text in enumerate(unmarked)]
    if texts:
        card |= {"unmarked_texts": len(texts), "unmarked_sha256": _fingerprint(texts)}
    return TrainingData(kept, held, more, texts, pools, card, warnings)


def _fingerprint(notes: Sequence[Note]) -> str:
    digest = hashlib.sha256()
    for note in notes:
        digest.update(repr((note.id, note.text, note.marks)).encode())
    return digest.hexdigest()


def train_transformer(
    data: TrainingData,
    base: Base,
    out: Path,
    options: transformer.Training,
    progress: Progress,
    *,
    augmentation: Augmentation | None = None,
    resume: bool = False,
    hard_examples: bool = False,
    teachers: Sequence[Teacher] = (),
    lessons: Maker[list[Lesson]] | None = None,
    description: str = "",
) -> ModelFolder:
    """A transformer model folder. With teachers it also learns from what they say of the notes and
    of the unmarked texts. `hard_examples` goes on from the model in `out`, which is kept as a
    version beside the new one; the notes on which it errs come three times as often."""
    require_training()
    from incognote.learn.network.export import export_transformer

    scratch = out / TRAINING
    if hard_examples:
        last = open_model(str(out), "transformer")
        if last.labels != labels_of(data.notes):
            raise UsageError(f"{out} was trained on other labels; it cannot go on with these notes")
        hard = erring(last, data.notes)
        progress(f"{len(hard)} of {len(data.notes)} notes have errors")
        if not hard:
            raise UsageError(f"{out} makes no error on these notes: nothing hard to learn from")
        data = replace(data, notes=[*data.notes, *hard, *hard])
        restart(scratch)
        keep_version(out)
        options = replace(options, rate=options.rate / 4, head_rate=options.head_rate / 4)
    source = data.source(augmentation or Augmentation())
    go_on = resume or hard_examples
    transformer.train(
        base,
        source,
        data.held,
        scratch,
        options,
        progress,
        resume=go_on,
        teachers=teachers,
        lessons=lessons,
    )
    card = data.card | ({"description": description} if description else {})
    if teachers:
        card |= {"teachers": "; ".join(teacher.name for teacher in teachers)}
    return export_transformer(scratch, base, data.held, out, card)


@dataclass(frozen=True, slots=True)
class Reader:
    """A trained model as the teacher of a student of another kind: it reads texts."""

    name: str
    labels: tuple[str, ...]
    read: Callable[[Sequence[str]], Iterable[Scores]] = field(repr=False)


def model_reader(model: str) -> Reader:
    """A model folder, or one that ships, as a teacher."""
    folder = open_model(model, "transformer")
    return Reader(folder.name, folder.labels, TransformerScorer(folder).score)


def train_fast(
    data: TrainingData,
    out: Path,
    options: fast.FastTraining,
    progress: Progress,
    *,
    augmentation: Augmentation | None = None,
    teacher: Reader | None = None,
    lessons: Maker[list[Lesson]] | None = None,
    description: str = "",
) -> ModelFolder:
    """A fast model folder; with a teacher it also learns from its answers on the unmarked texts and
    on rewritten copies of the notes."""
    require_training()
    from incognote.learn.network.export import export_fast

    card = data.card | ({"description": description} if description else {})
    source = data.source(augmentation or Augmentation())
    taught: list[fast.Sample] = []
    labels = None
    if teacher:
        texts = [note.text for note in data.unmarked]
        for seed in range(options.rounds):
            texts += [note.text for note in source.epoch(seed)]
        progress(f"{teacher.name} reads {len(texts)} texts")
        taught = fast.taught_samples(texts, teacher.read)
        labels = teacher.labels
        card |= {"teacher": teacher.name}
    scratch = out / TRAINING
    fast.train(
        source,
        data.held,
        scratch,
        options,
        progress,
        labels=labels,
        taught=taught,
        lessons=lessons,
    )
    return export_fast(scratch, data.held, out, card)


def train_crf(
    data: TrainingData, out: Path, options: crf.CrfTraining, progress: Progress
) -> ModelFolder:
    return crf.train(data.notes, data.held, out, options, data.card, progress)


def erring(folder: ModelFolder, notes: Sequence[Note]) -> list[Note]:
    """The notes in which a model takes PHI for none, or the other way round."""
    index = {label: number for number, label in enumerate(folder.labels, 1)}
    scored = TransformerScorer(folder).score([note.text for note in notes])
    found = []
    for note, scores in zip(notes, scored, strict=True):
        targets, _ = unit_targets(note, scores.units, index)
        said = scores.labels.argmax(axis=1)
        if any(bool(a) != bool(b) for a, b in zip(targets, said, strict=True)):
            found.append(note)
    return found


def require_training() -> None:
    try:
        import onnx  # noqa: F401
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("training of neural models", "train") from None
