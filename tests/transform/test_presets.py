"""What the presets do to each label, and that they say so."""

from __future__ import annotations

import tomllib
from pathlib import Path

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


HARBOR = tomllib.loads(Path(__file__).with_name("safe_harbor.toml").read_text("utf-8"))


@pytest.mark.parametrize(("marked", "expected"), HARBOR.items(), ids=HARBOR)
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
