"""The pieces that the HTML reports are made of: a page that needs nothing else, tables, figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def page(title: str, body: str) -> str:
    """A whole page; its style appears in it, so that it opens from disk without a network."""
    style = files("incognote.evaluate.report").joinpath("report.css").read_text("utf-8")
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
        f"<h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{escape(caption)}</figcaption></figure>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], total: str | None = None) -> str:
    """Cells are text; the row named `total` stands out."""
    body = "".join(
        f"<tr{' class=total' if row[0] == total else ''}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return _wrapped(heads, body)


def shaded(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[tuple[str, str, float]]]]
) -> str:
    """A matrix: each row is a name and cells of text, tone (good, bad) and shade from 0 to 1."""
    body = "".join(
        f"<tr><td>{escape(name)}</td>" + "".join(map(_shaded_cell, cells)) + "</tr>"
        for name, cells in rows
    )
    return _wrapped(heads, body)


def _shaded_cell(cell: tuple[str, str, float]) -> str:
    text, tone, shade = cell
    if not text:
        return "<td></td>"
    return f'<td style="background:rgba(var(--{tone}),{shade:.2f})">{escape(text)}</td>'


def _wrapped(heads: Sequence[str], body: str) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return (
        f"<div class=scroll><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
