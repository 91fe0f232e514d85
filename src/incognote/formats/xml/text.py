"""Narrative in markup: the text nodes of an XHTML or CDA block, read as one text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from incognote.core.fields import words_of
from incognote.formats.patch import Piece, Slot, text_slot
from incognote.formats.xml.scan import WRITERS, Node, scan, write_text

# Elements that only change how a word looks: what appears around them belongs together.
_INLINE = frozenset(
    """a abbr b big cite code content em font i linkHtml q s small span strong sub sup tt u
    var""".split()
)
_TAG = re.compile(r"</?(?:[^\s<>/:]+:)?([^\s<>/:]+)")
# CDA points at each <content> by its id: two of them side by side are two things, not one word.
_NEXT_CONTENT = re.compile(r"</(?:\w+:)?content>\s*<(?:\w+:)?content[\s>]")
_ASIDE = re.compile(r"<!--.*?-->|<!\[CDATA\[|<\?.*?\?>", re.DOTALL)
# Attributes of markup that say how it looks. Others (alt, title, href) say something.
_LOOKS = frozenset(
    """align border cellpadding cellspacing class colspan dir height id lang rowspan scope style
    valign width xml:lang""".split()
)


def says_something(attribute: str) -> bool:
    """Whether an attribute of markup holds words, and not only how the words look."""
    return attribute not in _LOOKS and not attribute.startswith("xmlns")


def narrative_slots(raw: str, doc_id: str, where: str, meta: Mapping[str, str]) -> list[Slot]:
    """A whole piece of markup at a place of a document, such as `Resource.text.div`: its text, and
    each aside alone."""
    every = [node for node in scan(raw, where, html=True) if node.text.strip()]
    asides = [
        text_slot(
            doc_id,
            [Piece(node.start, node.end, node.text)],
            WRITERS[node.kind],
            lead=f"{words_of(node.name)}: ",
            meta=meta,
            locator=f"{where} {node.name}",
        )
        for node in every
        if node.kind in ("comment", "instruction")
        or (node.kind == "attribute" and says_something(node.name))
    ]
    nodes = [node for node in every if node.kind in ("text", "cdata")]
    return [*asides, nodes_slot(raw, nodes, doc_id, meta, where)]


def block_of(node: Node) -> int:
    """The element whose words a text belongs to, whatever only changes how they look."""
    at = len(node.path) - 1
    while at > 0 and node.path[at] in _INLINE:
        at -= 1
    return node.elements[at] if node.elements else 0


def nodes_slot(
    raw: str, nodes: Sequence[Node], where: str, meta: Mapping[str, str], locator: str = ""
) -> Slot:
    """Text nodes in order as one document, a line for each block."""
    separators = [_separator(raw[a.end : b.start]) for a, b in pairwise(nodes)]
    return text_slot(
        where,
        [Piece(node.start, node.end, node.text, WRITERS[node.kind]) for node in nodes],
        write_text,
        separators=separators,
        meta=meta,
        locator=locator or where,
    )


def _separator(between: str) -> str:
    """What is between two text nodes: nothing where only inline elements open or close, for a
    word may go on behind them; a line end between blocks."""
    tags = _ASIDE.sub("", between)
    inline = all(name in _INLINE for name in _TAG.findall(tags))
    return "" if inline and not _NEXT_CONTENT.search(tags) else "\n"
