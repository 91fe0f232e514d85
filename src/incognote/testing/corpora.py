"""What every corpus format owes: texts and spans that survive writing and reading."""

from __future__ import annotations

from pathlib import Path

from incognote.core.text.markup import parse_markup
from incognote.core.types import AnnotatedDocument, Document
from incognote.corpus.files import corpus_format, read_corpus, write_corpus

_NOTES = (
    "Seen by Dr. [[Zoe O'Neil|DOCTOR]] on [[3/4/20|DATE]]; K < 4 & pH > 7.",
    "[[Ann Lee|PATIENT]] called [[860-555-0123|PHONE]].\n\nSecond paragraph, no PHI.",
    "Nothing here is anybody's.",
)


def check_corpus_format(name: str, folder: Path) -> None:
    """A registered corpus format, written to `folder` and read back: nothing changes."""
    marked = [parse_markup(note) for note in _NOTES]
    before = [
        AnnotatedDocument(Document(f"note{number}", text), spans)
        for number, (text, spans) in enumerate(marked)
    ]
    path = folder / f"corpus{corpus_format(name).suffix}"
    write_corpus(before, path, name)
    after = {document.id: document for document in read_corpus(path, name)}
    assert sorted(after) == [document.id for document in before], "documents are lost or renamed"
    for document in before:
        there = after[document.id]
        assert there.text == document.text, f"the text of {document.id} has changed"
        assert _places(there) == _places(document), f"spans of {document.id} have changed"


def _places(document: AnnotatedDocument) -> list[tuple[int, int, str]]:
    return sorted((span.start, span.end, span.label) for span in document.spans)
