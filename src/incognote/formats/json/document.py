"""JSON of any depth: every string and number is masked or read, with its key as context.

A key often says what appears under it ("birth_date"); all else is shown to the detectors as "key
words: value". Only changed literals are rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.fields import label_from_header, words_of
from incognote.core.types import Failure
from incognote.formats.base import Record, refused
from incognote.formats.charset import decode
from incognote.formats.clinical import READ, VALUE
from incognote.formats.embedded import base64_slot, is_base64_file
from incognote.formats.fields import Columns
from incognote.formats.headers import classify_value, values_by_company
from incognote.formats.json.scan import Leaf, Path, leaves, parse
from incognote.formats.patch import (
    Change,
    Piece,
    Slot,
    dated,
    dropped_slot,
    facts,
    informed,
    patched_record,
    text_slot,
)
from incognote.policy import DROP, KEEP, TEXT, FormatRules

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
            slots = _slots(source.text, name, rules, _patient(tree, rules))
        except ReadError as error:
            yield refused(name, error)
            return
        yield patched_record(source, slots)


def _slots(raw: str, name: str, rules: FormatRules, meta: dict[str, str]) -> list[Slot]:
    """The slots of a file, each informed by the item of a list it belongs to.

    What appears outside of all lists is about all of their items; another patient's item is not.
    """
    items: dict[Path, list[Slot]] = {(): []}
    found = leaves(raw, keys=rules.keys)
    kinds = values_by_company({_key(leaf) for leaf in found})
    for leaf in found:
        slot = slot_for(leaf, name, rules, meta, kinds=kinds)
        if slot is not None:
            items.setdefault(_item(leaf.path), []).append(slot)
    common = items.pop(())
    about_all = facts(document for slot in common for document in slot.documents)
    return informed(common) + [slot for own in items.values() for slot in informed(own, about_all)]


def _item(path: Path) -> Path:
    """The path to the item of the outermost list around a leaf; () outside of lists."""
    return next((path[: at + 1] for at, step in enumerate(path) if isinstance(step, int)), ())


def slot_for(
    leaf: Leaf,
    doc_id: str,
    rules: FormatRules,
    meta: dict[str, str],
    *,
    place: str = "",
    columns: Columns | None = None,
    kinds: Mapping[str, str] = MappingProxyType({}),
    write: Callable[[str], str] | None = None,
) -> Slot | None:
    """A leaf as a document: of known kind where the policy or its own key says so.

    `place` is where its record appears, `columns` describe the fields of a row, `kinds` keys
    that others are beside, and `write` makes a string literal of a text, where that is done
    otherwise than here.
    """
    write = write or write_string
    dotted = dotted_path(leaf.path)
    piece = Piece(leaf.start, leaf.end, str(leaf.value))
    # Keys that may be PHI appear in no id and no message.
    place = f"{place or doc_id} {f'character {leaf.start}' if rules.keys else dotted}"
    if leaf.is_key:
        return text_slot(doc_id, [piece], write, meta=meta, locator=place)
    key = _key(leaf)
    is_string = isinstance(leaf.value, str)
    if columns is not None:
        chosen = columns.choice(key)
    else:
        chosen = rules.choice(dotted, key) or (None if rules.unnamed == TEXT else rules.unnamed)
    if chosen in (None, TEXT) and is_string and is_base64_file(leaf.value):
        return quoted(base64_slot(piece, place, rules, doc_id, meta))
    # Where the policy says nothing, the key and the value do.
    if chosen is not None:
        kind, start, end = chosen, 0, len(piece.text)
    elif columns is not None:
        kind, start, end = columns.decide(key, piece.text)
    else:
        kind, start, end = classify_value(kinds.get(key) or label_from_header(key), piece.text)
    if kind == KEEP:
        return None
    if kind == DROP:
        return dropped_slot(leaf.start, leaf.end, "null")
    lead, before, after = f"{words_of(key)}: " if key and kind in READ else "", "", ""
    if kind not in READ and chosen is None:
        before, after = piece.text[:start], piece.text[end:]
        piece = Piece(leaf.start, leaf.end, piece.text[start:end])
    literal = write if is_string else write_number
    return text_slot(
        doc_id,
        [piece],
        lambda text: literal(before + dated(text, after)),
        lead=lead,
        label=None if kind in READ else kind,
        clinical=kind == VALUE,
        meta=meta,
        locator=place,
    )


def _key(leaf: Leaf) -> str:
    return next((str(step) for step in reversed(leaf.path) if isinstance(step, str)), "")


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


def write_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write_number(text: str) -> str:
    """A number stays a number if its replacement is one; a tag has to become a string."""
    return text if _NUMBER.fullmatch(text) else write_string(text)


def _patient(tree: Any, rules: FormatRules) -> dict[str, str]:
    """The patient whom a file is about, where its outermost object says so."""
    if not isinstance(tree, dict):
        return {}
    value = tree.get(Columns(tree, rules).patient)
    return {"patient_id": str(value)} if isinstance(value, str | int) and value else {}


__all__ = [
    "JsonFormat",
    "dotted_path",
    "quoted",
    "slot_for",
    "write_number",
    "write_string",
]
