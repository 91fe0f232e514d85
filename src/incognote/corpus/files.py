"""Which formats corpora come in, and how a path tells its own.

A format is a module with `read(path)` and, where it can be written, `write(documents, path)`.
Dialects of one family share a module and differ by an option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from incognote.core.errors import ReadError, UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus import brat, conll, inline, physionet, rows, xml2006, xml2014
from incognote.corpus.writing import refuse_doubles

Read = Callable[[Path], Iterator[AnnotatedDocument]]
Write = Callable[[Iterable[AnnotatedDocument], Path], None]


@dataclass(frozen=True, slots=True)
class CorpusFormat:
    """`suffix` is that of its file; a format without one is a folder."""

    description: str
    read: Read
    write: Write
    suffix: str = ""


def _rows(description: str, dialect: str, suffix: str = ".json") -> CorpusFormat:
    return CorpusFormat(description, rows.read, partial(rows.write, dialect=dialect), suffix)


FORMATS = MappingProxyType(
    {
        "jsonl": _rows("JSON Lines of incognote, also what `detect` writes", "jsonl", ".jsonl"),
        "doccano": _rows("doccano JSON Lines: [start, end, label]", "doccano", ".jsonl"),
        "presidio": _rows("Presidio JSON: full_text, entity_type", "presidio"),
        "deduce": _rows("deduce JSON: start_char, end_char, tag", "deduce"),
        "label-studio": _rows("Label Studio JSON (UTF-16 offsets)", "label-studio"),
        "i2b2-2014": CorpusFormat(
            "folder of i2b2 2014 XML, stand-off tags", xml2014.read, xml2014.write
        ),
        "i2b2-2006": CorpusFormat(
            "one i2b2 2006 XML file, tags in the text", xml2006.read, xml2006.write, ".xml"
        ),
        "physionet": CorpusFormat(
            "PhysioNet deid: id.text with id-phi.phrase or id.deid", physionet.read, physionet.write
        ),
        "brat": CorpusFormat("folder of BRAT .txt and .ann", brat.read, brat.write),
        "conll": CorpusFormat(
            "CoNLL columns, IOB2", conll.read, partial(conll.write, scheme="iob2"), ".conll"
        ),
        "bilou": CorpusFormat(
            "CoNLL columns, BILOU", conll.read, partial(conll.write, scheme="bilou"), ".conll"
        ),
        "inline": CorpusFormat(
            "folder of texts with tags: <DATE>3/4/20</DATE>", inline.read, inline.write
        ),
    }
)

_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    ".bio": "conll",
    ".tsv": "conll",
    ".text": "physionet",
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
        raise UsageError(f"document {bad!r}: a span lies outside its text")
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
    raise UsageError(f"{path}: cannot tell its corpus format; name one of: {', '.join(FORMATS)}")


def corpus_format(name: str) -> CorpusFormat:
    if name not in FORMATS:
        raise UsageError(f"no corpus format named {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]
