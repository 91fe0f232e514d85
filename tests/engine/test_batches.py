"""How many documents are processed at once: as the detectors like it, as the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.core.types import Span, View
from incognote.detect.learned.transformer import TransformerDetector
from incognote.engine import local
from incognote.engine.settings import Settings
from incognote.pipeline import preferred_batch
from incognote.policy import load_policy

GPU = "incognote.detect.learned.encoder.gpu.is_there"


class Greedy:
    """Finds nothing, and notes how many views it was given at once."""

    name = "greedy"
    labels = frozenset({"PATIENT"})
    languages = frozenset({"*"})
    batch_documents = 64
    reads_record = False

    def __init__(self) -> None:
        self.asked: list[int] = []

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        self.asked.append(len(views))
        return [[] for _ in views]


@pytest.mark.parametrize(("there", "liked"), [(True, 256), (False, 0)])
def test_a_gpu_likes_large_batches(
    monkeypatch: pytest.MonkeyPatch, there: bool, liked: int
) -> None:
    monkeypatch.setattr(GPU, lambda: there)
    assert preferred_batch(load_policy(), {}) == liked
    assert preferred_batch(load_policy("rules"), {}) == 0
    assert TransformerDetector(device="cpu").batch_documents == 0


@pytest.mark.parametrize(
    ("given", "largest"), [(0, 64), (7, 7)], ids=["as the detector likes", "as the user says"]
)
def test_files_of_one_note_fill_a_batch(
    settings: Settings, tmp_path: Path, given: int, largest: int
) -> None:
    box = tmp_path / "in"
    box.mkdir()
    for number in range(200):
        # Longer than what is remembered, so that every text is read.
        (box / f"{number:03}.txt").write_text(f"Note {number}: <Ann>. " + "Stable. " * 20)
    greedy = Greedy()
    with_greedy = replace(settings, detectors={"greedy": greedy}, batch=given)
    summary = local.detect(str(box), str(tmp_path / "spans.jsonl"), with_greedy)
    assert summary.documents == sum(greedy.asked) == 200
    assert max(greedy.asked) == largest
