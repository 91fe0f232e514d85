"""What a data officer writes under [resolve]: words that are never PHI, finds that join."""

from __future__ import annotations

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Span
from incognote.policy import load_policy, policy_from
from incognote.resolve import resolve
from incognote.testing import parse_markup, render_markup


def resolved(marked, given=(), **rules):
    text, spans = parse_markup(marked)
    rules["repetitions"] = False
    policy = policy_from({"name": "t", "labels": {"default": "keep"}, "resolve": rules})
    found = resolve(Document("d", text, given=tuple(given)), spans, policy)
    return render_markup(text, found.spans), [drop.reason for drop in found.dropped]


NEVER = {
    "any case": ({"words": ["currently"]}, "[[Currently|DATE]] well", "Currently well"),
    "exact": (
        {"words": ["May"], "match": "exact"},
        "[[May|DATE]] and [[MAY|DATE]]",
        "May and [[MAY|DATE]]",
    ),
    "regex fits the whole find": (
        {"words": [r"[Ww]ard \d"], "match": "regex"},
        "[[Ward 3|ROOM]] and [[Ward 31|ROOM]]",
        "Ward 3 and [[Ward 31|ROOM]]",
    ),
    "label": (
        {"words": ["jordan"], "labels": ["COUNTRY"]},
        "[[Jordan|COUNTRY]] and [[Jordan|PATIENT]]",
        "Jordan and [[Jordan|PATIENT]]",
    ),
    "before": (
        {"words": ["jordan"], "before": "(?i)frame by"},
        "frame by [[Jordan|PATIENT]], seen by [[Jordan|PATIENT]]",
        "frame by Jordan, seen by [[Jordan|PATIENT]]",
    ),
    "after": (
        {"words": ["murphy"], "after": "sign"},
        "[[Murphy|PATIENT]]'s sign, Mr. [[Murphy|PATIENT]]",
        "[[Murphy|PATIENT]]'s sign, Mr. [[Murphy|PATIENT]]",
    ),
    "after, past punctuation": (
        {"words": ["murphy"], "after": "(?:s )?sign"},
        "[[Murphy|PATIENT]]'s sign, Mr. [[Murphy|PATIENT]]",
        "Murphy's sign, Mr. [[Murphy|PATIENT]]",
    ),
}


@pytest.mark.parametrize("case", NEVER.values(), ids=NEVER)
def test_never(case):
    rule, marked, expected = case
    assert resolved(marked, never=[rule])[0] == expected


def test_never_leaves_a_reason_that_names_the_rule():
    rules = [{"words": ["x"]}, {"words": ["currently"]}]
    assert resolved("[[currently|DATE]]", never=rules)[1] == ["never:1"]


def test_never_does_not_touch_what_the_source_states():
    stated = [Span(0, 5, "PATIENT")]
    assert resolved("Smith", given=stated, never=[{"words": ["Smith"]}])[0] == "[[Smith|PATIENT]]"


OF_PLACE = {
    "left": ["HOSPITAL"],
    "right": ["CITY", "STATE"],
    "between": ["of", "of the", "at"],
    "label": "HOSPITAL",
}
NAME = {"left": ["PATIENT"], "right": ["PATIENT"], "between": ["", r"[A-Z]\.?"]}
CONNECT = {
    "particle": (
        "[[Health Center|HOSPITAL]] of [[Washington|STATE]]",
        "[[Health Center of Washington|HOSPITAL]]",
    ),
    "another particle": (
        "[[Health Center|HOSPITAL]] near [[Washington|STATE]]",
        "[[Health Center|HOSPITAL]] near [[Washington|STATE]]",
    ),
    "across an initial": (
        "[[John|PATIENT]] Q. [[Smith|PATIENT]]",
        "[[John Q. Smith|PATIENT]]",
    ),
    "three become one": (
        "[[John|PATIENT]] [[Paul|PATIENT]] [[Smith|PATIENT]]",
        "[[John Paul Smith|PATIENT]]",
    ),
    "not over a line end": (
        "[[John|PATIENT]]\n[[Smith|PATIENT]]",
        "[[John|PATIENT]]\n[[Smith|PATIENT]]",
    ),
    "not another pair": (
        "[[John|PATIENT]] [[Smith|DOCTOR]]",
        "[[John|PATIENT]] [[Smith|DOCTOR]]",
    ),
}


@pytest.mark.parametrize("case", CONNECT.values(), ids=CONNECT)
def test_connect(case):
    marked, expected = case
    assert resolved(marked, connect=[OF_PLACE, NAME])[0] == expected


def test_connect_leaves_reasons():
    marked = "[[John|PATIENT]] [[Smith|PATIENT]]"
    assert resolved(marked, connect=[NAME])[1] == ["joined:PATIENT@0-10"] * 2


GROUPS = {
    "an address": (
        "at [[9 Elm St|STREET]], [[Dayton|CITY]], [[OH|STATE]] [[45402|ZIP]], [[USA|COUNTRY]].",
        [["9 Elm St", "Dayton", "OH", "45402", "USA"]],
    ),
    "over a line end": (
        "[[9 Elm St|STREET]]\n[[Dayton|CITY]] [[OH|STATE]]",
        [["9 Elm St", "Dayton", "OH"]],
    ),
    "not over a blank line": ("[[9 Elm St|STREET]]\n\n[[Dayton|CITY]]", []),
    "labelled fields": (
        "City: [[Dayton|CITY]], State: [[OH|STATE]]; Zip Code: [[45402|ZIP]]",
        [["Dayton", "OH", "45402"]],
    ),
    "two addresses": (
        "[[Dayton|CITY]], [[OH|STATE]]; [[Reno|CITY]], [[NV|STATE]]",
        [["Dayton", "OH"], ["Reno", "NV"]],
    ),
    "a list of towns": ("[[Dayton|CITY]], [[Reno|CITY]], [[Boston|CITY]]", []),
    "words between": ("[[Dayton|CITY]] and then [[OH|STATE]]", []),
    "a name between": ("[[9 Elm St|STREET]], [[Ann|PATIENT]], [[Dayton|CITY]]", []),
}


@pytest.mark.parametrize("case", GROUPS.values(), ids=GROUPS)
def test_parts_of_an_address_stay_apart_and_are_one_group(case):
    marked, expected = case
    text, spans = parse_markup(marked)
    found = resolve(Document("d", text), spans, load_policy()).spans
    assert render_markup(text, found) == marked
    groups: dict[str, list[str]] = {}
    for span in found:
        if span.group:
            groups.setdefault(span.group, []).append(text[span.start : span.end])
    assert list(groups.values()) == expected
    first = {text.index(words[0]) for words in expected}
    assert {int(name.removeprefix("address@").partition("-")[0]) for name in groups} == first


def test_a_rule_joins_or_groups():
    rule = {"left": ["CITY"], "right": ["ZIP"], "label": "CITY", "group": "address"}
    with pytest.raises(PolicyError, match=r"resolve.connect\[0\]: .*not both"):
        policy_from({"name": "t", "resolve": {"connect": [rule]}})


PAID = {
    "Paid by [[Visa|DOCTOR]] at the desk": "Paid by Visa at the desk",
    "Copay on her [[Mastercard|ORGANIZATION]]": "Copay on her Mastercard",
    "charged to [[American Express|ORGANIZATION]]": "charged to American Express",
    "paid Dr. [[Visa|DOCTOR]]": "paid Dr. [[Visa|DOCTOR]]",
    "Seen by [[Visa|DOCTOR]]": "Seen by [[Visa|DOCTOR]]",
}


@pytest.mark.parametrize("marked", PAID)
def test_by_default_the_brand_of_a_card_is_no_name(marked):
    text, spans = parse_markup(marked)
    found = resolve(Document("d", text), spans, load_policy("rules"))
    assert render_markup(text, found.spans) == PAID[marked]


BAD = {
    "unknown label": ({"votes": {"NOPE": 2}}, "resolve.votes.NOPE: no such label"),
    "never label": ({"never": [{"words": [], "labels": ["NOPE"]}]}, "resolve.never[0].labels.NOPE"),
    "never match": ({"never": [{"words": [], "match": "fuzzy"}]}, "resolve.never[0].match"),
    "never pattern": (
        {"never": [{"words": ["("], "match": "regex"}]},
        "resolve.never[0]: not a regular expression",
    ),
    "look-behind": ({"never": [{"words": ["a"], "before": "(?<=x)y"}]}, "resolve.never[0]"),
    "connect label": (
        {"connect": [{"left": ["NOPE"], "right": ["CITY"]}]},
        "resolve.connect[0].NOPE: no such label",
    ),
    "connect pattern": (
        {"connect": [{"left": ["CITY"], "right": ["CITY"], "between": ["*"]}]},
        "resolve.connect[0].between",
    ),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_wrong_rule_is_an_error_that_names_its_path(case):
    rules, message = case
    with pytest.raises(PolicyError) as error:
        policy_from({"name": "t", "resolve": rules})
    assert message in str(error.value)
