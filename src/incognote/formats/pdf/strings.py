"""Strings of a PDF that are not shown: removed from every object, but for those that fonts and
colours are made of. Names that somebody chose (states of buttons, marks in the content) become
plain ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

# The tables of indexed colours, the character collections of fonts, and how form fields are set.
_TECHNICAL = frozenset(("/Registry", "/Ordering", "/DA", "/Lang"))
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})*")
_SIZE = re.compile(r"(\d*\.?\d+)\s+Tf")
# Where a form field or a button says which of its states is the one.
_STATES = ("/V", "/DV", "/AS")
_PLAIN_STATE = re.compile(r"/(?:Off|On|Yes|No|\d+)")
_ICONS = frozenset(
    """/Approved /AsIs /Comment /Confidential /Departmental /Draft /Experimental /Expired /Final
    /ForComment /ForPublicRelease /Graph /Help /Insert /Key /Mic /NewParagraph /NotApproved
    /NotForPublicRelease /Note /Paperclip /Paragraph /PushPin /Sold /Speaker /Tag /TopSecret
    """.split()
)
_PAGES = frozenset(("/NextPage", "/PrevPage", "/FirstPage", "/LastPage"))


def walk(editor: Any) -> Iterator[Any]:
    """Every dictionary and array of a file, those within others included, each once."""
    for each in editor.objects:
        yield from _within(each)


def remove_unknown_strings(editor: Any, read: set[tuple[int, int]], keys: frozenset[str]) -> None:
    """Takes away every string but those under `keys` of the objects that are `read`."""
    import pikepdf

    for each in editor.objects:
        if not isinstance(each, pikepdf.Object):
            continue
        is_read = each.objgen in read
        if isinstance(each, pikepdf.Array) and not is_read:
            _empty(each)
        for inner in _within(each):
            _drop(inner, _TECHNICAL | keys if is_read else _TECHNICAL)


def plain_names(holders: Iterator[Any], drawn: Iterable[str] = ()) -> dict[str, str]:
    """States of buttons by numbers, icons and targets of actions only if every reader has them.
    Returns what became of each state, of those that are only `drawn`, too."""
    import pikepdf

    states: dict[str, str] = {}
    for state in drawn:
        if not _PLAIN_STATE.fullmatch(state):
            states.setdefault(state, f"/Choice{len(states) + 1}")
    for holder in holders:
        for key in _STATES:
            state = holder.get(key)
            if isinstance(state, pikepdf.Name) and not _PLAIN_STATE.fullmatch(str(state)):
                states.setdefault(str(state), f"/Choice{len(states) + 1}")
                holder[key] = pikepdf.Name(states[str(state)])
        for key, usual in (("/Name", _ICONS), ("/N", _PAGES)):
            if isinstance(holder.get(key), pikepdf.Name) and str(holder[key]) not in usual:
                del holder[key]
        if "/DA" in holder:
            holder["/DA"] = plain_appearance(holder["/DA"])
    return states


def plain_appearance(appearance: Any) -> Any:
    """How a form field is set: its size in the font that every reader has."""
    import pikepdf

    size = _SIZE.search(str(appearance))
    return pikepdf.String(f"/Helv {size[1] if size else 0} Tf 0 g")


def is_language(value: Any) -> bool:
    return _LANGUAGE.fullmatch(str(value)) is not None


def _within(value: Any) -> Iterator[Any]:
    import pikepdf

    if isinstance(value, pikepdf.Array):
        inner = list(value)
    elif isinstance(value, pikepdf.Dictionary | pikepdf.Stream):
        inner = [value[key] for key in value.keys()]  # noqa: SIM118 - not a dict
    else:
        return
    yield value
    for each in inner:
        if isinstance(each, pikepdf.Array | pikepdf.Dictionary) and not each.is_indirect:
            yield from _within(each)


def _drop(value: Any, kept: frozenset[str]) -> None:
    import pikepdf

    if isinstance(value, pikepdf.Array):
        return
    for key in list(value.keys()):
        inner = value[key]
        if key in kept:
            continue
        if isinstance(inner, pikepdf.String):
            del value[key]
        elif isinstance(inner, pikepdf.Array) and not inner.is_indirect:
            _empty(inner)


def _empty(values: Any) -> None:
    import pikepdf

    if len(values) and values[0] == "/Indexed":
        return
    for number, each in enumerate(values):
        if isinstance(each, pikepdf.String):
            values[number] = pikepdf.String("")
        elif isinstance(each, pikepdf.Array) and not each.is_indirect:
            _empty(each)
