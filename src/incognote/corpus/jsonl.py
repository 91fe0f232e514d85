"""Our own corpus format, JSON Lines: {"id", "text", "spans": [{"start", "end", "label"}], ...}.

The label may also stand under "type", as in our open corpus. What `incognote detect` writes (no
"text") is read too. Every other string field of a row is kept as meta data and written back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span

_OWN = frozenset({"id", "text", "spans"})


def read(path: Path) -> Iterator[AnnotatedDocument]:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _document(line, path.name, number)
    except UnicodeDecodeError:
        raise ReadError(f"{path.name}: not UTF-8 text") from None


def _document(line: str, name: str, number: int) -> AnnotatedDocument:
    try:
        row = json.loads(line)
        meta = {key: str(row[key]) for key in row if key not in _OWN and row[key] is not None}
        document = Document(
            id=str(row["id"]),
            text=str(row.get("text") or ""),
            meta=meta,
            locator=f"{name}:{number}",
        )
        return AnnotatedDocument(document, tuple(_span(item) for item in row["spans"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # The message of a JSON error quotes nothing, but ours stays clear of the line's text.
        raise ReadError(f"{name}, line {number}: {_why(error)}") from None


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON (column {error.colno})"
    if isinstance(error, KeyError):
        return f"has no {error}"
    return "not an annotated document"


def _span(item: Mapping[str, Any]) -> Span:
    return Span(
        int(item["start"]),
        int(item["end"]),
        str(item.get("label") or item["type"]),
        float(item.get("score", 1.0)),
        tuple(item.get("sources", ())),
    )


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for doc in documents:
            row: dict[str, Any] = {"id": doc.id, **doc.document.meta, "text": doc.text}
            row["spans"] = [
                {
                    "start": s.start,
                    "end": s.end,
                    "label": s.label,
                    "text": doc.text[s.start : s.end],
                }
                for s in sorted(doc.spans)
            ]
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
