"""JSON of any depth: every string and number is read, with its key as context.

A leaf is shown to the detectors as "key words: value", so that a number under "mrn" or a date
under "birth_date" is known for what it is. Only changed literals are rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.formats.charset import decode
from incognote.formats.embedded import base64_slot, is_base64_file
from incognote.formats.json_scan import Leaf, Path, leaves, parse
from incognote.formats.patch import Change, Piece, Slot, dropped_slot, patched, text_slot
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class JsonFormat:
    name = "json"
    suffixes = (".json",)

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            source = decode(stream.read())
            tree = parse(source.text)
            meta = _patient(tree, rules)
            slots = [
                slot
                for leaf in leaves(source.text, keys=rules.keys)
                if (slot := slot_for(leaf, name, rules, meta)) is not None
            ]
        except ReadError as error:
            message = str(error) if name in str(error) else f"{name}: {error}"
            yield Failure(name, error.stage, type(error).__name__, message)
            return
        yield Record(
            tuple(document for slot in slots for document in slot.documents),
            lambda results: source.encode(patched(source.text, slots, results)),
        )


def slot_for(leaf: Leaf, doc_id: str, rules: FormatRules, meta: dict[str, str]) -> Slot | None:
    """A leaf as a document: of known kind where the policy names its path or key."""
    dotted = dotted_path(leaf.path)
    if leaf.is_key:
        piece = Piece(leaf.start, leaf.end, leaf.value)
        place = f"{doc_id} {dotted} key"
        return text_slot(doc_id, [piece], write_string, meta=meta, locator=place)
    key = next((str(step) for step in reversed(leaf.path) if isinstance(step, str)), "")
    chosen = rules.choice(dotted, key)
    if chosen == KEEP:
        return None
    if chosen == DROP:
        return dropped_slot(leaf.start, leaf.end, "null")
    if chosen in (None, TEXT) and isinstance(leaf.value, str) and is_base64_file(leaf.value):
        piece = Piece(leaf.start, leaf.end, leaf.value)
        return quoted(base64_slot(piece, f"{doc_id} {dotted}", rules))
    label = None if chosen == TEXT else chosen
    text = leaf.value if isinstance(leaf.value, str) else str(leaf.value)
    return text_slot(
        doc_id,
        [Piece(leaf.start, leaf.end, text)],
        write_string if isinstance(leaf.value, str) else write_number,
        lead="" if label or not key else f"{words_of(key)}: ",
        label=label,
        meta=meta,
        locator=f"{doc_id} {dotted}",
    )


def quoted(slot: Slot) -> Slot:
    """A slot whose changes are written as JSON strings."""
    return Slot(
        slot.documents,
        lambda results: [
            Change(start, end, write_string(text)) for start, end, text in slot.changes(results)
        ],
    )


def dotted_path(path: Path) -> str:
    """`entry.resource.name`: indices are left out, since a rule is about all items of a list."""
    return ".".join(step for step in path if isinstance(step, str))


def words_of(key: str) -> str:
    """`patientName`, `patient_name` and `patient-name` all read "patient Name"."""
    return _CAMEL.sub(" ", key).strip()


def write_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write_number(text: str) -> str:
    """A number stays a number if its replacement is one; a tag has to become a string."""
    return text if _NUMBER.fullmatch(text) else write_string(text)


def _patient(tree: Any, rules: FormatRules) -> dict[str, str]:
    value = tree.get(rules.patient) if isinstance(tree, dict) else None
    return {} if value is None else {"patient_id": str(value)}


__all__ = [
    "JsonFormat",
    "dotted_path",
    "quoted",
    "slot_for",
    "words_of",
    "write_number",
    "write_string",
]
