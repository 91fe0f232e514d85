"""What the policy forbids, linking does not do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from incognote.core.labels import all_labels
from incognote.core.types import Document, Result, Span
from incognote.link import LinkRules, link
from incognote.pipeline import Pipeline
from incognote.policy import Policy, load_policy
from incognote.testing import parse_markup

EVERY = frozenset(all_labels())
TEXT = "John Smith came. Smith coughs. Emily gaining weight. d/w P. Lane."


def spans_of(marked: str, rules: LinkRules, **facts: object) -> list[tuple[str, str]]:
    text, spans = parse_markup(marked)
    found = link(Document("d", text, **facts), spans, (), rules).spans  # type: ignore[arg-type]
    return [(text[span.start : span.end], span.label) for span in found]


def detected(policy: str | Policy, text: str = TEXT) -> list[tuple[str, str]]:
    [result] = Pipeline(policy, b"k" * 32).detect([Document("d", text)])
    assert isinstance(result, Result)
    return [(text[span.start : span.end], span.label) for span in result.spans]


def test_names_are_not_looked_for_again_where_repetitions_are_off():
    marked = "[[John Smith|PATIENT]] came. He was well. Then Smith coughed and J.S. left."
    assert len(spans_of(marked, LinkRules(EVERY))) > 1
    assert spans_of(marked, LinkRules(EVERY, repetitions=False)) == [("John Smith", "PATIENT")]


def test_a_stated_name_is_not_looked_for_where_repetitions_are_off():
    facts = {"known": (("PATIENT", "John Smith"),)}
    rules = LinkRules(EVERY, repetitions=False, bare_names=False)
    assert spans_of("Then Smith coughed.", LinkRules(EVERY), **facts)
    assert spans_of("Then Smith coughed.", rules, **facts) == []


OFF = [
    # each would become a name: missed, relabelled, restored, joined, a user name, bare
    ("[[John Smith|PATIENT]] came. Login jsmith.", "USERNAME"),
    ("Present: [[Daniel Park|LOCATION-OTHER]], a cousin.", "PATIENT"),
    ("Port placed by [[Castle|HOSPITAL]] last week.", "PATIENT"),
    ("Ordering: [[Dare|HOSPITAL]], [[Virginia|STATE]].", "DOCTOR"),
    ("Labs were drawn today. Emily gaining weight.", "PATIENT"),
    ("Plan was made, d/w P. Lane.", "DOCTOR"),
]


@pytest.mark.parametrize(("marked", "off"), OFF)
def test_a_label_that_is_off_is_not_given(marked, off):
    before = [label for _, label in spans_of(marked, LinkRules(EVERY))]
    assert off in before
    after = [label for _, label in spans_of(marked, LinkRules(EVERY - {off}))]
    assert off not in after
    _, spans = parse_markup(marked)
    assert len(after) >= len(spans)  # what was found stays found


def test_a_stated_name_of_a_label_that_is_off_relabels_nothing():
    facts = {"known": (("DOCTOR", "Ann Castle"),)}
    marked = "She agrees. [[Castle|HOSPITAL]] called."
    assert ("Castle", "DOCTOR") in spans_of(marked, LinkRules(EVERY), **facts)
    off = LinkRules(EVERY - {"DOCTOR"}, bare_names=False)
    assert ("Castle", "DOCTOR") not in spans_of(marked, off, **facts)


def policy(**changes: object) -> Policy:
    return load_policy({"extends": "rules", "name": "site", **changes})


def test_the_pipeline_hands_the_policy_on():
    off = {"PATIENT": {"action": "off", "because": "names are public here"}}
    assert any(label == "PATIENT" for _, label in detected("rules"))
    assert not any(label == "PATIENT" for _, label in detected(policy(labels=off)))
    text = "Patient: John Hendershot, age 44. Then Hendershott left."
    assert ("Hendershott", "PATIENT") in detected(policy(), text)
    once = detected(policy(resolve={"repetitions": False}), text)
    assert ("Hendershott", "PATIENT") not in once


class Towns:
    """Finds one town."""

    name = "towns"
    labels = frozenset({"CITY"})
    languages = frozenset({"en"})
    reads_record = False

    def detect(self, views):
        return [
            [Span(at, at + 6, "CITY")] if (at := v.text.find("Boston")) >= 0 else [] for v in views
        ]


def test_without_a_detector_of_names_none_are_found():
    text = "Labs were drawn in Boston. Emily gaining weight."
    none = replace(policy(), detectors={})
    pipeline = Pipeline(none, b"k" * 32, detectors={"towns": Towns()})
    [result] = pipeline.detect([Document("d", text)])
    assert isinstance(result, Result)
    assert [span.label for span in result.spans] == ["CITY"]


def test_spans_of_other_labels_stay_as_they_were():
    text, spans = parse_markup("[[Boston|CITY]] and [[3/4/2020|DATE]].")
    assert link(Document("d", text), spans, (), LinkRules(frozenset())).spans == spans


def test_the_same_spans_come_back_where_nothing_is_allowed():
    spans = (Span(0, 10, "PATIENT"),)
    rules = LinkRules(frozenset(), repetitions=False, bare_names=False)
    assert link(Document("d", TEXT), spans, (), rules).spans == spans
