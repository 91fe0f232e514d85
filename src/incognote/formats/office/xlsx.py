"""XLSX: cells, with their column's header as context, and every other text of the workbook.

Text cells share one table of strings; dates and numbers appear in the cells. Formulas, styles and
types stay. Comments, sheet names, headers and footers, defined names, charts, pivot caches, hidden
sheets and properties are read like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import BinaryIO
from xml.sax.saxutils import unescape

from incognote.core.errors import ReadError
from incognote.core.fields import CODES, VALUES, label_from_header
from incognote.core.types import Failure, Result
from incognote.formats.base import Record
from incognote.formats.clinical import READ, VALUE
from incognote.formats.headers import (
    classify_value,
    is_column_name,
    is_test_name,
    labels_from_headers,
)
from incognote.formats.office import xlsx_names
from incognote.formats.office.ooxml import Part, PartSlots, grouped, read_package, runs_slot
from incognote.formats.office.ooxml_attributes import attribute_slots, date_slot, value_slot
from incognote.formats.office.xlsx_cells import (
    Cell,
    by_ordinal,
    cells_of,
    date_styles,
    place_of,
    shared_strings,
)
from incognote.formats.office.xlsx_formulas import formula_slots
from incognote.formats.office.xlsx_tables import name_columns
from incognote.formats.patch import Piece, Slot, dropped_slot, text_slot
from incognote.formats.xml.scan import Node, write_text
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_ADDRESS = re.compile(r"[A-Z]{1,2}\d{1,2}")
# Shorter numbers without a header are no identifiers.
_SHORTEST_NUMBER = 5
_FRACTION = re.compile(r"-?\d+\.\d+(?:[eE][+-]?\d+)?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# Elements of a pivot cache that hold one value each.
_CACHED = ("n", "s", "d")
_SHEETS = ("worksheet", "dialogsheet", "macrosheet", "chartsheet")
# Headers and footers, and the codes in them that say where words appear and how they look.
_MARGINS = frozenset("oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter".split())
_CODES = re.compile(r'(?:&amp;(?:"[^"]*"|&quot;.*?&quot;|K[0-9A-F]{6}|\d+|\w|&amp;))+')
_PARTS_OF_A_DAY = ("year", "month", "day")


class XlsxFormat:
    name = "xlsx"
    suffixes = (".xlsx",)

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PK\x03\x04" and b"xl/" in head

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        before: dict[str, list[str]] = {}

        def reader(parts: Sequence[Part]) -> PartSlots:
            if all(part.root != "workbook" for part in parts):
                raise ReadError("not an XLSX file: it holds no workbook")
            for part in parts:
                if found := xlsx_names.names(part.nodes):
                    before[part.new_name] = [node.text for node, _ in found]
            known = frozenset(each for names in before.values() for each in names)
            return _Workbook(parts, name, rules, known).slots

        for record in read_package(stream, name, rules, reader):
            yield _followed(record, before) if isinstance(record, Record) else record


@dataclass(slots=True)
class _Workbook:
    """What must be known of the whole workbook before one part can be read."""

    parts: Sequence[Part]
    where: str
    rules: FormatRules
    known: frozenset[str]
    _strings: Mapping[int, str] = field(init=False)
    _cells: Mapping[str, list[Cell]] = field(init=False)
    _headers: dict[str, dict[str, str]] = field(init=False)
    _kinds: dict[str, str | None] = field(init=False)
    _tables: set[str] = field(init=False)
    _dates: frozenset[int] = field(init=False)
    _epoch: date = field(init=False)

    def __post_init__(self) -> None:
        self._strings = shared_strings(*self._part("sst"))
        self._cells = {
            part.name: cells_of(part.nodes) for part in self.parts if part.root in _SHEETS
        }
        self._headers = {name: self._header(cells) for name, cells in self._cells.items()}
        every = dict.fromkeys(name for row in self._headers.values() for name in row.values())
        self._kinds = labels_from_headers(every)
        # Sheets whose first row names columns: one of the names at least is known.
        self._tables = {
            name for name, row in self._headers.items() if any(map(self._kinds.get, row.values()))
        }
        self._dates = date_styles(*self._part("styleSheet"))
        old = any(
            node.name == "date1904" and node.text in ("1", "true")
            for node in self._part("workbook")[1]
        )
        self._epoch = date(1904, 1, 1) if old else date(1899, 12, 30)

    def _part(self, root: str) -> tuple[str, Sequence[Node]]:
        """The part that is such a thing, wherever it lies: its XML and the nodes of it."""
        found = next((part for part in self.parts if part.root == root), None)
        return (found.raw, found.nodes) if found else ("", [])

    def _header(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Column -> the text of its first row, which names what appears below it."""
        first = min((cell.row for cell in cells if cell.kind in ("s", "inlineStr")), default=0)
        return {
            cell.column: self._text(cell)
            for cell in cells
            if cell.row == first and cell.kind in ("s", "inlineStr")
        }

    def _text(self, cell: Cell) -> str:
        if cell.inline:
            return "".join(node.text for node in cell.inline)
        if cell.value is None or not cell.value.text.isdigit():
            return ""
        return self._strings.get(int(cell.value.text), "")

    def slots(self, part: Part) -> list[Slot]:
        if part.root == "calcChain":
            return []
        if part.root == "styleSheet":
            return self._style_slots(part.name, part.nodes)
        if part.root == "sst":
            return self._string_slots(part)
        slots = self._cell_slots(part.name)
        numbers = {id(cell.value) for cell in self._cells.get(part.name, ())}
        inline = {id(node) for cell in self._cells.get(part.name, ()) for node in cell.inline}
        outside = [node for node in part.nodes if id(node) not in inline]
        for group in grouped(outside, ("t",), ("p", "text")):
            slots += runs_slot([group], part.raw, self.where, part.name)
        for node in part.nodes:
            if node.kind == "attribute":
                slots += self._attribute_slots(part, node)
            elif node.name == "author":
                slots.append(value_slot(node, self.where, part.name, "DOCTOR"))
            elif node.name in _MARGINS:
                slots += _margin_slots(node, part.raw, self.where, part.name)
            elif node.name in xlsx_names.FORMULAS and node.kind == "text":
                slots += formula_slots(node, part.raw, self.where, part.name, self.known)
            elif id(node) not in numbers and node.name != "t" and _is_words(node.text):
                slots.append(value_slot(node, self.where, part.name))
        return slots + self._filter_slots(part)

    def _attribute_slots(self, part: Part, node: Node) -> list[Slot]:
        name, owner = node.name.rpartition(":")[2], node.path[-1]
        if name in xlsx_names.REFERRING:
            return formula_slots(node, part.raw, self.where, part.name, self.known)
        if owner in _CACHED and name == "v":
            is_day = owner == "d" and re.match(r"\d{4}-", node.text)
            make = date_slot if is_day else value_slot
            return [make(node, self.where, part.name)]
        if owner == "item" and name == "n":
            return [value_slot(node, self.where, part.name)]
        return attribute_slots(node, self.where, part.name)

    def _filter_slots(self, part: Part) -> list[Slot]:
        """The days that a filter shows, which appear in three attributes."""
        days: dict[int, dict[str, Node]] = {}
        for node in part.nodes:
            if node.kind == "attribute" and node.path[-1] == "dateGroupItem":
                days.setdefault(node.elements[-1], {})[node.name] = node
        return [
            text_slot(
                self.where,
                [
                    Piece(parts[each].start, parts[each].end, parts[each].text)
                    for each in _PARTS_OF_A_DAY
                ],
                lambda text: text if text.isdecimal() else "1",
                separators=["-", "-"],
                label="DATE",
                locator=f"{self.where} {part.name}",
            )
            for parts in days.values()
            if all(each in parts for each in _PARTS_OF_A_DAY)
        ]

    def _style_slots(self, part: str, nodes: Sequence[Node]) -> list[Slot]:
        """Names that somebody gave to styles, and words in the formats of numbers."""
        built_in = {node.elements[-1] for node in nodes if node.name == "builtinId"}
        slots = []
        for node in nodes:
            owner = node.path[-1]
            named = owner in ("cellStyle", "tableStyle") and node.name == "name"
            words = owner == "numFmt" and re.search(r'"[^"]*[^\W\d_]{2}', node.text)
            aside = node.kind in ("comment", "instruction")
            if (named and node.elements[-1] not in built_in) or words or aside:
                slots.append(value_slot(node, self.where, part))
        return slots

    def _string_slots(self, part: Part) -> list[Slot]:
        leads: dict[int, str] = {}
        places: dict[int, str] = {}
        named: set[int] = set()
        for sheet, cells in self._cells.items():
            for cell in cells:
                if cell.kind == "s" and cell.value is not None and cell.value.text.isdigit():
                    header = self._headers[sheet].get(cell.column, "")
                    index = int(cell.value.text)
                    places.setdefault(index, place_of(sheet, cell))
                    if header and header != self._text(cell):
                        leads.setdefault(index, header)
                    elif header and sheet in self._tables:
                        named.add(index)
        slots = []
        for index, group in by_ordinal(part.raw, "si", part.nodes).items():
            texts = [n for n in group if n.kind != "attribute" and n.name == "t" and n.text]
            if texts:
                is_header = index in named and index not in leads
                place = places.get(index, "text")
                slots += self._words_slots(texts, leads.get(index, ""), place, is_header=is_header)
        return slots

    def _choice(self, header: str, value: str) -> str | None:
        """What the policy says of a column, or its own name; None where its cells are read."""
        chosen = self.rules.choice(header)
        if chosen is not None or not header:
            return chosen
        if self.rules.unnamed != TEXT:
            return self.rules.unnamed
        kind, _, end = classify_value(self._kinds.get(header), value)
        return kind if kind != TEXT and end == len(value.rstrip()) else None

    def _words_slots(
        self, texts: Sequence[Node], header: str, place: str, *, is_header: bool = False
    ) -> list[Slot]:
        written = "".join(node.text for node in texts)
        choice = self._choice(header, written)
        if is_header and (
            label_from_header(written) or is_column_name(written) or is_test_name(written)
        ):
            choice = VALUE  # what a column is called, in a row of such names
        if choice in (None, TEXT) and _ADDRESS.fullmatch(written):
            choice = VALUE  # a cell, a vertebra, a vitamin, a stage: "B1", "L4", "T2"
        if choice == KEEP and self.rules.choice(header) is None and self.rules.unnamed == TEXT:
            # The same string may appear in another column, where it says more.
            choice = VALUE if self._kinds.get(header) in (CODES, VALUES) else TEXT
        if choice == KEEP:
            return []
        if choice == DROP:
            return [dropped_slot(node.start, node.end, "") for node in texts]
        label = None if choice in READ else choice
        return [
            text_slot(
                self.where,
                [Piece(node.start, node.end, node.text) for node in texts],
                write_text,
                separators=[""] * len(texts),
                lead=f"{header}: " if header and not label else "",
                label=label,
                clinical=choice == VALUE,
                locator=f"{self.where} {place}",
            )
        ]

    def _cell_slots(self, sheet: str) -> list[Slot]:
        """Inline texts, dates and numbers: what appears in the cells themselves."""
        slots = []
        for cell in self._cells.get(sheet, ()):
            node = cell.value
            header = self._headers[sheet].get(cell.column, "")
            if any(each.text for each in cell.inline):
                own = "" if header == self._text(cell) else header
                is_header = bool(header) and not own and sheet in self._tables
                place = place_of(sheet, cell)
                slots += self._words_slots(cell.inline, own, place, is_header=is_header)
            if node is None or cell.kind not in ("n", "str", "d") or not node.text:
                continue
            choice = self._choice(header, node.text)
            label = None if choice in READ else choice
            is_day = cell.style in self._dates
            if choice == KEEP or (label is None and not is_day and _FRACTION.fullmatch(node.text)):
                continue  # a number with a fraction counts or measures something
            if choice == DROP:
                slots.append(dropped_slot(node.start, node.end, ""))
            elif cell.kind == "str":
                slots.append(value_slot(node, self.where, sheet, label))
            elif cell.kind == "d":
                slots.append(date_slot(node, self.where, sheet))
            elif cell.style in self._dates and (day := self._day(node.text)):
                slots.append(self._date_slot(node, day, place_of(sheet, cell)))
            elif header or len(node.text) >= _SHORTEST_NUMBER:
                slots.append(
                    text_slot(
                        self.where,
                        [Piece(node.start, node.end, node.text)],
                        lambda text: text if _NUMBER.fullmatch(text) else "",
                        lead="" if label or not header else f"{header}: ",
                        label=label,
                        clinical=choice == VALUE,
                        locator=f"{self.where} {place_of(sheet, cell)}",
                    )
                )
        return slots

    def _day(self, serial: str) -> date | None:
        """The day of a serial number. Below 60 Excel counts a day that never was."""
        if not _NUMBER.fullmatch(serial) or not 60 <= float(serial) < 200_000:
            return None
        return self._epoch + timedelta(days=int(float(serial)))

    def _date_slot(self, node: Node, day: date, place: str) -> Slot:
        time_of_day = node.text.partition(".")[2]

        def write(text: str) -> str:
            try:
                serial = (date.fromisoformat(text) - self._epoch).days
            except ValueError:
                # A tag or a bare year does not fit into a cell of dates.
                return ""
            return f"{serial}.{time_of_day}" if time_of_day else str(serial)

        return text_slot(
            self.where,
            [Piece(node.start, node.end, day.isoformat())],
            write,
            label="DATE",
            locator=f"{self.where} {place}",
        )


def _followed(record: Record, before: dict[str, list[str]]) -> Record:
    def render(results: Sequence[Result]) -> bytes:
        return name_columns(xlsx_names.follow(record.render(results), before))

    return Record(record.documents, render)


def _margin_slots(node: Node, raw: str, where: str, part: str) -> list[Slot]:
    """A header or footer without its codes, of which "&C" before a name would seem part of it."""
    stands = raw[node.start : node.end]
    bounds = [node.start]
    for code in _CODES.finditer(stands):
        bounds += [node.start + code.start(), node.start + code.end()]
    bounds.append(node.end)
    pieces = [
        Piece(start, end, unescape(raw[start:end]))
        for start, end in zip(bounds[::2], bounds[1::2], strict=True)
        if start < end
    ]
    if not any(_is_words(piece.text) for piece in pieces):
        return []
    lines = ["\n"] * len(pieces)
    place = f"{where} {part} {node.name}"
    return [text_slot(where, pieces, write_text, separators=lines, locator=place)]


def _is_words(text: str) -> bool:
    return re.search(r"[^\W\d_]{2}", text) is not None
