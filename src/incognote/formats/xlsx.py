"""XLSX: cells, with their column's header as context, and every other text of the workbook.

Text cells share one table of strings; dates and numbers stand in the cells. Formulas, styles and
types stay. Comments, sheet names, headers and footers, defined names, charts, pivot caches, hidden
sheets and properties are read like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import BinaryIO

from incognote.core.types import Failure
from incognote.formats import xlsx_names
from incognote.formats.base import Record
from incognote.formats.headers import judged, promise
from incognote.formats.ooxml import (
    AUTHORS,
    WRITTEN,
    Part,
    PartSlots,
    date_slot,
    grouped,
    is_date,
    read_package,
    runs_slot,
    value_slot,
)
from incognote.formats.patch import Piece, Slot, dropped_slot, text_slot
from incognote.formats.xlsx_cells import (
    Cell,
    by_ordinal,
    cells_of,
    date_styles,
    place_of,
    shared_strings,
)
from incognote.formats.xml_scan import Node, write_text
from incognote.policy import DROP, KEEP, TEXT, FormatRules

# Shorter numbers under no header identify nobody.
_SHORTEST_NUMBER = 5
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# Beside the attributes that hold text anywhere: names, and the values filters and caches keep.
_NAMED = frozenset(
    """cacheField cellStyle cNvPr connection customPr customWorkbookView dataField definedName
    pivotField pivotTableDefinition protectedRange queryTable queryTableField scenario sheet slicer
    slicerCacheDefinition table tableColumn tableStyle userInfo worksheetSource""".split()
)
_VALUED = frozenset("cellSmartTagPr customFilter filter inputCells sheetName".split())
_LITERAL = re.compile(r'"(?:[^"]|"")*"')


class XlsxFormat:
    name = "xlsx"
    suffixes = (".xlsx",)

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PK\x03\x04" and b"xl/" in head

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        before: dict[str, list[str]] = {}

        def reader(parts: Sequence[Part]) -> PartSlots:
            for part in parts:
                if found := xlsx_names.names(part.nodes):
                    before[part.new_name] = [node.text for node, _ in found]
            return _Workbook(parts, name, rules).slots

        for record in read_package(stream, name, rules, reader):
            yield _followed(record, before) if isinstance(record, Record) else record


@dataclass(slots=True)
class _Workbook:
    """What must be known of the whole workbook before one part can be read."""

    parts: Sequence[Part]
    where: str
    rules: FormatRules
    _raw: Mapping[str, str] = field(init=False)
    _strings: Mapping[int, str] = field(init=False)
    _cells: Mapping[str, list[Cell]] = field(init=False)
    _headers: dict[str, dict[str, str]] = field(init=False)
    _dates: frozenset[int] = field(init=False)
    _epoch: date = field(init=False)

    def __post_init__(self) -> None:
        self._raw = {part.name: part.source.text for part in self.parts if part.source}
        nodes = {part.name: part.nodes for part in self.parts}
        self._strings = shared_strings(*self._part("xl/sharedStrings.xml"))
        self._cells = {
            name: cells_of(own)
            for name, own in nodes.items()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        }
        self._headers = {name: self._header(cells) for name, cells in self._cells.items()}
        self._dates = date_styles(*self._part("xl/styles.xml"))
        old = any(
            node.name == "date1904" and node.text in ("1", "true")
            for node in nodes.get("xl/workbook.xml", [])
        )
        self._epoch = date(1904, 1, 1) if old else date(1899, 12, 30)

    def _part(self, name: str) -> tuple[str, Sequence[Node]]:
        nodes = next((part.nodes for part in self.parts if part.name == name), [])
        return self._raw.get(name, ""), nodes

    def _header(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Column -> the text of its first row, which names what stands below it."""
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

    def slots(self, part: str, nodes: Sequence[Node]) -> list[Slot]:
        if not part.startswith("xl/") or part.endswith((".rels", "calcChain.xml")):
            return []
        if part.endswith("styles.xml"):
            return self._style_slots(part, nodes)
        if part == "xl/sharedStrings.xml":
            return self._string_slots(nodes)
        slots = self._cell_slots(part)
        numbers = {id(cell.value) for cell in self._cells.get(part, ())}
        outside = [node for node in nodes if "is" not in node.path]
        for group in grouped(outside, ("t",), ("p", "text")):
            slots += runs_slot([group], self._raw[part], self.where, part)
        for node in nodes:
            if node.kind == "attribute":
                slots += self._attribute_slots(part, node)
            elif node.name == "author":
                slots.append(value_slot(node, self.where, part, "DOCTOR"))
            elif node.name in xlsx_names.FORMULAS and node.kind == "text":
                slots += self._formula_slots(part, node)
            elif id(node) not in numbers and node.name != "t" and _is_words(node.text):
                slots.append(value_slot(node, self.where, part))
        return slots

    def _attribute_slots(self, part: str, node: Node) -> list[Slot]:
        name, owner = node.name.rpartition(":")[2], node.path[-1]
        if name in AUTHORS and _is_words(node.text):
            return [value_slot(node, self.where, part, "DOCTOR")]
        if is_date(node) or (owner == "d" and name == "v" and re.match(r"\d{4}-", node.text)):
            return [date_slot(node, self.where, part)]
        if (owner in ("n", "s") and name == "v") or (owner == "item" and name == "n"):
            return [value_slot(node, self.where, part)]
        written = (
            name in WRITTEN
            or (name in ("name", "Name") and owner in (*_NAMED, "Map", "theme"))
            or (name == "val" and owner in _VALUED)
        )
        built_in = node.text.startswith("_xlnm") or name in xlsx_names.REFERRING
        if not written or built_in or not _is_words(node.text):
            return []
        return [value_slot(node, self.where, part)]

    def _style_slots(self, part: str, nodes: Sequence[Node]) -> list[Slot]:
        """Names that somebody gave to styles, and words in the formats of numbers."""
        built_in = {node.elements[-1] for node in nodes if node.name == "builtinId"}
        slots = []
        for node in nodes:
            owner = node.path[-1]
            named = owner in ("cellStyle", "tableStyle") and node.name == "name"
            words = owner == "numFmt" and re.search(r'"[^"]*[^\W\d_]{2}', node.text)
            if (named and node.elements[-1] not in built_in) or words:
                slots.append(value_slot(node, self.where, part))
        return slots

    def _formula_slots(self, part: str, node: Node) -> list[Slot]:
        """The texts within a formula; its names are followed by `xlsx_names` afterwards."""
        raw = self._raw[part]
        if raw[node.start : node.end] != node.text or re.search(r"\[[^\]\d]", node.text):
            return [value_slot(node, self.where, part)]
        pieces = [
            Piece(
                node.start + found.start() + 1,
                node.start + found.end() - 1,
                found[0][1:-1].replace('""', '"'),
            )
            for found in _LITERAL.finditer(node.text)
            if _is_words(found[0])
        ]
        if not pieces:
            return []
        place = f"{self.where} {part} formula"
        blanks = [" "] * len(pieces)
        return [text_slot(self.where, pieces, _write_literal, separators=blanks, locator=place)]

    def _string_slots(self, nodes: Sequence[Node]) -> list[Slot]:
        leads: dict[int, str] = {}
        places: dict[int, str] = {}
        for sheet, cells in self._cells.items():
            for cell in cells:
                if cell.kind == "s" and cell.value is not None and cell.value.text.isdigit():
                    header = self._headers[sheet].get(cell.column, "")
                    index = int(cell.value.text)
                    places.setdefault(index, place_of(sheet, cell))
                    if header and header != self._text(cell):
                        leads.setdefault(index, header)
        slots = []
        raw = self._raw["xl/sharedStrings.xml"]
        for index, group in by_ordinal(raw, "si", nodes).items():
            texts = [n for n in group if n.kind != "attribute" and n.name == "t" and n.text]
            if texts:
                slots += self._words_slots(texts, leads.get(index, ""), places.get(index, "text"))
        return slots

    def _choice(self, header: str, value: str) -> str | None:
        """What the policy says of a column, or its own name; None where its cells are read."""
        chosen = self.rules.choice(header)
        if chosen is not None or not header:
            return chosen
        if self.rules.unnamed != TEXT:
            return self.rules.unnamed
        kind, _, end = judged(promise(header), value)
        return kind if kind != TEXT and end == len(value.rstrip()) else None

    def _words_slots(self, texts: Sequence[Node], header: str, place: str) -> list[Slot]:
        choice = self._choice(header, "".join(node.text for node in texts))
        if choice == KEEP and self.rules.choice(header) is None and self.rules.unnamed == TEXT:
            choice = TEXT  # the same string may stand in another column, where it says more
        if choice == KEEP:
            return []
        if choice == DROP:
            return [dropped_slot(node.start, node.end, "") for node in texts]
        label = None if choice == TEXT else choice
        return [
            text_slot(
                self.where,
                [Piece(node.start, node.end, node.text) for node in texts],
                write_text,
                separators=[""] * len(texts),
                lead=f"{header}: " if header and not label else "",
                label=label,
                locator=f"{self.where} {place}",
            )
        ]

    def _cell_slots(self, sheet: str) -> list[Slot]:
        """Inline texts, dates and numbers: what stands in the cells themselves."""
        slots = []
        for cell in self._cells.get(sheet, ()):
            node = cell.value
            header = self._headers[sheet].get(cell.column, "")
            if any(each.text for each in cell.inline):
                own = "" if header == self._text(cell) else header
                slots += self._words_slots(cell.inline, own, place_of(sheet, cell))
            if node is None or cell.kind not in ("n", "str", "d") or not node.text:
                continue
            choice = self._choice(header, node.text)
            label = None if choice == TEXT else choice
            if choice == KEEP:
                continue
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
                        locator=f"{self.where} {place_of(sheet, cell)}",
                    )
                )
        return slots

    def _day(self, serial: str) -> date | None:
        """The day a serial number stands for. Below 60 Excel counts a day that never was."""
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
    return Record(
        record.documents, lambda results: xlsx_names.follow(record.render(results), before)
    )


def _write_literal(text: str) -> str:
    return write_text(text.replace('"', '""'))


def _is_words(text: str) -> bool:
    return re.search(r"[^\W\d_]{2}", text) is not None
