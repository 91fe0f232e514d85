"""The de-identified texts that a tool wrote, by the id of their document.

Tools write a folder with a text for each note (Philter, NLM Scrubber, CliniDeID, MIST), a table
with an id and a text (pyDeid), JSON Lines, or the records of PhysioNet's deid.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from sys import maxsize

from incognote.core.errors import ReadError, UsageError
from incognote.corpus.formats.physionet import records

_ID = ("id", "note_id", "doc_id", "document_id")
_TEXT = ("text", "note_text", "deidentified_text", "anonymized_text", "redacted_text", "note")

Texts = Iterator[tuple[str, str, str]]  # where it appears, the id of the document, its text


def redacted_texts(path: Path, ids: Collection[str]) -> dict[str, str]:
    """The texts of the documents `ids`; every one of them has to be there, and no other."""
    texts: dict[str, str] = {}
    for place, key, text in _read(path, ids):
        if key in texts:
            raise UsageError(f"{place}: the redacted texts have more than one document {key!r}")
        texts[key] = text
    if not texts:
        raise UsageError(f"{path}: no redacted texts")
    unknown = sorted(texts.keys() ^ set(ids))
    if unknown:
        raise UsageError(
            f"only one of gold and redacted texts has document {unknown[0]!r} "
            f"({len(unknown)} in all)"
        )
    return texts


def _read(path: Path, ids: Collection[str]) -> Texts:
    if path.is_dir():
        return _files(path, ids)
    if path.suffix == ".csv":
        return _table(path)
    if path.suffix in (".res", ".text"):
        return ((f"{path.name}, {key}", key, text) for key, text in records(path))
    return _rows(path)


def _files(folder: Path, ids: Collection[str]) -> Texts:
    for file in sorted(folder.iterdir()):
        key = _id_of_file(file.name, ids)
        # Other files than texts may lie there, a manifest for example.
        if file.is_file() and (key in ids or file.suffix == ".txt"):
            try:
                yield file.name, key, file.read_text("utf-8")
            except UnicodeDecodeError:
                raise ReadError(f"{file.name}: not UTF-8 text") from None


def _id_of_file(name: str, ids: Collection[str]) -> str:
    """Tools add endings of their own: note-7.txt, note-7.nphi, note-7.txt.deid.resynthesis."""
    key = name
    while key not in ids and "." in key:
        key = key.rpartition(".")[0]
    return key if key in ids else Path(name).stem


def _table(path: Path) -> Texts:
    before = csv.field_size_limit(maxsize)  # a note may be longer than the limit of the library
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            key = next((name for name in _ID if name in (rows.fieldnames or ())), None)
            text = next((name for name in _TEXT if name in (rows.fieldnames or ())), None)
            if key is None or text is None:
                raise ReadError(f"{path.name}: has no columns id and text")
            for row in rows:
                yield f"{path.name}, line {rows.line_num}", row[key] or "", row[text] or ""
    except UnicodeDecodeError:
        raise ReadError(f"{path.name}: not UTF-8 text") from None
    except csv.Error:
        raise ReadError(f"{path.name}: not a table") from None
    finally:
        csv.field_size_limit(before)


def _rows(path: Path) -> Texts:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            place = f"{path.name}, line {number}"
            try:
                row = json.loads(line)
                yield place, str(row["id"]), str(row["text"])
            except (ValueError, KeyError, TypeError):
                raise ReadError(f"{place}: has no id and text") from None
