"""VCF: sample names, and what the header says of samples, pedigrees, dates and files.

Samples get names that differ from each other and are the same in every line of a file, whatever
the policy makes of an identifier. The genotypes themselves are data, not text; a genome identifies
its owner whatever it is called, which docs/guides/formats.md says where users read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import BinaryIO
from urllib.parse import quote, unquote

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result, Span
from incognote.formats.base import Record, new_text, refused
from incognote.formats.charset import decode
from incognote.formats.clinical import VALUE
from incognote.formats.patch import (
    Change,
    Piece,
    Slot,
    dropped_slot,
    informed,
    patched_record,
    text_slot,
)
from incognote.lexicon.words import is_word
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_FIXED = 9
_INFO = 7
_CHUNK = 1 << 20
_LONGEST_HEADER = 64 << 20
_SHORTEST_NAME = 3
Known = tuple[tuple[str, str], ...]
# Sample names are the same thing on every line of a file: one scope for all of them.
_SAMPLES = {"patient_id": "vcf-samples"}
_DATE = re.compile(r"##(?:fileDate|.{0,20}[Dd]ate)=(\S+)")
# key=value, or key="a value with commas", within <...>.
_KEYED = re.compile(r'(?<=[<,])(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,>"]*))')
_SAMPLE = re.compile(r"ID|Original|Derived|Name_\d+|Father|Mother|Child|G\d+")
_DEFINITION = re.compile(r"##(INFO|FORMAT|FILTER|ALT|META|contig)=(?:<ID=(\w+))?")
# Keys of INFO and FORMAT whose meaning the standard defines.
_RESERVED = frozenset(
    """AA AC AD ADF ADR AF AN BQ CIGAR CN CNL CNP CNQ CIEND CIPOS DB DP END EC FT GL GP GQ GT H2 H3
    HQ IMPRECISE MQ MQ0 NQ NS NOVEL PASS PL PP PQ PS SB SOMATIC SVLEN SVTYPE VALIDATED""".split()
)
# Programs and their versions, which identify no patient.
_PROGRAM = re.compile(r"\w*[Vv]ersion|source|phasing")
# Where a genome lies and what was run: only strong evidence counts there.
_TECHNICAL = re.compile(
    r"reference|assembly|\w*[Cc]ommand(?:[Ll]ine)?\w*|\w*[Cc]md\w*|cmdline|source_\S+|pedigreeDB"
)
_ARGUMENT = re.compile(r"(?:^|\s)-{1,2}[A-Za-z][\w-]*|\b\w+=(?:\[|null|true|false|/)")
# The name of an assembly; a path to one is read.
_ASSEMBLY = re.compile(r"[\w.-]+")
_SEQUENCE = re.compile(r"[ACGTN]{6,}")
# Whose folder it is: /home/adaeze, C:\\Users\\adaeze, /nfs/users/nfs_p/adaeze.
_FOLDER_OF = re.compile(r"(?:/home/|/[Uu]sers/(?:nfs_\w/)?|\\Users\\)([^/\\\s\",\]]+)")
_CAPITALISED = re.compile(r"[A-Z][\w'-]{2,}(?: [A-Z][\w'-]+)*")
# What a value says of a person.
PERSON = "person"
# What definitions say for machines.
_CODES = frozenset("ID Number Type Version Source length assembly md5 taxonomy species".split())
_COMMENT = ReadError("a comment among the variants, where none may be")
# What an INFO value may hold as it is; all else is written in per cent.
_PLAIN = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in ":;=%,")


class VcfFormat:
    name = "vcf"
    suffixes = (".vcf",)

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf").startswith(b"##fileformat=VCF")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            lines, line = _head(stream)
            _require_header(lines, line)
        except ReadError as error:
            yield refused(name, error)
            return
        header = partial(_header, rules=rules, samples=_Samples(), known=_names(lines))
        for number, each in enumerate(lines, 1):
            yield _line(each, f"{name}:{number}", header)
        if not line:
            return
        if not any(key.startswith("INFO/") for key in rules.labels):
            yield from _blocks(stream, line, name)
            return
        for number, variant in enumerate(chain([line], stream), len(lines) + 1):
            if variant.startswith(b"#"):
                yield refused(name, _COMMENT, variant)
                return
            yield _line(variant, f"{name}:{number}", partial(_values, rules=rules))


class _Samples:
    """The new names of the samples of a file, which must differ as the old ones do."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}

    def name(self, old: str, proposed: str) -> str:
        if old not in self._new:
            taken = set(self._new.values())
            names = chain([proposed], (f"{proposed}_{number}" for number in count(2)))
            self._new[old] = next(name for name in names if name not in taken)
        return self._new[old]


def _head(stream: BinaryIO) -> tuple[list[bytes], bytes]:
    """The header, whose last line says what the samples are called, and the first variant."""
    lines: list[bytes] = []
    size = 0
    for line in stream:
        if not line.startswith((b"#", b"\xef\xbb\xbf#")):
            return lines, line
        lines.append(line)
        size += len(line)
        if size > _LONGEST_HEADER:
            raise ReadError("a header without end")
    return lines, b""


def _require_header(lines: Sequence[bytes], variant: bytes) -> None:
    """What is no table of variants, such as a card of contacts, must not pass for one: variants are
    not read."""
    if not lines or not VcfFormat().sniff(lines[0]):
        raise ReadError("not a VCF file: the line ##fileformat is missing")
    if variant and not lines[-1].startswith(b"#CHROM"):
        raise ReadError("a VCF file without the line that names its columns")


def _names(lines: Sequence[bytes]) -> Known:
    """The samples as the columns call them, for the header to be searched: command lines and paths
    name them, too. What is no word of its own (a "1") would be found everywhere."""
    columns = lines[-1] if lines[-1].startswith(b"#CHROM") else b""
    names = columns.decode("utf-8", "replace").rstrip("\r\n").split("\t")[_FIXED:]
    return tuple(("IDNUM", name) for name in names if len(name) >= _SHORTEST_NAME)


def _blocks(stream: BinaryIO, line: bytes, name: str) -> Iterator[Record | Failure]:
    """Variants that are not read pass as they are, in blocks."""
    before = b"\n"
    while line:
        if b"\n#" in before + line:
            yield refused(name, _COMMENT, line)
            return
        yield Record((), _constant(line))
        before = line[-1:]
        line = stream.read(_CHUNK)


def _constant(data: bytes) -> Callable[[Sequence[Result]], bytes]:
    return lambda _: data


def _line(line: bytes, where: str, slots_of: Callable[[str, str], list[Slot]]) -> Record | Failure:
    try:
        source = decode(line)
    except ReadError as error:
        return refused(where, error, line)
    record = patched_record(source, slots_of(source.text, where), line)
    return replace(record, required=True) if line.startswith(b"#CHROM") else record


def _header(
    line: str, where: str, rules: FormatRules, samples: _Samples, known: Known
) -> list[Slot]:
    return informed(_slots(line, where, rules, samples), known)


def _slots(line: str, where: str, rules: FormatRules, samples: _Samples) -> list[Slot]:
    if line.startswith("#CHROM"):
        return _columns(line, where, samples)
    definition = _DEFINITION.match(line)
    if definition:
        # The standard's own words say nothing of a patient; anybody may have written the others.
        kept = rules.choice(definition[1]) == KEEP or definition[2] in _RESERVED
        return [] if kept else _keyed(line, where, samples)
    if line.startswith(("##SAMPLE", "##PEDIGREE")):
        return _keyed(line, where, samples)
    date = _DATE.match(line)
    if date:
        return [_known(line, *date.span(1), "DATE", where)]
    if line.startswith("##fileformat="):
        return []
    # Anything else is read: paths, programs and commands as what they are, notes as text.
    start, equals, value = line.rstrip("\r\n").partition("=")
    if not equals:
        return [_text(line, 0, len(start), "note", where)] if start.strip("#") else []
    key, at = start.lstrip("#"), len(start) + 1
    if _PROGRAM.fullmatch(key) or _SEQUENCE.fullmatch(value):
        return []
    if key in ("reference", "assembly") and _ASSEMBLY.fullmatch(value):
        return []
    is_technical = _TECHNICAL.fullmatch(key) or _ARGUMENT.search(value)
    kind = VALUE if is_technical else TEXT
    return [_text(line, at, at + len(value), key, where, kind)]


def _columns(line: str, where: str, samples: _Samples) -> list[Slot]:
    """The names of the samples, behind the columns that every file has."""
    slots = []
    at = 0
    for column, text in enumerate(line.rstrip("\r\n").split("\t")):
        if column >= _FIXED and text:
            slots.append(_sample(line, at, at + len(text), where, samples))
        at += len(text) + 1
    return slots


def _keyed(line: str, where: str, samples: _Samples) -> list[Slot]:
    """`<key=value,...>`: samples by their names, all else as text with its key as context."""
    slots = []
    is_definition = _DEFINITION.match(line) is not None
    for found in _KEYED.finditer(line):
        at = 2 if found[2] is not None else 3
        if not found[at] or (is_definition and found[1] in _CODES):
            continue
        if not is_definition and _SAMPLE.fullmatch(found[1]):
            slots.append(_sample(line, *found.span(at), where, samples))
        else:
            kind = VALUE if is_definition else PERSON
            slots.append(_text(line, *found.span(at), found[1], where, kind))
    return slots


def _values(line: str, where: str, rules: FormatRules) -> list[Slot]:
    """The INFO values of a variant that the policy names, as `INFO/KEY`."""
    columns = line.rstrip("\r\n").split("\t")
    if len(columns) <= _INFO:
        return []
    slots = []
    at = sum(map(len, columns[:_INFO])) + _INFO
    for entry in columns[_INFO].split(";"):
        key, equals, value = entry.partition("=")
        start, end = at + len(key) + 1, at + len(entry)
        at = end + 1
        choice = rules.labels.get(f"INFO/{key}", KEEP)
        if choice == KEEP or not equals:
            continue
        if choice == DROP:
            slots.append(dropped_slot(start, end, "."))
            continue
        slots.append(
            text_slot(
                where,
                [Piece(start, end, unquote(value))],
                lambda text: quote(text, safe=_PLAIN),
                lead=f"{key}: " if choice == TEXT else "",
                label=None if choice == TEXT else choice,
                meta=_SAMPLES,
                locator=f"{where} INFO/{key}",
            )
        )
    return slots


def _sample(line: str, start: int, end: int, where: str, samples: _Samples) -> Slot:
    old = line[start:end]

    def changes(results: Sequence[Result]) -> list[Change]:
        new = samples.name(old, new_text(results[0]))
        return [Change(start, end, new)] if new != old else []

    return Slot(_known(line, start, end, "IDNUM", where).documents, changes)


def _known(line: str, start: int, end: int, label: str, where: str) -> Slot:
    piece = Piece(start, end, line[start:end])
    return text_slot(where, [piece], str, label=label, meta=_SAMPLES, locator=where)


def _text(line: str, start: int, end: int, key: str, where: str, kind: str = TEXT) -> Slot:
    """A stretch to be read. What it says of itself is given: whose folder a path lies in, and in
    what is said of a person, words that are no words."""
    piece = Piece(start, end, line[start:end])
    lead = f"{key}: "
    slot = text_slot(
        where, [piece], str, lead=lead, clinical=kind == VALUE, meta=_SAMPLES, locator=where
    )
    found = [("USERNAME", *each.span(1)) for each in _FOLDER_OF.finditer(piece.text)]
    if kind == PERSON:
        found += [("PATIENT", *span) for span in _people(piece.text)]
    given = tuple(Span(len(lead) + first, len(lead) + last, label) for label, first, last in found)
    [document] = slot.documents
    return Slot((replace(document, given=given),), slot.changes)


def _people(text: str) -> Iterator[tuple[int, int]]:
    """Capitalised words of which one is no word: "Adaeze Okonkwo"."""
    for run in _CAPITALISED.finditer(text):
        parts = [part.rstrip("0123456789") for part in run[0].split()]
        if not all(map(is_word, parts)):
            yield run.span()
