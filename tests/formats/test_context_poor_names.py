"""Names with hardly any context, in cells and fields beside a column that names the patient."""

from __future__ import annotations

import csv
import io

import pytest
from tests.formats.kit.whole import deidentified

NOTES = [
    ("SMITH, JOHN returns. Wound dry.", ("SMITH", "JOHN")),
    ("Smith, John seen; plan unchanged.", ("Smith", "John")),
    ("Wound dry. Smith J left at noon.", ("Smith",)),
    ("75-year-old with atrial fibrillation, John S., treated with apixaban.", ("John",)),
]


def _row(note: str) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(
        [("mrn", "last_name", "first_name", "note"), ("7741902", "Smith", "John", note)]
    )
    return buffer.getvalue().encode()


def _message(note: str) -> bytes:
    return (
        "MSH|^~\\&|LAB|QH|EHR|QH|20240304101500||ORU^R01^ORU_R01|M1|P|2.5\r"
        "PID|1||7741902^^^QH^MR||Smith^John||19700412|M\r"
        "OBR|1|||34117-2^History and physical^LN|||20240304\r"
        f"OBX|1|TX|34117-2^History and physical^LN||{note}||||||F\r"
    ).encode()


@pytest.mark.parametrize(("note", "words"), NOTES)
def test_beside_a_column_of_names(note: str, words: tuple[str, ...]) -> None:
    out = deidentified(_row(note), "x.csv").decode()
    assert not [word for word in words if word in out]
    new = next(csv.DictReader(io.StringIO(out)))
    assert new["last_name"].casefold() in new["note"].casefold() or words == ("John",)


@pytest.mark.parametrize(("note", "words"), NOTES)
def test_beside_the_patient_of_a_message(note: str, words: tuple[str, ...]) -> None:
    out = deidentified(_message(note), "x.hl7").decode()
    assert not [word for word in words if word in out]


@pytest.mark.parametrize(
    "note",
    [
        "A 75-year-old female with atrial fibrillation, Adaeze B., treated at home.",
        "OKONKWO, ADAEZE returns. Wound dry.",
    ],
)
def test_without_any_other_column(note: str) -> None:
    out = deidentified(f'id,note_text\n1,"{note}"\n'.encode(), "x.csv").decode()
    assert "adaeze" not in out.casefold()
    assert "okonkwo" not in out.casefold()
