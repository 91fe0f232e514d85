"""The reference page names every pack, rule key, check and trigger form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from incognote.core.types import Document
from incognote.detect.patterns import PatternDetector, load_pack, pack_names
from incognote.detect.patterns.checks import CHECKS
from incognote.detect.patterns.packfile import RULE_KEYS
from incognote.policy import PrepareRules
from incognote.prepare import prepare

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "patterns.md").read_text("utf-8")


@pytest.mark.parametrize("name", pack_names())
def test_pack_is_described(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|.*$", PAGE, re.MULTILINE)
    assert all(label in row for label in load_pack(name).labels)
    assert load_pack(name).optional == ("optional labels" in row)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_check_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("key", sorted(RULE_KEYS))
def test_rule_key_is_described(key: str) -> None:
    assert re.search(rf"^\| `{key}[`.]", PAGE, re.MULTILINE)


def test_the_example_pack_works(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(description = .*?)```", PAGE, re.DOTALL)
    assert example is not None
    path = tmp_path / "example.toml"
    path.write_text(example[1], "utf-8")
    (view,) = prepare(Document("x", "bank id BB-12345, old bank id BB-99999"), PrepareRules())
    (spans,) = PatternDetector([str(path)]).detect([view])
    assert [(span.start, span.end) for span in spans] == [(8, 16)]
