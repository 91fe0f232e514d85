"""Annotated documents as JSON rows, in the dialects that tools write.

The dialects differ in names only (`text` or `full_text`, `start` or `start_char`, ...), so one
reader serves all of them, JSON Lines or one JSON list. In our own dialect a row is
{"id", "text", "spans": [{"start", "end", "label", "score"?, "sources"?}], ...}; rows without
"text" are what `incognote detect` writes. A row of several texts has them in "fields", each of
which is a document. Other plain fields of a row are kept as meta data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from sys import intern
from typing import Any

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat

Row = dict[str, Any]

_TEXT = ("text", "full_text", "data")
_SPANS = ("spans", "entities", "annotations", "label", "labels", "results")
_START = ("start", "start_offset", "start_char", "start_position", "begin")
_END = ("end", "end_offset", "end_char", "end_position")
_LABEL = ("label", "type", "entity_type", "entity_group", "tag")
_NOT_META = frozenset({"id", "masked", "tokens", "tags", *_TEXT, *_SPANS})


def read(path: Path) -> Iterator[AnnotatedDocument]:
    for place, row in _notes(_raw_rows(path)):
        try:
            yield _document(row, place)
        except KeyError as error:
            raise ReadError(f"{path.name}, {place}: has no {error}") from None
        except (ValueError, TypeError, AttributeError, IndexError):
            raise ReadError(f"{path.name}, {place}: not an annotated document") from None


def _notes(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """`incognote detect` reads every field of a row. If one of them has the name of a text, the
    note is that one, under the id of the row; else each is a note, under the id and its place. So
    is a field beside a note in which something was found, where its text was written, too."""
    for place, row in rows:
        fields = row.get("fields") if isinstance(row, Mapping) else None
        if not isinstance(fields, list) or not all(isinstance(each, Mapping) for each in fields):
            yield place, row
            continue
        notes = [each for each in fields if _name(each) in _TEXT]
        own = notes[0] if len(notes) == 1 else None
        if own is not None:
            yield place, {**own, "id": row["id"]}
        for each in fields:
            found = isinstance(each.get("text"), str) and each.get("spans")
            if own is None or (each is not own and found):
                yield place, {**each, "id": f"{row['id']} {_name(each)}"}


def _name(field: Mapping[str, Any]) -> str:
    """The name of a field: its column, JSON path or segment, behind the place of its row."""
    return str(field.get("locator", "")).rpartition(" ")[2]


def _raw_rows(path: Path) -> Iterator[tuple[str, Any]]:
    """Rows with where they appear. A file that starts with "[" is one JSON list."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            first = lines.read(1)
            lines.seek(0)
            if first == "[" or (first == "{" and path.suffix == ".json"):
                whole = json.load(lines)
                for number, row in enumerate(whole if isinstance(whole, list) else [whole], 1):
                    yield f"row {number}", row
                return
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"line {number}", _parsed(line, path.name, number)
    except UnicodeDecodeError:
        raise ReadError(f"{path.name}: not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ReadError(f"{path.name}, line {error.lineno}: not JSON") from None


def _parsed(line: str, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise ReadError(f"{name}, line {number}: not JSON") from None


def _document(row: Row, place: str) -> AnnotatedDocument:
    if isinstance(row.get("data"), Mapping):
        return _from_label_studio(row, place)
    text = next((row[key] for key in _TEXT if isinstance(row.get(key), str)), "")
    marks = row[_first(row, _SPANS, "spans")]
    meta = {
        key: str(value)
        for key, value in row.items()
        if key not in _NOT_META and isinstance(value, str | int | float)
    }
    document = Document(str(row.get("id", place.rpartition(" ")[2])), text, meta, place)
    return AnnotatedDocument(document, tuple(_spans(marks)))


def _first(row: Mapping[str, Any], names: Sequence[str], wanted: str) -> str:
    for name in names:
        if name in row:
            return name
    raise KeyError(wanted)


def _spans(marks: Sequence[Any]) -> Iterator[Span]:
    if not marks:
        return
    if isinstance(marks[0], Sequence):
        for start, end, label, *_ in marks:
            yield Span(int(start), int(end), intern(str(label)))
        return
    start, end = _first(marks[0], _START, "start"), _first(marks[0], _END, "end")
    label = _first(marks[0], _LABEL, "label")
    for mark in marks:
        yield Span(
            int(mark[start]),
            int(mark[end]),
            intern(str(mark[label])),  # a million spans share some thirty labels
            float(mark.get("score", 1.0)),
            tuple(mark.get("sources", ())),
        )


def _from_label_studio(task: Row, place: str) -> AnnotatedDocument:
    """The newest annotation that was not cancelled, or else a prediction."""
    data = task["data"]
    text = str(data["text"])
    done = [a for a in task.get("annotations", ()) if not a.get("was_cancelled")]
    chosen = (done or task.get("predictions") or [{"result": ()}])[-1]
    to_code_point = _from_utf16(text)
    spans = tuple(
        Span(to_code_point(item["value"]["start"]), to_code_point(item["value"]["end"]), str(label))
        for item in chosen["result"]
        if item.get("type") == "labels"
        for label in item["value"]["labels"]
    )
    meta = {k: str(v) for k, v in data.items() if k not in ("text", "id")}
    key = str(data.get("id", task.get("id", place.rpartition(" ")[2])))
    return AnnotatedDocument(Document(key, text, meta, place), spans)


def _from_utf16(text: str) -> Callable[[int], int]:
    """Browsers count an astral character as two; we count it as one."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    at = 0
    code_point = {}
    for index, char in enumerate(text):
        code_point[at] = index
        at += 2 if char > "\uffff" else 1
    code_point[at] = len(text)
    return code_point.__getitem__


def _to_utf16(text: str, index: int) -> int:
    return index + sum(char > "\uffff" for char in text[:index])


def write(documents: Iterable[AnnotatedDocument], path: Path, dialect: str = "jsonl") -> None:
    made = [_DIALECTS[dialect](doc) for doc in documents]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        if dialect in _AS_LIST:
            json.dump(made, out, ensure_ascii=False, indent=1)
            out.write("\n")
        else:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in made)


def _own(doc: AnnotatedDocument) -> Row:
    spans = [
        {"start": s.start, "end": s.end, "label": s.label}
        | ({"score": s.score} if s.score != 1.0 else {})
        | ({"sources": list(s.sources)} if s.sources else {})
        for s in sorted(doc.spans)
    ]
    return {"id": doc.id, **doc.document.meta, "text": doc.text, "spans": spans}


def _doccano(doc: AnnotatedDocument) -> Row:
    marks = [[s.start, s.end, s.label] for s in sorted(doc.spans)]
    return {"id": doc.id, **doc.document.meta, "text": doc.text, "label": marks}


def _presidio(doc: AnnotatedDocument) -> Row:
    spans = [
        {
            "entity_type": s.label,
            "entity_value": doc.text[s.start : s.end],
            "start_position": s.start,
            "end_position": s.end,
        }
        for s in sorted(doc.spans)
    ]
    return {"id": doc.id, **doc.document.meta, "full_text": doc.text, "spans": spans}


def _deduce(doc: AnnotatedDocument) -> Row:
    marks = [
        {
            "text": doc.text[s.start : s.end],
            "start_char": s.start,
            "end_char": s.end,
            "tag": s.label,
        }
        for s in sorted(doc.spans)
    ]
    return {"id": doc.id, **doc.document.meta, "text": doc.text, "annotations": marks}


def _label_studio(doc: AnnotatedDocument) -> Row:
    result = [
        {
            "id": f"s{number}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {
                "start": _to_utf16(doc.text, s.start),
                "end": _to_utf16(doc.text, s.end),
                "text": doc.text[s.start : s.end],
                "labels": [s.label],
            },
        }
        for number, s in enumerate(sorted(doc.spans))
    ]
    data = {"id": doc.id, **doc.document.meta, "text": doc.text}
    return {"data": data, "annotations": [{"result": result}]}


_DIALECTS: Mapping[str, Callable[[AnnotatedDocument], Row]] = {
    "jsonl": _own,
    "doccano": _doccano,
    "presidio": _presidio,
    "deduce": _deduce,
    "label-studio": _label_studio,
}
_AS_LIST = frozenset({"presidio", "deduce", "label-studio"})


def _dialect(description: str, dialect: str, suffix: str = ".json") -> CorpusFormat:
    return CorpusFormat(description, read, partial(write, dialect=dialect), suffix)


JSONL = _dialect("JSON Lines of incognote, also what `detect` writes", "jsonl", ".jsonl")
DOCCANO = _dialect("doccano JSON Lines: [start, end, label]", "doccano", ".jsonl")
PRESIDIO = _dialect("Presidio JSON: full_text, entity_type", "presidio")
DEDUCE = _dialect("deduce JSON: start_char, end_char, tag", "deduce")
LABEL_STUDIO = _dialect("Label Studio JSON (UTF-16 offsets)", "label-studio")
