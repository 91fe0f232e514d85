"""Spans and texts as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Protocol


class Marked(Protocol):
    """A span, as far as it is drawn."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def sources(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Shown:
    """Something to look at in a notebook. Its repr holds no text."""

    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


def spans_html(spans: Iterable[Marked]) -> str:
    """A table of spans: no text."""
    rows = "".join(
        f"<tr><td>{span.start}-{span.end}</td><td>{escape(span.label)}</td>"
        f"<td>{span.score:.2f}</td><td>{escape(', '.join(span.sources))}</td></tr>"
        for span in spans
    )
    heads = "<tr><th>at</th><th>label</th><th>score</th><th>found by</th></tr>"
    return f"<table>{heads}{rows}</table>"


def marked_html(text: str, spans: Iterable[Marked]) -> str:
    """A text with its spans marked."""
    parts: list[str] = []
    at = 0
    for span in sorted(spans, key=lambda each: each.start):
        parts.append(escape(text[at : span.start]))
        words = escape(text[span.start : span.end])
        parts.append(f"<mark>{words} <small>{escape(span.label)}</small></mark>")
        at = span.end
    parts.append(escape(text[at:]))
    return f'<pre style="white-space: pre-wrap">{"".join(parts)}</pre>'
