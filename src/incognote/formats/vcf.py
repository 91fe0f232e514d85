"""VCF: sample names, and what the header says of samples, pedigrees, dates and files.

The genotypes themselves are data, not text; a genome identifies its owner whatever it is called,
which docs/guides/formats.md says where users read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, Unreadable
from incognote.formats.charset import decode
from incognote.formats.patch import Piece, Slot, patched, text_slot
from incognote.policy import TEXT, FormatRules

_FIXED = 9
_CHUNK = 1 << 20
# Sample names are the same thing on every line of a file: one scope for all of them.
_SAMPLES = {"patient_id": "vcf-samples"}
_DATE = re.compile(r"##(?:fileDate|.{0,20}[Dd]ate)=(\S+)")
# key=value, or key="a value with commas", within <...>.
_KEYED = re.compile(r'(?<=[<,])(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,>"]*))')
_SAMPLE = re.compile(r"ID|Original|Derived|Name_\d+|Father|Mother|Child|G\d+")
_DEFINITION = re.compile(r"##(INFO|FORMAT|FILTER|ALT|META|contig)=")
# What definitions say for machines.
_CODES = frozenset("ID Number Type Version length assembly md5 taxonomy".split())


class VcfFormat:
    name = "vcf"
    suffixes = (".vcf",)

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf").startswith(b"##fileformat=VCF")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        for number, line in enumerate(stream, 1):
            if not line.startswith((b"#", b"\xef\xbb\xbf#")):
                break
            yield _header_line(line, f"{name}:{number}", rules)
        else:
            line = b""
        # Genotypes pass as they are, in blocks.
        before = b"\n"
        while line:
            if b"\n#" in before + line:
                yield _refused(name, line)
                return
            yield Record((), _constant(line))
            before = line[-1:]
            line = stream.read(_CHUNK)


def _constant(data: bytes) -> Callable[[Sequence[Result]], bytes]:
    return lambda _: data


def _refused(name: str, data: bytes) -> Failure:
    message = f"{name}: a comment among the variants, where none may be"
    return Unreadable(name, ReadError.stage, ReadError.__name__, message, data)


def _header_line(line: bytes, where: str, rules: FormatRules) -> Record | Failure:
    try:
        source = decode(line)
    except ReadError as error:
        return Unreadable(where, error.stage, type(error).__name__, f"{where}: {error}", line)
    slots = _slots(source.text, where, rules)
    return Record(
        tuple(document for slot in slots for document in slot.documents),
        lambda results: source.encode(patched(source.text, slots, results)),
        raw=line,
    )


def _slots(line: str, where: str, rules: FormatRules) -> list[Slot]:
    if line.startswith("#CHROM"):
        return _columns(line, where)
    definition = _DEFINITION.match(line)
    if definition:
        # The vocabulary of the file, not of the patient, unless the policy says otherwise.
        return _keyed(line, where) if rules.choice(definition[1]) == TEXT else []
    if line.startswith(("##SAMPLE", "##PEDIGREE")):
        return _keyed(line, where)
    date = _DATE.match(line)
    if date:
        return [_known(line, *date.span(1), "DATE", where)]
    if line.startswith("##fileformat="):
        return []
    # Anything else (command lines, file paths, notes) is read as text.
    start, equals, value = line.rstrip("\r\n").partition("=")
    if not equals:
        return [_text(line, 0, len(start), "note", where)] if start.strip("#") else []
    return [_text(line, len(start) + 1, len(start) + 1 + len(value), start.lstrip("#"), where)]


def _columns(line: str, where: str) -> list[Slot]:
    """The names of the samples, behind the columns that every file has."""
    slots = []
    at = 0
    for column, text in enumerate(line.rstrip("\r\n").split("\t")):
        if column >= _FIXED and text:
            slots.append(_known(line, at, at + len(text), "IDNUM", where))
        at += len(text) + 1
    return slots


def _keyed(line: str, where: str) -> list[Slot]:
    """`<key=value,...>`: samples by their names, all else as text with its key as context."""
    slots = []
    is_definition = _DEFINITION.match(line) is not None
    for found in _KEYED.finditer(line):
        at = 2 if found[2] is not None else 3
        if not found[at] or (is_definition and found[1] in _CODES):
            continue
        if not is_definition and _SAMPLE.fullmatch(found[1]):
            slots.append(_known(line, *found.span(at), "IDNUM", where))
        else:
            slots.append(_text(line, *found.span(at), found[1], where))
    return slots


def _known(line: str, start: int, end: int, label: str, where: str) -> Slot:
    piece = Piece(start, end, line[start:end])
    return text_slot(where, [piece], str, label=label, meta=_SAMPLES, locator=where)


def _text(line: str, start: int, end: int, key: str, where: str) -> Slot:
    piece = Piece(start, end, line[start:end])
    return text_slot(where, [piece], str, lead=f"{key}: ", meta=_SAMPLES, locator=where)
