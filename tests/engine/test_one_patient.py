"""One patient in DICOM, FHIR and HL7: the same surrogates, whatever the format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from tests.engine.conftest import KEY

from incognote.engine.local import deid
from incognote.engine.settings import Settings
from incognote.policy import load_policy

pydicom = pytest.importorskip("pydicom")

MRN = "7741902"
UID = "1.2.276.0.7230010.3.1.2.8323329.31641.1517875175.962231"
BORN, STUDIED = date(1958, 2, 14), date(2024, 3, 11)
NOTE = "Mr. Quillon came on 03/11/2024. Adeyemi Quillon, MRN 7741902, is well."

HL7 = "\r".join(
    [
        "MSH|^~\\&|RIS|FENWICK|EHR|FENWICK|20240311101500||ORU^R01|88123|P|2.5.1",
        "PID|1||7741902^^^FENWICK^MR||QUILLON^ADEYEMI||19580214|M",
        "OBR|1||A5512|71250^CT CHEST^C4|||20240311101500",
        f"OBX|1|TX|113014^Study UID^DCM||{NOTE}||||||F",
        f"OBX|2|HD|110180^Study Instance UID^DCM||{UID}||||||F",
        "",
    ]
)
FHIR = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {
            "resource": {
                "resourceType": "Patient",
                "id": MRN,
                "identifier": [{"type": {"coding": [{"code": "MR"}]}, "value": MRN}],
                "name": [{"family": "Quillon", "given": ["Adeyemi"]}],
                "birthDate": "1958-02-14",
                "gender": "male",
            }
        },
        {
            "resource": {
                "resourceType": "ImagingStudy",
                "id": "study-1",
                "status": "available",
                "subject": {"reference": f"Patient/{MRN}"},
                "started": "2024-03-11T10:15:00Z",
                "identifier": [{"system": "urn:dicom:uid", "value": f"urn:oid:{UID}"}],
                "note": [{"text": NOTE}],
            }
        },
    ],
}


@dataclass(frozen=True)
class Seen:
    """What one file says of the patient."""

    family: str
    given: str
    mrn: str
    uid: str
    born: date
    studied: date
    note: str


def _write(folder: Path) -> None:
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian

    dataset = Dataset()
    dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.7"
    dataset.SOPInstanceUID = f"{UID}.1"
    dataset.StudyInstanceUID = UID
    dataset.PatientName = "QUILLON^ADEYEMI"
    dataset.PatientID = MRN
    dataset.PatientBirthDate = f"{BORN:%Y%m%d}"
    dataset.StudyDate = f"{STUDIED:%Y%m%d}"
    dataset.Modality = "CT"
    dataset.PatientComments = NOTE
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    folder.mkdir()
    dataset.save_as(folder / "image.dcm", enforce_file_format=True)
    (folder / "result.hl7").write_text(HL7, newline="")
    (folder / "bundle.json").write_text(json.dumps(FHIR))


def _day(digits: str) -> date:
    return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))


def _from_dicom(path: Path) -> Seen:
    data = pydicom.dcmread(path)
    name = data.PatientName
    return Seen(
        str(name.family_name).casefold(),
        str(name.given_name).casefold(),
        data.PatientID,
        str(data.StudyInstanceUID),
        _day(data.PatientBirthDate),
        _day(data.StudyDate),
        data.PatientComments,
    )


def _from_hl7(path: Path) -> Seen:
    rows = [line.split("|") for line in path.read_text().splitlines()]
    [person] = [row for row in rows if row[0] == "PID"]
    [order] = [row for row in rows if row[0] == "OBR"]
    note, uid = (row[5] for row in rows if row[0] == "OBX")
    family, given = person[5].split("^")
    mrn = person[3].split("^")[0]
    born, studied = _day(person[7]), _day(order[7])
    return Seen(family.casefold(), given.casefold(), mrn, uid, born, studied, note)


def _from_fhir(path: Path) -> Seen:
    patient, study = (entry["resource"] for entry in json.loads(path.read_text())["entry"])
    [name] = patient["name"]
    assert study["subject"]["reference"] == f"Patient/{patient['id']}"
    return Seen(
        name["family"].casefold(),
        name["given"][0].casefold(),
        patient["identifier"][0]["value"],
        study["identifier"][0]["value"].removeprefix("urn:oid:"),
        date.fromisoformat(patient["birthDate"]),
        date.fromisoformat(study["started"][:10]),
        study["note"][0]["text"],
    )


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    place = tmp_path_factory.mktemp("one-patient")
    _write(place / "in")
    policy = load_policy(
        {
            "name": "site",
            "extends": "rules",
            "formats": {"names": "keep", "images": "keep"},
            "transform": {"date_order": "month-first"},
        }
    )
    summary = deid(str(place / "in"), str(place / "out"), Settings(policy, KEY))
    assert not summary.quarantined
    return {
        "dicom": _from_dicom(place / "out" / "image.dcm"),
        "hl7": _from_hl7(place / "out" / "result.hl7"),
        "fhir": _from_fhir(place / "out" / "bundle.json"),
    }


@pytest.mark.parametrize("what", ["family", "given", "mrn", "uid", "born", "studied"])
def test_every_format_says_the_same(seen: dict[str, Seen], what: str) -> None:
    values = {getattr(each, what) for each in seen.values()}
    assert len(values) == 1, what


def test_all_of_it_changed(seen: dict[str, Seen]) -> None:
    said = seen["dicom"]
    assert (said.family, said.given) != ("quillon", "adeyemi")
    assert MRN not in (said.mrn, seen["fhir"].mrn)
    assert said.uid != UID
    assert said.studied - STUDIED == said.born - BORN


@pytest.mark.parametrize("form", ["dicom", "hl7", "fhir"])
def test_notes_say_what_the_fields_say(seen: dict[str, Seen], form: str) -> None:
    said = seen[form]
    note = said.note.casefold()
    assert note.count(said.family) == 2
    assert f"{said.given} {said.family}" in note
    assert said.mrn in note
    assert f"{said.studied:%m/%d/%Y}" in note
    for original in ("quillon", MRN, "03/11/2024"):
        assert original not in note
