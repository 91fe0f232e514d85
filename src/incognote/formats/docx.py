"""DOCX: the paragraphs of a part are read as one text, and their runs keep their formatting.

That holds in the body, headers, footers, footnotes, comments, text boxes and tracked changes,
deleted text included. Authors of comments and changes, alternative texts, content controls,
properties and hyperlink targets are cleaned too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from incognote.core.types import Failure
from incognote.formats.base import Record
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
from incognote.formats.patch import Slot
from incognote.formats.xml_scan import Node
from incognote.policy import FormatRules

_RUNS = ("t", "delText", "instrText", "delInstrText")
# Content controls, document variables and mail merges carry values in attributes of these elements.
_VALUES = frozenset(
    """alias attr connectString default docPart docVar helpText listEntry listItem name query result
    sourceFileName statusText tag""".split()
)
_NAMED = (
    "bookmarkStart", "cNvPr", "docPr", "docVar", "moveFromRangeStart", "moveToRangeStart", "theme",
)  # fmt: skip
# Markup that says what a stretch is, in words somebody chose.
_MARKED = ("customXml", "smartTag")
# Parts that say how things look: of them, only what their author named is read.
_STYLE_PARTS = re.compile(r"(styles|stylesWithEffects|fontTable|numbering)\.xml$")
_STYLE_NAMES = ("name", "aliases", "lvlText")


class DocxFormat:
    name = "docx"
    suffixes = (".docx",)

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PK\x03\x04" and b"word/" in head

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        yield from read_package(stream, name, rules, lambda parts: _reader(parts, name))


def _reader(parts: Sequence[Part], where: str) -> PartSlots:
    raw = {part.name: part.source.text for part in parts if part.source is not None}

    def read(part: str, nodes: Sequence[Node]) -> list[Slot]:
        if not part.startswith("word/") or part.endswith(".rels"):
            return []
        if _STYLE_PARTS.search(part):
            return _style_slots(nodes, where, part)
        slots = runs_slot(grouped(nodes, _RUNS, ("p",)), raw[part], where, part)
        for node in nodes:
            slots += _single(node, where, part)
        return slots

    return read


def _style_slots(nodes: Sequence[Node], where: str, part: str) -> list[Slot]:
    """The names of styles that somebody made, and words in front of numbered lines."""
    own = {node.elements[-1] for node in nodes if node.name.endswith("customStyle")}
    return [
        value_slot(node, where, part)
        for node in nodes
        if node.path[-1] in _STYLE_NAMES
        and (node.path[-1] == "lvlText" or own.intersection(node.elements))
        and re.search(r"[^\W\d_]{2}", node.text)
    ]


def _single(node: Node, where: str, part: str) -> list[Slot]:
    if not re.search(r"[^\W_]", node.text):
        return []
    if node.kind == "attribute":
        name = node.name.rpartition(":")[2]
        if name in AUTHORS:
            return [value_slot(node, where, part, "DOCTOR")]
        if is_date(node):
            return [date_slot(node, where, part)]
        written = (
            name in WRITTEN
            or (name == "name" and node.path[-1] in _NAMED)
            or (name in ("uri", "element") and node.path[-1] in _MARKED)
        )
        if written or (node.path[-1] in _VALUES and name in ("val", "value")):
            return [value_slot(node, where, part)]
        return []
    # Beside runs there are bibliographies and data bindings: XML of any shape, read text by text.
    return [] if node.name in _RUNS else [value_slot(node, where, part)]
