"""Spanish notes of many kinds, with the model: how much of what is marked is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from incognote.core.types import Document, Result, Span
from incognote.pipeline import Pipeline
from incognote.testing import parse_markup

FILE = Path(__file__).parent / "cases" / "spanish_notes.txt"
# What was measured when the rules were written, less a hundredth.
FLOORS = {"1": (0.99, 0.967), "2": (0.955, 0.955), "3": (0.95, 0.96)}


def notes(group: str) -> list[str]:
    (part,) = re.findall(
        rf"^## group {group}\n((?:[^#].*\n)+)", FILE.read_text("utf-8"), re.MULTILINE
    )
    return [line.replace("\\n", "\n") for line in part.splitlines()]


def words(text: str, spans: list[Span]) -> set[tuple[int, int]]:
    return {
        word.span()
        for word in re.finditer(r"\w+", text)
        if any(span.start < word.end() and word.start() < span.end for span in spans)
    }


@pytest.mark.parametrize("group", FLOORS)
def test_as_much_is_found_as_was_measured(group: str) -> None:
    right = left = false = 0
    for note in notes(group):
        text, gold = parse_markup(note)
        (result,) = Pipeline("i2b2-2014").detect([Document("note", text)])
        assert isinstance(result, Result)
        expected = words(text, list(gold))
        found = words(text, [span for span in result.spans if span.label != "TIME"])
        right += len(expected & found)
        left += len(expected - found)
        false += len(found - expected)
    recall, precision = FLOORS[group]
    assert right / (right + left) >= recall
    assert right / (right + false) >= precision
