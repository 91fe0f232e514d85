from __future__ import annotations

import gc
import pickle

import pytest

from incognote.core.caches import BoundedDict, cached, caches, clear_caches, once

HERE = __name__


def state(name: str):
    return [(each.size, each.bound) for each in caches() if each.name == name]


def test_a_cache_has_a_name_a_bound_and_can_be_cleared():
    asked = []

    @cached(2)
    def double(number: int) -> int:
        asked.append(number)
        return 2 * number

    name = f"{HERE}.{double.__qualname__}"
    assert [double(each) for each in (1, 1, 2, 3)] == [2, 2, 4, 6]
    assert asked == [1, 2, 3]
    assert state(name) == [(2, 2)]
    clear_caches(HERE)
    assert state(name) == [(0, 2)]
    double(3)
    assert asked == [1, 2, 3, 3]


def test_once_is_once():
    made = []

    @once
    def table() -> list[int]:
        made.append(1)
        return made

    assert table() is table()
    assert made == [1]


def test_clearing_one_package_leaves_the_others():
    @once
    def table() -> int:
        return 1

    table()
    clear_caches("incognote")
    assert state(f"{HERE}.{table.__qualname__}") == [(1, 1)]


def test_no_cache_without_room():
    with pytest.raises(ValueError, match="at least one"):
        cached(0)


def test_a_mapping_forgets_its_oldest_entries_and_goes_with_its_owner():
    kept: BoundedDict[str, int] = BoundedDict("test.kept", 2)
    kept["a"], kept["b"] = 1, 2
    kept.move_to_end("a")
    kept["c"] = 3
    assert dict(kept) == {"a": 1, "c": 3}
    assert state("test.kept") == [(2, 2)]
    del kept
    gc.collect()
    assert state("test.kept") == []


def test_what_was_remembered_does_not_travel():
    kept: BoundedDict[str, int] = BoundedDict("test.kept", 2)
    kept["Quillon"] = 1
    sent = pickle.dumps(kept)
    assert b"Quillon" not in sent
    arrived = pickle.loads(sent)
    assert (dict(arrived), arrived.bound) == ({}, 2)
