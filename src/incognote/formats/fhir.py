"""FHIR R4/R5 in JSON: resources, Bundles and NDJSON, typed by path.

Names, addresses, contacts, identifiers and dates are masked as what they are; narrative, notes and
every string of unknown meaning are read as text; attachments are opened. Ids get one surrogate
everywhere, so that references still resolve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused
from incognote.formats.charset import Text, decode
from incognote.formats.embedded import base64_slot, is_base64_file
from incognote.formats.fhir_rules import EMBEDDED, NARRATIVE, SHARED, Decision, decide
from incognote.formats.headers import words_of
from incognote.formats.json import quoted, write_number, write_string
from incognote.formats.json_scan import Leaf, leaves, parse
from incognote.formats.patch import (
    Change,
    Piece,
    Slot,
    dated,
    dropped_slot,
    informed,
    patched,
    patched_record,
    text_slot,
)
from incognote.formats.xml_text import narrative_slots
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
        slots = informed(_File(source, where, rules).slots())
    except ReadError as error:
        return refused(where, error, data)
    return patched_record(source, slots, data)


@dataclass(slots=True)
class _File:
    """Collects the slots of one resource or Bundle."""

    source: Text
    where: str
    rules: FormatRules
    found: list[Slot] = field(default_factory=list)
    meta: Mapping[str, str] = field(default_factory=dict)

    def slots(self) -> list[Slot]:
        tree = parse(self.source.text)
        if not isinstance(tree, dict) or "resourceType" not in tree:
            raise ReadError("not a FHIR resource")
        patient = _patient_id(tree)
        self.meta = {"patient_id": patient} if patient else {}
        people: dict[tuple[str, tuple[str | int, ...]], list[Leaf]] = {}
        for leaf in leaves(self.source.text):
            resource, path, parent = _place(tree, leaf)
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
            elif decision.kind != KEEP and value:
                self._value(leaf, decision)
        for (label, _), parts in people.items():
            self._name(label, parts)
        return self.found

    def _value(self, leaf: Leaf, decision: Decision) -> None:
        where = f"{self.where} {'.'.join(map(str, leaf.path))}"
        kind, value = decision.kind, str(leaf.value)
        piece = Piece(leaf.start, leaf.end, value)
        if kind == EMBEDDED or (kind == TEXT and is_base64_file(value)):
            slot = base64_slot(piece, where, self.rules)
            self.found.append(quoted(slot))
        elif kind == NARRATIVE:
            inner = narrative_slots(leaf.value, where, self.meta)
            self.found.append(_rewritten(leaf, inner))
        else:
            start, end = decision.start, len(value) if decision.end is None else decision.end
            before, after = value[:start], value[end:]
            write = write_string if isinstance(leaf.value, str) else write_number
            key = next(step for step in reversed(leaf.path) if isinstance(step, str))
            self.found.append(
                text_slot(
                    self.where,
                    [Piece(leaf.start, leaf.end, value[start:end])],
                    lambda text: write(before + dated(text, after)),
                    lead=f"{words_of(key)}: " if kind == TEXT else "",
                    label=None if kind == TEXT else kind,
                    meta=SHARED if decision.shared else self.meta,
                    locator=where,
                )
            )

    def _name(self, label: str, parts: Sequence[Leaf]) -> None:
        """Given names before the family name, as they would be written."""
        ordered = sorted(parts, key=lambda leaf: (leaf.path[-1] == "family", leaf.start))
        self.found.append(
            text_slot(
                self.where,
                [Piece(leaf.start, leaf.end, leaf.value) for leaf in ordered],
                write_string,
                separators=[" "] * (len(ordered) - 1),
                repeat=True,
                label=label,
                meta=self.meta,
                locator=f"{self.where} {'.'.join(map(str, ordered[0].path[:-1]))}",
            )
        )


def _rewritten(leaf: Leaf, inner: Sequence[Slot]) -> Slot:
    """Markup inside a JSON string: patched there, then written as a string."""

    def changes(results: Sequence[Result]) -> list[Change]:
        new = patched(leaf.value, inner, results)
        return [Change(leaf.start, leaf.end, write_string(new))] if new != leaf.value else []

    return Slot(tuple(document for slot in inner for document in slot.documents), changes)


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


def _patient_id(tree: Mapping[str, Any]) -> str | None:
    """The patient a file is about: itself, its subject, or the Bundle's first patient."""
    if tree.get("resourceType") == "Patient":
        return str(tree.get("id") or "") or None
    for key in ("subject", "patient", "beneficiary", "individual"):
        reference = tree.get(key)
        if isinstance(reference, dict) and isinstance(reference.get("reference"), str):
            return str(reference["reference"]).rpartition("/")[2].removeprefix("urn:uuid:")
    entries = tree.get("entry")
    for entry in entries if isinstance(entries, list) else ():
        resource = entry.get("resource") if isinstance(entry, dict) else None
        if isinstance(resource, dict) and resource.get("resourceType") == "Patient":
            return _patient_id(resource)
    return None
