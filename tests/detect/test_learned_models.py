"""Model folders: those that ship work; those that are wrong are refused with a reason."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise

import pytest

from incognote.core.errors import UsageError
from incognote.core.labels import SAFE
from incognote.core.registry import load
from incognote.core.types import Document
from incognote.detect.model_folder import MANIFEST, open_model, shipped
from incognote.policy import PrepareRules
from incognote.prepare import prepare

NOTE = """DISCHARGE SUMMARY
Patient: Marguerite Okonkwo   MRN: 00482913
Date of admission: 03/14/2021

Mrs. Okonkwo is a 67-year-old woman from Dayton, Ohio with Parkinson disease. She was seen by
Dr. Harold Lindqvist at Riverbend General Hospital. Call 937-555-0142 with questions.
Lisinopril 10 mg daily, BP 120/80, ejection fraction 55 %.
"""
SURE = ("Marguerite Okonkwo", "00482913", "03/14/2021", "67", "Lindqvist", "937-555-0142")
SPARED = ("Lisinopril", "DISCHARGE", "ejection", "Parkinson")

MANIFEST_ROW = {
    "format": 1,
    "kind": "fast",
    "name": "mine",
    "description": "",
    "labels": ["DATE"],
    "settings": {},
    "files": {"model.onnx": "0" * 64},
    "operating_points": [
        {
            "sensitivity": 0.95,
            "thresholds": {"DATE": 0.5},
            "recall": 1.0,
            "precision": 1.0,
            "false_alarms": 0.0,
        }
    ],
    "card": {},
}


def views(text):
    return prepare(Document("n", text), PrepareRules())


@pytest.fixture(scope="module", params=[("transformer", "accurate"), ("fast", "fast")])
def detector(request):
    use, model = request.param
    return load("detector", use)(model=model)


def covered(text, spans):
    return {i for s in spans for i in range(s.start, s.end)}


@pytest.mark.parametrize("surface", SURE)
def test_shipped_models_find(detector, surface):
    hit = covered(NOTE, detector.detect(views(NOTE))[0])
    at = NOTE.index(surface)
    assert all(i in hit for i in range(at, at + len(surface)) if NOTE[i].isalnum())


@pytest.mark.parametrize("surface", SPARED)
def test_shipped_models_spare(detector, surface):
    hit = covered(NOTE, detector.detect(views(NOTE))[0])
    at = NOTE.index(surface)
    assert not hit & set(range(at, at + len(surface)))


def test_a_batch_gives_what_single_texts_give(detector):
    texts = [NOTE, "", "   \n", NOTE.upper(), "x" * 5000, NOTE * 12]
    batch = [v for t in texts for v in views(t)]
    alone = [detector.detect([view])[0] for view in batch]
    assert detector.detect(batch) == alone
    assert detector.detect(batch[::-1]) == alone[::-1]


def test_detectors_pickle_after_use(detector):
    before = detector.detect(views(NOTE))
    again = pickle.loads(pickle.dumps(detector))
    assert again.detect(views(NOTE)) == before


def test_spans_name_their_labels_and_source(detector):
    for span in detector.detect(views(NOTE))[0]:
        assert span.label in detector.labels
        assert span.sources == (detector.name,)
        assert 0 < span.score <= 1


@pytest.mark.parametrize("name", ["accurate", "fast"])
def test_more_sensitivity_means_lower_thresholds_and_a_stated_cost(name):
    points = open_model(name).points
    assert [p.sensitivity for p in points] == [0.93, 0.95, 0.97, 0.99, 0.997, 0.999, 1.0]
    for low, high in pairwise(points):
        assert low.recall <= high.recall
        assert low.false_alarms <= high.false_alarms
        assert all(high.thresholds[k] <= low.thresholds[k] for k in low.thresholds)


@pytest.mark.parametrize(("use", "model"), [("transformer", "accurate"), ("fast", "fast")])
def test_what_is_surely_no_phi_is_claimed_safe_where_asked(use, model):
    detector = load("detector", use)(model=model, safe=0.997)
    (spans,) = detector.detect(views(NOTE))
    claims = [s for s in spans if s.label == SAFE]
    phi = covered(NOTE, [s for s in spans if s.label != SAFE])
    assert SAFE in detector.labels
    assert not phi & covered(NOTE, claims)
    at = NOTE.index("Lisinopril")
    assert any(s.start <= at < s.end for s in claims)


def test_shipped_models_are_small_and_whole():
    folders = [open_model(name) for name in shipped()]
    assert {folder.name for folder in folders} == {"accurate", "fast"}
    assert sum(folder.size for folder in folders) < 30_000_000
    for folder in folders:
        for name in folder.hashes:
            folder.file(name)


def test_no_model_file_is_a_pickle():
    for path in shipped().values():
        for item in path.iterdir():
            assert item.suffix in {".onnx", ".json", ".txt", ".md"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"weights")
    return tmp_path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"format": 2}, "format 2", id="other-version"),
        pytest.param({"kind": "pickle"}, "unknown kind", id="unknown-kind"),
        pytest.param({"auto_map": {}}, "run its own code", id="auto-map"),
        pytest.param({"trust_remote_code": True}, "run its own code", id="remote-code"),
        pytest.param({"labels": None}, "incomplete", id="no-labels"),
        pytest.param({"files": {"gone.onnx": ""}}, "gone.onnx missing", id="file-missing"),
    ],
)
def test_wrong_folders_are_refused(folder, change, message):
    (folder / MANIFEST).write_text(json.dumps(MANIFEST_ROW | change))
    with pytest.raises(UsageError, match=message):
        open_model(str(folder))


def test_a_manifest_that_is_no_json_is_refused(folder):
    (folder / MANIFEST).write_text("{")
    with pytest.raises(UsageError, match="not JSON"):
        open_model(str(folder))


def test_changed_weights_are_refused(folder):
    (folder / MANIFEST).write_text(json.dumps(MANIFEST_ROW))
    with pytest.raises(UsageError, match="damaged"):
        open_model(str(folder)).file("model.onnx")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "nowhere"}, "no model named or at 'nowhere'"),
        ({"model": "fast"}, "is a fast model"),
        ({"sensitivity": 0.5}, "no operating point 0.5"),
        ({"sensitivity": 0.99, "safe": 0.97}, "below sensitivity"),
        ({"safe": 0.5}, "below sensitivity"),
    ],
)
def test_bad_options_are_errors_before_the_first_document(options, message):
    with pytest.raises(UsageError, match=message):
        load("detector", "transformer")(**options)
