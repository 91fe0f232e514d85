"""The samples that ship with incognote lose what was planted in them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.formats.kit.dicoms import surrogates
from tests.formats.kit.made import everything, members, page_texts

from incognote.policy import FormatRules
from incognote.testing.formats import masked

SAMPLES = Path(__file__).parents[2] / "samples/formats"
PLANTED = (
    "okonkwo", "adaeze", "chidi", "thorvald", "brandvold", "7741902", "fenwick", "larkspur",
    "millbrook", "860-555-0123",
)  # fmt: skip
CASES = [form for each in PLANTED for form in (each, each.title(), each.upper())]


def _content(name: str, data: bytes) -> str:
    """All that a file says, with whatever is packed in it unpacked."""
    if name.endswith((".docx", ".xlsx")):
        return members(data)
    if name.endswith(".pdf"):
        return everything(data).decode("latin-1") + page_texts(data)
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        return str(pq.read_table(io.BytesIO(data)).to_pylist())
    return data.decode("latin-1")


@pytest.mark.parametrize(
    "name",
    ["letter.docx", "letter.rtf", "notes.parquet", "report.pdf", "variants.vcf", "visits.xlsx"],
)
def test_our_samples_lose_what_they_plant(name):
    data = (SAMPLES / name).read_bytes()
    there = [each for each in PLANTED if each in _content(name, data).lower()]
    assert len(there) >= 2
    cases = [form for each in PLANTED for form in (each, each.title(), each.upper())]
    rules = FormatRules(labels={"patient_id": "MEDICALRECORD"})
    out = _content(name, masked(data, name, cases, rules)).lower()
    assert [each for each in PLANTED if each in out] == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_our_dicom_sample_loses_what_it_plants():
    data = (SAMPLES / "scan.dcm").read_bytes()
    out = surrogates(data)
    buffer = io.BytesIO()
    out.save_as(buffer)
    said = buffer.getvalue().decode("latin-1").lower()
    assert [each for each in PLANTED if each in said and each != "7741902"] == []
    assert "7741902" not in said.replace(str(out.SOPInstanceUID), "")


@pytest.mark.usefixtures("ocr")
@pytest.mark.parametrize("name", ["fax.pdf", "label.png"])
def test_our_scanned_samples_lose_what_they_show(name):
    from tests.formats.pictures.test_pictures import READ, _shown, _words

    seen = _shown if name == "fax.pdf" else _words
    data = (SAMPLES / name).read_bytes()
    assert "okonkwo" in seen(data).lower()
    out = seen(masked(data, name, CASES, READ)).lower()
    assert [each for each in PLANTED if each in out] == []
    assert name != "fax.pdf" or "blood pressure was 128/76" in out


def test_our_archive_loses_what_its_names_say():
    out = masked((SAMPLES / "notes.zip").read_bytes(), "notes.zip", CASES)
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert archive.namelist() == ["[PATIENT]_[PATIENT]/visit_[PATIENT].txt", "plan.txt"]
        said = b"".join(archive.read(name) for name in archive.namelist()).lower()
    assert [each for each in PLANTED if each.encode() in said] == []


def test_samples_are_small():
    assert [path.name for path in SAMPLES.iterdir() if path.stat().st_size > 40_000] == []
