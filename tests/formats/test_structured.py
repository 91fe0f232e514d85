"""HL7 v2, FHIR, C-CDA, XML and JSON: nothing planted survives, nothing else changes."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.planted import documents, masked, read, unchanged

from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.formats.json_scan import leaves, parse
from incognote.policy import FormatRules

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

    folders = ("hl7v2", "fhir", "fhir/ms-anon-pairs", "ccda")
    return sorted(
        path
        for folder in folders
        for path in (SHARED / "fixtures" / folder).glob("*.*")
        if path.suffix in (".hl7", ".json", ".xml", ".out")
    )


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
    assert out == data


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


class TestHl7:
    HEADER = "MSH|^~\\&|A|B|C|D|20240101||ORU^R01|1|P|2.5"

    def _message(self, *segments: str, end: str = "\r") -> bytes:
        return end.join([self.HEADER, *segments, ""]).encode()

    def test_a_report_over_many_segments_is_one_text(self):
        data = self._message(
            "OBX|1|TX|11^Report||Seen with her daughter Rosa",
            "OBX|2|TX|11^Report||Delgado in the clinic.",
        )
        texts = [d.text for d in documents(data, "m.hl7") if d.free_text]
        assert "Seen with her daughter Rosa\nDelgado in the clinic." in texts
        out = masked(data, "m.hl7", ["Rosa\nDelgado"])
        assert b"daughter [PATIENT]\rOBX" in out
        assert b"Delgado" not in out

    @pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
    def test_line_ends_are_kept(self, end):
        data = self._message("PID|1||77^^^H||SMITH^JOHN", end=end)
        out = masked(data, "m.hl7", [])
        assert out.decode().count(end) == data.decode().count(end)
        assert b"SMITH" not in out

    def test_a_name_goes_back_into_its_components(self):
        from incognote.core.types import Replacement, Result

        data = self._message("PID|1||77^^^H||SMITH^JOHN^Q^JR")
        (record,) = read(data, "m.hl7")
        results = []
        for document in record.documents:
            new = {"SMITH, JOHN Q": "JONES, MARK T"}.get(document.text, document.text)
            swaps = tuple(Replacement(span, new, "test") for span in document.given)
            results.append(Result(document, document.given, (), swaps, new))
        assert b"|JONES^MARK^T^JR" in record.render(results)

    def test_escapes_are_read_and_written(self):
        data = self._message(r"NTE|1||Call Bob \T\ Ann at O\S\Neil")
        assert "Call Bob & Ann at O^Neil" in [d.text for d in documents(data, "m.hl7")]
        out = masked(data, "m.hl7", ["Bob"])
        assert rb"Call [PATIENT] \T\ Ann at O\S\Neil" in out

    def test_other_separators(self):
        data = b"MSH#*~\\&#A#B#C#D#20240101##ADT*A01#1#P#2.5\rPID#1##77***H##SMITH*JOHN\r"
        assert unchanged(data, "m.hl7") == data
        assert b"SMITH" not in masked(data, "m.hl7", [])

    def test_unknown_segments_are_read_as_text(self):
        data = self._message("ZPI|1|Quillon Adeyemi|77")
        assert b"Quillon" not in masked(data, "m.hl7", ["Quillon Adeyemi"])

    def test_one_bad_message_does_not_take_the_file_along(self):
        data = b"MSH|AAAA|||||\r" + self._message("PID|1||77||SMITH^JOHN")
        bad, good = read(data, "m.hl7")
        assert isinstance(bad, Failure)
        assert isinstance(good, Record)

    def test_an_embedded_binary_is_refused(self):
        body = base64.b64encode(bytes(range(256))).decode()
        data = self._message(f"OBX|1|ED|11^PDF||^application^pdf^Base64^{body}")
        (outcome,) = read(data, "m.hl7")
        assert isinstance(outcome, Failure)

    @pytest.mark.parametrize(
        ("field", "value", "expected"),
        [
            ("PID-3", "77^^^H^MR^^20010110", "[MEDICALRECORD]^^^[HOSPITAL]^MR^^[DATE]"),
            ("PID-7", "14 FEB 58", "[DATE]"),
            ("PID-10", "2106-3^White", "2106-3^White"),
            ("PID-13", "5551234^^PH^^^^^^^^^^20010110^20020110", "[PHONE]^^PH^^^^^^^^^^[DATE]^[DATE]"),
            ("PID-20", "D123^CA^20250101", "[LICENSE]^[STATE]^[DATE]"),
            ("PID-22", "Black or African", "Black or African"),
            ("PID-23", "Millbrook", "[LOCATION-OTHER]"),
            ("ORC-2", "A1^FENWICK LAB^1.2.3^ISO", "[IDNUM]^[HOSPITAL]^1.2.3^ISO"),
            ("SPM-2", "P1&LAB^F2&FENWICK", "[IDNUM]&[HOSPITAL]^[IDNUM]&[HOSPITAL]"),
            ("SPM-4", "119297000^BLD^SCT", "119297000^BLD^SCT"),
            ("SPM-17", "20111103^20111104", "[DATE]^[DATE]"),
            ("OBR-32", "12&Smith&Ann^20240311^^Ward 7^12^A^FENWICK",
             "[LICENSE]&[DOCTOR]&^[DATE]^^[ROOM]^[ROOM]^[ROOM]^[HOSPITAL]"),
            ("TXA-22", "7^S^A^^^^^^^^^^^^200801311600", "[LICENSE]^[DOCTOR]^^^^^^^^^^^^^[DATE]1600"),
            ("GT1-42", "Ochoa^Ana", "[PATIENT]^"),
            ("ROL-9", "394814009^General practice^SNOMED-CT", "394814009^General practice^SNOMED-CT"),
            ("ROL-9", "7^seen with Quillon^L", "7^seen with [PATIENT]^L"),
            ("ZPI-2", "Quillon^7&Quillon~Quillon", "[PATIENT]^7&[PATIENT]~[PATIENT]"),
        ],
    )  # fmt: skip
    def test_fields_by_their_components(self, field, value, expected):
        segment, number = field.split("-")
        before = segment + "|" * int(number)
        out = masked(self._message(before + value), "m.hl7", ["Quillon"]).decode()
        assert out.split("\r")[1] == before + expected

    @pytest.mark.parametrize(
        ("kind", "value", "expected"),
        [
            ("CWE", "2^Quillon^SCT^3^Quillon^L^20200901", "2^Quillon^SCT^3^[PATIENT]^L^20200901"),
            ("DR", "20240311^20240312", "[DATE]^[DATE]"),
            ("NM", "4.5", "4.5"),
            ("SN", "<^0.5", "<^0.5"),
            ("XPN", "Quillon^A", "[PATIENT]^"),
            ("TX", "with Quillon", "with [PATIENT]"),
        ],
    )
    def test_observations_by_their_type(self, kind, value, expected):
        out = masked(self._message(f"OBX|1|{kind}|1^x^LN||{value}"), "m.hl7", ["Quillon"]).decode()
        assert out.split("\r")[1] == f"OBX|1|{kind}|1^x^LN||{expected}"

    @pytest.mark.parametrize(
        ("labels", "expected"),
        [
            ({"ZPI": "drop"}, "ZPI|||"),
            ({"ZPI": "keep"}, "ZPI|1|Quillon|7"),
            ({"ZPI": "drop", "ZPI-2": "PATIENT"}, "ZPI||[PATIENT]|"),
            ({}, "ZPI|1|[PATIENT]|7"),
        ],
        ids=["drop", "keep", "a field of it", "as text"],
    )
    def test_segments_by_policy(self, labels, expected):
        data = self._message("ZPI|1|Quillon|7")
        out = masked(data, "m.hl7", ["Quillon"], FormatRules(labels=labels)).decode()
        assert out.split("\r")[1] == expected

    def test_narrative_by_policy(self):
        data = self._message("OBX|1|TX|1||with Quillon", "NTE|1||Quillon")
        rules = FormatRules(labels={"OBX-5": "keep", "NTE-3": "drop"})
        out = masked(data, "m.hl7", ["Quillon"], rules).decode()
        assert out.split("\r")[1:3] == ["OBX|1|TX|1||with Quillon", "NTE|1||"]

    def test_a_batch_of_messages(self):
        message = self._message("PID|1||77||SMITH^JOHN").decode()
        data = (
            f"FHS|^~\\&|A|B\rBHS|^~\\&|A|B|||||by Quillon\r{message}{message}BTS|2|Quillon\rFTS|1\r"
        )
        assert unchanged(data.encode(), "m.hl7") == data.encode()
        out = masked(data.encode(), "m.hl7", ["Quillon"]).decode()
        assert "Quillon" not in out
        assert "SMITH" not in out
        assert out.count("\r") == data.count("\r")

    def test_messages_of_one_patient_share_their_scope(self):
        data = self._message("PID|1||77^^^H||SMITH^JOHN") * 2
        scopes = {d.patient_id for d in documents(data, "m.hl7")}
        assert scopes == {"77"}


class TestFhir:
    def test_references_still_resolve(self):
        bundle = {
            "resourceType": "Bundle",
            "entry": [
                {"resource": {"resourceType": "Patient", "id": "p1"}},
                {"resource": {"resourceType": "Observation", "id": "o1",
                              "subject": {"reference": "Patient/p1"}}},
            ],
        }  # fmt: skip
        ids = [d for d in documents(json.dumps(bundle).encode(), "b.json") if d.given]
        same = [d for d in ids if d.text == "p1"]
        assert len(same) == 2
        assert len({d.patient_id for d in same}) == 1

    def test_ndjson_is_one_record_a_line(self):
        rows = [{"resourceType": "Patient", "id": str(i)} for i in range(3)]
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        assert len(read(data, "p.ndjson")) == 3
        assert unchanged(data, "p.ndjson") == data

    def test_a_key_named_twice_is_refused(self):
        data = b'{"resourceType":"Patient","birthDate":"1958-02-14","birthDate":"1958-02-15"}'
        (outcome,) = read(data, "p.json")
        assert isinstance(outcome, Failure)
        assert "1958" not in outcome.message

    def test_outside_pair_what_must_go_is_seen(self, shared):
        """What Microsoft's anonymiser redacts is masked, or read as text, here too."""
        folder = shared / "fixtures" / "fhir" / "ms-anon-pairs"
        source = (folder / "patient-basic.json").read_bytes()
        target = json.loads((folder / "patient-basic-target.json").read_bytes())
        before = {
            leaf.path: leaf.value for leaf in leaves(source.decode()) if isinstance(leaf.value, str)
        }
        raw = json.dumps(target)
        after = {leaf.path: leaf.value for leaf in leaves(raw)}
        gone = {value for path, value in before.items() if after.get(path) != value}
        seen = " ".join(d.text for d in documents(source, "p.json"))
        # Times and markup around a value stay; codes and their systems say what kind of thing an
        # element is, not whose it is.
        values = {re.sub(r"<[^>]*>|T\d\d:.*", "", value) for value in gone}
        codes = re.compile(r"[a-z]+|[A-Z]{1,3}|https?:.*|urn:oid:.*|[A-Z][a-z]+")
        assert {v for v in values if v not in seen and not codes.fullmatch(v)} == set()


class TestXml:
    @pytest.mark.parametrize(
        "bomb",
        [
            '<!DOCTYPE l [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><l>&b;</l>',
            '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>',
        ],
    )
    def test_entity_declarations_are_refused(self, bomb):
        (outcome,) = read(bomb.encode(), "x.xml")
        assert isinstance(outcome, Failure)
        assert "entity" in outcome.message

    def test_broken_xml_is_refused_without_its_text(self):
        (outcome,) = read(b"<a><name>Quillon</name>", "x.xml")
        assert isinstance(outcome, Failure)
        assert "Quillon" not in repr(outcome)

    def test_deep_nesting_is_refused(self):
        (outcome,) = read(b"<a>" * 2000 + b"</a>" * 2000, "x.xml")
        assert isinstance(outcome, Failure)

    def test_special_characters_stay_well_formed(self):
        from xml.etree import ElementTree as ET

        data = b"<r a='x &quot;Quillon&quot;'>A &amp; Quillon &lt; B<!-- Quillon --></r>"
        out = masked(data, "x.xml", ["Quillon"])
        assert b"Quillon" not in out
        root = ET.fromstring(out)
        assert root.text == "A & [PATIENT] < B"

    def test_labels_of_the_policy_reach_elements(self):
        rules = FormatRules(labels={"wardname": "ROOM"})
        out = masked(b"<r><wardname>Seven</wardname></r>", "x.xml", [], rules)
        assert out == b"<r><wardname>[ROOM]</wardname></r>"


class TestJson:
    def test_keys_give_context(self):
        found = documents(b'{"seenWith": "Ann", "ward_phone": "none", "n": 123456}', "x.json")
        assert [d.text for d in found] == ["seen With: Ann", "n: 123456"]

    def test_keys_that_say_what_they_hold(self):
        found = documents(b'{"patientName": "Ann", "visit": {"mrn": 12345}}', "x.json")
        assert [(d.text, d.given[0].label) for d in found] == [
            ("Ann", "PATIENT"),
            ("12345", "MEDICALRECORD"),
        ]

    def test_items_of_a_list_know_of_themselves_and_of_what_is_above(self):
        rows = [{"mrn": f"{n}", "note": f"note {n}"} for n in range(2)]
        data = json.dumps({"hospital": "Fenwick", "rows": rows}).encode()
        known = {d.text: d.known for d in documents(data, "x.json") if d.free_text}
        assert known == {
            f"note: note {n}": (("MEDICALRECORD", f"{n}"), ("HOSPITAL", "Fenwick"))
            for n in range(2)
        }

    def test_a_masked_number_stays_valid_json(self):
        out = masked(b'{"mrn": 12345}', "x.json", [])
        assert json.loads(out) == {"mrn": "[MEDICALRECORD]"}

    def test_deep_nesting_is_refused(self):
        (outcome,) = read(b"[" * 100_000 + b"]" * 100_000, "x.json")
        assert isinstance(outcome, Failure)

    _VALUES = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )

    @given(_VALUES, st.sampled_from([None, 2]), st.booleans())
    def test_the_scanner_finds_every_leaf_where_it_stands(self, value, indent, ascii_only):
        raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        tree = parse(raw)
        found = leaves(raw)
        for leaf in found:
            assert json.loads(raw[leaf.start : leaf.end]) == leaf.value
            node = tree
            for step in leaf.path:
                node = node[step]
            assert node == leaf.value
        assert len(found) == _count(tree)


def _count(value) -> int:
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list):
        return sum(map(_count, value))
    return isinstance(value, str | int | float) and not isinstance(value, bool)


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
