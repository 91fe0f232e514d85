"""The cells of a workbook: where they appear, what kind they are, and which of them show dates."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from incognote.formats.xml.scan import Node

_BUILT_IN_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_LITERALS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_REFERENCE = re.compile(r"([A-Z]+)(\d+)")


@dataclass(slots=True)
class Cell:
    column: str
    row: int
    kind: str = "n"
    style: int = 0
    value: Node | None = None
    inline: list[Node] = field(default_factory=list)


def place_of(sheet: str, cell: Cell) -> str:
    """`sheet1!B2`: the sheet by its file, since its name may be PHI."""
    return f"{sheet.rpartition('/')[2].removesuffix('.xml')}!{cell.column}{cell.row}"


def by_ordinal(raw: str, tag: str, nodes: Sequence[Node]) -> dict[int, list[Node]]:
    """Nodes by the running number of the element of that name around them.

    Strings and styles are referred to by number, and empty elements count although they hold no
    node: so the numbers are taken from the markup.
    """
    starts = [found.start() for found in re.finditer(rf"<(?:\w+:)?{tag}[\s/>]", raw)]
    groups: dict[int, list[Node]] = {}
    for node in nodes:
        if tag in node.path:
            groups.setdefault(bisect_right(starts, node.start) - 1, []).append(node)
    return groups


def shared_strings(raw: str, nodes: Sequence[Node]) -> dict[int, str]:
    return {
        index: "".join(node.text for node in group if node.kind != "attribute" and node.name == "t")
        for index, group in by_ordinal(raw, "si", nodes).items()
    }


def cells_of(nodes: Sequence[Node]) -> list[Cell]:
    cells: dict[int, Cell] = {}
    for node in nodes:
        if node.kind == "attribute" and node.path[-1] == "c":
            cell = cells.setdefault(node.elements[-1], Cell("", 0))
            if node.name == "r" and (found := _REFERENCE.fullmatch(node.text)):
                cell.column, cell.row = found[1], int(found[2])
            elif node.name == "t":
                cell.kind = node.text
            elif node.name == "s" and node.text.isdigit():
                cell.style = int(node.text)
        elif node.kind == "text" and node.name in ("v", "t") and "c" in node.path:
            cell = cells.setdefault(node.elements[node.path.index("c")], Cell("", 0))
            if node.name == "v":
                cell.value = node
            else:
                cell.inline.append(node)
    return list(cells.values())


def date_styles(raw: str, nodes: Sequence[Node]) -> frozenset[int]:
    """Which cell styles show a number as a date."""
    formats: dict[int, dict[str, str]] = {}
    for node in nodes:
        if node.kind == "attribute" and node.path[-1] == "numFmt":
            formats.setdefault(node.elements[-1], {})[node.name] = node.text
    dates = {str(number) for number in _BUILT_IN_DATES}
    for row in formats.values():
        code = _LITERALS.sub("", row.get("formatCode", "")).lower()
        if re.search(r"[yd]|m.*m|mmm", code):
            dates.add(row.get("numFmtId", ""))
    # Other lists of styles come before the cells': they are recognised by the element around them.
    before = raw[: max(raw.find("<cellXfs"), raw.find(":cellXfs"), 0)]
    offset = len(re.findall(r"<(?:\w+:)?xf[\s/>]", before))
    return frozenset(
        index - offset
        for index, group in by_ordinal(raw, "xf", nodes).items()
        for node in group
        if "cellXfs" in node.path and node.name == "numFmtId" and node.text in dates
    )
