"""The names detector on cases with inline markup, one test id a case."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.texts import characters

from incognote.core.labels import SAFE
from incognote.core.registry import load
from incognote.core.types import Document, Span
from incognote.detect.names import NameDetector
from incognote.policy import load_policy
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup

CASES = Path(__file__).parent / "cases"
RULES = load_policy("everything").prepare
DETECTOR = NameDetector()


def read(name: str) -> list[str]:
    lines = (CASES / f"{name}.txt").read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("#")]


def detect(text: str, detector: NameDetector = DETECTOR) -> list[Span]:
    views = prepare(Document("case", text), RULES)
    found = zip(views, detector.detect(views), strict=True)
    return [view.to_source(span) for view, spans in found for span in spans if span.label != SAFE]


def shown(text: str, spans: list[Span] | tuple[Span, ...]) -> str:
    return render_markup(text, [Span(span.start, span.end, span.label) for span in spans])


MARKED = [
    case
    for name in ("staff", "patients", "people_again", "minimal_pairs", "layouts")
    for case in read(name)
]


@pytest.mark.parametrize("case", MARKED)
def test_people_are_found_with_their_label(case: str) -> None:
    text, gold = parse_markup(case)
    assert shown(text, detect(text)) == shown(text, gold)


@pytest.mark.parametrize("case", read("no_names") + read("things"))
def test_what_is_nobody_is_left_alone(case: str) -> None:
    assert shown(case, detect(case)) == case


PHRASES = (
    "History of {}.",
    "{} noted on exam.",
    "Assessment: {}, stable.",
    "Evaluated for {} by the team.",
)


@pytest.mark.parametrize("eponym", read("eponyms"))
def test_eponyms_are_left_alone(eponym: str) -> None:
    for phrase in PHRASES:
        text = phrase.format(eponym)
        assert shown(text, detect(text)) == text


@pytest.mark.parametrize("case", read("staff") + read("patients"))
def test_people_are_found_in_capitals(case: str) -> None:
    text, gold = parse_markup(case)
    covered = {at for span in detect(text.upper()) for at in range(span.start, span.end)}
    letters = {at for span in gold for at in range(span.start, span.end) if text[at].isalpha()}
    assert len(text.upper()) == len(text)
    assert letters <= covered


TITLED = [
    case
    for case in read("staff") + read("patients")
    if any(cue in case for cue in ("Dr. [[", "Mr. [[", "Mrs. [[", "Husband [[", "daughter [["))
]


@pytest.mark.parametrize("case", TITLED)
def test_people_with_a_title_are_found_in_small_letters(case: str) -> None:
    text, gold = parse_markup(case)
    covered = {at for span in detect(text.lower()) for at in range(span.start, span.end)}
    letters = {at for span in gold for at in range(span.start, span.end) if text[at].isalpha()}
    assert letters <= covered


def test_a_name_broken_over_a_line_end_is_one_name() -> None:
    text = (
        "The plan was discussed at some length this morning with the attending, Dr. Rosalind\n"
        "Haverkamp, who agrees that surgery should wait until the infection has been treated.\n"
    )
    start = text.index("Rosalind")
    end = text.index("Haverkamp") + len("Haverkamp")
    assert [(span.start, span.end, span.label) for span in detect(text)] == [(start, end, "DOCTOR")]


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("A Fogarty balloon was passed.", "Fogarty"),
        ("Bosniak IIF cyst of the left kidney.", "Bosniak"),
        ("Waddell signs were absent.", "Waddell"),
        ("Mounjaro held for one week.", "Mounjaro"),
        ("Camila called back.", ""),
        ("Seen by Dr. Waddell.", ""),
        ("Waddell called back.", ""),
    ],
)
def test_an_eponym_is_evidence_against(text: str, thing: str) -> None:
    (view,) = prepare(Document("case", text), RULES)
    (spans,) = DETECTOR.detect([view])
    assert [text[s.start : s.end] for s in spans if s.label == SAFE] == ([thing] if thing else [])


def test_sources_name_the_evidence() -> None:
    (span,) = detect("Seen by Dr. Haverkamp today.")
    assert span.sources == ("names/title-staff",)
    assert 0.5 < span.score <= 1.0


def test_the_registry_knows_the_detector() -> None:
    assert load("detector", "names") is NameDetector


# Laws

NOTES = st.lists(
    st.sampled_from(
        [*MARKED, *read("no_names"), "", "\n", "A.", "J. ", "Dr. ", "(", '"', "^", "St. ", "de la "]
    ),
    max_size=5,
).map(lambda parts: parse_markup("\n".join(parts))[0])
TEXTS = st.text(alphabet=st.sampled_from("abDJM .,'-\"()^/&:\n\t1éŁß@_"), max_size=60) | st.text(
    characters(exclude="\0"), max_size=40
)


@given(TEXTS | NOTES)
@settings(max_examples=150, deadline=None)
def test_spans_lie_in_the_text_sorted_and_apart(text: str) -> None:
    end = 0
    for span in detect(text):
        assert end <= span.start < span.end <= len(text)
        assert span.label in DETECTOR.labels
        assert 0.0 <= span.score <= 1.0
        end = span.end


@given(st.lists(NOTES, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_batch_gives_what_its_views_give_alone(texts: list[str]) -> None:
    views = [view for text in texts for view in prepare(Document("x", text), RULES)]
    assert DETECTOR.detect(views) == [DETECTOR.detect([view])[0] for view in views]


@given(NOTES)
@settings(max_examples=20, deadline=None)
def test_a_pickled_detector_finds_the_same(text: str) -> None:
    assert detect(text, pickle.loads(pickle.dumps(DETECTOR))) == detect(text)


@pytest.mark.parametrize(
    "piece",
    ["A. ", "Smith, ", "de la ", "- ", "( ", '" ', "x-", "J.", "Dr. ", "a  b  by\n", "  by"],
)
def test_work_grows_with_the_length_only(piece: str) -> None:
    """Looking closer is bounded: each token is asked for a bounded number of times."""
    asked = 0

    class Counting(list[int]):
        def __getitem__(self, index):
            nonlocal asked
            asked += 1
            return super().__getitem__(index)

    from incognote.detect.names.facts import Facts
    from incognote.detect.names.page import Page
    from incognote.detect.names.people import score_runs

    counts = []
    for times in (500, 2_000):
        (view,) = prepare(Document("x", piece * times), RULES)
        page = Page(view, Facts())
        page.bits = Counting(page.bits)
        asked = 0
        score_runs(page)
        counts.append(asked)
    assert counts[1] <= 4.5 * counts[0] + 100
