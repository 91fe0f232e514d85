"""Clinical look-alikes stay as they are: results, grades, eponyms, codes, brands, hotlines."""

from __future__ import annotations

import pytest
from bench.harm.text import KEPT_BACK, KEY, SECOND, THIRD, TUNED, lookalikes, of_file

from incognote.core.types import Document
from incognote.pipeline import Pipeline

# What still changes, to be mended: each of these is a word that is somebody's name as often.
GAPS = (
    "Uses an iPhone", "Cooks with", "QTc 470", "Will follow",
    # The model that ships is sure of these: it takes an eponym that begins a note for a doctor.
    "Hoffmann present", "Kasai at", "Fournier, wide", "Worked at a uranium",
    "Vincent angina", "Denver passed", "NAD, NCAT", "PTPN11",
)  # fmt: skip


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(key=KEY)


def test_there_are_many_and_none_twice() -> None:
    texts = [text for path in (TUNED, SECOND, THIRD, KEPT_BACK) for _, text in lookalikes(path)]
    assert len(texts) == len(set(texts)) > 930


def test_look_alikes_stay(pipeline: Pipeline) -> None:
    rows = lookalikes(TUNED)
    results = pipeline.deid([Document(str(n), text) for n, (_, text) in enumerate(rows)])
    changed = [text for (_, text), result in zip(rows, results, strict=True) if result.text != text]
    assert [text for text in changed if not text.startswith(GAPS)] == []


def test_those_kept_back_change_rarely(pipeline: Pipeline) -> None:
    """The goal is 1 word in 1,000; this holds what was reached (bench.harm.text measures it)."""
    assert of_file(KEPT_BACK, pipeline).rate < 10


def test_the_second_list_changes_rarely(pipeline: Pipeline) -> None:
    """Written blind: 78 in 1,000 before its classes were mended; 5.7 with the model before."""
    assert of_file(SECOND, pipeline).rate < 13


def test_the_third_list_changes_rarely(pipeline: Pipeline) -> None:
    """The half that nobody read: 16 in 1,000 before the classes of the other half were mended, 6.9
    after, with the model before."""
    assert of_file(THIRD, pipeline).rate < 15
