"""HL7 v2: fields by table, narrative as text, whatever the separators and line ends."""

from __future__ import annotations

import base64
import re

import pytest
from tests.formats.kit.planted import left_over

from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
LONG_B64 = base64.b64encode(b"Seen with Quillon, who is well. " * 20).decode()
MSH = "MSH|^~\\&|A|B|C|D|20240101||ORU^R01|1|P|2.5\r"
CORNERS = {
    "a single word in a field nobody names": ("m.hl7", MSH + "OBX|1|TX|1^x^LN|Quillon|fine\r"),
    "a local code": ("m.hl7", MSH + "OBX|1|TX|1^Quillon^L||fine\r"),
    "a code of no catalogue": ("m.hl7", MSH + "OBX|1|TX|1^x&Quillon||fine\r"),
    "a code said in other words": ("m.hl7", MSH + "OBX|1|TX|1^x^LN^2^y^LN^1^1^Dr Quillon||fine\r"),
    "a name that looks like a code": ("m.hl7", MSH + "ZPI|QUILLON^ADA^MARY\r"),
    "what comes before a name": ("m.hl7", MSH + "PID|1||7||S^A^^^Quillon\r"),
    "behind a telephone number": ("m.hl7", MSH + "PID|1||7||S^A||||||||5550123^Quillon^Quillon\r"),
    "behind an identifier": ("m.hl7", MSH + "PID|1||7^^Quillon^H^Quillon||S^A\r"),
    "behind a number": ("m.hl7", MSH + "PID|1||7||S^A||||||||||||||078051120^Quillon\r"),
    "behind a date": ("m.hl7", MSH + "PID|1||7||S^A||19580214^D^Quillon\r"),
    "pointer to a report": ("m.hl7", MSH + "OBX|1|RP|1||/srv/Quillon.pdf^Quillon&Quillon^TEXT^PDF\r"),
    "source of encapsulated data": ("m.hl7", MSH + "OBX|1|ED|1||Quillon^TEXT^PLAIN^A^by Quillon\r"),
    "a diagnosis in words": ("m.hl7", MSH + "DG1|1||^like Quillon\r"),
    "wrapped for a network": ("m.hl7", "\x0b" + MSH + "PID|1||7||Quillon^A\r\x1c\r\x0b" + MSH + "NTE|1||Quillon\r\x1c\r"),
    "mixed line ends": ("m.hl7", MSH + "NTE|1||Quillon\r\nPID|1||7||Quillon^A\n\nZPI|Quillon"),
    "line break within a report": ("m.hl7", MSH + "OBX|1|TX|1||Seen\nwith Quillon\nOBX|2|NM|2||5\r"),
    "line of three capitals": ("m.hl7", MSH + "NTE|1||son of\rQUILLON\r"),
    "parts of a street": ("m.hl7", MSH + "PID|1||7||S^A||||||14&Quillon&3^^Town\r"),
    "parts of a family name": ("m.hl7", MSH + "PID|1||7||S&van&Quillon^A\r"),
    "hexadecimal escape": ("m.hl7", MSH + "NTE|1||son of \\X5175696C6C6F6E\\\r"),
    "text under a numeric type": ("m.hl7", MSH + "OBX|1|NM|1||see Quillon\r"),
    "short encapsulated data": ("m.hl7", MSH + "OBX|1|ED|1||Quillon\r"),
    "base64 under a text type": ("m.hl7", MSH + f"OBX|1|TX|1||{LONG_B64}\r"),
    "address on a network": ("m.hl7", MSH.replace("|B|", "|B^quillon.example^DNS|")),
    "any text of a phone number": ("m.hl7", MSH + "PID|1||7||S^A||||||||^^^^^860^5550123^^ask Quillon\r"),
    "coded value": ("m.hl7", MSH + "OBX|1|CWE|1||9^as Quillon says^L\r"),
    "person in a field of a rare segment": ("m.hl7", MSH + "PDA||||20240311|7^Quillon^A\r"),
    "what a person is called by": ("m.hl7", MSH + "PID|1||7||S^A^^^^^^^^^^^^^Quillon\r"),
    "batch": (
        "m.hl7",
        "FHS|^~\\&|A|B|C|D|20240101||Quillon|for Quillon\rBHS|^~\\&|A|B|C|D|20240101||Quillon|Quillon\r"
        + MSH + "PID|1||7||Quillon^A\rBTS|1|Quillon\rFTS|1|Quillon\r",
    ),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


HEADER = "MSH|^~\\&|A|B|C|D|20240101||ORU^R01|1|P|2.5"


def _message(*segments: str, end: str = "\r") -> bytes:
    return end.join([HEADER, *segments, ""]).encode()


def test_a_report_over_many_segments_is_one_text():
    data = _message(
        "OBX|1|TX|11^Report||Seen with her daughter Rosa",
        "OBX|2|TX|11^Report||Delgado in the clinic.",
    )
    texts = [d.text for d in documents(data, "m.hl7") if d.free_text]
    assert "Seen with her daughter Rosa\nDelgado in the clinic." in texts
    out = masked(data, "m.hl7", ["Rosa\nDelgado"])
    assert b"daughter [PATIENT]\rOBX" in out
    assert b"Delgado" not in out


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_line_ends_are_kept(end):
    data = _message("PID|1||77^^^H||SMITH^JOHN", end=end)
    out = masked(data, "m.hl7", [])
    assert out.decode().count(end) == data.decode().count(end)
    assert b"SMITH" not in out


def test_a_name_goes_back_into_its_components():
    from incognote.core.types import Replacement, Result

    data = _message("PID|1||77^^^H||SMITH^JOHN^Q^JR")
    (record,) = read(data, "m.hl7")
    results = []
    for document in record.documents:
        new = {"SMITH, JOHN Q": "JONES, MARK T"}.get(document.text, document.text)
        swaps = tuple(Replacement(span, new, "test") for span in document.given)
        results.append(Result(document, document.given, (), swaps, new))
    assert b"|JONES^MARK^T^JR" in record.render(results)


def test_escapes_are_read_and_written():
    data = _message(r"NTE|1||Call Bob \T\ Ann at O\S\Neil")
    assert "Call Bob & Ann at O^Neil" in [d.text for d in documents(data, "m.hl7")]
    out = masked(data, "m.hl7", ["Bob"])
    assert rb"Call [PATIENT] \T\ Ann at O\S\Neil" in out


def test_other_separators():
    data = b"MSH#*~\\&#A#B#C#D#20240101##ADT*A01#1#P#2.5\rPID#1##77***H##SMITH*JOHN\r"
    assert unchanged(data, "m.hl7") == data
    assert b"SMITH" not in masked(data, "m.hl7", [])


def test_unknown_segments_are_read_as_text():
    data = _message("ZPI|1|Quillon Adeyemi|77")
    assert b"Quillon" not in masked(data, "m.hl7", ["Quillon Adeyemi"])


def test_one_bad_message_does_not_take_the_file_along():
    data = b"MSH|AAAA|||||\r" + _message("PID|1||77||SMITH^JOHN")
    bad, good = read(data, "m.hl7")
    assert isinstance(bad, Failure)
    assert isinstance(good, Record)


def test_an_embedded_binary_is_refused():
    body = base64.b64encode(bytes(range(256))).decode()
    data = _message(f"OBX|1|ED|11^PDF||^application^pdf^Base64^{body}")
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
def test_fields_by_their_components(field, value, expected):
    segment, number = field.split("-")
    before = segment + "|" * int(number)
    out = masked(_message(before + value), "m.hl7", ["Quillon"]).decode()
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
def test_observations_by_their_type(kind, value, expected):
    out = masked(_message(f"OBX|1|{kind}|1^x^LN||{value}"), "m.hl7", ["Quillon"]).decode()
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
def test_segments_by_policy(labels, expected):
    data = _message("ZPI|1|Quillon|7")
    out = masked(data, "m.hl7", ["Quillon"], FormatRules(labels=labels)).decode()
    assert out.split("\r")[1] == expected


def test_narrative_by_policy():
    data = _message("OBX|1|TX|1||with Quillon", "NTE|1||Quillon")
    rules = FormatRules(labels={"OBX-5": "keep", "NTE-3": "drop"})
    out = masked(data, "m.hl7", ["Quillon"], rules).decode()
    assert out.split("\r")[1:3] == ["OBX|1|TX|1||with Quillon", "NTE|1||"]


def test_a_batch_of_messages():
    message = _message("PID|1||77||SMITH^JOHN").decode()
    data = f"FHS|^~\\&|A|B\rBHS|^~\\&|A|B|||||by Quillon\r{message}{message}BTS|2|Quillon\rFTS|1\r"
    assert unchanged(data.encode(), "m.hl7") == data.encode()
    out = masked(data.encode(), "m.hl7", ["Quillon"]).decode()
    assert "Quillon" not in out
    assert "SMITH" not in out
    assert out.count("\r") == data.count("\r")


def test_messages_of_one_patient_share_their_scope():
    data = _message("PID|1||77^^^H||SMITH^JOHN") * 2
    scopes = {d.patient_id for d in documents(data, "m.hl7")}
    assert scopes == {"77"}


@pytest.mark.parametrize(
    "segment",
    [
        "PD1|||||||||||||||||20240311^20240312",
        "PID|1||7^^^^^^20240311||S^A",
        "ZZZ|20240311101500+0115",
    ],
)
def test_stamps_are_dates_in_every_field(segment):
    given = [
        d.given[0].label
        for d in documents((MSH + segment + "\r").encode(), "m.hl7")
        if "202403" in d.text
    ]
    assert set(given) == {"DATE"}
    assert b"202403" not in masked((MSH + segment + "\r").encode(), "m.hl7", [NAME])


def test_codes_of_catalogues_stay():
    order = "OBR|1|||us-3^UREA AND ELECTROLYTES^L"
    assert not [d for d in documents((MSH + order + "\r").encode(), "m.hl7") if "UREA" in d.text]


def test_separators_of_a_field_read_as_text_stay():
    out = masked((MSH + "ZPI|7^Quillon&x^9\r").encode(), "m.hl7", [NAME])
    assert b"ZPI|7^[PATIENT]&x^9" in out


def test_a_blank_segment_parts_paragraphs():
    data = _message("OBX|1|TX|11||Seen.", "OBX|2|TX|11||", "OBX|3|TX|11||Well, says Quillon.")
    (text,) = [d.text for d in documents(data, "m.hl7") if d.free_text]
    assert text == "Seen.\n\nWell, says Quillon."
    assert unchanged(data, "m.hl7") == data
    assert masked(data, "m.hl7", [NAME]).endswith(
        b"OBX|2|TX|11||\rOBX|3|TX|11||Well, says [PATIENT].\r"
    )


def test_what_was_silent_around_one_text_is_read_around_another():
    lines = [
        "OBX|1|TX|1^A report^LN||a",
        "OBX|1|TX|1^for Quillon^L||b",
        "OBX|1|TX|1^A report^LN||c",
    ]
    out = masked(_message(*lines), "m.hl7", [NAME]).decode()
    assert "1^A report^LN||a\rOBX|1|TX|1^for [PATIENT]^L||b" in out


def test_a_carriage_return_within_a_text_ends_no_segment():
    data = _message("NTE|1||Seen\\X0D\\with Quillon\\X0A\\today")
    out = masked(data, "m.hl7", [NAME]).decode()
    assert "NTE|1||Seen\\X0D\\with [PATIENT]\\.br\\today\r" in out


def test_codes_of_utf_8_are_letters():
    (text,) = [d.text for d in documents(_message("NTE|1||\\XC389\\mile"), "m.hl7") if d.free_text]
    assert text == "\u00c9mile"


@pytest.mark.parametrize("value", ["1.2.840.99999", "A^B^C", "119297000^Blood^SCT", "N", "1234"])
def test_what_numbers_and_names_nobody_is_not_read(value):
    found = documents(_message(f"PV2||||{value}"), "m.hl7")
    assert [d.text for d in found if d.free_text] == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("00000741^OXYCODONE", ["OXYCODONE"]),
        ("E11.9^Diabetes^I10", []),
        ("like Quillon", ["like Quillon"]),
    ],
)
def test_of_a_diagnosis_the_codes_stay(value, expected):
    found = documents(_message(f"DG1|1||{value}"), "m.hl7")
    assert [d.text for d in found if d.free_text] == expected


def test_outside_pair_what_must_go_is_gone(shared):
    """In the source of the CDC's pair, whatever must go ends in an exclamation mark."""
    data = (shared / "fixtures/hl7v2/cdc-ORU_deidentified.hl7").read_bytes()
    marked = set(re.findall(r"[A-Z0-9]+!", data.decode()))
    assert len(marked) > 20
    out = masked(data, "m.hl7", [NAME]).decode()
    assert {each for each in marked if each in out} == set()


def test_an_age_is_an_age_though_its_type_is_a_number():
    found = documents(_message("OBX|1|NM|30525-0^Age^LN||93|a"), "m.hl7")
    assert [(d.text, d.given[0].label) for d in found if d.locator.endswith("OBX-5")] == [
        ("93", "AGE")
    ]


@pytest.mark.parametrize(
    ("kind", "label"),
    [("SS", "SSN"), ("DL", "LICENSE"), ("MR", "MEDICALRECORD"), ("", "MEDICALRECORD")],
)
def test_an_identifier_is_what_its_type_says(kind, label):
    found = documents(_message(f"PID|1||524-81-3397^^^A^{kind}"), "m.hl7")
    assert [d.given[0].label for d in found if d.text == "524-81-3397"] == [label]


def test_the_name_of_a_batch_file_is_an_identifier():
    found = documents(b"FHS|^~\\&|A|B|||||Quillon batch.hl7\r", "m.hl7")
    assert [d.given[0].label for d in found if d.text == "Quillon batch.hl7"] == ["IDNUM"]
