from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.errors import OffsetError
from incognote.core.types import Document, Span
from incognote.policy import load_policy, policy_from
from incognote.resolve import resolve
from incognote.testing import render_markup

TREE = {
    "name": "test",
    "detectors": {
        "heavy": {"weight": 5},
        "light": {"weight": 1, "weights": {"CITY": 9}},
        "mute": {"weight": 0},
    },
    "labels": {"default": "keep", "TIME": "off"},
}


def policy(**resolve_rules):
    return policy_from({**TREE, "resolve": resolve_rules})


def claim(text, words, label, source, score=1.0):
    start = text.index(words)
    return Span(start, start + len(words), label, score, (source,))


def settled(text, claims, given=(), **rules):
    document = Document("d", text, given=tuple(given))
    found = resolve(document, [claim(text, *c) for c in claims], policy(**rules))
    return render_markup(text, found.spans), [drop.reason for drop in found.dropped]


CASES = tomllib.loads(Path(__file__).with_name("conflicts.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_conflicts(case):
    assert settled(case["text"], case["candidates"]) == (case["spans"], case["dropped"])


def test_votes():
    text = "Boston, Dallas"
    claims = [("Boston", "CITY", "light"), ("Boston", "CITY", "heavy"), ("Dallas", "CITY", "heavy")]
    marked, reasons = settled(text, claims, votes={"CITY": 2})
    assert marked == "[[Boston|CITY]], Dallas"
    assert reasons == ["votes:1<2"]


def test_given_spans_win_over_everything():
    text = "Jackson"
    claims = [("Jackson", "CITY", "light"), ("Jackson", "SAFE", "heavy")]
    marked, _ = settled(text, claims, given=[Span(0, 7, "PATIENT")], votes={"PATIENT": 3})
    assert marked == "[[Jackson|PATIENT]]"


def test_agreement_is_recorded():
    text = "in Boston"
    found = resolve(
        Document("d", text),
        [
            claim(text, "Boston", "CITY", "heavy/b", 0.4),
            claim(text, "Boston", "CITY", "light", 0.8),
        ],
        policy(),
    )
    assert found.spans == (Span(3, 9, "CITY", 0.8, ("heavy/b", "light")),)


def test_harmless_parts_make_a_harmless_whole():
    text = "Legg-Calve-Perthes, Herring B."
    parts = [("Legg-Calve-Perthes", "SAFE", "heavy"), ("Herring B", "SAFE", "heavy")]
    assert settled(text, [(text, "PATIENT", "light"), *parts])[0] == text
    # A word that nobody calls harmless keeps the find.
    assert settled(text, [(text, "PATIENT", "light"), parts[0]])[0] != text


def test_what_a_format_put_before_a_value_is_no_part_of_it():
    """A find that takes the header of a column with the cell would be written into the cell."""
    document = Document("d", "A: Okonkwo", lead=3)
    found = resolve(document, [Span(0, 10, "PATIENT", 1.0, ("heavy",))], policy())
    assert [(span.start, span.end) for span in found.spans] == [(3, 10)]


def test_span_outside_the_text_is_refused():
    with pytest.raises(OffsetError):
        resolve(Document("d", "short"), [Span(2, 9, "CITY")], policy())


TEXT = (
    "Mr. John Smith, 67, of 12 Elm St, Boston saw Dr. Mary O'Neil at\nSt. Mary on 3/4/20 and 3/6."
)

spans = st.builds(
    lambda start, length, label, score, source: Span(
        start, min(start + length, len(TEXT)), label, score, (source,)
    ),
    st.integers(0, len(TEXT) - 1),
    st.integers(1, 25),
    st.sampled_from(["PATIENT", "DOCTOR", "CITY", "DATE", "TIME", "SAFE"]),
    st.sampled_from([0.3, 0.5, 1.0]),
    st.sampled_from(["heavy", "light", "light/rule", "mute", "unknown"]),
)


@given(st.lists(spans, max_size=12), st.randoms())
def test_result_does_not_depend_on_order(found, random):
    document = Document("d", TEXT)
    shuffled = list(found)
    random.shuffle(shuffled)
    assert resolve(document, found, policy()) == resolve(document, shuffled, policy())


@given(st.lists(spans, max_size=12), st.lists(spans, max_size=2))
def test_spans_are_sorted_disjoint_and_inside(found, given_spans):
    stated = tuple(s for s in given_spans if s.label != "SAFE")
    resolution = resolve(Document("d", TEXT, given=stated), found, policy())
    at = 0
    for span in resolution.spans:
        assert at <= span.start < span.end <= len(TEXT)
        at = span.end
        assert span.label not in ("SAFE", "TIME")


@given(st.lists(spans, max_size=12))
def test_every_number_a_living_candidate_covers_stays_hidden(found):
    """Conflicts move labels about; they never uncover a digit."""
    alive = [s for s in found if s.label not in ("SAFE", "TIME") and s.sources[0] != "mute"]
    resolution = resolve(Document("d", TEXT), alive, policy())
    for span in alive:
        for at in range(span.start, span.end):
            if TEXT[at].isdigit():
                assert any(s.start <= at < s.end for s in resolution.spans)


@given(st.lists(spans, max_size=12))
def test_every_candidate_is_accounted_for(found):
    """Each candidate lies in a span that names its source, or has a reason."""
    resolution = resolve(Document("d", TEXT), found, policy())
    dropped = {(drop.span.start, drop.span.end, drop.span.label) for drop in resolution.dropped}
    for span in found:
        if span.label == "SAFE":
            continue
        inside = TEXT[span.start : span.end]
        start, end = span.end - len(inside.lstrip()), span.start + len(inside.rstrip())
        kept = any(
            s.start <= start
            and end <= s.end
            and s.label == span.label
            and span.sources[0] in s.sources
            for s in resolution.spans
        )
        assert kept or {(start, end, span.label), (span.start, span.end, span.label)} & dropped


def test_under_the_presets_a_state_is_no_country():
    document = Document("d", "She moved here from Ohio.")
    claims = [Span(20, 24, "COUNTRY", 0.99, ("accurate",)), Span(20, 24, "STATE", 0.7, ("places",))]
    (kept,) = resolve(document, claims, load_policy("group-b")).spans
    assert kept.label == "STATE"


def test_a_short_name_is_not_lost_with_its_claim():
    document = Document("d", "Seen with Wei Xu today.")
    claims = [Span(10, 13, "PATIENT", 0.9, ("names",)), Span(10, 16, "PATIENT", 0.8, ("accurate",))]
    (kept,) = resolve(document, claims, load_policy()).spans
    assert (kept.start, kept.end) == (10, 16)
