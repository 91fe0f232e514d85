"""JSON Lines: each line is an object, and only the string literals that change are rewritten.

Order of keys, spacing, number formats, escapes and line ends of everything else stay byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, new_text
from incognote.formats.charset import Lines, decode
from incognote.formats.fields import Row, require, unreadable
from incognote.policy import FormatRules

_WHITESPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


class _Value(NamedTuple):
    """A member's value and where its literal stands in the line."""

    value: object
    start: int
    end: int


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
    members = _members(source.text)
    require(members, rules)
    for key in (*rules.text, *rules.labels):
        if key in members and not isinstance(members[key].value, str | None):
            raise ReadError(f"field {key!r} is not a string")
    fields = {key: _as_text(member.value) for key, member in members.items()}
    row = Row(name, number, fields)
    try:
        documents = row.documents(rules)
    except ReadError as error:
        return unreadable(name, number, error, lines.restore(line), row.id(rules))
    # Non-ASCII characters are written as they are only where the line already has some.
    escape = source.text.isascii()

    def render(results: Sequence[Result]) -> bytes:
        edits = sorted(
            (members[key].start, members[key].end, json.dumps(new, ensure_ascii=escape))
            for (key, document), result in zip(documents.items(), results, strict=True)
            if (new := new_text(result)) != document.text
        )
        parts, at = [], 0
        for start, end, literal in edits:
            parts += [source.text[at:start], literal]
            at = end
        return lines.restore(source.encode("".join([*parts, source.text[at:]])))

    return Record(tuple(documents.values()), render, lines.restore(line))


def _members(line: str) -> dict[str, _Value]:
    """The members of the object that is the whole line."""
    at = _skip(line, 0)
    members: dict[str, _Value] = {}
    try:
        if line[at] != "{":
            raise ReadError("not a JSON object")
        at = _skip(line, at + 1)
        while line[at] != "}":
            if members:
                at = _skip(line, _expect(line, at, ","))
            if line[at] != '"':
                raise ReadError("not valid JSON")
            key, at = _DECODER.raw_decode(line, at)
            start = _skip(line, _expect(line, _skip(line, at), ":"))
            value, end = _DECODER.raw_decode(line, start)
            if key in members:
                # Which of two texts is the note? One of them would pass through unread.
                raise ReadError("the same field stands twice")
            members[key] = _Value(value, start, end)
            at = _skip(line, end)
        at = _skip(line, at + 1)
    except (ValueError, IndexError):
        raise ReadError("not valid JSON") from None
    except RecursionError:
        raise ReadError("nested too deeply") from None
    if at != len(line):
        raise ReadError("not valid JSON: something follows the object")
    return members


def _skip(line: str, at: int) -> int:
    while at < len(line) and line[at] in _WHITESPACE:
        at += 1
    return at


def _expect(line: str, at: int, mark: str) -> int:
    if line[at] != mark:
        raise ReadError("not valid JSON")
    return at + 1


def _as_text(value: object) -> str:
    """A scalar as text; null and anything nested is no text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _unchanged(raw: bytes) -> Record:
    return Record((), lambda _: raw)
