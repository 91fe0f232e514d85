"""Tables in a sheet: a column is called as the cell above it says, or Excel repairs the file.

Cells and names of columns are read in different contexts, so that the same word may come out
differently. What the cell says in the end is what the column is called.
"""

from __future__ import annotations

import io
import posixpath
import re
from collections.abc import Mapping, Sequence

from incognote.formats.archives.zips import members, pack
from incognote.formats.charset import decode
from incognote.formats.office.xlsx_cells import cells_of, shared_strings
from incognote.formats.patch import Change, applied
from incognote.formats.xml.scan import WRITERS, Node, scan

_RANGE = re.compile(r"([A-Z]+)(\d+)(?::[A-Z]+\d+)?")
_TABLE = re.compile(r"xl/tables/[^/]+\.xml")
_STRINGS = "xl/sharedStrings.xml"


def name_columns(data: bytes) -> bytes:
    """The written workbook with the columns of its tables called as their cells say."""
    parts = members(io.BytesIO(data), "")
    if not any(_TABLE.fullmatch(info.filename) for info, _ in parts):
        return data
    texts = {
        info.filename: decode(content)
        for info, content in parts
        if info.filename.endswith((".xml", ".rels"))
    }
    nodes = {name: scan(source.text, name) for name, source in texts.items()}
    strings = shared_strings(texts[_STRINGS].text, nodes[_STRINGS]) if _STRINGS in texts else {}
    new: dict[str, bytes] = {}
    for table, sheet in _sheets_of_tables(nodes).items():
        if table in texts and sheet in nodes:
            changes = _changes(nodes[table], _headers(nodes[table], nodes[sheet], strings))
            if changes:
                new[table] = texts[table].encode(applied(texts[table].text, changes))
    if not new:
        return data
    return pack((info, new.get(info.filename, content)) for info, content in parts)


def _sheets_of_tables(nodes: Mapping[str, Sequence[Node]]) -> dict[str, str]:
    """Table -> the sheet that it lies on, as the relations of sheets say."""
    found = {}
    for name, every in nodes.items():
        folder, _, file = name.rpartition("/_rels/")
        for node in every if file.endswith(".rels") else ():
            target = posixpath.normpath(posixpath.join(folder, node.text)).lstrip("/")
            if node.name == "Target" and _TABLE.fullmatch(target):
                found[target] = f"{folder}/{file.removesuffix('.rels')}"
    return found


def _headers(
    table: Sequence[Node], sheet: Sequence[Node], strings: Mapping[int, str]
) -> list[str | None]:
    """What the cells of a table's first row say, from its first column on."""
    area = next((n.text for n in table if n.name == "ref" and n.path == ("table",)), "")
    corner = _RANGE.fullmatch(area)
    without = any(n.name == "headerRowCount" and n.text == "0" for n in table)
    if corner is None or without:
        return []
    row = {cell.column: cell for cell in cells_of(sheet) if cell.row == int(corner[2])}
    columns = sorted(row, key=lambda name: (len(name), name))
    said: list[str | None] = []
    for column in columns[columns.index(corner[1]) :] if corner[1] in columns else ():
        cell = row[column]
        if cell.inline:
            said.append("".join(node.text for node in cell.inline))
        elif cell.kind == "s" and cell.value is not None and cell.value.text.isdigit():
            said.append(strings.get(int(cell.value.text)))
        else:
            said.append(cell.value.text if cell.value is not None else None)
    return said


def _changes(table: Sequence[Node], headers: Sequence[str | None]) -> list[Change]:
    named = [n for n in table if n.name == "name" and n.path[-1] == "tableColumn"]
    return [
        Change(node.start, node.end, WRITERS["attribute"](header))
        for node, header in zip(named, headers, strict=False)
        if header and header != node.text
    ]
