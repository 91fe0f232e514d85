"""Teachers: large networks, trained here, whose answers smaller ones learn from."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incognote.detect.tagging import Floats, Scores
from incognote.detect.units import split
from incognote.detect.wordpiece import WordPiece
from incognote.learn.checkpoint import load_weights, read_state
from incognote.learn.data import Note
from incognote.learn.network import build, read_vocabulary
from incognote.learn.windows import IGNORED, cut, padded

if TYPE_CHECKING:
    import torch

WINDOW, BUDGET = 254, 65_536  # pieces in a window, and read at once


@dataclass(frozen=True, slots=True)
class Teacher:
    """A trained network and the way from the student's pieces to its own."""

    name: str
    labels: tuple[str, ...]
    model: Any = field(repr=False)
    pieces: WordPiece = field(repr=False)  # of the student
    translation: torch.Tensor = field(repr=False)

    def __call__(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        ids, *others = inputs
        out: torch.Tensor = self.model(self.translation[ids], *others).float()
        return out


def open_teacher(trained: Path, base: Path, student: WordPiece) -> Teacher:
    """A teacher from what `train` left in `trained`, for a student with these pieces."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    state = read_state(trained)
    model = build(base, len(state["labels"]))
    load_weights(model, trained)
    model.to(device).eval().requires_grad_(requires_grad=False)
    table = read_vocabulary(base).translated(student)
    name = f"{base.name}, seed {state['training']['seed']}"
    return Teacher(name, tuple(state["labels"]), model, student, torch.tensor(table, device=device))


def read_by_teachers(teachers: Sequence[Teacher], texts: Sequence[str]) -> list[Scores]:
    """What teachers say of whole texts, unit by unit; for students of another kind."""
    import torch

    pieces = teachers[0].pieces

    rows = [
        (number, row)
        for number, text in enumerate(texts)
        for row in cut(Note("", text, ()), pieces, {}, WINDOW, random.Random(number))
    ]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][1].ids))
    answers: list[Floats] = [np.zeros((0, 0), np.float32)] * len(rows)
    while order:
        size = max(1, BUDGET // len(rows[order[-1]][1].ids))
        group, order = order[-size:], order[:-size]
        batch = padded([rows[i][1] for i in group], pieces.pad)
        device = teachers[0].translation.device
        inputs = [
            torch.from_numpy(array).to(device)
            for array in (batch.ids, batch.shapes, batch.layouts, batch.mask)
        ]
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
            found = mean_answer(teachers, inputs).cpu().numpy()
        for i, said, targets in zip(group, found, batch.labels, strict=True):
            answers[i] = said[targets != IGNORED]
    said_of: list[list[Floats]] = [[] for _ in texts]
    for (number, _), said in zip(rows, answers, strict=True):
        said_of[number].append(said)
    return [
        Scores(split(text), said[:, :-1], said[:, -1])
        for text, parts in zip(texts, said_of, strict=True)
        for said in [np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)]
    ]


def mean_answer(teachers: Sequence[Teacher], inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """The mean of what teachers say: probabilities of the labels, and of a span opening."""
    import torch

    answers = [teacher(inputs) for teacher in teachers]
    return torch.stack(
        [torch.cat([out[..., :-1].softmax(-1), out[..., -1:].sigmoid()], dim=-1) for out in answers]
    ).mean(0)
