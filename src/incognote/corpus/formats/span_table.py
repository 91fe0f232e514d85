"""Annotated documents as a CSV table with one span a row, as tools write what they found.

Ours has the columns id, start, end, label, chunk and text. The text appears in the first row of a
document; a document without spans has a row of its own. pyDeid (note_id, phi_start, phi_end, types)
and John Snow Labs (doc_id, begin, end, chunk_label) use other names for the same. Without a column
of texts, the documents have none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern, maxsize

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat

_ID = ("id", "note_id", "doc_id", "document_id", "encounter_id")
_START = ("start", "phi_start", "begin", "start_char", "start_offset")
_END = ("end", "phi_end", "end_char", "end_offset")
_LABEL = ("label", "types", "chunk_label", "entity_type", "entity", "ner_label", "type")
_TEXT = ("text", "note_text", "full_text")
_COLUMNS = ("id", "start", "end", "label", "chunk", "text")
_NO_ID = frozenset({"", "NULL"})  # pyDeid writes the second where notes have no ids
# pyDeid lists every pattern that matched: ['First Name (...)', 'Last Name (...)'].
_FIRST_OF_LIST = re.compile(r"""\[\s*['"]([^'"(\[]+)""")

Row = Mapping[str, str]


def read(path: Path) -> Iterator[AnnotatedDocument]:
    texts: dict[str, str] = {}
    spans: dict[str, list[Span]] = {}
    for number, row in _rows(path):
        try:
            key = next(row[name] for name in _ID if row.get(name, "") not in _NO_ID)
        except StopIteration:
            raise ReadError(f"{path.name}, line {number}: has no id of its document") from None
        found = spans.setdefault(key, [])
        if text := _value(row, _TEXT):
            texts.setdefault(key, text)
        start, end = _value(row, _START), _value(row, _END)
        if not start and not end:
            continue
        try:
            found.append(Span(int(start), int(end), _label(_value(row, _LABEL))))
        except ValueError:
            raise ReadError(f"{path.name}, line {number}: start or end is no place") from None
    for number, (key, found) in enumerate(spans.items(), 1):
        document = Document(key, texts.get(key, ""), {}, f"document {number}")
        yield AnnotatedDocument(document, tuple(sorted(found)))


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    before = csv.field_size_limit(maxsize)  # a note may be longer than the limit of the library
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            names = {name.strip().lower() for name in rows.fieldnames or () if name}
            for wanted in (_ID, _START, _END, _LABEL):
                if not names.intersection(wanted):
                    raise ReadError(f"{path.name}: has no column {wanted[0]!r}")
            for row in rows:
                yield (
                    rows.line_num,
                    {
                        name.strip().lower(): value or ""
                        for name, value in row.items()
                        if isinstance(name, str) and not isinstance(value, list)
                    },
                )
    except UnicodeDecodeError:
        raise ReadError(f"{path.name}: not UTF-8 text") from None
    except csv.Error:
        raise ReadError(f"{path.name}: not a table") from None
    finally:
        csv.field_size_limit(before)


def _value(row: Row, names: Sequence[str]) -> str:
    return next((row[name] for name in names if row.get(name)), "")


def _label(value: str) -> str:
    listed = _FIRST_OF_LIST.match(value)
    return intern(listed[1].strip() if listed else value)


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(_COLUMNS)
        for doc in documents:
            text = doc.text
            for span in sorted(doc.spans):
                chunk = doc.text[span.start : span.end]
                rows.writerow((doc.id, span.start, span.end, span.label, chunk, text))
                text = ""
            if not doc.spans:
                rows.writerow((doc.id, "", "", "", "", text))


SPAN_TABLE = CorpusFormat("CSV with one span a row; pyDeid, John Snow Labs", read, write, ".csv")
