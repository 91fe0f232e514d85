"""What is written is read by libraries of others, and is shaped as it was: samples of ours, and
public files where they are at hand. DOCX and XLSX have tests of their own, FHIR its models."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import hl7
import pydicom
import pypdf
import pytest
import vcfpy
from hl7apy.parser import parse_message
from lxml import etree
from tests.conftest import SHARED
from tests.formats.kit.whole import deidentified

ROOT = Path(__file__).parents[2]
_LARGEST = 60_000


def _pdf(data: bytes) -> object:
    reader = pypdf.PdfReader(io.BytesIO(data))
    looks = []
    for page in reader.pages:
        page.extract_text()
        for note in (each.get_object() for each in page.get("/Annots", [])):
            drawn = note.get("/AP", {}).get("/N", {})
            is_box = note.get("/FT", note.get("/Parent", {}).get("/FT")) == "/Btn"
            looks.append(
                (note["/Subtype"], sorted(drawn)[:2] if is_box and "/Off" in drawn else "")
            )
    return len(reader.pages), looks


def _dicom(data: bytes) -> object:
    dataset = pydicom.dcmread(io.BytesIO(data), force=True)
    return dataset.get("SOPClassUID"), dataset.get("Rows"), dataset.get("Modality")


def _hl7(data: bytes) -> object:
    """By python-hl7, the segments of all messages; hl7apy must understand the same."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\r").replace("\n", "\r").strip("\r")
    return [str(segment[0]) for segment in hl7.parse(text)]


def _strict_hl7(data: bytes) -> object:
    text = data.decode().replace("\r\n", "\r").replace("\n", "\r").strip("\r")
    return [child.name for child in parse_message(text, find_groups=False).children]


def _xml(data: bytes) -> object:
    tree = etree.fromstring(data)
    return [each.tag for each in tree.iter() if isinstance(each.tag, str)]


def _vcf(data: bytes) -> object:
    reader = vcfpy.Reader(io.StringIO(data.decode()))
    return [(row.CHROM, row.POS, row.REF, [str(alt) for alt in row.ALT]) for row in reader]


def _csv(data: bytes) -> object:
    return [len(row) for row in csv.reader(io.StringIO(data.decode()))]


def _json(data: bytes) -> object:
    return {key: type(value).__name__ for key, value in json.loads(data).items()}


Reader = Callable[[bytes], object]
READERS: tuple[tuple[str, str, Reader], ...] = (
    ("pdf", "*.pdf", _pdf),
    ("dicom", "*.dcm", _dicom),
    ("hl7v2", "*.hl7", _hl7),
    ("ccda", "*.xml", _xml),
    ("fhir", "*.xml", _xml),
    ("fhir", "*.json", _json),
    ("vcf", "*.vcf", _vcf),
    ("csv", "*.csv", _csv),
)
# Encrypted, a picture alone, without its pixels; two are in Latin, which no detector reads.
_REFUSED = (
    "pypdf-libreoffice-writer-password.pdf", "textract-ocr_text.pdf", "presidio-0_ORIGINAL_no_pixels.dcm",
    "pypdf-002-trivial-libre-office-writer.pdf", "pypdf-with-attachment.pdf",
)  # fmt: skip


def _files() -> list[tuple[Path, Reader]]:
    found = []
    for folder, pattern, reader in READERS:
        paths = sorted((SHARED / "fixtures" / folder).glob(pattern), key=lambda p: p.stat().st_size)
        small = [path for path in paths if path.stat().st_size < _LARGEST]
        found += [(path, reader) for path in small[:6] if path.name not in _REFUSED]
    return found


def _read(reader: Reader, data: bytes) -> object:
    """What a reader says; why it does not read an original is not our matter."""
    try:
        return reader(data)
    except Exception as error:  # noqa: BLE001 - libraries raise whatever they like
        return type(error)


# Libraries warn of what they repair, in the originals as well.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "reader"), _files(), ids=lambda each: getattr(each, "name", ""))
def test_outside_files_are_read_as_before(path: Path, reader: Reader) -> None:
    data = path.read_bytes()
    before = _read(reader, data)
    if isinstance(before, type):
        pytest.skip("the reader does not read the original")
    assert reader(deidentified(data, path.name)) == before


MESSAGE = (
    "MSH|^~\\&|LAB|Quarry Hill|EHR|Quarry Hill|20240304101500||ORU^R01^ORU_R01|MSG7741902|P|2.5\r"
    "PID|1||7741902^^^QH^MR||Okonkwo^Adaeze||19700412|F|||12 Elm St^^Harlow^OH^44101||5550100\r"
    "OBR|1|||TSH^Thyrotropin^LN|||20240304\r"
    "OBX|1|NM|3016-3^Thyrotropin^LN||4.1|mIU/L|0.4-4.0|H|||F\r"
)
VCF = (
    "##fileformat=VCFv4.2\n##contig=<ID=1,length=9999>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tAdaeze_Okonkwo\n"
    "1\t1000\trs12\tA\tG\t50\tPASS\t.\tGT\t0/1\n"
)


def test_a_message_is_read_by_both_libraries() -> None:
    out = deidentified(MESSAGE, "x.hl7")
    assert b"Okonkwo" not in out
    assert b"|4.1|mIU/L|0.4-4.0|" in out
    assert _hl7(out) == _hl7(MESSAGE.encode()) == ["MSH", "PID", "OBR", "OBX"]
    assert _strict_hl7(out) == ["MSH", "PID", "OBR", "OBX"]


def test_variants_are_read_by_vcfpy() -> None:
    out = deidentified(VCF, "x.vcf")
    assert b"Okonkwo" not in out
    assert _vcf(out) == _vcf(VCF.encode())
