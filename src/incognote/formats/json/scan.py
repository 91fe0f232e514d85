"""Where every string and number of a JSON text appears, by path.

The standard library parses JSON but forgets positions. This scanner runs over text that has been
parsed already, so it only needs to keep count of where it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from incognote.core.errors import ReadError

Path = tuple[str | int, ...]
# All of a file is held at once, and a value takes some hundred bytes.
_MOST_VALUES = 2_000_000
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string or number, or, where asked for, a key: [start, end) of the literal with quotes."""

    path: Path
    start: int
    end: int
    value: Any = field(repr=False)
    is_key: bool = False
    # Where the key of the object begins that has this value.
    key_start: int = -1


@dataclass(slots=True)
class _Level:
    """An open object or array: where in it the scanner is."""

    is_object: bool
    key: str | int
    expects_key: bool
    keys: set[str]
    key_start: int = -1


def parse(raw: str) -> Any:
    """The parsed tree; errors name the place in the text, never its content."""
    try:
        return json.loads(raw, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise ReadError(f"not valid JSON: {place}") from None
    except ValueError:
        raise ReadError("not valid JSON: a number too long") from None
    except RecursionError:
        raise ReadError("JSON nested too deeply") from None


def leaves(raw: str, *, keys: bool = False) -> list[Leaf]:
    """Every string and number that is a value, and keys if asked. `raw` must be valid JSON."""
    found: list[Leaf] = []
    if raw.count(",") > _MOST_VALUES:
        raise ReadError(f"more than {_MOST_VALUES:,} values: better written as JSON Lines")
    stack: list[_Level] = []
    for token in _TOKEN.finditer(raw):
        text = token[0]
        first = text[0]
        top = stack[-1] if stack else None
        if first == "{":
            stack.append(_Level(True, "", True, set()))
        elif first == "[":
            stack.append(_Level(False, 0, False, set()))
        elif first in "}]":
            stack.pop()
        elif first == ",":
            assert top is not None
            if top.is_object:
                top.expects_key = True
            else:
                assert isinstance(top.key, int)
                top.key += 1
        elif first == ":":
            assert top is not None
            top.expects_key = False
        elif top is not None and top.expects_key:
            top.key = json.loads(text)
            assert isinstance(top.key, str)
            if top.key in top.keys:
                # A parser sees only one of the two: the other would pass through unseen.
                raise ReadError("an object names a key twice")
            top.keys.add(top.key)
            top.key_start = token.start()
            if keys:
                path = tuple(level.key for level in stack[:-1])
                found.append(Leaf(path, token.start(), token.end(), top.key, is_key=True))
        elif first == '"' or text.lstrip("-")[:1].isdigit():
            path = tuple(level.key for level in stack)
            value = json.loads(text)
            at = top.key_start if top else -1
            found.append(Leaf(path, token.start(), token.end(), value, key_start=at))
    return found
