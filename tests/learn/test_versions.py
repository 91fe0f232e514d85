"""Versions of a model: the one before is kept, the two best are named together."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from incognote.detect.learned.model_folder import MANIFEST, open_model
from incognote.learn.folder import detector_name, keep_version, policy_snippet, versions


def write(folder, recall, precision=0.9):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(b"weights")
    point = {
        "sensitivity": 0.95,
        "thresholds": {"DATE": 0.5},
        "recall": recall,
        "precision": precision,
        "false_alarms": 1.0,
    }
    row = {
        "format": 1, "kind": "fast", "name": folder.name, "description": "", "labels": ["DATE"],
        "settings": {}, "files": {"model.onnx": "0" * 64}, "operating_points": [point], "card": {},
    }  # fmt: skip
    (folder / MANIFEST).write_text(json.dumps(row))
    return open_model(str(folder))


@pytest.fixture
def mine(tmp_path):
    """Three versions; the first is the worst, the newest the second best."""
    folder = tmp_path / "mine"
    for recall in (0.90, 0.99):
        write(folder, recall)
        keep_version(folder)
    return write(folder, 0.95)


def test_the_version_before_is_kept_whole(mine):
    for number, recall in ((1, 0.90), (2, 0.99)):
        kept = open_model(str(mine.path / f"version-{number}"))
        assert kept.point(0.95).recall == recall
        assert (kept.path / "model.onnx").read_bytes() == b"weights"


def test_the_best_comes_first(mine):
    assert [folder.point(0.95).recall for folder in versions(mine)] == [0.99, 0.95, 0.90]


def test_the_snippet_lets_the_two_best_vote(mine):
    assert f'model = ["{mine.path}/version-2", "{mine.path}"]' in policy_snippet(mine)


def test_a_single_version_stands_alone(tmp_path):
    folder = write(tmp_path / "mine", 0.9)
    assert f'model = "{folder.path}"' in policy_snippet(folder)


def test_a_snippet_never_takes_the_name_of_a_detector_that_is_there(tmp_path):
    def named(name):
        return detector_name(replace(open_model("fast"), name=name, path=tmp_path / name))

    assert named("names") == "names-model"
    assert named("our site") == "our-site"
    assert detector_name(open_model("fast")) == "fast"
