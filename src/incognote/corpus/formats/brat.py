"""BRAT stand-off: a folder of .txt files, each with an .ann file beside it.

Offsets are code points. A discontinuous annotation becomes one span for each of its pieces, except
where only white space lies between them: BRAT has no other way to write a name over two lines.
Relations, events, attributes and comments are none of ours and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import new_file

_TEXT_BOUND = re.compile(r"T\S*\s+(?P<label>\S+)\s(?P<pieces>\d+ \d+(?:;\d+ \d+)*)(?:\s|$)")

_LINE = re.compile(r"[^\r\n]+")


def read(path: Path) -> Iterator[AnnotatedDocument]:
    annotations = sorted(path.glob("*.ann")) if path.is_dir() else [path]
    if path.is_dir():
        bare = {file.stem for file in path.glob("*.txt")} - {file.stem for file in annotations}
        if bare:
            raise ReadError(f"{min(bare)}.txt: no .ann beside it (an empty one says: no PHI)")
    for file in annotations:
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
            for span in _spans(line, text, file.name, number)
        )
        yield AnnotatedDocument(Document(file.stem, text, {}, text_file.name), spans)


def _spans(line: str, text: str, name: str, number: int) -> list[Span]:
    bound = _TEXT_BOUND.match(line)
    if bound is None:
        raise ReadError(f"{name}, line {number}: not a text-bound annotation")
    spans: list[Span] = []
    try:
        for piece in bound["pieces"].split(";"):
            start, end = map(int, piece.split())
            if spans and start >= spans[-1].end and not text[spans[-1].end : start].strip():
                start = spans.pop().start
            spans.append(Span(start, end, bound["label"]))
    except ValueError:
        raise ReadError(f"{name}, line {number}: an empty or backward span") from None
    return spans


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    for doc in documents:
        target = new_file(path, doc.id, ".txt")
        target.write_text(doc.text, "utf-8", newline="")
        lines = [
            f"T{number}\t{span.label} {_pieces(doc.text, span)}\n"
            for number, span in enumerate(sorted(doc.spans), 1)
        ]
        target.with_suffix(".ann").write_text("".join(lines), "utf-8", newline="\n")


def _pieces(text: str, span: Span) -> str:
    """Bounds and surface of a span, line by line."""
    lines = [*_LINE.finditer(text, span.start, span.end)]
    if not lines:  # nothing but line ends
        return f"{span.start} {span.end}\t"
    bounds = [[line.start(), line.end()] for line in lines]
    bounds[0][0], bounds[-1][1] = span.start, span.end
    return ";".join(f"{a} {b}" for a, b in bounds) + "\t" + " ".join(line[0] for line in lines)


BRAT = CorpusFormat("folder of BRAT .txt and .ann", read, write)
