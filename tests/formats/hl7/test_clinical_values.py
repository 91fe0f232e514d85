"""Results, ranges, units, tests and organisms come back as they were; names among them do not."""

from __future__ import annotations

import pytest
from tests.formats.kit.whole import deidentified

from incognote.testing.formats import documents, masked

HEAD = (
    "MSH|^~\\&|LAB|FENWICK GENERAL|||20240311||ORU^R01|1|P|2.5.1\r"
    "PID|1||7741902^^^FENWICK&1.2.3.4&ISO^MR||OKONKWO^ADAEZE||19580214|F\r"
    "OBR|1|||24323-8^COMP METABOLIC^LN\r"
)

# Segments as laboratories send them, with strings where others send numbers.
RESULTS = [
    "OBX|1|ST|2823-3^POTASSIUM^LN||4.1|mmol/L|3.5-5.1|N|||F",
    "OBX|2|ST|6690-2^WBC^LN||5.8|10*3/uL|4.0-10.8|N|||F",
    "OBX|3|ST|777-3^PLATELETS^LN||271|K/uL|140-400|N|||F",
    "OBX|4|ST|3094-0^UREA NITROGEN^2.16.840.1.113883.6.1||14|mg/dL|7-20|N|||F",
    "OBX|5|ST|TSH^TSH^L||<0.01|uIU/mL|0.4 to 4.5|L|||F",
    "OBX|6|CE|600-7^BACTERIA IDENTIFIED^LN||ECOLI^ESCHERICHIA COLI^L||||||F",
    "OBX|7|ST|ANA^ANA TITER^99LAB||1:640||<1:40|H|||F",
    "OBX|8|ST|BP^BLOOD PRESSURE^99LAB||120/80|mm[Hg]||||F",
    "OBX|9|SN|PH^PH^99LAB||^7.35|||||F",
    "OBX|10|ST|KELL^KELL ANTIGEN^99LAB||NEGATIVE|||||F",
    "OBX|11|ST|COL^COLOR^99LAB||YELLOW|||||F",
    "OBX|12|ST|GRAM^GRAM STAIN^99LAB||GRAM NEGATIVE RODS|||||F",
    "OBX|13|ST|PLT^PLATELETS^99LAB||150000|/uL|150000 to 350000||||F",
    "OBX|14|CWE|97097-0^SARS-CoV-2 Ag^LN||260373001^Detected^SCT||||||F||||||BD Veritor^^99ELR",
]


@pytest.mark.parametrize("segment", RESULTS, ids=lambda text: text.split("^")[1])
@pytest.mark.parametrize("policy", ["i2b2-2014", "hipaa-safe-harbor"])
def test_a_result_is_not_falsified(segment, policy):
    out = deidentified(HEAD + segment + "\r", "x.hl7", policy).decode()
    assert out.split("\r")[3] == segment


def test_a_degree_is_no_name_but_may_hold_one():
    segment = "NK1|1|OKONKWO^CHIDI^^^^Bachelors|FTH"
    out = deidentified(f"{HEAD}{segment}\r", "x.hl7").decode().split("\r")[3]
    assert out.endswith("^^^^Bachelors|FTH")
    assert "OKONKWO" not in out
    out = deidentified(HEAD + segment.replace("Bachelors", "of Adaeze Okonkwo") + "\r", "x.hl7")
    assert b"Adaeze" not in out


@pytest.mark.parametrize(
    "value", ["CALLED TO DR. BRANDVOLD", "OKONKWO, ADAEZE", "MRN 7741902", "seen 03/11/2024"]
)
def test_strong_evidence_counts_in_a_result(value):
    out = deidentified(HEAD + f"OBX|1|ST|REM^REMARK^99LAB||{value}||||||F\r", "x.hl7").decode()
    planted = ("BRANDVOLD", "OKONKWO", "ADAEZE", "7741902", "03/11/2024")
    assert [each for each in planted if each in out] == []


@pytest.mark.parametrize(
    ("test", "value", "label"),
    [
        ("MRN^Medical record number^L", "8812345", "MEDICALRECORD"),
        ("X1^Home phone^L", "860-555-0123", "PHONE"),
        ("X2^Attending physician^L", "Brandvold", "DOCTOR"),
        ("X3^Mother's maiden name^L", "Quillon", "PATIENT"),
    ],
)
def test_the_name_of_a_test_says_that_its_result_is_phi(test, value, label):
    found = documents((HEAD + f"OBX|1|ST|{test}||{value}\r").encode(), "x.hl7")
    assert [d.given[0].label for d in found if d.text == value] == [label]


def test_a_report_over_several_segments_is_read_as_one_text():
    lines = ["Seen with her daughter", "Quillon", "who lives nearby."]
    body = "".join(f"OBX|{n}|ST|RPT^REPORT^L||{line}\r" for n, line in enumerate(lines, 1))
    found = documents((HEAD + body).encode(), "x.hl7")
    assert "\n".join(lines) in [d.text for d in found if not d.clinical]


@pytest.mark.parametrize(
    "segment",
    [
        # The id once more as its own name space, and hospitals wherever an authority stands.
        "SCH|1034577^1034577|",
        "PV1|1|I|WARD^^^FENWICK&1.2.3&ISO||||1467839^B^T^^^^^^FENWICK&1.2.3&ISO",
        "ORC|RE|1034577^FENWICK^1.2.3^ISO",
        "SPM|1|1034577&FENWICK&1.2.3&ISO^1034577&FENWICK&1.2.3&ISO",
        "OBX|1|NM|1^A^LN||1||||||||||1034577^FENWICK",
        "NK1|1||||||||||||FENWICK^^^^^FENWICK&1.2.3&ISO",
        "PID|1||1034577^^^FENWICK&1.2.3&ISO^MR^FENWICK&1.2.3&ISO^^^FENWICK^FENWICK",
        "PRT|1034577|UC||AP|1034577^B^T^^^^^^FENWICK^^^^^FENWICK^^^^^^^^FENWICK^FENWICK",
    ],
    ids=lambda text: text[:3],
)
def test_repeated_ids_and_authorities_are_masked_without_a_detector(segment):
    """Nothing is planted for the detectors here: what goes is told by its field."""
    out = masked((HEAD.partition("\r")[0] + "\r" + segment + "\r").encode(), "x.hl7", ["nothing"])
    assert [each for each in (b"FENWICK", b"1034577") if each in out.split(b"\r")[1]] == []
