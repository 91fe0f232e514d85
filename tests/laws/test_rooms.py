"""Rooms stay small enough to be read at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
MOST = 15  # modules at one level: more of them want a room inside the room


@pytest.mark.parametrize("tree", ["src/incognote", "tests"])
def test_no_room_has_too_many_modules(tree: str) -> None:
    top = HERE / tree
    rooms = [top, *(each for each in top.rglob("*") if each.is_dir())]
    sizes = {str(room.relative_to(HERE)): len(list(room.glob("*.py"))) for room in rooms}
    assert len(sizes) > 20
    assert {room: size for room, size in sizes.items() if size > MOST} == {}
