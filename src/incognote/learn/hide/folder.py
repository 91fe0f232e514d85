"""A model folder trained by HIDE's recipe, and what cross-validation says of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.detect.learned.hide.features import Phrases
from incognote.detect.learned.hide.scorer import PHRASES, WEIGHTS, HideScorer, settings_of
from incognote.detect.learned.model_folder import ModelFolder
from incognote.learn.crf import Trial
from incognote.learn.data import Note, labels_of
from incognote.learn.folder import write_folder
from incognote.learn.hide.crf import (
    FOLDS,
    HideTraining,
    TokenScores,
    cross_validate,
    examples,
    train,
)
from incognote.learn.hide.studies import study

Progress = Callable[[str], None]


def train_folder(
    notes: Sequence[Note],
    held: Sequence[Note],
    out: Path,
    options: HideTraining,
    card: Mapping[str, object],
    progress: Progress = lambda _: None,
) -> ModelFolder:
    """Trains on `notes`; the operating points come from the notes held out."""
    out.mkdir(parents=True, exist_ok=True)
    documents = [document_of(note) for note in notes]
    _, seconds, kept = train(examples(documents, options), out / WEIGHTS, options)
    progress(f"{kept:,} tokens, {seconds:.1f} s")
    phrases = {name: each.lines for name, each in options.features.dictionaries.items()}
    (out / PHRASES).write_text(json.dumps(phrases), encoding="utf-8")
    training = {
        **{key: value for key, value in settings_of(options.features).items() if key != "groups"},
        **asdict(options.sampling),
        "groups": " ".join(options.features.groups),
        "dictionaries": " ".join(phrases) or "none",
        "iterations": options.iterations,
        "l2": options.l2,
    }
    return write_folder(
        "crf",
        out,
        (WEIGHTS, PHRASES),
        labels_of(notes),
        settings_of(options.features),
        held,
        {**card, "training": training, "tokens": kept, "seconds": round(seconds, 2)},
        HideScorer,
    )


def document_of(note: Note, meta: Mapping[str, str] | None = None) -> AnnotatedDocument:
    spans = tuple(Span(*mark) for mark in note.marks)
    return AnnotatedDocument(Document(note.id, note.text, meta or {}), spans)


def read_dictionaries(named: Sequence[str]) -> dict[str, Phrases]:
    """NAME=FILE, a phrase a line."""
    found = {}
    for each in named:
        name, _, path = each.partition("=")
        if not name or not path or name in found:
            raise UsageError(f"--dictionary {each}: it takes NAME=FILE, each name once")
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"--dictionary {name}: {path} cannot be read as text") from None
        found[name] = Phrases(line for line in lines if line.strip())
        if not found[name].lines:
            raise UsageError(f"--dictionary {name}: {path} has no phrases")
    return found


class Study:
    """Trainings over the same notes and folds; what two tables share is trained once."""

    def __init__(
        self,
        documents: Sequence[AnnotatedDocument],
        folds: int = FOLDS,
        progress: Progress = lambda _: None,
    ) -> None:
        self._documents = documents
        self._folds = folds
        self._progress = progress
        self._done: list[tuple[HideTraining, TokenScores]] = []

    def tables(self, which: str, options: HideTraining) -> Iterator[tuple[str, list[Trial]]]:
        """Trials by table."""
        for title, runs in study(which, options).items():
            yield title, [self._trial(name, chosen) for name, chosen in runs.items()]

    def _trial(self, name: str, options: HideTraining) -> Trial:
        found = self.scores(options, name)
        return Trial(name, found.recall(), found.precision(), found.seconds, found.tokens)

    def scores(self, options: HideTraining, name: str = "all features") -> TokenScores:
        for known, found in self._done:
            if known == options:
                return found
        found = cross_validate(self._documents, options, self._folds)
        self._done.append((options, found))
        self._progress(f"{name}: F1 {found.f1():.4f}, {found.seconds:.0f} s")
        return found


def scores_text(found: TokenScores, folds: int) -> str:
    """Cross-validation as Markdown: scores by label, and which label was taken for which."""
    lines = [
        f"Tokens of {folds} folds by patient; what is rightly outside does not count.",
        "",
        "| label | precision | recall | F1 | tokens |",
        "|:--|--:|--:|--:|--:|",
    ]
    for label in (None, *sorted(found.true)):
        scores = (found.precision(label), found.recall(label), found.f1(label))
        cells = " | ".join(f"{each:.4f}" for each in scores)
        tokens = found.true[label] if label else found.true.total()
        lines.append(f"| {label or 'all'} | {cells} | {tokens:,} |")
    lines += ["", "| true | found | tokens |", "|:--|:--|--:|"]
    lines += [f"| {true} | {said} | {count:,} |" for true, said, count in found.mixed_up()]
    return "\n".join(lines) + "\n"
