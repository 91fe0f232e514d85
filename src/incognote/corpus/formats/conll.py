"""CoNLL columns: a token a line, its tag in the last column, a blank line between sentences.

IOB1, IOB2, BIOES and BILOU are all read. The format has no text: it is joined with blanks and line
feeds, unless columns two and three are offsets (as written here), which are then kept true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import without_overlap

_DOCUMENT = "-DOCSTART-"
_OPENS = frozenset("BUS")
_INSIDE = frozenset("ILEM")
_CLOSES = frozenset("USLE")
# White space between two tokens: more than this is a broken offset.
_LONGEST_GAP = 1_000_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(slots=True)
class _Builder:
    """A document under construction."""

    id: str
    named: bool = False
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    open: Span | None = None

    def add(self, token: str, tag: str, start: int | None) -> bool:
        """Appends a token; False if its tag is none."""
        if start is None:
            glue = "" if not self.text or self.text.endswith("\n") else " "
            self.text += glue + token
        else:
            # Between tokens lay white space; which one it was is lost, how much of it is not.
            self.text += " " * (start - len(self.text)) + token
        end = len(self.text)
        prefix, _, label = tag.partition("-")
        if tag == "O":
            self.open = None
        elif label and prefix in _OPENS | _INSIDE:
            if prefix in _INSIDE and self.open is not None and self.open.label == label:
                self.open = self.spans[-1] = self.open.moved(self.open.start, end)
            else:
                self.open = Span(end - len(token), end, label)
                self.spans.append(self.open)
            if prefix in _CLOSES:
                self.open = None
        else:
            return False
        return True

    def end_sentence(self, *, offsets: bool) -> None:
        self.open = None
        if not offsets and self.text and not self.text.endswith("\n"):
            self.text += "\n"

    def build(self) -> AnnotatedDocument:
        return AnnotatedDocument(Document(self.id, self.text), tuple(self.spans))


def read(path: Path) -> Iterator[AnnotatedDocument]:
    doc = _Builder("1")
    count = 1
    offsets = False
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ReadError(f"{path.name}: not UTF-8 text") from None
    for number, line in enumerate(lines, 1):
        columns = line.rstrip("\r").split("\t" if "\t" in line else None)
        if not columns or columns == [""]:
            doc.end_sentence(offsets=offsets)
            continue
        if columns[0] == _DOCUMENT:
            if doc.text or doc.named:
                yield doc.build()
                count += 1
            doc = _Builder(columns[-1], named=True) if len(columns) == 5 else _Builder(str(count))
            continue
        offsets = len(columns) == 4 and columns[1].isdecimal() and columns[2].isdecimal()
        start = int(columns[1]) if offsets else None
        at = len(doc.text)
        is_placed = start is None or at <= start <= at + _LONGEST_GAP
        if len(columns) < 2 or not columns[0] or not is_placed:
            raise ReadError(f"{path.name}, line {number}: not a token with its tag")
        if not doc.add(columns[0], columns[-1], start):
            raise ReadError(f"{path.name}, line {number}: not a tag of IOB, BIOES or BILOU")
    if doc.text or doc.named:
        yield doc.build()


def write(documents: Iterable[AnnotatedDocument], path: Path, scheme: str = "iob2") -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for doc in documents:
            out.write(f"{_DOCUMENT}\t-X-\t-X-\tO\t{doc.id}\n\n")
            line_ended = 0
            for start, end, tag in _tagged(doc, scheme):
                # A name broken over two lines stays in one sentence, or it would become two names.
                if line_ended and "\n" in doc.text[line_ended:start] and tag[0] in "OBU":
                    out.write("\n")
                out.write(f"{doc.text[start:end]}\t{start}\t{end}\t{tag}\n")
                line_ended = end
            out.write("\n")


def _tagged(doc: AnnotatedDocument, scheme: str) -> Iterator[tuple[int, int, str]]:
    """Tokens with tags. Tokens are cut at the bounds of spans, so that no span is changed."""
    at = 0
    for span in without_overlap(doc):
        yield from ((start, end, "O") for start, end in _tokens(doc.text, at, span.start))
        inside = _tokens(doc.text, span.start, span.end)
        for index, (start, end) in enumerate(inside):
            first, last = index == 0, index == len(inside) - 1
            if scheme == "bilou":
                prefix = "U" if first and last else "B" if first else "L" if last else "I"
            else:
                prefix = "B" if first else "I"
            yield start, end, f"{prefix}-{span.label}"
        at = span.end
    yield from ((start, end, "O") for start, end in _tokens(doc.text, at, len(doc.text)))


def _tokens(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [token.span() for token in _TOKEN.finditer(text, start, end)]


IOB2 = CorpusFormat("CoNLL columns, IOB2", read, partial(write, scheme="iob2"), ".conll")
BILOU = CorpusFormat("CoNLL columns, BILOU", read, partial(write, scheme="bilou"), ".conll")
