"""Office Open XML (DOCX, XLSX): a zip of XML parts, each patched in place.

What is not XML is judged by where it lies: pictures are blanked (or kept, if the policy says so),
printer settings emptied, fonts kept. Macros, embedded objects and anything unknown are refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record
from incognote.formats.charset import Text, decode
from incognote.formats.headers import words_of
from incognote.formats.patch import Piece, Slot, patched, text_slot
from incognote.formats.xml_scan import WRITERS, Node, scan, write_text
from incognote.formats.zips import members, pack
from incognote.policy import FormatRules

# The smallest picture there is: one transparent point.
BLANK_IMAGE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63"
    "6460f85f0f0002870180eb47ba920000000049454e44ae426082"
)
_PICTURE = re.compile(r"\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|ico)$", re.IGNORECASE)
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
    """alt altText altTextSummary caption command comment connection descr description display
    displayName displayText error errorTitle fullDate instr location prompt promptTitle sourceFile
    statusText string text title tooltip totalsRowLabel uniqueName url user""".split()
)
AUTHORS = frozenset("author initials userId userName".split())

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

    @property
    def name(self) -> str:
        return self.info.filename


def read_package(
    stream: BinaryIO, name: str, rules: FormatRules, slots_of: Callable[[Sequence[Part]], PartSlots]
) -> Iterator[Record | Failure]:
    """The file as one record. `slots_of` sees all parts and gives the reader of one."""
    try:
        parts = [_open(info, data, name, rules) for info, data in members(stream, name)]
        reader = slots_of(parts)
        for part in parts:
            if part.source is not None:
                part.slots = _common(part, name) + reader(part.name, part.nodes)
    except ReadError as error:
        message = str(error) if name in str(error) else f"{name}: {error}"
        yield Failure(name, error.stage, type(error).__name__, message)
        return
    documents = tuple(d for part in parts for slot in part.slots for d in slot.documents)
    yield Record(documents, lambda results: _write(parts, results))


def _open(info: zipfile.ZipInfo, data: bytes, where: str, rules: FormatRules) -> Part:
    name = info.filename
    if name.endswith("/"):
        return Part(info, b"")
    if name.endswith((".xml", ".rels", ".vml")):
        source = decode(data)
        return Part(info, data, source, scan(source.text, f"{where} {name}"))
    if _PICTURE.search(name):
        return Part(info, data if rules.images == "keep" else BLANK_IMAGE)
    if "printerSettings" in name:
        return Part(info, b"")
    if name.endswith((".odttf", ".ttf", ".fntdata")):
        return Part(info, data)
    raise ReadError(f"{where}: holds an embedded object or macro, which cannot be read")


def _write(parts: Sequence[Part], results: Sequence[Result]) -> bytes:
    rest = list(results)
    written: list[tuple[zipfile.ZipInfo, bytes]] = []
    for part in parts:
        count = sum(len(slot.documents) for slot in part.slots)
        own, rest = rest[:count], rest[count:]
        data = part.data
        if part.source is not None and part.slots:
            data = part.source.encode(patched(part.source.text, part.slots, own))
        written.append((part.info, data))
    return pack(written)


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
