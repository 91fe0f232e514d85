"""Model folders: those that ship work; those that are wrong are refused with a reason."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest

from incognote.core.caches import caches
from incognote.core.errors import DetectError, UsageError
from incognote.core.labels import SAFE
from incognote.core.registry import load
from incognote.core.types import Document
from incognote.detect.learned import transformer
from incognote.detect.learned.detector import Either
from incognote.detect.learned.encoder import gpu
from incognote.detect.learned.model_folder import MANIFEST, open_model, shipped, together
from incognote.detect.learned.operating import Settings
from incognote.detect.learned.screen import Screen
from incognote.detect.learned.tagging import Scores
from incognote.detect.learned.units import split
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
    assert {0.95, 0.97, 0.99, 0.997, 0.999, 1.0} <= {p.sensitivity for p in points}
    for low, high in pairwise(points):
        assert low.recall <= high.recall
        assert low.false_alarms <= high.false_alarms
        assert all(high.thresholds[k] <= low.thresholds[k] for k in low.thresholds)


@pytest.mark.parametrize(("use", "model"), [("transformer", "accurate"), ("fast", "fast")])
def test_what_is_surely_no_phi_is_claimed_safe_where_asked(use, model):
    detector = load("detector", use)(model=model, safe=0.99)
    (spans,) = detector.detect(views(NOTE))
    claims = [s for s in spans if s.label == SAFE]
    phi = covered(NOTE, [s for s in spans if s.label != SAFE])
    assert SAFE in detector.labels
    assert not phi & covered(NOTE, claims)
    at = NOTE.index("Lisinopril")
    assert any(s.start <= at < s.end for s in claims)


def test_shipped_models_are_small_and_whole():
    folders = [open_model(name) for name in shipped()]
    assert {folder.name for folder in folders} == {"accurate", "fast", "spanish"}
    assert sum(folder.size for folder in folders) < 45_000_000
    for folder in folders:
        for name in folder.hashes:
            folder.file(name)


def test_no_model_file_is_a_pickle():
    for path in shipped().values():
        for item in path.iterdir():
            assert item.suffix in {".onnx", ".safetensors", ".json", ".txt", ".md"}


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
        pytest.param({"files": {"../model.onnx": ""}}, "outside of itself", id="file-elsewhere"),
        pytest.param({"files": {"/etc/passwd": ""}}, "outside of itself", id="file-absolute"),
        pytest.param({"files": {"model.pkl": ""}}, "pickle", id="pickle"),
        pytest.param({"files": {"pytorch_model.bin": ""}}, "pickle", id="pickled-weights"),
        pytest.param({"files": []}, "incomplete", id="no-table-of-files"),
        pytest.param({"operating_points": [{}]}, "incomplete", id="empty-point"),
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


def test_a_folder_that_lists_no_weights_is_refused(folder):
    (folder / MANIFEST).write_text(json.dumps(MANIFEST_ROW | {"files": {}}))
    with pytest.raises(UsageError, match=r"lists no model\.onnx"):
        open_model(str(folder)).file("model.onnx")


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
        ({"model": []}, "at least one model"),
        ({"model": ["accurate", "fast"]}, "is a fast model"),
        ({"screen": "accurate"}, "is a transformer model"),
        ({"screen": "fast", "screen_sensitivity": 0.5}, "no operating point 0.5"),
        ({"device": "tpu"}, "there are auto, cpu, cuda"),
        ({"threads": -1}, "must not be below 0"),
    ],
)
def test_bad_options_are_errors_before_the_first_document(options, message):
    with pytest.raises(UsageError, match=message):
        load("detector", "transformer")(**options)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(gpu, "_has_driver", lambda: False)


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_auto_is_the_cpu_and_cuda_an_error():
    assert not gpu.is_there()
    with pytest.raises(UsageError, match=r"NVIDIA driver|incognote\[gpu\]"):
        load("detector", "transformer")(device="cuda")


PROSE = "The wound is clean and dry. Continue dressing changes daily and keep the leg raised. "


def test_a_screen_spares_harmless_text_and_leaves_the_rest_to_the_model():
    screened = load("detector", "transformer")(screen="fast", safe=0.99, device="cpu")
    text = PROSE * 12 + "\n\n" + NOTE
    (found,) = screened.detect(views(text))
    hit = covered(text, [s for s in found if s.label != SAFE])
    for surface in SURE:
        at = text.index(surface)
        assert all(i in hit for i in range(at, at + len(surface)) if text[i].isalnum())
    (mask,) = Screen(open_model("fast"), 0.98).masks([text])
    assert mask.sum() < len(split(text)) * 0.6


def test_a_screened_note_does_not_depend_on_its_batch():
    detector = load("detector", "transformer")(screen="fast", device="cpu")
    batch = [v for t in (NOTE, PROSE * 9, "", NOTE.lower(), PROSE + NOTE) for v in views(t)]
    alone = [detector.detect([view])[0] for view in batch]
    assert detector.detect(batch[::-1]) == alone[::-1]


def test_a_model_beside_itself_says_what_it_says_alone():
    alone = load("detector", "fast")(model="fast")
    twice = load("detector", "fast")(model=["fast", "fast"])
    assert twice.detect(views(NOTE)) == alone.detect(views(NOTE))
    assert twice.labels == alone.labels


class Says:
    """A scorer that is this sure that one unit is a date."""

    def __init__(self, value):
        self.value = value

    def score(self, texts):
        labels = np.array([[1 - self.value, self.value]], np.float32)
        return [Scores([(0, 1)], labels, np.array([self.value]))] * len(texts)


def settings_with(folder, number, reported, harmless):
    point = MANIFEST_ROW["operating_points"][0]
    points = [
        point | {"sensitivity": 0.95, "thresholds": {"DATE": reported}},
        point | {"sensitivity": 0.99, "thresholds": {"DATE": harmless}},
    ]
    path = folder / str(number)
    path.mkdir()
    (path / "model.onnx").write_bytes(b"weights")
    (path / MANIFEST).write_text(json.dumps(MANIFEST_ROW | {"operating_points": points}))
    return Settings(open_model(str(path)), 0.95, 0.99)


@pytest.mark.parametrize(
    ("certainties", "labels"),
    [
        pytest.param((0.7, 0.0), ["DATE"], id="first-tags"),
        pytest.param((0.0, 0.35), ["DATE"], id="second-tags-by-its-own-threshold"),
        pytest.param((0.5, 0.2), [], id="neither-tags"),
        pytest.param((0.05, 0.15), [], id="one-is-not-sure-that-it-is-harmless"),
        pytest.param((0.05, 0.05), ["SAFE"], id="both-are-sure"),
    ],
)
def test_two_models_tag_what_either_tags(folder, certainties, labels):
    each = [settings_with(folder, 0, 0.6, 0.2), settings_with(folder, 1, 0.3, 0.1)]
    (scores,) = Either([Says(value) for value in certainties], each).score(["x"])
    assert [span.label for span in each[0].decoder("m").spans("x", scores)] == labels


def test_what_two_models_cost_together_is_told_as_bounds(folder):
    each = [settings_with(folder, number, 0.5, 0.2).folder for number in (0, 1)]
    alone, both = each[0].point(0.95), together(each).point(0.95)
    assert both.recall == alone.recall
    assert both.false_alarms == pytest.approx(2 * alone.false_alarms)
    assert both.precision <= alone.precision


def test_models_read_together_must_know_the_same_labels(tmp_path):
    rows = {"one": MANIFEST_ROW, "two": MANIFEST_ROW | {"labels": ["AGE"]}}
    for name, row in rows.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.onnx").write_bytes(b"weights")
        (tmp_path / name / MANIFEST).write_text(json.dumps(row | {"name": name}))
    with pytest.raises(UsageError, match="same labels; one, two do not"):
        load("detector", "fast")(model=[str(tmp_path / "one"), str(tmp_path / "two")])


def test_a_window_that_was_read_is_not_read_again(monkeypatch):
    asked = []
    open_session = transformer.open_session

    class Session:
        def __init__(self, graph):
            self.session = open_session(graph)

        def run(self, *arguments):
            asked.append(1)
            return self.session.run(*arguments)

    monkeypatch.setattr(transformer, "open_session", Session)
    detector = load("detector", "transformer")(device="cpu", threads=1, remember=3)
    first, again = detector.detect([*views(NOTE), *views(NOTE)])
    assert first == again == load("detector", "transformer")(device="cpu").detect(views(NOTE))[0]
    asked.clear()
    detector.detect(views(NOTE))
    assert not asked
    for number in range(4):
        detector.detect(views(f"Seen by Dr. Lindqvist on 3/{number + 1}/2020."))
    assert len(asked) == 4
    assert [each.size for each in caches() if each.bound == 3 and ".windows" in each.name] == [3]


def test_an_encoder_that_gives_no_numbers_is_an_error_not_harmless():
    class Broken:
        share = 4

        def run(self, feeds):
            columns = len(open_model("accurate").labels) + 2
            return [np.full((feed.shape[1] - 2, columns), np.nan, np.float32) for feed in feeds]

    scorer = transformer.TransformerScorer(open_model("accurate"), encoder=Broken())
    with pytest.raises(DetectError, match="failed on a window"):
        list(scorer.score([NOTE]))
