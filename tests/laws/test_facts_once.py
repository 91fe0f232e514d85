"""No list of words is written down twice, in code or in data: one of the two would fall behind."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incognote.core.labels import all_labels

SOURCE = Path(__file__).parents[2] / "src" / "incognote"
FEWEST = 7  # words: shorter lists may be the same by chance
# Data types of HL7's segments: the standard repeats them.
LEFT_OUT = {"types.toml"}
_WORDS = re.compile(r"[\w\s'’.-]+")


def in_code(tree: ast.AST) -> Iterator[list[str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant(value=str(text)))):
                yield text.split()
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                words = [each.value for each in elements if isinstance(each, ast.Constant)]
                if len(words) == len(elements) and all(isinstance(word, str) for word in words):
                    yield words


def in_data(value: Any) -> Iterator[list[str]]:
    if isinstance(value, dict):
        for each in value.values():
            yield from in_data(each)
    elif isinstance(value, list) and all(isinstance(each, str) for each in value):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from in_data(each)
    elif isinstance(value, str) and _WORDS.fullmatch(value) and "." not in value:
        yield value.split()


def test_no_list_of_words_stands_in_two_places() -> None:
    places: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.toml")]):
        if path.name in LEFT_OUT or "migrations" in path.parts or "presets" in path.parts:
            continue
        text = path.read_text("utf-8")
        lists = in_code(ast.parse(text)) if path.suffix == ".py" else in_data(tomllib.loads(text))
        for words in lists:
            key = frozenset(word.lower() for word in words)
            # Sets of labels name facts that are stated elsewhere.
            if len(key) >= FEWEST and not key <= {name.lower() for name in all_labels()}:
                places[key].append(str(path.relative_to(SOURCE)))
    assert len(places) > 300
    twice = {" ".join(sorted(words)[:4]): found for words, found in places.items() if found[1:]}
    assert twice == {}
