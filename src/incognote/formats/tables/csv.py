"""CSV and TSV with a header: cells are documents by their column; what stays, stays byte for byte.

The standard library's reader forgets which cells were quoted and reads broken quoting as if it
were meant, so rows are cut here. A row that does not parse, or has not as many cells as the header,
goes to quarantine: a note cut at the wrong comma would pass through in a column that is not read.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, new_text, refused, unchanged
from incognote.formats.charset import Lines, Text, decode
from incognote.formats.fields import Columns, Row, new_value, require, unreadable
from incognote.policy import FormatRules

_DELIMITERS = ",\t;|"
# No honest row is longer; a quote that never closes must not swallow the whole file.
_LONGEST_ROW = 1 << 26
# Tables of genes are the widest there are.
_MOST_COLUMNS = 100_000
_LONGEST_NAME = 60
_SHAPES_KEPT = 100
_WITHIN_QUOTES = re.compile(rb'[^"]*+(?:""[^"]*+)*+')
# Blank lines, and the line by which Excel states the delimiter.
_SAYS_NOTHING = re.compile(rb'\s*(?:"?sep=[,;|\t]?"?\s*)?', re.IGNORECASE)
_HEADER_CELL = re.compile(r'"?[A-Za-z_][\w.-]{0,60}"?')
_NO_HEADER = "the first line does not look like a header: no column has a name that is known"
# What appears in a row of data and in no header.
_DATA_CELL = re.compile(
    r".*@.*|[\W\d_]*\d[\W\d_]*|.*[ ].*\d{5}.*|.*\d[/.-]\d{1,2}[/.-]\d.*|.*[.!?;]", re.DOTALL
)


class CsvFormat:
    name = "csv"
    suffixes = (".csv", ".tsv", ".tab")

    def sniff(self, head: bytes) -> bool:
        """Whether the first line is a list of plain column names with a text or id among them."""
        first = re.split(rb"[\r\n]", head, maxsplit=1)[0]
        if len(first) == len(head):
            return False
        try:
            line = decode(first).text
        except ReadError:
            return False
        for delimiter in _DELIMITERS:
            cells = line.split(delimiter)
            if len(cells) > 1 and all(map(_HEADER_CELL.fullmatch, cells)):
                return any(cell.strip('"').lower() in ("text", "id") for cell in cells)
        return False

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        lines = Lines(stream)
        table = _Table(lines, name, rules)
        try:
            yield table.open()
            yield from table.rows()
        except ReadError as error:  # of the header, or of the stream behind it
            yield refused(name, error)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one row, and where each appears in its source."""

    source: Text
    places: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.places)

    def values(self) -> list[str]:
        return [_unquote(self.source.text[start:end]) for start, end in self.places]

    def with_values(self, new: dict[int, str], delimiter: str) -> bytes:
        parts, at = [], 0
        for column in sorted(new):
            start, end = self.places[column]
            quoted = self.source.text.startswith('"', start, end)
            parts += [self.source.text[at:start], _quote(new[column], delimiter, always=quoted)]
            at = end
        return self.source.encode("".join([*parts, self.source.text[at:]]))


@dataclass(slots=True)
class _Table:
    """A file on its way through: its lines, its header, and what its good rows looked like."""

    lines: Lines
    name: str
    rules: FormatRules
    columns: list[str] = field(default_factory=list)
    plan: Columns = field(init=False)
    delimiter: str = ","
    number: int = 0
    # After a broken row, a line of a note may look like a row of its own; only rows whose other
    # cells look as before are trusted to be rows again.
    doubtful: bool = False
    shapes: dict[int, set[str]] = field(default_factory=dict)
    _waiting: deque[bytes] = field(default_factory=deque)
    _source: Iterator[bytes] | None = None

    def open(self) -> Record:
        """The header, with what says nothing before it; columns and delimiter are known afterwards.

        Its cells are documents where the policy reads keys.
        """
        before = b""
        while (line := self._next_line()) is not None and _SAYS_NOTHING.fullmatch(line):
            before += line
        if line is None:
            raise ReadError("no header: the file is empty")
        source = decode(line)
        problems: list[ReadError] = []
        best = 0
        for delimiter in _DELIMITERS:
            try:
                columns = self._header(source, delimiter)
            except ReadError as error:
                problems.append(error)
                continue
            # The delimiter under which most columns have names that say something.
            plan = Columns(columns, self.rules)
            known = sum(map(plan.is_named, columns))
            if known > best:
                best, self.columns, self.delimiter, self.plan = known, columns, delimiter, plan
        if not best:
            raise problems[0] if problems else ReadError(_NO_HEADER)
        lead = self.lines.mark + self.lines.restore(before)
        cells = _cut(source, self.delimiter)
        names = cells.values() if self.rules.keys else []

        def render(results: Sequence[Result]) -> bytes:
            new = {
                column: text
                for column, (name, result) in enumerate(zip(names, results, strict=True))
                if (text := new_text(result)) != name
            }
            return lead + self.lines.restore(cells.with_values(new, self.delimiter))

        where = f"{self.name}:{self.number}"
        documents = tuple(Document(where, name, locator=where) for name in names)
        return Record(documents, render, required=True)

    def _header(self, source: Text, delimiter: str) -> list[str]:
        if source.text.count(delimiter) >= _MOST_COLUMNS:
            raise ReadError(f"more than {_MOST_COLUMNS:,} columns")
        columns = [cell.strip() for cell in _cut(source, delimiter).values()]
        require(columns, self.rules)
        self._refuse_doubles(columns)
        if any(len(name) > _LONGEST_NAME or _DATA_CELL.fullmatch(name) for name in columns):
            raise ReadError(_NO_HEADER)
        return _distinct(columns)

    def _refuse_doubles(self, columns: list[str]) -> None:
        for key in (*self.rules.text, *self.rules.labels, self.rules.id, self.rules.patient):
            if columns.count(key) > 1:
                raise ReadError(f"two columns are named {key!r}")

    def rows(self) -> Iterator[Record | Failure]:
        while (line := self._next_line()) is not None:
            number = self.number
            if not line.strip(b"\r\n"):
                yield unchanged(self.lines.restore(line))
                continue
            try:
                yield self._row(line, number)
            except ReadError as error:
                self.doubtful = True
                yield unreadable(self.name, number, error, self.lines.restore(line))

    def _row(self, line: bytes, number: int) -> Record | Failure:
        raw, cells = self._cells(line)
        if len(cells) != len(self.columns):
            raise ReadError(f"{len(cells)} cells where the header has {len(self.columns)}")
        values = cells.values()
        self._trust(values)
        row = Row(self.name, number, dict(zip(self.columns, values, strict=True)))
        try:
            found = row.documents(self.plan)
        except ReadError as error:
            restored = self.lines.restore(raw)
            return unreadable(self.name, number, error, restored, row.id(self.plan))
        dropped = row.dropped(self.plan)

        def render(results: Sequence[Result]) -> bytes:
            new = {
                self.columns.index(key): value
                for key, result in zip(found, results, strict=True)
                if (value := new_value(result)) != values[self.columns.index(key)]
            }
            new |= {self.columns.index(key): "" for key in dropped}
            return self.lines.restore(cells.with_values(new, self.delimiter))

        return Record(tuple(found.values()), render, self.lines.restore(raw))

    def _cells(self, line: bytes) -> tuple[bytes, _Cells]:
        """The row that begins with `line`, over as many lines as its quotes span."""
        taken = [line]
        length = len(line)
        is_open = _is_open_after(line, self.delimiter, within=False)
        while is_open:
            more = self._next_line()
            if more is None or length > _LONGEST_ROW:
                self._give_back(taken[1:] if more is None else [*taken[1:], more])
                raise ReadError("a quote is opened and never closed")
            taken.append(more)
            length += len(more)
            is_open = _is_open_after(more, self.delimiter, within=True)
        raw = b"".join(taken)
        try:
            return raw, _cut(decode(raw), self.delimiter)
        except ReadError:
            self._give_back(taken[1:])
            raise

    def _trust(self, values: list[str]) -> None:
        shapes = {
            column: _shape(value)
            for column, value in enumerate(values)
            if self.columns[column] not in self.rules.text
        }
        if self.doubtful:
            for column, shape in shapes.items():
                if shape not in self.shapes.get(column, ()):
                    raise ReadError("follows a broken row and may be part of it")
        self.doubtful = False
        for column, shape in shapes.items():
            seen = self.shapes.setdefault(column, set())
            if len(seen) < _SHAPES_KEPT:
                seen.add(shape)

    def _next_line(self) -> bytes | None:
        if self._source is None:
            self._source = iter(self.lines)
        line = self._waiting.popleft() if self._waiting else next(self._source, None)
        self.number += line is not None
        return line

    def _give_back(self, lines: list[bytes]) -> None:
        self._waiting.extendleft(reversed(lines))
        self.number -= len(lines)


def _is_open_after(line: bytes, delimiter: str, *, within: bool) -> bool:
    """Whether a quoted cell goes on in the next line; `within` says that one came from before.

    One look at each line, so that a note of many lines costs no more than its length.
    """
    comma = delimiter.encode()
    at = 0
    while True:
        if within or line.startswith(b'"', at):
            inside = _WITHIN_QUOTES.match(line, at if within else at + 1)
            assert inside
            at = inside.end()
            if at == len(line):
                return True
            at += 1
            within = False
            if not line.startswith(comma, at):
                return False  # the row ends here, or is broken
        else:
            at = line.find(comma, at)
            if at < 0:
                return False
        at += 1


def _cut(source: Text, delimiter: str) -> _Cells:
    """The cells of a row. Broken quoting is an error."""
    text = source.text
    cell = _cell_pattern(delimiter)
    places = []
    at = 0
    while found := cell.match(text, at):
        places.append(found.span())
        at = found.end()
        if text.startswith(delimiter, at):
            at += 1
        elif text[at:] in ("", "\n", "\r\n", "\r"):
            return _Cells(source, tuple(places))
        else:
            break
    raise ReadError("broken quoting: a quote is not closed where its cell ends")


def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    return re.compile(rf'"[^"]*+(?:""[^"]*+)*+"|(?!")[^{re.escape(delimiter)}\r\n]*+')


def _unquote(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def _quote(value: str, delimiter: str, *, always: bool) -> str:
    if always or value.startswith('"') or any(mark in value for mark in (delimiter, "\n", "\r")):
        return '"' + value.replace('"', '""') + '"'
    return value


def _shape(value: str) -> str:
    """Runs of letters, digits and spaces as one sign each: "AB-1234" and "Q-7" look alike."""
    value = re.sub(r"[^\W\d_]+", "a", value)
    return re.sub(r"\s+", " ", re.sub(r"\d+", "0", value))


def _distinct(columns: Sequence[str]) -> list[str]:
    """The names of the columns, those that appear there again with a number behind."""
    found: dict[str, None] = {}
    for column in columns:
        names = chain([column], (f"{column} {number}" for number in count(2)))
        found[next(name for name in names if name not in found)] = None
    return list(found)
