from __future__ import annotations

import importlib.metadata
import sys
import types

import pytest

from incognote.core import registry
from incognote.core.caches import clear_caches
from incognote.core.errors import UsageError


@pytest.fixture
def table(monkeypatch):
    """An empty table of built-ins, and a way to plant entry points."""
    built_in: dict[tuple[str, str], str] = {}
    points: list[importlib.metadata.EntryPoint] = []
    monkeypatch.setattr(registry, "BUILT_IN", built_in)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    clear_caches("incognote.core.registry")
    yield built_in, points
    clear_caches("incognote.core.registry")


def test_loads_lazily(table):
    built_in, _ = table
    built_in["detector", "late"] = "late_module:Thing"
    assert registry.names("detector") == ("late",)
    assert "late_module" not in sys.modules
    module = types.ModuleType("late_module")
    module.Thing = object()
    sys.modules["late_module"] = module
    try:
        assert registry.load("detector", "late") is module.Thing
    finally:
        del sys.modules["late_module"]


def test_other_packages_come_through_entry_points(table):
    _, points = table
    points.append(importlib.metadata.EntryPoint("mine", "json:loads", "incognote.detectors"))
    import json

    assert registry.load("detector", "mine") is json.loads


def test_two_offers_of_one_name_are_an_error(table):
    built_in, points = table
    built_in["detector", "mine"] = "json:loads"
    points.append(importlib.metadata.EntryPoint("mine", "json:dumps", "incognote.detectors"))
    with pytest.raises(UsageError, match="two packages"):
        registry.load("detector", "mine")


def test_unknown_name_lists_what_there_is(table):
    built_in, _ = table
    built_in["detector", "known"] = "json:loads"
    with pytest.raises(UsageError, match="known"):
        registry.load("detector", "unknown")


def test_missing_module_is_named(table):
    built_in, _ = table
    built_in["detector", "heavy"] = "no_such_library_here:Thing"
    with pytest.raises(UsageError, match=r"'heavy' needs the module 'no_such_library_here'"):
        registry.load("detector", "heavy")
