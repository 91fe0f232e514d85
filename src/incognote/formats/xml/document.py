"""XML: C-CDA documents, FHIR in XML, and any other, distinguished by the root element.

All are patched in place, so that namespaces, order, white space and quoting stay as they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused
from incognote.formats.charset import decode
from incognote.formats.embedded import is_base64_file
from incognote.formats.fhir.addresses import PARTS
from incognote.formats.patch import (
    Change,
    Piece,
    Slot,
    dropped_slot,
    informed,
    patched_record,
)
from incognote.formats.typed import EMBEDDED, FILE_FACT, NARRATIVE, Decision, TypedFile
from incognote.formats.xml import cda as cda_rules
from incognote.formats.xml.fhir import FhirXml
from incognote.formats.xml.scan import WRITERS, Node, is_private_path, scan, write_text
from incognote.formats.xml.text import block_of, nodes_slot
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_FHIR = "http://hl7.org/fhir"


class XmlFormat:
    name = "xml"
    suffixes = (".xml", ".cda", ".ccda")

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return re.match(rb"<[?!A-Za-z]", start) is not None and not start.lower().startswith(
            b"<!doctype html"
        )

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            source = decode(stream.read())
            nodes = scan(source.text, name)
            slots = informed(_File(raw=source.text, nodes=nodes, where=name, rules=rules).slots())
        except ReadError as error:
            yield refused(name, error)
            return
        yield patched_record(source, slots)


@dataclass(slots=True, kw_only=True)
class _File(TypedFile):
    """Collects the slots of one XML file."""

    raw: str = field(repr=False)
    nodes: Sequence[Node]
    _fhir: FhirXml | None = None

    def slots(self) -> list[Slot]:
        decide = self._rules()
        gathered: dict[tuple[str, int], list[Node]] = {}
        read: dict[int, list[tuple[Node, Decision]]] = {}
        for node in self.nodes:
            if not node.text.strip():
                continue
            decision = self._chosen(node) or _hidden(node) or decide(node)
            group = _group(node, decision.kind)
            if group:
                gathered.setdefault(group, []).append(node)
            elif decision.kind == DROP:
                self.found.append(dropped_slot(node.start, node.end, ""))
            elif decision.kind == TEXT and node.kind in ("text", "cdata"):
                read.setdefault(block_of(node), []).append((node, decision))
            elif decision.kind != KEEP:
                self._value(node, decision)
        for (kind, _), nodes in gathered.items():
            self._together(kind, nodes)
        for block, found in read.items():
            if len(found) > 1 and any(node.elements[-1:] == (block,) for node, _ in found):
                # A word may go on behind <b> and <i>.
                self._together(NARRATIVE, [node for node, _ in found])
            else:
                for node, decision in found:
                    self._value(node, decision)
        return self.found

    def _rules(self) -> Callable[[Node], Decision]:
        if any(node.text.startswith(_FHIR) for node in self.nodes[:5]):
            self.meta = _patient(self.nodes, lambda n: n.path[-2:] == ("Patient", "id"))
            self._fhir = FhirXml(self.raw, self.nodes)
            return self._fhir.decide
        root = next((node.path[0] for node in self.nodes if node.path), "")
        if root == "ClinicalDocument":
            self.meta = _patient(
                self.nodes,
                lambda n: n.name == "extension" and n.path[-2:] == ("patientRole", "id"),
            )
            return cda_rules.Rules(self.nodes).decide
        return self._plain

    def _plain(self, node: Node) -> Decision:
        """XML of an unknown vocabulary: all of it is read as text."""
        says_how = node.name.startswith(("xmlns", "xsi:")) or node.name in ("xml:lang", "xml:space")
        return Decision(KEEP if says_how else TEXT)

    def _chosen(self, node: Node) -> Decision | None:
        """What the policy says, by path or name; of FHIR values, by the element that has them."""
        path = "/".join(node.path)
        names = (f"{path}/@{node.name}", node.name) if node.kind == "attribute" else (path,)
        choice = self.rules.choice(*names, _own_name(node))
        return Decision(choice) if choice else None

    def _value(self, node: Node, decision: Decision) -> None:
        place, write = self._place(node), WRITERS[node.kind]
        whole = Piece(node.start, node.end, node.text)
        if decision.kind == EMBEDDED:
            slot = self.file(whole, place)
            self.found.append(self._fhir.with_facts(slot, node) if self._fhir else slot)
            return
        if decision.kind == FILE_FACT:
            if self._fhir and not self._fhir.has_data(node):
                self.found.append(self._fhir.masked_slot(node))
            return
        if decision.kind in PARTS:
            parts = PARTS[decision.kind](node.text)
            self.found.append(self.stretches(whole, parts, place, write))
            return
        slot = self.rest_kept(node.text, decision, place, _own_name(node))

        def changes(results: Sequence[Result]) -> list[Change]:
            return [
                self._fhir.typed(change.text, node)
                if self._fhir
                else Change(node.start, node.end, write(change.text))
                for change in slot.changes(results)
            ]

        self.found.append(Slot(slot.documents, changes))

    def _place(self, node: Node) -> str:
        return f"{self.where} {'/'.join(node.path)}".rstrip()

    def _together(self, kind: str, nodes: Sequence[Node]) -> None:
        if kind == NARRATIVE:
            place = self._place(nodes[0])
            self.found.append(nodes_slot(self.raw, nodes, self.where, self.meta, place))
            return
        # Given names before the family name, as they would be written.
        ordered = sorted(nodes, key=lambda node: (_own_name(node) == "family", node.start))
        pieces = [Piece(node.start, node.end, node.text, WRITERS[node.kind]) for node in ordered]
        self.found.append(self.person(kind, pieces, write_text, self._place(nodes[0])))


def _hidden(node: Node) -> Decision | None:
    """What may appear under any name: a whole file, or where on a machine something lies."""
    if is_base64_file(node.text):
        return Decision(EMBEDDED)
    if node.name.endswith("chemaLocation") and is_private_path(node.text):
        return Decision(TEXT)
    return None


def _own_name(node: Node) -> str:
    """The name that says what a value is; FHIR writes `<family value="...">`."""
    return node.path[-1] if node.name == "value" and node.path else node.name


def _group(node: Node, kind: str) -> tuple[str, int] | None:
    """What is read as one: a section's narrative, and the parts of a person's name."""
    if kind == NARRATIVE:
        block = "text" if "text" in node.path else "div"
        return kind, node.elements[len(node.path) - 1 - node.path[::-1].index(block)]
    if kind in ("PATIENT", "DOCTOR") and "name" in node.path:
        return kind, node.elements[len(node.path) - 1 - node.path[::-1].index("name")]
    return None


def _patient(nodes: Sequence[Node], is_id: Callable[[Node], bool]) -> dict[str, str]:
    found = next((node.text for node in nodes if is_id(node)), None)
    return {"patient_id": found} if found else {}
