"""FHIR R4/R5 in JSON: resources, Bundles and NDJSON, typed by path.

Names, addresses, contacts, identifiers and dates are masked as what they are; narrative, notes and
every string of unknown meaning are read as text; attachments are opened. Ids get one surrogate
everywhere, so that references still resolve.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused
from incognote.formats.charset import Text, decode
from incognote.formats.embedded import is_base64_file
from incognote.formats.fhir.addresses import PARTS
from incognote.formats.fhir.primitives import absent, as_id, file_fact, fits
from incognote.formats.fhir.rules import decide
from incognote.formats.json.document import quoted, write_number, write_string
from incognote.formats.json.scan import Leaf, leaves, parse
from incognote.formats.patch import (
    Change,
    Piece,
    Slot,
    dropped_slot,
    informed,
    inner_slot,
    patched_record,
)
from incognote.formats.typed import EMBEDDED, FILE_FACT, NARRATIVE, Decision, TypedFile
from incognote.formats.xml.text import narrative_slots
from incognote.policy import DROP, KEEP, TEXT, FormatRules


class FhirFormat:
    name = "fhir"
    suffixes = (".json", ".ndjson")

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and b'"resourceType"' in head

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        first = stream.readline()
        if first.rstrip().endswith(b"}") or name.lower().endswith(".ndjson"):
            for number, line in enumerate(_chain(first, stream), 1):
                yield _record(line, f"{name}:{number}", rules)
        else:
            yield _record(first + stream.read(), name, rules)


def _chain(first: bytes, rest: BinaryIO) -> Iterator[bytes]:
    yield first
    yield from rest


def _record(data: bytes, where: str, rules: FormatRules) -> Record | Failure:
    if not data.strip():
        return Record((), lambda _: data, raw=data)
    try:
        source = decode(data)
        slots = informed(_File(source=source, where=where, rules=rules).slots())
    except ReadError as error:
        return refused(where, error, data)
    return patched_record(source, slots, data)


@dataclass(slots=True, kw_only=True)
class _File(TypedFile):
    """Collects the slots of one resource or Bundle."""

    source: Text

    def slots(self) -> list[Slot]:
        tree = parse(self.source.text)
        if not isinstance(tree, dict) or "resourceType" not in tree:
            raise ReadError("not a FHIR resource")
        patients = _Patients(tree)
        every = leaves(self.source.text)
        by_path = {leaf.path: leaf for leaf in every}
        people: dict[tuple[str, tuple[str | int, ...]], list[Leaf]] = {}
        for leaf in every:
            resource, path, parent = _place(tree, leaf)
            self.meta = patients.of(leaf.path)
            value = str(leaf.value)
            chosen = self.rules.choice(f"{resource}.{'.'.join(path)}", path[-1])
            if chosen == DROP:
                nothing = '""' if isinstance(leaf.value, str) else "null"
                self.found.append(dropped_slot(leaf.start, leaf.end, nothing))
                continue
            decision = (
                Decision(chosen) if chosen else decide(resource, path, value, _sibling(parent))
            )
            if path[-1] in ("family", "given") and decision.kind != KEEP:
                name_of = leaf.path[:-2] if isinstance(leaf.path[-1], int) else leaf.path[:-1]
                people.setdefault((decision.kind, name_of), []).append(leaf)
            elif decision.kind == EMBEDDED and value:
                self._file(leaf, by_path)
            elif decision.kind == FILE_FACT:
                # It goes with the file, or identifies one that lies elsewhere.
                if (*leaf.path[:-1], "data") not in by_path:
                    self.found.append(_masked(leaf, self.source.text, parent))
            elif decision.kind != KEEP and value:
                self._value(leaf, decision, _Element(resource, path, parent))
        for (label, _), parts in people.items():
            self.meta = patients.of(parts[0].path)
            self._name(label, parts)
        return self.found

    def _file(self, leaf: Leaf, by_path: Mapping[tuple[str | int, ...], Leaf]) -> None:
        """An attachment, with its size and hash, which are those of the new file."""
        piece = Piece(leaf.start, leaf.end, str(leaf.value))
        place = self._place(leaf)
        slot = quoted(self.file(piece, place))
        told = [
            by_path[path] for key in ("hash", "size") if (path := (*leaf.path[:-1], key)) in by_path
        ]

        def changes(results: Sequence[Result]) -> list[Change]:
            made = slot.changes(results)
            for change in made[:1]:
                data = base64.b64decode(json.loads(change.text))
                for each in told:
                    write = write_string if isinstance(each.value, str) else str
                    new = file_fact(str(each.path[-1]), data)
                    made.append(Change(each.start, each.end, write(new)))
            return made

        self.found.append(Slot(slot.documents, changes))

    def _value(self, leaf: Leaf, decision: Decision, element: _Element) -> None:
        where, kind, value = self._place(leaf), decision.kind, str(leaf.value)
        piece = Piece(leaf.start, leaf.end, value)
        if kind == TEXT and is_base64_file(value):
            self.found.append(quoted(self.file(piece, where)))
        elif kind == NARRATIVE:
            inner = narrative_slots(value, self.where, where, self.meta)
            self.found.append(inner_slot(piece, inner, write_string))
        elif kind in PARTS:
            self.found.append(self.stretches(piece, PARTS[kind](value), where, write_string))
        else:
            name = element.path[-1] if element.path else None
            slot = self.rest_kept(value, decision, where, name)
            self.found.append(_typed(slot, leaf, element, self.source.text))

    def _place(self, leaf: Leaf) -> str:
        return f"{self.where} {'.'.join(map(str, leaf.path))}"

    def _name(self, label: str, parts: Sequence[Leaf]) -> None:
        """Given names before the family name, as they would be written."""
        ordered = sorted(parts, key=lambda leaf: (leaf.path[-1] == "family", leaf.start))
        pieces = [Piece(leaf.start, leaf.end, leaf.value) for leaf in ordered]
        place = f"{self.where} {'.'.join(map(str, ordered[0].path[:-1]))}"
        self.found.append(self.person(label, pieces, write_string, place))


class _Element(NamedTuple):
    """Where a value appears: its resource, the path from there, and the object that holds it."""

    resource: str
    path: tuple[str, ...]
    parent: Any


def _typed(slot: Slot, leaf: Leaf, element: _Element, raw: str) -> Slot:
    """A slot whose changes are new values of an element: as its type wants them, or none."""

    def changes(results: Sequence[Result]) -> list[Change]:
        for change in slot.changes(results):
            new = as_id(change.text) if element.path == ("id",) else change.text
            if fits(element.resource, element.path, leaf.value, new):
                literal = write_string if isinstance(leaf.value, str) else write_number
                return [Change(leaf.start, leaf.end, literal(new))]
            return _masked(leaf, raw, element.parent).changes(())
        return []

    return Slot(slot.documents, changes)


def _masked(leaf: Leaf, raw: str, parent: Any) -> Slot:
    """An element that goes, and says so; where something is beside it, that says enough."""
    key = leaf.path[-1]
    if isinstance(key, int):  # a list has no place for the reason
        return dropped_slot(leaf.start, leaf.end, "null")
    if isinstance(parent, dict) and f"_{key}" in parent:
        comma = _COMMA.match(raw, leaf.end)
        if comma:
            return dropped_slot(leaf.key_start, comma.end(), "")
        before = raw.rindex(",", 0, leaf.key_start)
        return dropped_slot(before, leaf.end, "")
    return dropped_slot(leaf.key_start, leaf.end, absent(key))


_COMMA = re.compile(r"\s*,\s*")


def _place(tree: Any, leaf: Leaf) -> tuple[str, tuple[str, ...], Any]:
    """The resource a leaf belongs to, its path within that, and the object that holds it."""
    resource = ""
    path: list[str] = []
    node = parent = tree
    for step in leaf.path:
        if isinstance(node, dict):
            if "resourceType" in node:
                resource, path = str(node["resourceType"]), []
            parent = node
        if isinstance(step, str):
            path.append(step)
        node = node[step]
    return resource, tuple(path), parent


def _sibling(parent: Any) -> Any:
    def look(dotted: str) -> str | None:
        node = parent
        for step in dotted.split("."):
            while isinstance(node, list):
                node = node[0] if node else None
            node = node.get(step) if isinstance(node, dict) else None
        return node if isinstance(node, str) else None

    return look


class _Patients:
    """The patient of each resource: itself, its subject, or the first of the Bundle."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        entries = tree.get("entry")
        listed = entries if isinstance(entries, list) else []
        self._ids: dict[str, str] = {}
        self._of: dict[int, str] = {}
        resources = [each.get("resource") if isinstance(each, dict) else None for each in listed]
        for entry, resource in zip(listed, resources, strict=True):
            if isinstance(resource, dict) and resource.get("resourceType") == "Patient":
                own = str(resource.get("id") or "")
                self._ids[_last(str(entry.get("fullUrl") or own))] = own
        for number, resource in enumerate(resources):
            if isinstance(resource, dict) and (subject := self._subject(resource)):
                self._of[number] = subject
        first = next(filter(None, self._ids.values()), None)
        self._default = self._subject(tree) or first

    def of(self, path: tuple[str | int, ...]) -> dict[str, str]:
        entry = path[1] if path[:1] == ("entry",) and len(path) > 1 else None
        patient = self._of.get(entry) if isinstance(entry, int) else None
        found = patient or self._default
        return {"patient_id": found} if found else {}

    def _subject(self, resource: Mapping[str, Any]) -> str | None:
        if resource.get("resourceType") == "Patient":
            return str(resource.get("id") or "") or None
        for key in ("subject", "patient", "beneficiary", "individual", "for"):
            reference = resource.get(key)
            if isinstance(reference, dict) and isinstance(reference.get("reference"), str):
                id_ = _last(reference["reference"])
                # A group, a device or a place is no patient.
                if _PATIENT.search(reference["reference"]):
                    return self._ids.get(id_, id_)
        return None


# A reference to a patient, or one that does not say to what.
_PATIENT = re.compile(r"(?:^|/)Patient/|^urn:|^#")


def _last(address: str) -> str:
    return address.rpartition("/")[2].removeprefix("urn:uuid:")
