from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from incognote.core.errors import PolicyError
from incognote.core.labels import all_labels
from incognote.policy import OFF, load_policy, policy_from, presets


@pytest.mark.parametrize("name", presets())
def test_every_preset_loads_and_decides_every_label(name):
    policy = load_policy(name)
    assert set(policy.labels) == set(all_labels())
    assert policy.description


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        ({"name": "x", "labls": {}}, "labls: unknown key"),
        ({"name": "x", "resolve": {"vots": {}}}, "resolve.vots: unknown key"),
        ({"name": "x", "detectors": {"p": {"weigth": 1}}}, "detectors.p.weigth: unknown key"),
        ({"name": "x", "detectors": {"p": {"weight": "1"}}}, "detectors.p.weight: must be int"),
        ({"name": "x", "detectors": {"p": {"weight": True}}}, "detectors.p.weight: must be int"),
        ({"name": "x", "detectors": {"p": {"weight": 101}}}, "must be 0 to 100"),
        ({"name": "x", "detectors": {"p": {"weights": {"DAT": 1}}}}, "weights.DAT: no such label"),
        ({"name": "x", "labels": {"DAT": "tag"}}, "labels.DAT: no such label; did you mean DATE"),
        (
            {"name": "x", "labels": {"dates": "tag"}},
            "labels.dates: no such label; did you mean DATE",
        ),
        (
            {"name": "x", "extend": "base"},
            "extend: unknown key; known are: description, detectors, extends",
        ),
        ({"name": "x", "labels": {"DATE": {"max": 1}}}, "labels.DATE: needs an action"),
        ({"name": "x", "labels": 3}, "labels: must be a table"),
        ({"name": "x", "prepare": []}, "prepare: must be a table"),
        ({"name": "x", "prepare": {"languages": "en"}}, "prepare.languages: must be a list"),
        ({"name": "x", "formats": {"labels": {"a": "DAT"}}}, "formats.labels.a"),
        (
            {"name": "x", "formats": {"images": "show"}},
            "formats.images: must be one of blank, cover, read, keep",
        ),
        (
            {"name": "x", "formats": {"names": "hash"}},
            "formats.names: must be one of replace, number, keep",
        ),
        (
            {"name": "x", "formats": {"dicom": {"options": ["all"]}}},
            "formats.dicom.options: no option",
        ),
        (
            {
                "name": "x",
                "formats": {"dicom": {"options": ["retain-full-dates", "retain-modified-dates"]}},
            },
            "formats.dicom.options: dates are retained either",
        ),
        (
            {"name": "x", "formats": {"dicom": {"safe_private": ["0018,X,10"]}}},
            "formats.dicom.safe_private: '0018,X,10' is not written as",
        ),
        ({}, "name: is missing"),
    ],
)
def test_errors_name_the_path(tree, path):
    with pytest.raises(PolicyError, match=path.replace(".", r"\.")):
        policy_from(tree)


def test_a_misspelt_table_of_labels_is_named():
    with pytest.raises(PolicyError, match="labls: unknown key"):
        load_policy({"labls": {"DATE": "tag"}})


def test_extends_merges_tables_and_replaces_rules(tmp_path):
    (tmp_path / "house.toml").write_text(
        'name = "house"\nextends = "i2b2-2014"\n[labels]\nDATE = { action = "tag" }\n'
    )
    (tmp_path / "ward.toml").write_text(
        'name = "ward"\nextends = "house.toml"\n[labels]\nAGE = "keep"\n'
    )
    policy = load_policy(tmp_path / "ward.toml")
    assert policy.rule("DATE").action == "tag"
    assert policy.rule("AGE").action == "keep"
    assert policy.rule("PATIENT") == load_policy("i2b2-2014").rule("PATIENT")


def test_another_component_does_not_inherit_options(tmp_path):
    (tmp_path / "house.toml").write_text(
        'extends = "i2b2-2014"\n[detectors.staff]\nuse = "dictionary"\nweight = 5\n'
        'options = { label = "DOCTOR", words = ["Fox"] }\n'
    )
    (tmp_path / "ward.toml").write_text(
        'extends = "house.toml"\n[detectors.staff]\nuse = "regex"\n'
        'options = { label = "DOCTOR", patterns = ["Fox"] }\n'
    )
    staff = load_policy(tmp_path / "ward.toml").detectors["staff"]
    assert (staff.weight, staff.options) == (1, {"label": "DOCTOR", "patterns": ["Fox"]})


def test_a_policy_cannot_extend_itself(tmp_path):
    (tmp_path / "a.toml").write_text('extends = "b.toml"\n')
    (tmp_path / "b.toml").write_text('extends = "a.toml"\n')
    with pytest.raises(PolicyError, match="extends itself"):
        load_policy(tmp_path / "a.toml")


@pytest.mark.parametrize("overlay", ["fast", "rules"])
def test_an_overlay_changes_detectors_and_nothing_else(overlay):
    for name, changed in (
        ("i2b2-2014", overlay),
        ("hipaa-safe-harbor", f"hipaa-safe-harbor+{overlay}"),
    ):
        policy = load_policy(changed)
        assert policy.labels == load_policy(name).labels
        assert policy.detectors["accurate"].weight == 0
        assert policy.detectors["patterns"] == load_policy(name).detectors["patterns"]


def test_a_policy_that_decides_nothing_is_refused(tmp_path):
    path = tmp_path / "empty.toml"
    path.write_text('name = "empty"\n')
    with pytest.raises(PolicyError, match="pass through"):
        load_policy(path)


def test_plus_joins_and_later_wins(tmp_path):
    over = tmp_path / "over.toml"
    over.write_text('[labels]\nDATE = "remove"\n')
    assert load_policy(f"i2b2-2014+{over}").rule("DATE").action == "remove"


@pytest.mark.parametrize("name", ["no-such-preset", "missing.toml"])
def test_unknown_policies_are_refused(name):
    with pytest.raises(PolicyError):
        load_policy(name)


def test_broken_toml_is_refused(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("labels = [")
    with pytest.raises(PolicyError, match="not TOML"):
        load_policy(path)


def test_hash_follows_decisions():
    plain = policy_from({"name": "x", "labels": {"DATE": "tag"}})
    assert plain.hash == policy_from({"name": "x", "labels": {"DATE": {"action": "tag"}}}).hash
    assert plain.hash != policy_from({"name": "x", "labels": {"DATE": "keep"}}).hash


def test_optional_labels_stay_off_under_default():
    policy = policy_from({"name": "x", "labels": {"default": "tag"}})
    assert policy.rule("NDC").action == OFF
    assert policy.rule("DATE").action == "tag"
    assert "NDC" not in policy.wanted


def test_a_policy_without_a_name_goes_by_its_file_not_by_what_it_extends(tmp_path):
    (tmp_path / "mine.toml").write_text('extends = "i2b2-2014"\n[labels]\nAGE = "keep"\n')
    policy = load_policy(tmp_path / "mine.toml")
    assert policy.name == str(tmp_path / "mine.toml")
    assert not policy.description


class TestPathsInAPolicy:
    def test_are_relative_to_its_file(self, tmp_path: Path, monkeypatch) -> None:
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "wards.txt").write_text("Zephyr\n")
        policy = tmp_path / "site" / "ours.toml"
        policy.write_text(
            'extends = "rules"\n[detectors.wards]\nuse = "dictionary"\n'
            'options = { file = "wards.txt", label = "ROOM" }\n'
        )
        monkeypatch.chdir(tmp_path)
        loaded = load_policy("site/ours.toml")
        assert loaded.detectors["wards"].options["file"] == str(Path("site") / "wards.txt")
        monkeypatch.chdir(tmp_path / "site")
        assert load_policy("ours.toml").detectors["wards"].options["file"] == "wards.txt"

    def test_what_a_file_holds_counts_not_where_it_lies(self, tmp_path: Path) -> None:
        hashes = []
        for folder, words in (("a", "Zephyr"), ("b", "Zephyr"), ("c", "Mistral")):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "wards.txt").write_text(words)
            (tmp_path / folder / "ours.toml").write_text(
                'name = "ours"\nextends = "rules"\n[detectors.wards]\nuse = "dictionary"\n'
                'options = { file = "wards.txt", label = "ROOM" }\n'
            )
            loaded = load_policy(tmp_path / folder / "ours.toml")
            hashes.append(replace(loaded, name="ours").hash)
        assert hashes[0] == hashes[1] != hashes[2]

    def test_of_a_policy_that_extends_another_each_has_its_own(self, tmp_path: Path) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base" / "wards.txt").write_text("Zephyr\n")
        (tmp_path / "base" / "base.toml").write_text(
            'extends = "rules"\n[detectors.wards]\nuse = "dictionary"\n'
            'options = { file = "wards.txt", label = "ROOM" }\n'
        )
        (tmp_path / "ours.toml").write_text('extends = "base/base.toml"\n')
        file = load_policy(tmp_path / "ours.toml").detectors["wards"].options["file"]
        assert file == str(tmp_path / "base" / "wards.txt")
