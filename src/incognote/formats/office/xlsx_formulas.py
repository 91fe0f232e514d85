"""What formulas say: the texts in them, and names of things that the workbook does not have.

Sheets, tables and ranges of the workbook get new names in `xlsx_names`, and formulas follow. But a
formula may also name a sheet of another workbook, one that was deleted, or a variable of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from incognote.formats.office.ooxml_attributes import value_slot
from incognote.formats.patch import Piece, Slot, text_slot
from incognote.formats.xml.scan import WRITERS, Node

_PART = re.compile(r"""(?P<literal>"(?:[^"]|"")*")|(?P<quoted>'(?:[^']|'')*')|[^\W\d][\w.]*""")
_CHARACTER = re.compile(r"&[^;]*;|.", re.DOTALL)
_REFERENCE = re.compile(r"[A-Z]{1,3}\d+|R\d*C\d*|TRUE|FALSE", re.IGNORECASE)
_PREFIX = re.compile(r"(?:_xl\w+\.)+")
_OTHER_BOOK = re.compile(r"\[\d+\]")


def formula_slots(
    node: Node, raw: str, where: str, part: str, known: AbstractSet[str]
) -> list[Slot]:
    """The texts and foreign names of a formula as one document; `known` are the workbook's own."""
    at = [found.start() for found in _CHARACTER.finditer(raw, node.start, node.end)]
    if len(at) != len(node.text):
        return [value_slot(node, where, part)]
    at.append(node.end)
    write = WRITERS[node.kind]
    pieces = []
    for found in _PART.finditer(node.text):
        start, end, encode = _words_of_reference(found, node.text, known)
        words = node.text[start:end]
        if re.search(r"[^\W\d_]{2}", words):
            pieces.append(Piece(at[start], at[end], words, lambda new, e=encode: write(e(new))))  # type: ignore[misc]
    if not pieces:
        return []
    place = f"{where} {part} formula"
    return [text_slot(where, pieces, write, separators=[" "] * len(pieces), locator=place)]


def _words_of_reference(
    found: re.Match[str], formula: str, known: AbstractSet[str]
) -> tuple[int, int, Callable[[str], str]]:
    """The stretch of a formula token that a person may have written, and how to encode it."""
    start, end = found.span()
    nothing = start, start, str
    if found["literal"]:
        return start + 1, end - 1, _literal
    if found["quoted"]:
        if found[0][1:-1].replace("''", "'") in known:
            return nothing
        other = _OTHER_BOOK.match(formula, start + 1)
        return other.end() if other else start + 1, end - 1, _sheet
    prefix = _PREFIX.match(formula, start)
    start = prefix.end() if prefix else start
    is_function = formula[end : end + 1] == "("
    before = formula[start - 1 : start] if start else ""
    is_column = before in (":", "$") or formula[end : end + 1] == ":"
    if is_function or is_column or formula[start:end] in known:
        return nothing
    return nothing if _REFERENCE.fullmatch(formula, start, end) else (start, end, _name)


def _literal(text: str) -> str:
    return text.replace('"', '""')


def _sheet(text: str) -> str:
    return re.sub(r"[\[\]:*?/']", "", text)


def _name(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")
