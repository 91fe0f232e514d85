"""Clinical text on a terminal, with its spans in colour. Only for verbs whose user asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from incognote.core.labels import all_labels
from incognote.core.types import Span

if TYPE_CHECKING:
    from rich.text import Text

_COLOURS = {
    "NAME": "black on bright_green",
    "PROFESSION": "black on bright_white",
    "LOCATION": "black on bright_cyan",
    "AGE": "black on bright_yellow",
    "DATE": "black on bright_magenta",
    "TIME": "black on bright_magenta",
    "CONTACT": "black on bright_blue",
    "ID": "black on bright_red",
}


def style_of(label: str) -> str:
    row = all_labels().get(label)
    return _COLOURS.get(row.category if row else "", "black on white")


def marked(text: str, spans: Sequence[Span], *, names: bool = True) -> Text:
    """The text with each span in its colour, followed by its label where `names` is asked for."""
    from rich.text import Text

    shown = Text()
    at = 0
    for span in sorted(spans):
        shown.append(text[at : span.start])
        style = style_of(span.label)
        shown.append(text[span.start : span.end], style)
        if names:
            shown.append(f"[{span.label}]", "bold " + style.rpartition(" ")[2])
        at = span.end
    shown.append(text[at:])
    return shown
