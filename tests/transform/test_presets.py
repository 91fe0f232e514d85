"""What the presets do to each label, and that they say so."""

from __future__ import annotations

import pytest
from tests.transform.conftest import KEY

from incognote.core.labels import all_labels, in_group
from incognote.core.types import Document
from incognote.policy import explain_policy, load_policy, presets
from incognote.testing import parse_markup
from incognote.transform import Transformer, build_transforms


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_run_and_explains_every_label(name):
    policy = load_policy(name)
    build_transforms(policy)
    told = explain_policy(policy)
    assert list(told) == list(all_labels())
    assert all(sentence.endswith(".") for sentence in told.values())


@pytest.mark.parametrize("group", "ABCD")
def test_a_group_replaces_its_labels_and_keeps_the_rest(group):
    policy = load_policy(f"group-{group.lower()}")
    replaced = {n for n in policy.wanted if policy.rule(n).action != "keep"}
    assert replaced == in_group(group)


def deid(preset: str, marked: str) -> str:
    text, spans = parse_markup(marked)
    return Transformer(load_policy(preset), KEY).apply(Document("d", text), spans).text


HARBOR = [
    ("born [[03/05/1950|DATE]], seen [[4/6/2020|DATE]]", "born 1950, seen 2020"),
    ("seen [[March 5|DATE]] and [[Monday|DATE]]", "seen [DATE] and [DATE]"),
    ("in the [[spring of 2020|DATE]]", "in the year 2020"),
    ("in [[the spring of 2020|DATE]]", "in 2020"),
    ("seen on [[March 5, 2014|DATE]]", "seen on a day in 2014"),
    ("SEEN ON [[MARCH 5, 2014|DATE]]", "SEEN ON A DAY IN 2014"),
    ("on the [[5th of March 2014|DATE]]", "on the day in 2014"),
    ("moved here in [[the 1990s|DATE]]", "moved here in the 1990s"),
    ("in the early [[1990s|DATE]], seen [[2020|DATE]]", "in the early 1990s, seen 2020"),
    ("born in the [[1920s|DATE]], seen [[2020|DATE]]", "born in the [DATE], seen 2020"),
    ("dialysis [[MWF|DATE]], at [[Christmas|DATE]]", "dialysis MWF, at [DATE]"),
    ("[[winter 2019-2020|DATE]]", "2019-2020"),
    ("born [[1925|DATE]], seen [[4/6/2020|DATE]]", "born [DATE], seen 2020"),
    ("[[89|AGE]] and [[90|AGE]]", "89 and 90+"),
    ("[[Ohio|STATE]] [[45402|ZIP]]", "Ohio 454"),
    ("[[NH|STATE]] [[03601|ZIP]]", "NH 000"),
    ("[[Vietnam|COUNTRY]] at [[10:30|TIME]]", "Vietnam at 10:30"),
]


@pytest.mark.parametrize(("marked", "expected"), HARBOR, ids=[h[0] for h in HARBOR])
def test_safe_harbor_keeps_what_the_rule_lets_stay(marked, expected):
    assert deid("hipaa-safe-harbor", marked) == expected


def test_safe_harbor_leaves_no_other_label_alone():
    policy = load_policy("hipaa-safe-harbor")
    kept = {name for name in policy.wanted if policy.rule(name).action == "keep"}
    assert kept == {"STATE", "COUNTRY", "TIME"}
    assert all(not all_labels()[name].hipaa for name in kept)


def test_a_limited_data_set_keeps_dates_and_towns():
    text = deid(
        "limited-data-set",
        "[[Ann Kowalczyk|PATIENT]], [[94|AGE]], of [[Dayton|CITY]] [[45402|ZIP]], on [[3/5/2014|DATE]]",
    )
    assert text.endswith(", 94, of Dayton 45402, on 3/5/2014")
    assert "Kowalczyk" not in text


def test_the_default_replaces_everything_but_times():
    policy = load_policy()
    actions = {policy.rule(name).action for name in policy.wanted - {"TIME"}}
    assert actions == {"surrogate"}
    assert policy.rule("TIME").action == "keep"
