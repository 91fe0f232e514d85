"""Teachers: networks that were trained before, whose answers others learn from.

Their answers are for units, not for pieces, so a teacher and a student need not split words alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.detect.learned.encoder.pieces import Feed, Pieces, Reader
from incognote.detect.learned.encoder.subwords import Tokenizer
from incognote.learn.network.base import Base, open_base
from incognote.learn.network.checkpoint import load_weights, read_state
from incognote.learn.network.encoder import build
from incognote.learn.network.steps import mixed_precision
from incognote.learn.network.windows import Halves

WINDOW, OVERLAP = 254, 48  # pieces in a window, and shared by two
BUDGET = {"cuda": 65_536, "cpu": 2048}  # pieces read at once


@dataclass(frozen=True, slots=True)
class Teacher:
    name: str
    labels: tuple[str, ...]
    model: Any = field(repr=False)
    pieces: Tokenizer = field(repr=False)

    def read(self, texts: Sequence[str]) -> list[Halves]:
        """For each unit of each text: probabilities of no label, each label, and of an opening."""
        reader = Reader(self.pieces, WINDOW, OVERLAP)
        read = [reader.read(text) for text in texts]
        windows = [
            (number, start, end)
            for number, text in enumerate(read)
            for start, end in reader.windows(text)
        ]
        feeds = [reader.feed(read[number], start, end) for number, start, end in windows]
        answers = _answers(self.model, feeds, self.pieces.pad)
        found = [np.zeros((text.size, len(self.labels) + 2), np.float16) for text in read]
        seen = [0] * len(read)
        for (number, start, end), answer in zip(windows, answers, strict=True):
            # Of what two windows share, each says the half that it sees more around.
            fresh = (start + seen[number]) // 2
            found[number][fresh:end] = answer[fresh - start :]
            seen[number] = end
        return [_of_units(text, rows) for text, rows in zip(read, found, strict=True)]


def _of_units(text: Pieces, rows: Halves) -> Halves:
    return rows[text.firsts] if len(text.firsts) else rows


def _answers(model: Any, feeds: Sequence[Feed], pad: int) -> list[Halves]:
    import torch

    device = next(model.parameters()).device
    results: list[Halves] = [np.zeros((0, 0), np.float16)] * len(feeds)
    order = sorted(range(len(feeds)), key=lambda i: feeds[i].shape[1])
    while order:
        width = feeds[order[-1]].shape[1]
        size = max(1, BUDGET[device.type] // width)
        group, order = order[-size:], order[:-size]
        rows = np.zeros((4, len(group), width), np.int64)
        rows[0] = pad
        for row, number in enumerate(group):
            rows[:3, row, : feeds[number].shape[1]] = feeds[number]
            rows[3, row, : feeds[number].shape[1]] = 1
        with torch.no_grad(), mixed_precision(device.type):
            out = model(*torch.from_numpy(rows).to(device)).float()
        said = torch.cat([out[..., :-1].softmax(-1), out[..., -1:].sigmoid()], dim=-1)
        found = said.half().cpu().numpy()
        for row, number in enumerate(group):
            results[number] = found[row, 1 : feeds[number].shape[1] - 1]
    return results


def open_teacher(trained: Path, base: Base | None = None) -> Teacher:
    """A teacher from a model folder, or from what `train` left of a base."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if base is None:
        base = open_base(trained)
        if not base.labels:
            raise UsageError(f"{trained} is no model: a teacher must have been trained")
        name, labels = base.name, base.labels
        model = build(base, labels)
    else:
        state = read_state(trained)
        name, labels = f"{base.name}, seed {state['training']['seed']}", tuple(state["labels"])
        model = build(base, labels)
        load_weights(model, trained)
    model.to(device).eval().requires_grad_(requires_grad=False)
    return Teacher(name, labels, model, base.pieces)


def mean_answer(teachers: Sequence[Teacher], texts: Sequence[str]) -> list[Halves]:
    """The mean of what teachers say."""
    answers = [teacher.read(texts) for teacher in teachers]
    if len(answers) == 1:
        return answers[0]
    return [
        np.mean([said.astype(np.float32) for said in of_text], axis=0).astype(np.float16)
        for of_text in zip(*answers, strict=True)
    ]
