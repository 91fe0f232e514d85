"""Where an encoder comes from: a folder, or the hub; and what of the hub is ever fetched."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from incognote.core.errors import MissingExtra, UsageError
from incognote.learn.network.base import find_base


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that has one repository, and remembers what it was asked for."""
    asked = []

    def snapshot_download(name, allow_patterns):
        asked.append(allow_patterns)
        if name != "team/encoder":
            raise FileNotFoundError(name)
        return str(tmp_path)

    module = ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return asked


def test_a_folder_is_taken_as_it_is(hub, tmp_path):
    assert find_base(str(tmp_path)) == tmp_path
    assert not hub


def test_a_name_is_fetched_without_code_and_pickles(hub, tmp_path):
    assert find_base("team/encoder") == tmp_path
    (patterns,) = hub
    assert not any(pattern.endswith((".py", ".bin", ".pt", "*")) for pattern in patterns)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("team/other", "could not be fetched", id="not-on-the-hub"),
        pytest.param("no such name", "neither a folder nor", id="no-name"),
        pytest.param("/nowhere/at/all", "neither a folder nor", id="no-folder"),
        pytest.param("../up", "could not be fetched", id="no-parent"),
    ],
)
def test_what_cannot_be_had_is_explained(hub, name, message):
    with pytest.raises(UsageError, match=message):
        find_base(name)


def test_the_hub_needs_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"incognote\[train\]"):
        find_base("team/encoder")
