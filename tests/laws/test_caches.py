"""What is remembered between calls is bounded and can be named: `core/caches.py` is the only way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "incognote"
OWN = SOURCE / "core" / "caches.py"
# Empty at first, filled by decorators when the module is imported, and then full.
REGISTERS = {"detect/patterns/checks.py:CHECKS"}
# Constants that are empty.
EMPTY = {"resolve/settle.py:NOTHING_LEARNED"}

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != OWN)


def hand_made(path: Path) -> list[str]:
    """Caches of functools, and dicts of a module that start empty: they would only grow."""
    found = []
    where = path.relative_to(SOURCE).as_posix()
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            found += [
                f"{where}:{each.name}" for each in node.names if each.name in ("cache", "lru_cache")
            ]
        if isinstance(node, ast.Attribute) and node.attr in ("cache", "lru_cache"):
            found += [f"{where}:{node.attr}"] if ast.unparse(node.value) == "functools" else []
    for node in tree.body:
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(value, ast.Dict | ast.Call):
            empty = ast.unparse(value) in ("{}", "dict()", "OrderedDict()")
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            found += [f"{where}:{ast.unparse(target)}"] if empty else []
    return found


def test_no_module_has_a_cache_of_its_own_making():
    found = {each for path in MODULES for each in hand_made(path)}
    assert found == REGISTERS | EMPTY


@pytest.mark.parametrize(
    "source",
    [
        "from functools import lru_cache",
        "from functools import cache, partial",
        "import functools\n@functools.cache\ndef f(): ...",
        "_kept: dict[str, int] = {}",
        "_kept = OrderedDict()",
    ],
)
def test_the_search_finds_them(tmp_path, monkeypatch, source):
    path = SOURCE / "core" / "made_up.py"
    monkeypatch.setattr(Path, "read_text", lambda *_: source)
    assert len(hand_made(path)) == 1
