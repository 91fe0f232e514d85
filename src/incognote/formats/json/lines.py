"""JSON Lines: each line is an object whose values are masked or read, and only changed literals
are rewritten.

Order of keys, spacing, number formats, escapes and line ends of everything else stay byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, new_text, refused, unchanged
from incognote.formats.charset import Lines, check, decode
from incognote.formats.fields import Columns, Row, place, require, unreadable
from incognote.formats.json.document import slot_for
from incognote.formats.json.scan import Leaf, leaves, parse
from incognote.formats.patch import Change, Slot, informed, patched
from incognote.policy import FormatRules

# Makes a literal of a new text.
Writer = Callable[[str], str]


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
            yield unchanged(lines.mark)
        try:
            for number, line in enumerate(lines, start=1):
                yield _row(lines, line, name, number, rules)
        except ReadError as error:  # the stream itself, not one of its lines
            yield refused(name, error)


def _row(lines: Lines, line: bytes, name: str, number: int, rules: FormatRules) -> Record | Failure:
    if not line.strip():
        return unchanged(lines.restore(line))
    try:
        return _record(lines, line, name, number, rules)
    except ReadError as error:
        return unreadable(name, number, error, lines.restore(line))


def _record(
    lines: Lines, line: bytes, name: str, number: int, rules: FormatRules
) -> Record | Failure:
    source = decode(line)
    tree = parse(source.text)
    if not isinstance(tree, dict):
        raise ReadError("not a JSON object")
    require(tree, rules)
    found = leaves(source.text, keys=rules.keys)
    row = Row(name, number, {key: _as_text(value) for key, value in tree.items()})
    columns = Columns(row.fields, rules)
    # New characters are escaped where the line was ASCII before.
    write = partial(json.dumps, ensure_ascii=source.text.isascii())
    try:
        _check(tree, rules)
        slots = informed(
            [*_texts(row, found, columns, write), *_others(row, found, columns, write)]
        )
    except ReadError as error:
        return unreadable(name, number, error, lines.restore(line), row.id(columns))
    return Record(
        tuple(document for slot in slots for document in slot.documents),
        lambda results: lines.restore(source.encode(patched(source.text, slots, results))),
        lines.restore(line),
    )


def _check(tree: Mapping[str, Any], rules: FormatRules) -> None:
    for key in rules.text:
        if not isinstance(tree.get(key), str | None):
            raise ReadError(f"field {key!r} is not a string")
    for key in rules.labels:
        if isinstance(tree.get(key), dict | list):
            raise ReadError(f"field {key!r} is not a string or number")


def _texts(row: Row, found: Sequence[Leaf], columns: Columns, write: Writer) -> Iterator[Slot]:
    """The fields named as text; one that is null is a document, too, and stays as it is."""
    places = {leaf.path[0]: leaf for leaf in found if len(leaf.path) == 1}
    for key in columns.rules.text:
        if key not in row.fields:
            continue
        document = Document(
            row.id(columns),
            check(row.fields[key]),
            row.meta(columns),
            f"{place(row.name, row.number)} {key}",
        )
        yield Slot((document,), _writer(document, places.get(key), write))


def _writer(
    document: Document, leaf: Leaf | None, write: Writer
) -> Callable[[Sequence[Result]], list[Change]]:
    def changes(results: Sequence[Result]) -> list[Change]:
        new = new_text(results[0])
        if leaf is None or new == document.text:
            return []
        return [Change(leaf.start, leaf.end, write(new))]

    return changes


def _others(row: Row, found: Sequence[Leaf], columns: Columns, write: Writer) -> Iterator[Slot]:
    """Every other value of the object, at any depth."""
    rules, meta = columns.rules, row.meta(columns)
    for leaf in found:
        top = len(leaf.path) == 1 and not leaf.is_key
        if top and leaf.path[0] in rules.text:
            continue
        slot = slot_for(
            leaf,
            row.id(columns),
            rules,
            meta,
            place=place(row.name, row.number),
            columns=columns if top else None,
            write=write,
        )
        if slot is not None:
            yield slot


def _as_text(value: object) -> str:
    """A scalar as text; null and anything nested is no text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""
