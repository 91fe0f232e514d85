"""FHIR in XML, where a value is an attribute and its siblings are elements."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence

from incognote.core.errors import TransformError
from incognote.core.types import Result
from incognote.formats.fhir.primitives import absent_in_xml, as_id, file_fact, fits
from incognote.formats.fhir.rules import decide
from incognote.formats.patch import Change, Slot
from incognote.formats.typed import NARRATIVE, Decision
from incognote.formats.xml.scan import WRITERS, Node
from incognote.formats.xml.text import says_something
from incognote.policy import KEEP, TEXT

_ATTRIBUTE = re.compile(r"\s+value\s*=\s*[\"']$")
_TAG_END = re.compile(r"[\"']\s*(/?)>")
_NAME = re.compile(r"([\w.-]+:)?[\w.-]+")
# No attribute is called that far before its value.
_REACH = 200


class FhirXml:
    """The values of a document in FHIR: what they are, and how new ones are written."""

    def __init__(self, raw: str, nodes: Sequence[Node]) -> None:
        self._raw = raw
        self._attachments: dict[tuple[int, str], Node] = {}
        self._values: dict[tuple[int, str], str] = {}
        for node in nodes:
            if node.kind == "attribute" and node.name == "value" and len(node.path) > 1:
                if node.path[-1] in ("data", "hash", "size"):
                    self._attachments[node.elements[-2], node.path[-1]] = node
                for depth in range(2, min(len(node.path), 5)):
                    dotted = ".".join(node.path[-depth + 1 :])
                    self._values.setdefault((node.elements[-depth], dotted), node.text)
            elif node.kind == "attribute" and node.name == "url":
                self._values[node.elements[-1], "url"] = node.text

    def decide(self, node: Node) -> Decision:
        if node.kind == "comment":
            return Decision(TEXT)
        if "div" in node.path:
            if node.kind != "attribute":
                return Decision(NARRATIVE)
            return Decision(TEXT if says_something(node.name) else KEEP)
        if node.kind != "attribute" or node.name == "id":
            return Decision(TEXT)
        if node.name not in ("value", "url"):
            return Decision(KEEP)
        if node.name == "url":
            return Decision(KEEP)
        parent = node.elements[-2] if len(node.elements) > 1 else 0
        return decide(
            *_typed_path(node), node.text, lambda dotted: self._values.get((parent, dotted))
        )

    def typed(self, text: str, node: Node) -> Change:
        """A new value of an element as its type wants it, or none."""
        write = WRITERS[node.kind]
        if node.kind != "attribute" or node.name != "value":
            return Change(node.start, node.end, write(text))
        resource, path = _typed_path(node)
        new = as_id(text) if path == ("id",) else text
        if fits(resource, path, node.text, new):
            return Change(node.start, node.end, write(new))
        return self.masked(node)

    def masked(self, node: Node) -> Change:
        """An element without its value, which says that it was masked."""
        before = _ATTRIBUTE.search(self._raw, max(0, node.start - _REACH), node.start)
        after = _TAG_END.match(self._raw, node.end)
        opened = self._raw.rfind("<", 0, node.start)
        name = _NAME.match(self._raw, opened + 1)
        if before is None or after is None or name is None:
            raise TransformError("an element whose value cannot be left out")
        if not after[1]:  # what it holds besides says enough
            return Change(before.start(), node.end + 1, "")
        return Change(before.start(), after.end(), f">{absent_in_xml(name[1] or '')}</{name[0]}>")

    def masked_slot(self, node: Node) -> Slot:
        return Slot((), lambda _: [self.masked(node)])

    def has_data(self, node: Node) -> bool:
        return (node.elements[-2], "data") in self._attachments

    def with_facts(self, slot: Slot, node: Node) -> Slot:
        """An attachment, with its size and hash, which are those of the new file."""
        beside = [self._attachments.get((node.elements[-2], key)) for key in ("hash", "size")]

        def changes(results: Sequence[Result]) -> list[Change]:
            made = slot.changes(results)
            for change in made[:1]:
                data = base64.b64decode(change.text)
                made += [
                    Change(each.start, each.end, file_fact(each.path[-1], data))
                    for each in beside
                    if each is not None
                ]
            return made

        return Slot(slot.documents, changes)


def _typed_path(node: Node) -> tuple[str, tuple[str, ...]]:
    """The resource that an element belongs to, and its path from there."""
    at = max((i for i, name in enumerate(node.path[:-1]) if name[:1].isupper()), default=0)
    return node.path[at], node.path[at + 1 :] or node.path
