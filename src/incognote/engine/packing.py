"""Results as they travel between processes: plain tuples, without the document, which never left.

Tuples of numbers and strings are unpickled ten times as fast as the values they represent, and the
process that reads them all is the one that others wait for.
"""

from __future__ import annotations

from typing import Any

from incognote.core.types import Document, Replacement, Result, Span

_SpanRow = tuple[int, int, str, float, tuple[str, ...], str]
# Spans, replacements (the number of the span, or a span of their own), the new text.
PackedResult = tuple[tuple[_SpanRow, ...], tuple[tuple[int | _SpanRow, str, str], ...], str | None]


def pack(result: Result) -> PackedResult:
    """What a result says, without its document and without the reasons for what was dropped."""
    numbers = {id(span): number for number, span in enumerate(result.spans)}
    return (
        tuple(map(_row, result.spans)),
        tuple(
            (
                numbers[id(each.span)] if id(each.span) in numbers else _row(each.span),
                each.text,
                each.how,
            )
            for each in result.replacements
        ),
        result.text,
    )


def unpack(document: Document, packed: PackedResult) -> Result:
    rows, replaced, text = packed
    spans = tuple(Span(*row) for row in rows)
    replacements = tuple(
        Replacement(spans[place] if isinstance(place, int) else Span(*place), new, how)
        for place, new, how in replaced
    )
    return Result(document, spans, (), replacements, text)


def _row(span: Span) -> Any:
    return span.start, span.end, span.label, span.score, span.sources, span.group
