"""Which format a file gets: by name, by content, and nothing rather than a guess."""

from __future__ import annotations

import pytest

from incognote.core import registry
from incognote.core.errors import ReadError, UsageError
from incognote.formats import format_named, format_of
from incognote.formats.base import Format

CHOICES = [
    ("note.txt", b"anything", "text"),
    ("NOTE.TXT", b"anything", "text"),
    ("table.csv", b"a,b", "csv"),
    ("table.tsv", b"a\tb", "csv"),
    ("rows.jsonl", b"", "jsonl"),
    ("rows.ndjson", b"", "jsonl"),
    ("stdin", b'{"text": "a"}\n{"text": "b"}\n', "jsonl"),
    ("stdin", b"id,text\n1,a\n", "csv"),
    ("stdin", b"Seen in clinic, no text.\n", "text"),
    ("note", "Señor".encode("latin-1"), "text"),
    ("note.0042", b"Seen in clinic.\n", "text"),
    ("feed.txt", b"MSH|^~\\&|A|B\rPID|1\r", "hl7"),
    ("feed.txt", b"MSH is short for melanocyte-stimulating hormone.\n", "text"),
    ("feed.txt", b"MSH (alpha) was low.\n", "text"),
    ("report.txt", b"%PDF-1.7\n1 0 obj", "pdf"),
    ("letter.csv", b"{\\rtf1 a}", "rtf"),
    ("patient.txt", b'{"resourceType": "Patient"}', "fhir"),
    ("variants.txt", b"##fileformat=VCFv4.3\n", "vcf"),
    ("rows.json", b"%PDF-1.7", "json"),
]


@pytest.mark.parametrize(("name", "head", "expected"), CHOICES)
def test_choice(name: str, head: bytes, expected: str) -> None:
    assert format_of(name, head).name == expected


def test_a_binary_file_has_no_format() -> None:
    with pytest.raises(ReadError, match="no format"):
        format_of("scan.dat", b"\x00\x01\x02\xff\xfe\x00")


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no format named 'docz'"):
        format_named("docz")


@pytest.mark.parametrize("name", registry.names("format"))
def test_every_format_keeps_the_contract(name: str) -> None:
    made = format_named(name)
    assert isinstance(made, Format)
    assert made.name == name
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in made.suffixes)
