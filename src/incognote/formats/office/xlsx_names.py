"""Names within a workbook: where a sheet, a table or a defined name changed, formulas follow.

Names come out of the pipeline like any other text. Excel wants them different from each other and
free of some characters, and whatever refers to one by name has to follow: formulas, links, charts,
and the list of sheets among the properties.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from incognote.formats.archives.zips import members, pack
from incognote.formats.charset import decode
from incognote.formats.patch import Change, applied
from incognote.formats.xml.scan import WRITERS, Node, scan

_LONGEST_SHEET_NAME = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\']")
# Elements and attributes that refer to names.
FORMULAS = frozenset("f formula formula1 formula2 definedName calculatedColumnFormula".split())
_FOLLOWED = FORMULAS | {"lpstr"}
REFERRING = frozenset(
    "fmlaGroup fmlaLink fmlaRange fmlaTxbx formula location macro sheet textlink".split()
)


class _Named(NamedTuple):
    """A name as it was and as it shall be, with the pattern of what refers to it."""

    old: str
    new: str
    is_sheet: bool

    def followed(self, text: str) -> str:
        if self.is_sheet:
            quoted = "'" + self.old.replace("'", "''") + "'"
            text = text.replace(quoted, f"'{self.new}'")
        word = re.compile(rf"(?<![\w']){re.escape(self.old)}(?![\w'])")
        plain = re.fullmatch(r"[^\W\d]\w*", self.new) is not None
        return word.sub(self.new if plain or not self.is_sheet else f"'{self.new}'", text)


def names(nodes: Sequence[Node]) -> list[tuple[Node, bool]]:
    """The nodes of a part that give something its name, and whether that is a sheet."""
    return [
        (node, node.path[-1] == "sheet")
        for node in nodes
        if node.kind == "attribute"
        and (
            (node.name == "name" and node.path[-1] in ("sheet", "definedName"))
            or (node.name in ("name", "displayName") and node.path[-1] == "table")
        )
        and not node.text.startswith("_xlnm")
    ]


def follow(data: bytes, before: dict[str, list[str]]) -> bytes:
    """The written workbook with its names made valid; `before` has the old ones of each part."""
    parts = members(io.BytesIO(data), "")
    scanned = {
        info.filename: scan(decode(content).text, info.filename)
        for info, content in parts
        if info.filename.endswith((".xml", ".rels"))
    }
    named: list[_Named] = []
    own: dict[str, list[str]] = {}
    for part, olds in before.items():
        taken: set[str] = set()
        for old, (node, is_sheet) in zip(olds, names(scanned[part]), strict=True):
            new = _valid(node.text, is_sheet, taken) if node.text != old else old
            own.setdefault(part, []).append(new)
            if new != old:
                named.append(_Named(old, new, is_sheet))
    if not named:
        return data
    return pack(
        (
            info,
            _rewritten(content, scanned[info.filename], own.get(info.filename, []), named)
            if info.filename in scanned
            else content,
        )
        for info, content in parts
    )


def _valid(text: str, is_sheet: bool, taken: set[str]) -> str:
    """A name Excel takes, different from those before it."""
    if is_sheet:
        clean = _FORBIDDEN.sub("", text).strip()[: _LONGEST_SHEET_NAME - 3] or "Sheet"
    else:
        clean = re.sub(r"\W+", "_", text).strip("_")
        clean = clean if clean[:1].isalpha() else f"n_{clean}"
    new, number = clean, 1
    while new.lower() in taken:
        number += 1
        new = f"{clean}_{number}"
    taken.add(new.lower())
    return new


def _rewritten(
    content: bytes, nodes: Sequence[Node], own: Sequence[str], named: Sequence[_Named]
) -> bytes:
    source = decode(content)
    changes = [
        Change(node.start, node.end, WRITERS["attribute"](new))
        for (node, _), new in zip(names(nodes), own, strict=False)
        if node.text != new
    ]
    changes += _references(nodes, lambda text: _followed(text, named))
    return source.encode(applied(source.text, changes)) if changes else content


def _followed(text: str, named: Sequence[_Named]) -> str:
    for each in named:
        text = each.followed(text)
    return text


def _references(nodes: Sequence[Node], follow_all: Callable[[str], str]) -> Iterator[Change]:
    for node in nodes:
        referring = REFERRING if node.kind == "attribute" else _FOLLOWED
        refers = node.name in referring
        if refers and (new := follow_all(node.text)) != node.text:
            yield Change(node.start, node.end, WRITERS[node.kind](new))
