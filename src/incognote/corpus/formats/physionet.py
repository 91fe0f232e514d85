"""PhysioNet deid: id.text with records, id-phi.phrase (typed) or id.deid / id.phi (places only).

Offsets count from the first character after the START_OF_RECORD line. Where only places are known,
the label is "PHI".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from incognote.core.errors import ReadError, UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat

_RECORD = re.compile(
    r"START_OF_RECORD=(?P<patient>[^|]*)\|\|\|\|(?P<note>[^|]*)\|\|\|\|\n"
    r"(?P<text>.*?)\|\|\|\|END_OF_RECORD",
    re.DOTALL,
)
_HEADER = re.compile(r"Patient (\S+)\s+Note (\S+)")
_LINE_END = re.compile(r"[\r\n]")
UNTYPED = "PHI"

Key = tuple[str, str]  # patient and note
Spans = dict[Key, list[Span]]


def read(path: Path) -> Iterator[AnnotatedDocument]:
    text_file = next(iter(sorted(path.glob("*.text"))), None) if path.is_dir() else path
    if text_file is None:
        raise ReadError(f"{path}: no .text file")
    spans = _annotations(text_file)
    seen = set()
    for key, text in _records(text_file):
        seen.add(key)
        document = Document(
            "-".join(key), text, {"patient_id": key[0]}, f"{text_file.name}:{key[1]}"
        )
        yield AnnotatedDocument(document, tuple(spans.get(key, ())))
    lost = sorted(spans.keys() - seen)
    if lost:
        raise ReadError(f"annotations of patient {lost[0][0]}, note {lost[0][1]}, but no such note")


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Ids and texts of a file of records: id.text, or id.res, which deid writes redacted."""
    return (("-".join(key), text) for key, text in _records(path))


def _records(path: Path) -> Iterator[tuple[Key, str]]:
    # Some notes hold single bytes that are no UTF-8; offsets count them one by one.
    for record in _RECORD.finditer(path.read_bytes().decode("latin-1")):
        yield (record["patient"], record["note"]), record["text"]


def _annotations(text_file: Path) -> Spans:
    stem = text_file.with_suffix("")
    phrases = stem.with_name(f"{stem.name}-phi.phrase")
    if phrases.exists():
        return _phrases(phrases)
    for suffix in (".deid", ".phi"):
        if stem.with_suffix(suffix).exists():
            return _places(stem.with_suffix(suffix))
    raise ReadError(f"{text_file.name}: neither {phrases.name} nor {stem.name}.deid beside it")


def _phrases(path: Path) -> Spans:
    found: Spans = defaultdict(list)
    for number, line in enumerate(path.read_text("latin-1").split("\n"), 1):
        if line.strip():
            try:
                patient, note, start, end, label, *_ = line.split(" ", 5)
                found[patient, note].append(Span(int(start), int(end), label))
            except ValueError:
                raise ReadError(f"{path.name}, line {number}: not an annotation") from None
    return found


def _places(path: Path) -> Spans:
    found: Spans = defaultdict(list)
    key = ("", "")
    for number, line in enumerate(path.read_text("latin-1").split("\n"), 1):
        header = _HEADER.match(line)
        if header:
            key = header[1], header[2]
        elif line.strip():
            try:
                start, _, end = (int(column) for column in line.split())
                found[key].append(Span(start, end, UNTYPED))
            except ValueError:
                raise ReadError(f"{path.name}, line {number}: not an annotation") from None
    return found


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    """Patients and notes are numbered here: the format has no other ids."""
    path.mkdir(parents=True, exist_ok=True)
    patients: dict[str, int] = {}
    notes: defaultdict[int, int] = defaultdict(int)
    texts: list[str] = []
    places: list[str] = []
    phrases: list[str] = []
    for doc in documents:
        if "||||END_OF_RECORD" in doc.text or any(char > "\xff" for char in doc.text):
            raise UsageError(
                f"document {doc.id!r}: holds text that the PhysioNet format cannot (one byte for "
                "each character)"
            )
        patient = patients.setdefault(doc.document.patient_id or doc.id, len(patients) + 1)
        notes[patient] += 1
        note = notes[patient]
        texts.append(f"START_OF_RECORD={patient}||||{note}||||\n{doc.text}||||END_OF_RECORD\n\n")
        places.append(f"Patient {patient}\tNote {note}\n")
        for span in sorted(doc.spans):
            surface = _LINE_END.sub(" ", doc.text[span.start : span.end])
            places.append(f"{span.start}\t{span.start}\t{span.end}\n")
            phrases.append(f"{patient} {note} {span.start} {span.end} {span.label} {surface}\n")
    for name, lines in (("id.text", texts), ("id.deid", places), ("id-phi.phrase", phrases)):
        (path / name).write_text("".join(lines), "latin-1", newline="\n")


PHYSIONET = CorpusFormat("PhysioNet deid: id.text with id-phi.phrase or id.deid", read, write)
