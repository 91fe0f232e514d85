"""Identifiers of styles in a letter: where a style's name changed, its identifier does, too.

Word makes the identifier of a style from its name, and refers to it from every paragraph. So it
gets a number instead, and what refers to it follows.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from incognote.formats.archives.zips import members, pack
from incognote.formats.charset import decode
from incognote.formats.patch import Change, applied
from incognote.formats.xml.scan import Node, scan

REFERRING = frozenset(
    """basedOn clickAndTypeStyle defaultTableStyle link next numStyleLink pStyle rStyle styleLink
    tblStyle""".split()
)
# The words that the names of Word's own styles are made of.
BUILT_IN = frozenset(
    """accent address annotation balloon block body bullet caption char classic closing colorful
    columns comment contemporary continue dark date default definition document e elegant emphasis
    endnote envelope figures first followed followedhyperlink font footer footnote free form from
    grid header heading html hyperlink indent index intense keyboard light line list macro
    medium mail message no normal note number of outline page paragraph placeholder plain
    professional quote reference return revision salutation sample shading signature simple
    spacing strong subject subtitle subtle table text theme title toa toc top typewriter variable
    web z""".split()
)


def is_own(name: str) -> bool:
    """Whether somebody named a style, and not Word."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    return not all(word in BUILT_IN for word in words)


def identifiers(nodes: Sequence[Node]) -> dict[int, tuple[Node, str]]:
    """The styles of a part by their element: the node of the identifier, and the name."""
    names = {
        node.elements[-2]: node.text
        for node in nodes
        if node.kind == "attribute" and node.path[-2:] == ("style", "name")
    }
    return {
        node.elements[-1]: (node, names.get(node.elements[-1], ""))
        for node in nodes
        if node.kind == "attribute" and node.name.endswith("styleId")
    }


def follow(data: bytes, before: dict[str, list[tuple[str, str]]]) -> bytes:
    """The written letter with new identifiers; `before` has those of each part, with the names."""
    parts = members(io.BytesIO(data), "")
    scanned = {
        info.filename: scan(decode(content).text, info.filename)
        for info, content in parts
        if info.filename.endswith(".xml")
    }
    changed: dict[str, str] = {}
    for part, olds in before.items():
        now = identifiers(scanned[part]).values()
        for (identifier, name), (_, new_name) in zip(olds, now, strict=True):
            if name != new_name:
                changed.setdefault(identifier, f"Style{len(changed) + 1}")
    if not changed:
        return data
    return pack(
        (info, _rewritten(content, scanned.get(info.filename, ()), changed))
        for info, content in parts
    )


def _rewritten(content: bytes, nodes: Sequence[Node], changed: dict[str, str]) -> bytes:
    changes = [
        Change(node.start, node.end, changed[node.text])
        for node in nodes
        if node.kind == "attribute"
        and node.text in changed
        and (node.name.endswith("styleId") or node.path[-1] in REFERRING)
    ]
    if not changes:
        return content
    source = decode(content)
    return source.encode(applied(source.text, changes))
