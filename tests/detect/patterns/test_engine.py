"""The engine: triggers lose nothing, odd input stays linear, results do not depend on the batch."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.texts import characters

from incognote.core.errors import PolicyError
from incognote.core.types import Document, View
from incognote.detect.patterns import PatternDetector, Rule, load_pack, pack_names
from incognote.detect.patterns.engine import (
    LOOK_BACK,
    RUN_TOKENS,
    Engine,
    Found,
    Matcher,
    _reach,
    make_gate,
    trigger_keys,
)
from incognote.policy import PrepareRules
from incognote.prepare import prepare

RULES = [rule for pack in pack_names() for rule in load_pack(pack).rules]
# Longer than any note needs; keeps the slow reference bearable.
SAMPLE_NOTES = 20


def view_of(text: str) -> View:
    (view,) = prepare(Document("case", text), PrepareRules(window=10**9))
    return view


def everywhere(rule: Rule, text: str) -> list[tuple[int, int]]:
    """What the rule finds if it is tried at every character: slow and without triggers."""
    matcher = Matcher(rule)
    found: list[Found] = []
    at = 0
    while at < len(text):
        match = matcher.match(text, at)
        if match is None:
            at += 1
        else:
            found += matcher.spans(match)
            at = match.end()
    return [(each.start, each.end) for each in found]


def triggered(rule: Rule, view: View) -> list[tuple[int, int]]:
    found = Engine([rule]).find(view.text, view.tokens)
    return [(each.start, each.end) for each in found]


OWN_CASES = view_of(
    "\n".join(
        re.sub(r"\[\[(.+?)\|[A-Z-]+\]\]", r"\1", marked)
        for rule in RULES
        for marked in (*rule.finds, *rule.spares)
    )
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_triggers_lose_nothing_on_the_cases_of_all_rules(rule: Rule) -> None:
    assert triggered(rule, OWN_CASES) == everywhere(rule, OWN_CASES.text)


def test_gates_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    open_gates = Engine(RULES).find(OWN_CASES.text, OWN_CASES.tokens)
    monkeypatch.setattr("incognote.detect.patterns.engine.tries_before_gate", lambda _: 1)
    gated = Engine(RULES)
    gated.find(OWN_CASES.text, OWN_CASES.tokens)
    assert gated.find(OWN_CASES.text, OWN_CASES.tokens) == open_gates


def test_an_escaped_bracket_is_no_condition() -> None:
    """A telephone number may open with one: `\\(?` and a group behind it look like `(?(`."""
    bracket = replace(RULES[0], pattern=r"(?P<phi>\(?(?:800|877)\)?)")
    gate = make_gate([bracket, bracket])
    assert gate is not None
    assert gate("(800)", 0)


def test_every_rule_that_ships_can_have_a_gate() -> None:
    assert [rule.id for rule in RULES if make_gate([rule]) is None] == []


@pytest.mark.parametrize(
    "before", [r"no[.]?[ ]", r"(?<=acct )no ", r"^no ", r"\bno[ ]{1,8}", r"(?:acct|no)[ ]"]
)
def test_a_context_is_found_as_far_back_as_it_can_reach(before: str) -> None:
    """Looking behind and starts of lines see what comes before the stretch that is searched."""
    pattern = re.compile(rf"(?:{before})\Z", re.MULTILINE)
    for text in ("acct no 77", "no 77", f"{'x' * 80} acct no 77", "\nno 77", "xno 77", "xacct 77"):
        at = text.index("77")
        near = pattern.search(text, max(0, at - _reach(pattern)), at)
        far = pattern.search(text, max(0, at - LOOK_BACK), at)
        assert (near is None) == (far is None), text


def test_rules_with_numbered_groups_get_no_gate() -> None:
    named = Rule("a", "DATE", 0.9, frozenset({"9"}), r"(?P<phi>(?P<s>[0-9])(?P=s))")
    numbered = Rule("b", "DATE", 0.9, frozenset({"9"}), r"(?P<phi>([0-9])\2)")
    assert make_gate([named, numbered]) is None
    gate = make_gate([named, named])
    assert gate is not None
    assert gate("x11", 1)
    assert not gate("x12", 1)


def test_triggers_lose_nothing_on_notes(shared) -> None:
    corpus = shared / "corpus" / "train.jsonl"
    if not corpus.is_file():
        pytest.skip("the corpus is not in the shared data folder")
    rows = corpus.read_text("utf-8").splitlines()
    step = len(rows) // SAMPLE_NOTES
    notes = [view_of(json.loads(row)["text"]) for row in rows[::step]]
    lost = [
        rule.id
        for rule in RULES
        for note in notes
        if triggered(rule, note) != everywhere(rule, note.text)
    ]
    assert sorted(set(lost)) == []


class CountingMatcher(Matcher):
    calls = 0

    @property
    def look(self) -> Callable[[str, int], re.Match[str] | None]:
        CountingMatcher.calls += 1
        return self._look

    @look.setter
    def look(self, value: Callable[[str, int], re.Match[str] | None]) -> None:
        self._look = value


def tries(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often any pattern is tried on a text."""
    monkeypatch.setattr("incognote.detect.patterns.engine.Matcher", CountingMatcher)
    view = view_of(text)
    CountingMatcher.calls = 0
    Engine(RULES).find(view.text, view.tokens)
    return CountingMatcher.calls


@pytest.mark.parametrize(
    "unit",
    [
        "7",
        "(",
        "[",
        "@",
        "1/",
        "a.",
        "a_",
        "a1",
        "12-",
        "9:",
        "+",
        "mrn ",
        "x" * 50 + "@",
        "1 ",
        "\\",
    ],
)
def test_work_grows_no_faster_than_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = tries(unit * 300, monkeypatch)
    thrice = tries(unit * 900, monkeypatch)
    assert thrice <= 3 * once + RUN_TOKENS * len(RULES)


@pytest.mark.parametrize("text", ["7" * 200_000, "(" * 100_000, "a" * 1_000_000, " " * 1_000_000])
def test_endless_runs_end(text: str) -> None:
    for spans in PatternDetector().detect([view_of(text)]):
        assert all(0 <= span.start < span.end <= len(text) for span in spans)


def test_every_repeat_is_bounded() -> None:
    """A pattern that may repeat without limit would break the linear bound."""
    for rule in RULES:
        for pattern in (rule.pattern, rule.needs.before, rule.unless.before):
            plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "", pattern)
            assert not re.search(r"[*+]|\{\d+,\}", plain), rule.id


FRAGMENTS = st.sampled_from(
    """DOB 3/4/1950 Seen Mon at 10:30 MRN 00-12 58M call 555-0123 ext 4 12 Elm St Apt 4 OH 45402
    [ ] ( ) - / . : , @ x y/o in her 40s room 4B Jan. 5th of March '98 İ ß 😀 \n \t 1EG4-TE5-MK73
    http://a.b john@x.org 10.0.0.1 :: A9 9A""".split(" ")
)
TEXTS = st.lists(FRAGMENTS | st.text(characters(), max_size=8), max_size=30).map(" ".join)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_spans_are_in_range_sorted_and_known(text: str) -> None:
    detector = PatternDetector()
    for view in prepare(Document("x", text), PrepareRules()):
        (spans,) = detector.detect([view])
        for span in spans:
            assert 0 <= span.start < span.end <= len(view.text)
            assert span.label in detector.labels
            assert span.sources[0].startswith("patterns/")
        apart = {label for pack in pack_names(optional=True) for label in load_pack(pack).labels}
        usual = [span for span in spans if span.label not in apart]
        assert all(a.end <= b.start for a, b in pairwise(usual))


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_batch_is_its_parts(texts: list[str]) -> None:
    detector = PatternDetector()
    views = [view for text in texts for view in prepare(Document("x", text), PrepareRules())]
    assert detector.detect(views) == [detector.detect([view])[0] for view in views]


def test_a_detector_survives_pickling() -> None:
    detector = PatternDetector(["dates"])
    detector.name = "mine"
    copy = pickle.loads(pickle.dumps(detector))
    view = view_of("Seen 3/4/2020")
    assert copy.detect([view]) == detector.detect([view]) != [[]]
    assert copy.detect([view])[0][0].sources == ("mine/date.slashed",)


def test_optional_labels_do_not_displace_others() -> None:
    view = view_of("Acct 4012888888881881")
    labels = {span.label for span in PatternDetector().detect([view])[0]}
    assert labels == {"ACCOUNT", "CARD"}


@pytest.mark.parametrize(
    ("trigger", "keys"),
    [
        ("word", ["word"]),
        ("99/", ["99/"]),
        ("9{1,3}", ["9", "99", "999"]),
        ("9{1,2}[/-]", ["9/", "9-", "99/", "99-"]),
        ("12", ["99"]),
    ],
)
def test_triggers_become_keys(trigger: str, keys: list[str]) -> None:
    assert list(trigger_keys(trigger)) == keys


def test_a_letter_that_grows_in_lower_case_moves_nothing() -> None:
    view = view_of("DOB 3/4/2020")
    odd = View(
        document=view.document,
        text="İ" + view.text[1:],
        cased=view.cased,
        offsets=view.offsets,
        tokens=view.tokens,
        sentences=view.sentences,
    )
    assert [span.start for span in PatternDetector().detect([odd])[0]] == [4]


def test_an_unknown_pack_is_an_error() -> None:
    with pytest.raises(PolicyError, match="no rule pack named 'nothing'"):
        PatternDetector(["nothing"])
