"""Inline markup, for cases and for training notes:

Seen by Dr. [[Smith|DOCTOR]] on [[3/4/20|DATE]].
"""

from __future__ import annotations

import re

from incognote.core.types import Span

_MARK = re.compile(r"\[\[(.+?)\|([A-Z][A-Z0-9-]*)\]\]", re.DOTALL)


def parse_markup(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Plain text and the spans that the marks stand for."""
    parts: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for mark in _MARK.finditer(marked):
        before, inside = marked[at : mark.start()], mark[1]
        start = length + len(before)
        spans.append(Span(start, start + len(inside), mark[2]))
        parts += [before, inside]
        length = start + len(inside)
        at = mark.end()
    parts.append(marked[at:])
    return "".join(parts), tuple(spans)


def render_markup(text: str, spans: tuple[Span, ...] | list[Span]) -> str:
    """The inverse: readable differences in test failures."""
    parts: list[str] = []
    at = 0
    for span in sorted(spans):
        parts += [text[at : span.start], f"[[{text[span.start : span.end]}|{span.label}]]"]
        at = span.end
    parts.append(text[at:])
    return "".join(parts)
