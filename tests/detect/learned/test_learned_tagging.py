"""From scores to spans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.learned.tagging import Decoder, Scores, trimmed
from incognote.detect.learned.units import split

LABELS = ("AGE", "DATE", "DOCTOR", "MEDICALRECORD", "PATIENT", "STATE", "ZIP")


def scores(text: str, marked: dict[str, str], *, sure: float = 0.9, opens: tuple[str, ...] = ()):
    """Scores in which each listed unit has its label with this certainty."""
    units = split(text)
    labels = np.zeros((len(units), len(LABELS) + 1), np.float32)
    labels[:, 0] = 1
    begins = np.zeros(len(units), np.float32)
    for i, (start, end) in enumerate(units):
        unit = text[start:end]
        if unit in marked:
            labels[i, 0] = 1 - sure
            labels[i, 1 + LABELS.index(marked[unit])] = sure
        begins[i] = unit in opens
    return Scores(units, labels, begins)


def found(text, marked, thresholds=None, **more):
    decoder = Decoder(LABELS, thresholds or {}, "test")
    return [
        (text[s.start : s.end], s.label) for s in decoder.spans(text, scores(text, marked, **more))
    ]


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        pytest.param("seen by John Smith today", {"John": "DOCTOR", "Smith": "DOCTOR"},
                     [("John Smith", "DOCTOR")], id="one-name"),
        pytest.param("67yo man", {"67": "AGE"}, [("67", "AGE")], id="age-stops-at-the-unit"),
        pytest.param("MRN H51027x.", {"51027": "MEDICALRECORD"},
                     [("H51027x", "MEDICALRECORD")], id="code-is-whole"),
        pytest.param("on 3/14/2020 at", {"3": "DATE", "14": "DATE", "2020": "DATE"},
                     [("3/14/2020", "DATE")], id="marks-inside-join"),
        pytest.param("Dr. Smith's plan", {"Dr": "DOCTOR", ".": "DOCTOR", "Smith": "DOCTOR",
                                          "'": "DOCTOR", "s": "DOCTOR"},
                     [("Smith", "DOCTOR")], id="title-and-possessive-outside"),
        pytest.param("OH 45402", {"OH": "STATE", "45402": "ZIP"},
                     [("OH 45402", "STATE")], id="same-category-joins-unless-opened"),
        pytest.param("John 67", {"John": "PATIENT", "67": "AGE"},
                     [("John", "PATIENT"), ("67", "AGE")], id="categories-stay-apart"),
        pytest.param("John\n\nSmith", {"John": "PATIENT", "Smith": "PATIENT"},
                     [("John", "PATIENT"), ("Smith", "PATIENT")], id="blank-line-parts"),
        pytest.param("", {}, [], id="empty"),
    ],
)  # fmt: skip
def test_decoding(text, marked, expected):
    assert found(text, marked) == expected


def test_an_opening_starts_a_new_span():
    marked = {"OH": "STATE", "45402": "ZIP"}
    assert found("OH 45402", marked, opens=("45402",)) == [("OH", "STATE"), ("45402", "ZIP")]


@pytest.mark.parametrize(
    ("surface", "sure", "kept"),
    [("Lisinopril", 0.9, False), ("Lisinopril", 0.99, True), ("Lisbeth", 0.9, True)],
)
def test_a_drug_is_no_name_unless_the_model_is_sure(surface, sure, kept):
    assert bool(found(f"on {surface} now", {surface: "PATIENT"}, sure=sure)) == kept


@pytest.mark.parametrize(("threshold", "kept"), [(0.5, True), (0.7, True), (0.71, False)])
def test_thresholds_hold_by_label(threshold, kept):
    spans = found("John", {"John": "PATIENT"}, {"PATIENT": threshold}, sure=0.7)
    assert bool(spans) == kept


def test_runs_below_the_safe_thresholds_are_claimed_harmless():
    text = "walks well, sees Smith today"
    decoder = Decoder(LABELS, {}, "test", dict.fromkeys(LABELS, 0.1))
    spans = decoder.spans(text, scores(text, {"Smith": "DOCTOR"}, sure=0.3))
    assert [(text[s.start : s.end], s.label) for s in spans] == [
        ("walks well, sees", "SAFE"),
        ("today", "SAFE"),
    ]


@given(st.text(alphabet="Jo Smith'.,-\n3", max_size=40), st.randoms(use_true_random=False))
def test_spans_are_inside_the_text_and_apart(text, rng):
    units = split(text)
    labels = np.array(
        [[rng.uniform(0.1, 1) for _ in range(len(LABELS) + 1)] for _ in units], np.float32
    )
    labels = labels.reshape(len(units), len(LABELS) + 1)
    labels /= labels.sum(axis=1, keepdims=True) if len(units) else 1
    opens = np.array([rng.random() for _ in units], np.float32)
    spans = Decoder(LABELS, dict.fromkeys(LABELS, 0.8), "x").spans(
        text, Scores(units, labels, opens)
    )
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]


@pytest.mark.parametrize(
    ("surface", "rest"),
    [
        ("Mr. Smith", "Smith"),
        ("Smith, MD", "Smith"),
        ("J. Smith RN", "J. Smith"),
        ("Smith’s", "Smith"),
        ("(Smith", "Smith"),
        ("Sue B.", "Sue B."),
        ("Dr", "Dr"),
        ("Lou CABG", "Lou"),
        ("LOU CABG", "LOU CABG"),
        ("Kim Do", "Kim Do"),
    ],
)
def test_names_are_trimmed(surface, rest):
    start, end = trimmed(surface, 0, len(surface), name=True)
    assert surface[start:end].strip("( ") == rest
