"""Office Open XML (DOCX, XLSX): a zip of XML parts, each patched in place.

What is not XML is handled by its folder: pictures are blanked, read by OCR or kept, as the policy
says; embedded workbooks and letters, as charts have them, are read by their own format; printer
settings are emptied, fonts kept. Macros, other objects and anything unknown are refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.archives.zips import members, pack
from incognote.formats.base import Record, refused
from incognote.formats.charset import Text, decode
from incognote.formats.embedded import belonging, records_of
from incognote.formats.office.field_codes import CODE_NAMES
from incognote.formats.office.ooxml_attributes import (
    ISO_DAY,
    WORD,
    attribute_slots,
    date_slot,
    every_slot,
    value_slot,
)
from incognote.formats.office.ooxml_parts import new_part_names, reference_slots, target
from incognote.formats.patch import Piece, Slot, patched, text_slot
from incognote.formats.pictures.metadata import without_metadata
from incognote.formats.xml.scan import WRITERS, Node, scan, write_text
from incognote.policy import COVER, KEEP, READ, FormatRules

# The smallest picture there is: one transparent point.
BLANK_IMAGE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63"
    "6460f85f0f0002870180eb47ba920000000049454e44ae426082"
)
_PICTURE = re.compile(r"\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|ico)$", re.IGNORECASE)
# Of those, the ones that OCR is given; the rest is blanked.
_READABLE = re.compile(r"\.(png|jpe?g|tiff?)$", re.IGNORECASE)
# Files within the file: data of charts, and what is to be inserted into a letter.
_EMBEDDED = re.compile(r"\.(docx|xlsx|rtf|txt)$", re.IGNORECASE)
_PROPERTIES = {
    "creator": "DOCTOR",
    "lastModifiedBy": "DOCTOR",
    "Manager": "DOCTOR",
    "Company": "ORGANIZATION",
    "created": "DATE",
    "modified": "DATE",
    "lastPrinted": "DATE",
}
# What Office wraps around a package that it encrypts; files of old formats begin the same.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Properties that programs set, and types of those that hold a moment.
_NOBODYS = frozenset("Application AppVersion revision TotalTime DocSecurity".split())
_MOMENTS = ("date", "filetime")
# XML of no known shape.
_ANY_SHAPE = ("customXml/", "_xmlsignatures/", "docMetadata/", "customUI/")

PartSlots = Callable[["Part"], list[Slot]]


@dataclass(slots=True)
class Part:
    """A member of the package and what is known of it."""

    info: zipfile.ZipInfo
    data: bytes = field(repr=False)
    source: Text | None = field(default=None, repr=False)
    nodes: list[Node] = field(default_factory=list, repr=False)
    slots: list[Slot] = field(default_factory=list, repr=False)
    records: list[Record] = field(default_factory=list, repr=False)
    new_name: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        return self.info.filename

    @property
    def raw(self) -> str:
        """The XML as it appears."""
        return self.source.text if self.source is not None else ""

    @property
    def root(self) -> str:
        """What the XML of the part is: `worksheet`, `styles`; nothing where it says nothing."""
        return next((node.path[0] for node in self.nodes if node.path), "")

    @property
    def documents(self) -> list[Document]:
        read = [slot.documents for slot in self.slots]
        read += [record.documents for record in self.records]
        return [document for documents in read for document in documents]

    def written(self, results: Sequence[Result]) -> bytes:
        if self.source is not None and self.slots:
            return self.source.encode(patched(self.source.text, self.slots, results))
        if not self.records:
            return self.data
        rest, data = list(results), b""
        for record in self.records:
            own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
            data += record.render(own)
        return data


def read_package(
    stream: BinaryIO, name: str, rules: FormatRules, slots_of: Callable[[Sequence[Part]], PartSlots]
) -> Iterator[Record | Failure]:
    """The file as one record. `slots_of` sees all parts and gives the reader of one."""
    try:
        _check_open(stream)
        parts = [_open(info, data, name, rules) for info, data in members(stream, name)]
        changed = new_part_names(part.name for part in parts)
        for part in parts:
            part.new_name = changed.get(part.name, part.name)
        reader = slots_of(parts)
        for part in parts:
            if part.source is not None:
                common = _common(part, name, {each.name for each in parts})
                part.slots = reader(part) if common is None else common
                part.slots += reference_slots(part.name, part.nodes, changed)
    except ReadError as error:
        yield refused(name, error)
        return
    documents = tuple(document for part in parts for document in part.documents)
    yield Record(documents, lambda results: _write(parts, results))


def _check_open(stream: BinaryIO) -> None:
    if stream.read(len(OLE)) == OLE:
        raise ReadError("protected by a password, or of an old format that its name hides")
    stream.seek(0)


def _open(info: zipfile.ZipInfo, data: bytes, where: str, rules: FormatRules) -> Part:
    name = info.filename
    if name.endswith("/"):
        return Part(info, b"")
    if name.endswith((".xml", ".rels", ".vml")):
        source = decode(data)
        return Part(info, data, source, scan(source.text, f"{where} {name}"))
    if _PICTURE.search(name):
        if name.startswith("docProps/"):
            return Part(info, BLANK_IMAGE)  # the first page as it was
        if rules.images in (COVER, READ) and _READABLE.search(name):
            return Part(info, data, records=_within(data, where, name, rules))
        return Part(info, without_metadata(data) if rules.images == KEEP else BLANK_IMAGE)
    if _EMBEDDED.search(name):
        return Part(info, data, records=_within(data, where, name, rules))
    if "printerSettings" in name:
        return Part(info, b"")
    if name.endswith((".odttf", ".ttf", ".fntdata")):
        return Part(info, data)
    raise ReadError(f"{where}: holds an embedded object or macro, which cannot be read")


def _within(data: bytes, where: str, name: str, rules: FormatRules) -> list[Record]:
    """The records of a file in the package: they are parts of the same document."""
    return belonging(records_of(data, f"{where} {name}", rules, name), where, {})


def _write(parts: Sequence[Part], results: Sequence[Result]) -> bytes:
    rest = list(results)
    written: list[tuple[zipfile.ZipInfo, bytes]] = []
    for part in parts:
        count = len(part.documents)
        own, rest = rest[:count], rest[count:]
        # The time at which a program packed a part is left out, and Office sets none.
        fresh = zipfile.ZipInfo(part.name)
        fresh.compress_type, fresh.external_attr = part.info.compress_type, part.info.external_attr
        written.append((fresh, part.written(own)))
    return pack(written, [part.new_name for part in parts])


def _common(part: Part, where: str, members_: set[str]) -> list[Slot] | None:
    """Properties, relations and XML of any shape, alike in every kind of package; None for what
    the kind of package decides."""
    if part.name.startswith("docProps/"):
        return _property_slots(part.nodes, where)
    if part.name.endswith(".rels") or part.name == "[Content_Types].xml":
        return [
            value_slot(node, where, part.name)
            for node in part.nodes
            if node.kind in ("comment", "instruction")
            or (node.name == "Target" and target(part.name, node.text) not in members_)
        ]
    if part.name.startswith(_ANY_SHAPE):
        return every_slot(part.nodes, where, part.name)
    return None


def _property_slots(nodes: Sequence[Node], where: str) -> list[Slot]:
    """Document properties; one that somebody added is known by the name that it was given."""
    names = {node.elements[-1]: node.text for node in nodes if node.name == "name"}
    slots = []
    for node in nodes:
        label = _PROPERTIES.get(node.name)
        if not WORD.search(node.text) or node.name in _NOBODYS:
            continue
        if node.kind == "attribute":
            slots += attribute_slots(node, where, "property")
        elif ISO_DAY.match(node.text) and (label == "DATE" or node.name in _MOMENTS):
            slots.append(date_slot(node, where, "property"))
        else:
            own = next((names[each] for each in reversed(node.elements) if each in names), "")
            slots.append(value_slot(node, where, "property", label, own))
    return slots


def grouped(nodes: Sequence[Node], names: Sequence[str], block: Sequence[str]) -> list[list[Node]]:
    """Texts in elements called one of `names`, by the nearest element of `block` around them."""
    groups: dict[int, list[Node]] = {}
    for node in nodes:
        if node.kind in ("text", "cdata") and node.name in names:
            at = next(
                (i for i in range(len(node.path) - 1, -1, -1) if node.path[i] in block),
                len(node.path) - 1,
            )
            groups.setdefault(node.elements[at], []).append(node)
    return list(groups.values())


def runs_slot(groups: Sequence[Sequence[Node]], raw: str, where: str, part: str) -> list[Slot]:
    """Runs of text as one document, a line for each group; nothing where there is no word."""
    pieces: list[Piece] = []
    separators: list[str] = []
    for group in groups:
        pieces += [Piece(node.start, node.end, node.text, WRITERS[node.kind]) for node in group]
        separators += [between(raw, a, b) for a, b in pairwise(group)]
        separators.append("\n")
    if not any(piece.text.strip() for piece in pieces):
        return []
    return [text_slot(where, pieces, write_text, separators=separators, locator=f"{where} {part}")]


def between(raw: str, left: Node, right: Node) -> str:
    """What is between two runs of text: nothing, unless a tab, break or hyphen says otherwise,
    or one of them shows what the other, the code of a field, asks for."""
    markup = raw[left.end : right.start]
    if re.search(r"<\w*:?(?:br|cr|p)[ />]", markup):
        return "\n"
    if re.search(r"<\w*:?p?tab[ />]", markup):
        return "\t"
    if "noBreakHyphen" in markup:
        return "-"
    if left.name in CODE_NAMES and right.name in CODE_NAMES:
        return "" if "<" in markup else " "  # two runs of one word, or two words of a run
    return " " if (left.name in CODE_NAMES) != (right.name in CODE_NAMES) else ""
