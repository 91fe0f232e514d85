"""The places detector on marked cases, and the laws it keeps on any text."""

import pickle
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.texts import characters

from incognote.core import registry
from incognote.core.types import Document
from incognote.detect.places import PlaceDetector
from incognote.detect.places.words import Vocabulary
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup

CASES = Path(__file__).parent / "cases"
DETECTOR = PlaceDetector()


def cases():
    for path in sorted(CASES.glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                yield pytest.param(line.replace("\\n", "\n"), id=f"{path.stem}-{number}")


def found(text):
    """Spans in document coordinates, labels only."""
    return [
        view.to_source(span)
        for view in prepare(Document("case", text), PrepareRules())
        for span in DETECTOR.detect([view])[0]
    ]


@pytest.mark.parametrize("marked", list(cases()))
def test_case(marked):
    text, _ = parse_markup(marked)
    assert render_markup(text, found(text)) == marked


def test_it_is_registered():
    assert registry.load("detector", "places") is PlaceDetector


@given(st.text(characters()))
def test_spans_stay_in_range_and_apart(text):
    spans = found(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(span.label in PlaceDetector.labels for span in spans)


WORDS = st.sampled_from(
    "St . Mary 's Hospital of the Lake County , OH 45402 at from in Dr New York U S - & # ( ) : "
    "retired plumber works as a Mercy Clinic I 80 Route 9 W Va IN ME \n".split(" ")
)


@given(st.lists(WORDS, max_size=60))
def test_any_order_of_telling_words_is_survived(words):
    text = " ".join(words)
    spans = found(text)
    assert all(text[span.start : span.end].strip() for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def test_every_view_gets_its_own_answer():
    texts = ["Seen at Lakeview Hospital.", "", "No complaints."]
    views = [view for text in texts[::2] for view in prepare(Document("x", text), PrepareRules())]
    assert [len(spans) for spans in DETECTOR.detect(views)] == [1, 0]


def test_sources_name_the_rule():
    (span,) = found("Seen at Lakeview Hospital.")
    assert span.sources == ("places/headed",)


def test_it_can_be_sent_to_workers():
    (view,) = prepare(Document("x", "Seen at Lakeview Hospital."), PrepareRules())
    copy = pickle.loads(pickle.dumps(DETECTOR))
    assert copy.detect([view]) == DETECTOR.detect([view])


def test_what_is_known_of_words_stays_bounded(monkeypatch):
    small = partial(Vocabulary, bound=10)
    monkeypatch.setattr("incognote.detect.places.detector.Vocabulary", small)
    detector = PlaceDetector()
    text = "Seen at Lakeview Hospital. " + " ".join(
        f"word{chr(97 + n % 26) * n}" for n in range(40)
    )
    views = prepare(Document("x", text), PrepareRules())
    once = detector.detect(views)
    assert detector.detect(views) == once


@pytest.mark.parametrize(
    "text",
    [
        "OH " * 20_000,
        "Lake " * 20_000,
        "(" * 100_000 + "Lakeview Hospital",
        "7" * 200_000,
        "St. Mary's of the " * 5_000,
        "New York, " * 10_000,
        "a-" * 50_000 + "farmer",
    ],
    ids=["states", "capitals", "brackets", "digits", "saints", "cities", "hyphens"],
)
def test_long_repetitive_text_is_read(text):
    # Quadratic work on these would not end within the time a test run has.
    spans = found(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
