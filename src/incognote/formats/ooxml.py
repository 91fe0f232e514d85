"""Office Open XML (DOCX, XLSX): a zip of XML parts, each patched in place.

What is not XML is judged by where it lies: pictures are blanked, read by OCR or kept, as the policy
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
from incognote.formats.base import Record
from incognote.formats.charset import Text, decode
from incognote.formats.embedded import records_of
from incognote.formats.headers import words_of
from incognote.formats.ooxml_parts import new_part_names, reference_slots
from incognote.formats.patch import Piece, Slot, patched, text_slot
from incognote.formats.xml_scan import WRITERS, Node, scan, write_text
from incognote.formats.zips import members, pack
from incognote.policy import COVER, KEEP, READ, FormatRules

# The smallest picture there is: one transparent point.
BLANK_IMAGE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63"
    "6460f85f0f0002870180eb47ba920000000049454e44ae426082"
)
_PICTURE = re.compile(r"\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|ico)$", re.IGNORECASE)
# Of those, the ones that OCR is given; the rest is blanked.
_READABLE = re.compile(r"\.(png|jpe?g|tiff?)$", re.IGNORECASE)
_EMBEDDED = re.compile(r"/embeddings/[^/]+\.(docx|xlsx)$", re.IGNORECASE)
_PROPERTIES = {
    "creator": "DOCTOR",
    "lastModifiedBy": "DOCTOR",
    "Manager": "DOCTOR",
    "Company": "ORGANIZATION",
    "created": "DATE",
    "modified": "DATE",
    "lastPrinted": "DATE",
}
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_NO_DAY = "1900-01-01"
# Attributes that hold what somebody wrote, on whatever element of whatever part.
WRITTEN = frozenset(
    """alt altText altTextSummary cache caption codeName colHeaderCaption command comment connection
    customMenu dataCaption descr description destinationFile display displayName displayText divId
    ed error errorCaption errorTitle grandTotalCaption help instr location missingCaption prompt
    promptTitle refersTo rowHeaderCaption solutionID sourceFile sourceName sourceObject statusBar
    statusText string text title tooltip totalsRowLabel uniqueName url user""".split()
)
AUTHORS = frozenset("author initials refreshedBy userId userName".split())
_DATES = frozenset("date dateTime dateUtc dT fullDate".split())

_WORDS = re.compile(r"[^\W_]")

PartSlots = Callable[[str, Sequence[Node]], list[Slot]]


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
        parts = [_open(info, data, name, rules) for info, data in members(stream, name)]
        changed = new_part_names(part.name for part in parts)
        for part in parts:
            part.new_name = changed.get(part.name, part.name)
        reader = slots_of(parts)
        for part in parts:
            if part.source is not None:
                part.slots = _common(part, name) + reader(part.name, part.nodes)
                part.slots += reference_slots(part.name, part.nodes, changed)
    except ReadError as error:
        message = str(error) if name in str(error) else f"{name}: {error}"
        yield Failure(name, error.stage, type(error).__name__, message)
        return
    documents = tuple(document for part in parts for document in part.documents)
    yield Record(documents, lambda results: _write(parts, results))


def _open(info: zipfile.ZipInfo, data: bytes, where: str, rules: FormatRules) -> Part:
    name = info.filename
    if name.endswith("/"):
        return Part(info, b"")
    if name.endswith((".xml", ".rels", ".vml")):
        source = decode(data)
        return Part(info, data, source, scan(source.text, f"{where} {name}"))
    if _PICTURE.search(name):
        if rules.images in (COVER, READ) and _READABLE.search(name):
            return Part(info, data, records=records_of(data, f"{where} {name}", rules, name))
        return Part(info, data if rules.images == KEEP else BLANK_IMAGE)
    if _EMBEDDED.search(name):
        return Part(info, data, records=records_of(data, f"{where} {name}", rules, name))
    if "printerSettings" in name:
        return Part(info, b"")
    if name.endswith((".odttf", ".ttf", ".fntdata")):
        return Part(info, data)
    raise ReadError(f"{where}: holds an embedded object or macro, which cannot be read")


def _write(parts: Sequence[Part], results: Sequence[Result]) -> bytes:
    rest = list(results)
    written: list[tuple[zipfile.ZipInfo, bytes]] = []
    for part in parts:
        count = len(part.documents)
        own, rest = rest[:count], rest[count:]
        written.append((part.info, part.written(own)))
    return pack(written, [part.new_name for part in parts])


def _common(part: Part, where: str) -> list[Slot]:
    """Document properties and outside links, alike in every kind of package."""
    if part.name.startswith("docProps/"):
        return [slot for node in part.nodes for slot in _property(node, where)]
    if part.name.endswith(".rels"):
        outside = {node.elements[-1] for node in part.nodes if node.text == "External"}
        return [
            value_slot(node, where, part.name)
            for node in part.nodes
            if node.name == "Target" and node.elements[-1] in outside
        ]
    if part.name.startswith(("customXml/", "_xmlsignatures/", "docMetadata/")):
        # XML of any shape: every text and attribute of it.
        return [
            value_slot(node, where, part.name)
            for node in part.nodes
            if _WORDS.search(node.text) and not node.name.startswith("xmlns")
        ]
    return []


def is_date(node: Node) -> bool:
    """Whether an attribute says when somebody wrote or changed something."""
    name = node.name.rpartition(":")[2]
    return node.kind == "attribute" and name in _DATES and _ISO.match(node.text) is not None


def _property(node: Node, where: str) -> list[Slot]:
    if node.kind == "attribute" and node.name in ("name", "linkTarget"):
        return [value_slot(node, where, "property")]
    if node.kind == "attribute" or not _WORDS.search(node.text):
        return []
    label = _PROPERTIES.get(node.name)
    if label == "DATE":
        return [date_slot(node, where, "property")] if _ISO.match(node.text) else []
    if node.name in ("Template", "Application", "AppVersion", "revision", "TotalTime"):
        return []
    return [value_slot(node, where, "property", label)]


def value_slot(node: Node, where: str, part: str, label: str | None = None) -> Slot:
    """One attribute or text, with its own name as context."""
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text)],
        WRITERS[node.kind],
        lead="" if label else f"{words_of(node.name.rpartition(':')[2])}: ",
        label=label,
        locator=f"{where} {part} {node.path[-1] if node.path else ''}",
    )


def date_slot(node: Node, where: str, part: str) -> Slot:
    """The date of an ISO stamp; the time of day behind it stays.

    Office does not open a file with a stamp that is none, so that a tag becomes the day on which
    its calendar begins.
    """
    after = node.text[10:]
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text[:10])],
        lambda text: (text if _ISO.fullmatch(text) else _NO_DAY) + write_text(after),
        label="DATE",
        locator=f"{where} {part}",
    )


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
        separators += [_between(raw[a.end : b.start]) for a, b in pairwise(group)]
        separators.append("\n")
    if not any(piece.text.strip() for piece in pieces):
        return []
    return [text_slot(where, pieces, write_text, separators=separators, locator=f"{where} {part}")]


def _between(markup: str) -> str:
    """What stands between two runs of text: nothing, unless a tab or break says otherwise."""
    if re.search(r"<\w*:?(?:br|cr|p)[ />]", markup):
        return "\n"
    return "\t" if re.search(r"<\w*:?tab[ />]", markup) else ""
