"""DOCX: the paragraphs of a part are read as one text, and their runs keep their formatting.

That holds in the body, headers, footers, footnotes, comments, text boxes and tracked changes. What
was deleted is read as its paragraph was before. Authors of comments and changes, alternative texts,
content controls, properties, hyperlink targets and names of styles are cleaned too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.formats.office import docx_styles
from incognote.formats.office.field_codes import CODE_NAMES, without_codes
from incognote.formats.office.ooxml import (
    Part,
    PartSlots,
    between,
    grouped,
    read_package,
    runs_slot,
)
from incognote.formats.office.ooxml_attributes import attribute_slots, value_slot
from incognote.formats.patch import Piece, Slot, text_slot
from incognote.formats.xml.scan import WRITERS, Node, write_text
from incognote.policy import FormatRules

_RUNS = ("t", "delText", *CODE_NAMES)
_DELETED = ("del", "moveFrom")
# Parts that say how things look: of them, only what their author named is read.
_STYLES = ("styles", "fonts")
_NAMES = ("name", "aliases")


class DocxFormat:
    name = "docx"
    suffixes = (".docx",)

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PK\x03\x04" and b"word/" in head

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        before: dict[str, list[tuple[str, str]]] = {}

        def reader(parts: Sequence[Part]) -> PartSlots:
            if all(part.root != "document" for part in parts):
                raise ReadError("not a DOCX file: it holds no letter")
            for part in parts:
                if found := docx_styles.identifiers(part.nodes):
                    own = [(node.text, called) for node, called in found.values()]
                    before[part.new_name] = own
            return lambda part: _slots(part, name)

        for record in read_package(stream, name, rules, reader):
            yield _followed(record, before) if isinstance(record, Record) else record


def _followed(record: Record, before: dict[str, list[tuple[str, str]]]) -> Record:
    return Record(
        record.documents, lambda results: docx_styles.follow(record.render(results), before)
    )


def _slots(part: Part, where: str) -> list[Slot]:
    if part.root in _STYLES:
        return _style_slots(part.nodes, where, part.name)
    nodes = without_codes(part.nodes, part.raw)
    paragraphs = grouped(nodes, _RUNS, ("p",))
    kept = [[node for node in group if not _is_deleted(node)] for group in paragraphs]
    slots = runs_slot([group for group in kept if group], part.raw, where, part.name)
    for group in paragraphs:
        slots += _deleted_slots(group, part.raw, where, part.name)
    for node in nodes:
        if node.kind == "attribute":
            slots += attribute_slots(node, where, part.name)
        elif node.name not in _RUNS and re.search(r"[^\W_]", node.text):
            # Bibliographies and data bindings: XML of any shape, read text by text.
            slots.append(value_slot(node, where, part.name))
    return slots


def _deleted_slots(group: Sequence[Node], raw: str, where: str, part: str) -> list[Slot]:
    """What was deleted from a paragraph, within the paragraph as it was before."""
    old = [node for node in group if "ins" not in node.path and "moveTo" not in node.path]
    if not any(_is_deleted(node) and node.text.strip() for node in old):
        return []
    gaps = ["", *(between(raw, left, right) for left, right in pairwise(old))]
    pieces: list[Piece] = []
    separators = [""]
    for gap, node in zip(gaps, old, strict=True):
        separators[-1] += gap
        if _is_deleted(node):
            pieces.append(Piece(node.start, node.end, node.text, WRITERS[node.kind]))
            separators.append("")
        else:
            separators[-1] += node.text
    # A piece of nothing, so that what follows the last deletion is read with it.
    pieces.append(Piece(pieces[-1].end, pieces[-1].end, ""))
    lead, *rest = separators
    locator = f"{where} {part}"
    return [text_slot(where, pieces, write_text, separators=rest, lead=lead, locator=locator)]


def _is_deleted(node: Node) -> bool:
    return any(name in _DELETED for name in node.path)


def _style_slots(nodes: Sequence[Node], where: str, part: str) -> list[Slot]:
    """The names of styles that are not Word's own; what else of the part is not markup."""
    own = {
        element
        for element, (_, name) in docx_styles.identifiers(nodes).items()
        if docx_styles.is_own(name)
    }
    return [
        value_slot(node, where, part)
        for node in nodes
        if node.kind in ("comment", "instruction")
        or (node.path[-1] in _NAMES and own.intersection(node.elements))
    ]
