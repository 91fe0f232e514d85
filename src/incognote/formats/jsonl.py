"""JSON Lines: each line is an object, and only the literals that change are rewritten.

Order of keys, spacing, number formats, escapes and line ends of everything else stay byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, new_text
from incognote.formats.charset import Lines, decode
from incognote.formats.fields import Row, require, unreadable
from incognote.formats.json import dotted_path, slot_for
from incognote.formats.json_scan import Leaf, leaves, parse
from incognote.formats.patch import Change, Slot, dropped_slot, patched
from incognote.policy import FormatRules


class JsonLinesFormat:
    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")

    def sniff(self, head: bytes) -> bool:
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].rstrip()
        # One object a line: a pretty-printed JSON file begins with a line that is not whole.
        return first.startswith(b"{") and (first.endswith(b"}") or b"\n" not in head)

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        lines = Lines(stream)
        if lines.mark:
            yield Record((), lambda _: lines.mark)
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                yield _unchanged(lines.restore(line))
                continue
            try:
                yield _record(lines, line, name, number, rules)
            except ReadError as error:
                yield unreadable(name, number, error, lines.restore(line))


def _record(
    lines: Lines, line: bytes, name: str, number: int, rules: FormatRules
) -> Record | Failure:
    source = decode(line)
    tree = parse(source.text)
    if not isinstance(tree, dict):
        raise ReadError("not a JSON object")
    require(tree, rules)
    found = leaves(source.text)
    row = Row(name, number, {key: _as_text(value) for key, value in tree.items()})
    try:
        _check(tree, rules)
        slots = [
            *_fields(row, found, rules, escape=source.text.isascii()),
            *_within(row, found, rules),
        ]
    except ReadError as error:
        return unreadable(name, number, error, lines.restore(line), row.id(rules))
    return Record(
        tuple(document for slot in slots for document in slot.documents),
        lambda results: lines.restore(source.encode(patched(source.text, slots, results))),
        lines.restore(line),
    )


def _check(tree: Mapping[str, Any], rules: FormatRules) -> None:
    for key in rules.text:
        if not isinstance(tree[key], str | None):
            raise ReadError(f"field {key!r} is not a string")
    for key in rules.labels:
        if isinstance(tree.get(key), dict | list):
            raise ReadError(f"field {key!r} is not a string or number")


def _fields(row: Row, found: Sequence[Leaf], rules: FormatRules, *, escape: bool) -> Iterator[Slot]:
    """The fields of the object itself; their new characters are escaped where `escape` says so.

    That is where the line was ASCII before.
    """
    places = {leaf.path[0]: leaf for leaf in found if len(leaf.path) == 1}
    for key, document in row.documents(rules).items():
        yield Slot((document,), _writer(document, places.get(key), escape))
    for key in row.dropped(rules):
        if key in places:
            yield dropped_slot(places[key].start, places[key].end, "null")


def _writer(
    document: Document, leaf: Leaf | None, escape: bool
) -> Callable[[Sequence[Result]], list[Change]]:
    def changes(results: Sequence[Result]) -> list[Change]:
        new = new_text(results[0])
        if leaf is None or new == document.text:
            return []
        return [Change(leaf.start, leaf.end, json.dumps(new, ensure_ascii=escape))]

    return changes


def _within(row: Row, found: Sequence[Leaf], rules: FormatRules) -> Iterator[Slot]:
    """What the policy names by its path, deeper in the object."""
    if not any("." in key for key in rules.labels):
        return
    for leaf in found:
        if len(leaf.path) > 1 and rules.choice(dotted_path(leaf.path)):
            slot = slot_for(leaf, row.id(rules), rules, row.meta(rules))
            if slot is not None:
                yield slot


def _as_text(value: object) -> str:
    """A scalar as text; null and anything nested is no text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _unchanged(raw: bytes) -> Record:
    return Record((), lambda _: raw)
