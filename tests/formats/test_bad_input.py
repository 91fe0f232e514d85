"""Bad files of each format: a clear error that shows no text, the rest goes on, nothing is hurt."""

from __future__ import annotations

import base64
import codecs
import json

import pytest

from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.policy import FormatRules
from incognote.testing.formats import masked, read, unchanged

NAME = "Quillon"
MSH = "MSH|^~\\&|A|B|C|D|20240101||ORU^R01|1|P|2.5\r"
PATIENT = {"resourceType": "Patient", "name": [{"family": NAME}]}
LAUGHS = "<!DOCTYPE l [<!ENTITY a 'Quillon'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1 if n else str()};' * 10}'>" for n in range(9)
)
XML_BOMBS = {
    "billion laughs": LAUGHS + "]><l>&a8;</l>",
    "external entity": '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>Quillon &a;</l>',
    "external definition": '<!DOCTYPE l [<!ENTITY % d SYSTEM "http://127.0.0.1/x.dtd"> %d;]><l>Quillon</l>',
    "undeclared entity": "<l>Quillon &who;</l>",
    "truncated": "<l><name>Quillon</name>",
    "two roots": "<l>Quillon</l><l/>",
    "deep": "<a>" * 2000 + NAME + "</a>" * 2000,
    "NUL": "<l>Quillon\0</l>",
    "named twice": "<l a='Quillon' a='x'/>",
    "no XML": "Quillon",
}

WHOLE = {
    **{f"xml: {case}": ("x.xml", text.encode()) for case, text in XML_BOMBS.items()},
    "json: truncated": ("x.json", b'{"name": "Quillon"'),
    "json: deep": ("x.json", b'{"a":' * 100_000 + b'"Quillon"' + b"}" * 100_000),
    "json: named twice": ("x.json", b'{"a": "Quillon", "a": "x"}'),
    "json: NUL": ("x.json", b'{"a": "Quillon\\u0000"}'),
    "json: lone surrogate": ("x.json", b'{"a": "Quillon \\ud800"}'),
    "json: cut within a character": ("x.json", '{"a": "Quillon é"}'.encode()[:-3]),
    "json: UTF-16 without a mark": ("x.json", '{"a": "Quillon"}'.encode("utf-16-le")),
    "json: a PDF": ("x.json", b"%PDF-1.7 Quillon"),
    "fhir: truncated": ("x.json", json.dumps(PATIENT, indent=1).encode()[:-4]),
    "fhir: deep": ("x.json", b'{"resourceType": "Patient", "a":' + b"[" * 100_000),
    "fhir: no base64": ("x.json", b'{"resourceType": "Binary", "data": "Quillon!"}'),
    "csv: empty but for a mark": ("x.csv", codecs.BOM_UTF8),
    "csv: a picture": ("x.csv", b"\x89PNX\r\n\x1a\n\x00Quillon\xff"),
    "csv: UTF-16 without a mark": ("x.csv", "id,text\n1,Quillon\n".encode("utf-16-le")),
    "csv: JSON": ("x.csv", b'[{"a": "Quillon"}]\n'),
    "csv: ten million columns": ("x.csv", b"id" + b",c" * 10_000_000 + b"\n1,Quillon\n"),
    "hl7: no header": ("x.hl7", b"PID|1||7||Quillon\r"),
    "hl7: separators that are none": ("x.hl7", b"MSH|AAAA||||\rPID|1||7||Quillon\r"),
    "hl7: ten thousand fields": ("x.hl7", (MSH + "PID" + "|Quillon" * 10_000).encode()),
    "text: binary": ("x.txt", b"Quillon\x00\x01\x02\xff"),
    "text: mixed encodings": ("x.txt", "Quillon é ".encode() + b"\xe9"),
    "text: cut within a character": ("x.txt", codecs.BOM_UTF16_LE + b"Q\x00u"[:-1] + b"\x00\xd8"),
    "hl7: data in hexadecimal": ("m.hl7", (MSH + "OBX|1|ED|1||^TEXT^PLAIN^Hex^5175696C6C6F6E\r").encode()),
    "json: base64 of no known kind": ("x.json", json.dumps({"a": base64.b64encode(bytes(range(256)) * 2).decode()}).encode()),
    "xml: definitions within the file": ("x.xml", b'<!DOCTYPE r [<!ATTLIST r a CDATA "Quillon">]><s/>'),
    "rtf: text behind the end": ("x.rtf", rb"{\rtf1 x} Quillon"),
    "rtf: of two bytes a character": ("x.rtf", rb"{\rtf1\ansi\ansicpg932 \'83\'4e}"),
    "parquet: truncated": ("x.parquet", b"PAR1Quillon"),
    "parquet: text": ("x.parquet", b"Quillon"),
}  # fmt: skip


@pytest.mark.parametrize("case", WHOLE)
def test_a_file_that_cannot_be_read_is_refused(case: str) -> None:
    name, data = WHOLE[case]
    (failure,) = read(data, name)
    assert isinstance(failure, Failure)
    assert failure.message.startswith(name)
    assert NAME not in repr(failure) + failure.message


def _fhir(text: str) -> bytes:
    return json.dumps({"resourceType": "Basic", "id": text}).encode() + b"\n"


ROWS = {
    # A format: a good record, its neighbour, and what stands between them.
    "csv: unclosed quote": ("x.csv", b"id,text\n", b"1,a\n", b'2,"Quillon\n'),
    "csv: too few cells": ("x.csv", b"id,text\n", b"1,a\n", b"Quillon\n"),
    "csv: NUL": ("x.csv", b"id,text\n", b"1,a\n", b"2,Quillon\x00\n"),
    "jsonl: truncated": ("x.jsonl", b"", b'{"id": "1"}\n', b'{"id": "Quillon"\n'),
    "jsonl: deep": ("x.jsonl", b"", b'{"id": "1"}\n', b'{"a": ' + b"[" * 100_000 + b"\n"),
    "jsonl: NUL in another field": ("x.jsonl", b"", b'{"id": "1"}\n', b'{"a": "Quillon\\u0000"}\n'),
    "ndjson: truncated": ("x.ndjson", b"", _fhir("a"), b'{"resourceType": "Quillon\n'),
    "ndjson: no resource": ("x.ndjson", b"", _fhir("a"), b'{"a": "Quillon"}\n'),
    "ndjson: named twice": ("x.ndjson", b"", _fhir("a"), b'{"resourceType": "Basic", "a": "Quillon", "a": ""}\n'),
    "hl7: separators that are none": ("x.hl7", b"", MSH.encode(), b"MSH|AAAA||||\rPID|1||Quillon\r"),
    "hl7: file in no known encoding": ("x.hl7", b"", MSH.encode(), MSH.encode() + b"OBX|1|ED|1||^a^b^Hex^Quillon\r"),
    "vcf: bytes that are no text": ("x.vcf", b"##fileformat=VCFv4.3\n", b"##source=a\n", b"##by=Quillon\xc3\xa9 \xe9\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_a_bad_record_costs_itself_alone(case: str) -> None:
    name, head, good, bad = ROWS[case]
    outcomes = read(head + good + bad + good, name)
    failures = [each for each in outcomes if isinstance(each, Failure)]
    assert len(failures) == 1
    assert failures[0].message.startswith(f"{name}:")
    assert NAME not in repr(failures) + failures[0].message
    assert failures[0].raw == bad
    kept = unchanged(head + good + good, name)
    assert sum(isinstance(each, Record) for each in outcomes) == len(read(kept, name))


def test_the_first_line_of_a_feed_may_be_bad() -> None:
    bad, good = read(b'{"resourceType": "Quillon\n' + _fhir("a"), "x.ndjson")
    assert isinstance(bad, Failure)
    assert isinstance(good, Record)


def test_resources_that_refer_to_each_other_in_a_circle() -> None:
    inner = [
        {"resourceType": "Basic", "id": one, "subject": {"reference": f"#{other}"}}
        for one, other in (("a", "b"), ("b", "a"))
    ]
    data = json.dumps({**PATIENT, "contained": inner, "link": [{"other": {"reference": "#a"}}]})
    out = json.loads(masked(data.encode(), "x.json", [NAME]))
    assert [each["id"] for each in out["contained"]] == ["IDNUM", "IDNUM"]
    assert NAME not in json.dumps(out)


SPELLINGS = {
    "csv: mixed line ends": ("x.csv", b"id,text\r\n1,Quillon\n2,b\r3,c\r\n"),
    "csv: mark": ("x.csv", codecs.BOM_UTF8 + b"id,text\n1,Quillon\n"),
    "csv: UTF-16": ("x.csv", codecs.BOM_UTF16_LE + "id,text\n1,Quillon\n".encode("utf-16-le")),
    "jsonl: mixed line ends": ("x.jsonl", b'{"text": "Quillon"}\r\n{"text": "b"}\n'),
    "json: mark": ("x.json", codecs.BOM_UTF8 + b'{"a": "Quillon"}'),
    "json: UTF-16": ("x.json", codecs.BOM_UTF16_BE + '{"a": "Quillon"}'.encode("utf-16-be")),
    "fhir: mark": ("x.json", codecs.BOM_UTF8 + json.dumps(PATIENT).encode()),
    "ndjson: mark": ("x.ndjson", codecs.BOM_UTF8 + json.dumps(PATIENT).encode() + b"\r\n"),
    "fhir: UTF-16": ("x.json", codecs.BOM_UTF16_LE + json.dumps(PATIENT).encode("utf-16-le")),
    "xml: UTF-16": ("x.xml", codecs.BOM_UTF16_LE + "<r>Quillon</r>".encode("utf-16-le")),
    "xml: latin-1": ("x.xml", '<?xml version="1.0" encoding="latin-1"?><r>Señor Quillon</r>'.encode("latin-1")),
    "hl7: mark": ("x.hl7", codecs.BOM_UTF8 + (MSH + "PID|1||7||Quillon\r").encode()),
    "hl7: UTF-16": ("x.hl7", codecs.BOM_UTF16_LE + (MSH + "PID|1||7||Quillon\r").encode("utf-16-le")),
    "hl7: mixed line ends": ("x.hl7", (MSH + "PID|1||7||Quillon\r\nPV1|1\nPV2\r").encode()),
    "hl7: in an envelope": ("x.hl7", ("\x0b" + MSH + "PID|1||7||Quillon\r\x1c\r").encode()),
    "text: mixed line ends": ("x.txt", b"a\r\nQuillon\nb\rc"),
}  # fmt: skip


@pytest.mark.parametrize("case", SPELLINGS)
def test_other_spellings_come_back_as_they_were(case: str) -> None:
    name, data = SPELLINGS[case]
    assert unchanged(data, name) == data
    out = masked(data, name, [NAME])
    assert NAME.encode() not in out
    assert NAME.encode("utf-16-le") not in out
    assert out[:2] == data[:2]


def test_a_table_as_wide_as_tables_get() -> None:
    wide = b"id," + b",".join(b"gene%d" % number for number in range(20_000)) + b"\n"
    data = wide + b"1" + b",0.5" * 20_000 + b"\n"
    assert unchanged(data, "x.csv", FormatRules()) == data


@pytest.mark.parametrize(
    ("name", "first"), [("x.jsonl", '{"text": "a"}\n'), ("x.csv", "id,text\n1,a\n")]
)
def test_an_encoding_that_breaks_off_is_a_failure(name, first):
    data = b"\xff\xfe" + (first * 9).encode("utf-16-le") + b"\x00"
    *before, last = read(data, name)
    assert before
    assert isinstance(last, Failure)
