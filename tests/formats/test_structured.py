"""What HL7, FHIR, C-CDA, XML, JSON and CSV have in common: samples, places, the policy's word."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from tests.formats.kit.planted import placed

from incognote.core.types import Replacement, Result
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

SAMPLES = Path(__file__).parents[2] / "samples" / "formats"

# What the samples plant, in whatever corner; every string must be gone from the raw output.
PLANTED = {
    "message.hl7": [
        "OKONKWO", "Adaeze", "Chidi", "19580214", "7741902", "14 Larkspur", "Millbrook", "06033",
        "860-555-0123", "adaeze.o@mail.example", "078-05-1120", "Brandvold", "Thorvald", "1467839",
        "Fenwick General", "20240311", "HARTLEY INSURANCE", "POL-88213", "Quillon", "D-552",
    ],
    "patient.fhir.json": [
        "Okonkwo", "Adaeze", "Chidi", "1958-02-14", "7741902", "14 Larkspur", "Millbrook", "06033",
        "860-555-0123", "adaeze.o@mail.example", "Brandvold", "pat-77", "Quillon", "2024-03-11",
    ],
    "summary.ccda.xml": [
        "Okonkwo", "Adaeze", "Chidi", "19580214", "7741902", "14 Larkspur", "Millbrook", "06033",
        "860-555-0123", "adaeze.o@mail.example", "Brandvold", "Thorvald", "Fenwick General",
        "20240311", "Quillon", "1467839",
    ],
    "notes.jsonl": ["Adaeze", "Okonkwo", "Quillon", "Brandvold", "7741902"],
    "feed.ndjson": ["Adaeze", "Okonkwo", "Quillon", "pat-77", "obs-1", "1958-02-14", "2024-03-11"],
    "record.json": ["Okonkwo", "Adaeze", "7741902", "1958-02-14", "Quillon"],
    "export.xml": ["Okonkwo", "Adaeze", "7741902", "Quillon"],
}  # fmt: skip


def _fixtures() -> list[Path]:
    from tests.conftest import SHARED

    suffixes = (".hl7", ".out", ".json", ".jsonl", ".xml", ".csv", ".txt", ".md")
    every = (SHARED / "fixtures").rglob("*.*")
    return sorted(path for path in every if path.suffix in suffixes)


@pytest.mark.parametrize("name", PLANTED)
def test_nothing_planted_survives(name):
    data = (SAMPLES / name).read_bytes()
    text = data.decode()
    opened = text + "".join(_base64_bodies(text))
    assert [p for p in PLANTED[name] if p not in opened] == [], "the sample must hold it"
    out = masked(data, name, PLANTED[name]).decode()
    out += "".join(_base64_bodies(out))
    assert [planted for planted in PLANTED[name] if planted.lower() in out.lower()] == []


@pytest.mark.parametrize("name", PLANTED)
def test_our_samples_come_back_byte_for_byte(name):
    data = (SAMPLES / name).read_bytes()
    assert unchanged(data, name) == data


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
def test_outside_files_come_back_byte_for_byte(path):
    data = path.read_bytes()
    out = unchanged(data, path.name)
    if b"application/pdf" in data:
        # A PDF inside is written anew; everything around it stays.
        body = re.compile(rb"[A-Za-z0-9+/=\s]{200,}")
        data, out = body.sub(b"", data), body.sub(b"", out)
    # The hash and the size of a file that lies elsewhere would tell which it is.
    told = re.compile(rb'"_?(?:hash|size)":[^\r\n]*|<(?:hash|size)[ >][^\r\n]*')
    assert told.sub(b"", out) == told.sub(b"", data)


def _base64_bodies(text: str) -> list[str]:
    found = []
    for word in (
        text.replace('"', " ").replace(">", " ").replace("<", " ").replace("^", " ").split()
    ):
        if len(word) > 40 and len(word) % 4 == 0:
            try:
                found.append(base64.b64decode(word, validate=True).decode())
            except ValueError:
                continue
    return found


@pytest.mark.parametrize(
    ("name", "data", "labels", "expected"),
    [
        ("x.json", '{"a": {"b": "Quillon"}, "c": 1}', {"a.b": "drop"}, '{"a": {"b": null}, "c": 1}'),
        ("x.json", '{"a": "Quillon", "b": 7}', {"a": "keep", "b": "IDNUM"}, '{"a": "Quillon", "b": "[IDNUM]"}'),
        ("x.xml", "<r><a>Quillon</a><b k='1'/></r>", {"r/a": "keep"}, "<r><a>Quillon</a><b k='1'/></r>"),
        ("x.xml", "<r><a k='Quillon'>x</a></r>", {"r/a/@k": "drop"}, "<r><a k=''>x</a></r>"),
        ("x.hl7", "MSH|^~\\&|A\rPID|1||7||SMITH^ANN\r", {"PID-5": "drop", "PID-3": "keep"},
         "MSH|^~\\&|[HOSPITAL]\rPID|1||7||\r"),
        ("x.json", '{"resourceType":"Patient","name":[{"text":"Quillon"}],"gender":"female"}',
         {"Patient.name.text": "keep", "Patient.gender": "drop"},
         '{"resourceType":"Patient","name":[{"text":"Quillon"}],"gender":""}'),
    ],
    ids=["json-drop", "json-keep", "xml-keep", "xml-drop", "hl7", "fhir"],
)  # fmt: skip
def test_the_policy_decides_over_fields(name, data, labels, expected):
    out = masked(data.encode(), name, ["Quillon"], FormatRules(labels=labels))
    assert out.decode() == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.json", '{"Quillon": {"note": "fine", "age": 5}}'),
        ("x.jsonl", '{"text": "fine", "Quillon": {"note": "fine"}}\n'),
        ("x.csv", "id,text,Quillon\n1,fine,fine\n"),
    ],
)
def test_keys_that_may_be_phi_name_no_place(name, data):
    found = documents(data.encode(), name, FormatRules(keys=True))
    assert found
    assert not [d.locator for d in found if "Quillon" in d.locator + d.id]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x.csv", "id,text,a,b,c\n1,x,Quillon,Quillon,y\n", "id,text,a,b,c\n1,x,,[PATIENT],y\n"),
        (
            "x.jsonl",
            '{"text": "x", "a": "Quillon", "b": "Quillon", "c": 5, "d": {"e": ["Quillon"]}}\n',
            '{"text": "x", "a": null, "b": "[PATIENT]", "c": 5, "d": {"e": ["[DOCTOR]"]}}\n',
        ),
    ],
    ids=["csv", "jsonl"],
)
def test_columns_are_dropped_read_and_kept_by_policy(name, data, expected):
    rules = FormatRules(
        labels={"a": "drop", "b": "text", "c": "keep", "d.e": "DOCTOR", "id": "keep"}
    )
    assert masked(data.encode(), name, ["Quillon"], rules).decode() == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        (
            "m.hl7",
            "MSH|^~\\&|A|B|C|D|20240101\rPID|1||7||S^A\rNTE|1||well\r",
            {"1 PID-5", "1 NTE-3", "1 MSH-7"},
        ),
        ("x.json", '{"a": {"b": "c"}}', {"a.b"}),
        ("p.json", '{"resourceType": "Patient", "name": [{"family": "S"}]}', {"1 name.0"}),
        ("x.xml", "<r><a>b</a></r>", {"r/a"}),
        ("x.csv", "id,text\n1,b\n", {"2 text"}),
    ],
    ids=["hl7", "json", "fhir", "xml", "csv"],
)
def test_documents_say_where_they_stand(name, data, expected):
    assert expected <= placed(data.encode(), name)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("m.hl7", "MSH|^~\\&|||||20240311101500+0500\r", "MSH|^~\\&|||||2024\r"),
        ("p.json", '{"resourceType":"Basic","authoredOn":"2024-03-11T10:15:00Z"}', '{"resourceType":"Basic","authoredOn":"2024"}'),
        ("c.xml", '<ClinicalDocument><time value="20240311101500"/></ClinicalDocument>', '<ClinicalDocument><time value="2024"/></ClinicalDocument>'),
        ("x.json", '{"dob": "2024-03-11 10:15:00"}', '{"dob": "2024"}'),
    ],
    ids=["hl7", "fhir", "cda", "json"],
)  # fmt: skip
def test_a_mere_year_has_no_time_of_day(name, data, expected):
    (record,) = read(data.encode(), name)
    years = [
        Result(d, d.given, (), tuple(Replacement(span, "2024", "year") for span in d.given), "2024")
        for d in record.documents
    ]
    assert record.render(years).decode() == expected
