"""Corpora on disk: which format a path has, reading it whole, writing it in another format.

The formats themselves come from the registry, as everything that other packages may add to.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from incognote.core import registry
from incognote.core.errors import ReadError, UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import refuse_doubles

KIND = "corpus_format"
_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    ".bio": "conll",
    ".tsv": "conll",
    ".text": "physionet",
    ".csv": "span-table",
}


def read_corpus(path: Path | str, form: str | None = None) -> list[AnnotatedDocument]:
    """All documents of a corpus; the format is guessed from the path where none is named."""
    path = Path(path)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    documents = list(corpus_format(form or guess(path)).read(path))
    if not documents:
        raise ReadError(f"{path}: no documents")
    return documents


def write_corpus(documents: Iterable[AnnotatedDocument], path: Path | str, form: str) -> None:
    """The documents in another format: one file or one folder, as the format has it."""
    documents = list(documents)
    refuse_doubles(documents)
    bad = next((d.id for d in documents if any(span.end > len(d.text) for span in d.spans)), None)
    if bad is not None:
        raise UsageError(
            f"document {bad!r}: a span lies outside its text; "
            "of `detect`, rows have their text with --with-text only"
        )
    corpus_format(form).write(documents, Path(path))


def guess(path: Path) -> str:
    """The format of a path by its names, and for XML by its root."""
    if path.is_dir():
        names = {item.suffix for item in path.iterdir() if item.is_file()}
        if ".ann" in names:
            return "brat"
        if ".xml" in names:
            return "i2b2-2014"
        if ".text" in names:
            return "physionet"
        if ".txt" in names:
            return "inline"
    elif path.suffix == ".xml":
        return "i2b2-2006" if b"<RECORD" in path.read_bytes()[:20_000] else "i2b2-2014"
    elif path.suffix in _BY_SUFFIX:
        return _BY_SUFFIX[path.suffix]
    known = ", ".join(corpus_formats())
    raise UsageError(f"{path}: cannot tell its corpus format; name one of: {known}")


def corpus_formats() -> tuple[str, ...]:
    """The name of every corpus format, built in or installed."""
    return registry.names(KIND)


def corpus_format(name: str) -> CorpusFormat:
    form = registry.load(KIND, name)
    if not isinstance(form, CorpusFormat):
        raise UsageError(f"the corpus format {name!r} is no CorpusFormat")
    return form
