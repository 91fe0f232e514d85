"""BRAT stand-off: a folder of .txt files, each with an .ann file beside it.

Offsets are code points. A discontinuous annotation becomes one span for each of its pieces.
Relations, events, attributes and comments are none of ours and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.writing import new_file

_TEXT_BOUND = re.compile(r"T\S*\s+(?P<label>\S+)\s(?P<pieces>\d+ \d+(?:;\d+ \d+)*)(?:\s|$)")


def read(path: Path) -> Iterator[AnnotatedDocument]:
    for file in sorted(path.glob("*.ann")) if path.is_dir() else [path]:
        text_file = file.with_suffix(".txt")
        if not text_file.exists():
            raise ReadError(f"{file.name}: no {text_file.name} beside it")
        try:
            # Line ends are read as they are: they count in the offsets.
            with text_file.open(encoding="utf-8", newline="") as stream:
                text = stream.read()
            lines = file.read_text("utf-8").split("\n")
        except UnicodeDecodeError:
            raise ReadError(f"{file.name}: not UTF-8 text") from None
        spans = tuple(
            span
            for number, line in enumerate(lines, 1)
            if line.startswith("T")
            for span in _spans(line, file.name, number)
        )
        yield AnnotatedDocument(Document(file.stem, text, {}, text_file.name), spans)


def _spans(line: str, name: str, number: int) -> list[Span]:
    bound = _TEXT_BOUND.match(line)
    if bound is None:
        raise ReadError(f"{name}, line {number}: not a text-bound annotation")
    pieces = (piece.split() for piece in bound["pieces"].split(";"))
    try:
        return [Span(int(start), int(end), bound["label"]) for start, end in pieces]
    except ValueError:
        raise ReadError(f"{name}, line {number}: an empty or backward span") from None


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    for doc in documents:
        target = new_file(path, doc.id, ".txt")
        target.write_text(doc.text, "utf-8", newline="")
        lines = [
            f"T{number}\t{s.label} {s.start} {s.end}\t{_one_line(doc.text[s.start : s.end])}\n"
            for number, s in enumerate(sorted(doc.spans), 1)
        ]
        target.with_suffix(".ann").write_text("".join(lines), "utf-8", newline="\n")


def _one_line(surface: str) -> str:
    return re.sub(r"[\r\n]", " ", surface)
