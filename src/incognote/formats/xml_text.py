"""Narrative in markup: the text nodes of an XHTML or CDA block, read as one text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from incognote.formats.patch import Piece, Slot, text_slot
from incognote.formats.xml_scan import Node, scan, write_cdata, write_text

# Elements that only change how a word looks: what stands around them belongs together.
_INLINE = frozenset(
    """a abbr b big cite code content em font i linkHtml q s small span strong sub sup tt u
    var""".split()
)


def narrative_slot(raw: str, where: str, meta: Mapping[str, str]) -> Slot:
    """The narrative of a whole piece of markup, such as `Resource.text.div`."""
    nodes = [node for node in scan(raw, where) if node.kind in ("text", "cdata")]
    return nodes_slot(nodes, where, meta)


def nodes_slot(nodes: Sequence[Node], where: str, meta: Mapping[str, str]) -> Slot:
    """Text nodes in order as one document, a line for each block."""
    separators = ["" if _inline(left, right) else "\n" for left, right in pairwise(nodes)]
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text) for node in nodes],
        writer(nodes[0]) if nodes else write_text,
        separators=separators,
        meta=meta,
        locator=where,
    )


def writer(node: Node) -> Callable[[str], str]:
    return write_cdata if node.kind == "cdata" else write_text


def _inline(left: Node, right: Node) -> bool:
    """Whether only inline elements open or close between two text nodes."""
    shared = 0
    for a, b in zip(left.elements, right.elements, strict=False):
        if a != b:
            break
        shared += 1
    between = (*left.path[shared:], *right.path[shared:])
    return all(name in _INLINE for name in between)
