"""FHIR stays FHIR: a model of somebody else reads what comes out, under every preset."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from tests.conftest import SHARED
from tests.formats.kit.whole import PRESETS, deidentified

fhir = pytest.importorskip("fhir.resources", reason="needs fhir.resources")

NOTE = b"Adaeze Okonkwo was seen on 2024-02-11. She goes home."
UUID = "0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"

BUNDLE = {
    "resourceType": "Bundle",
    "id": "b-1",
    "type": "transaction",
    "timestamp": "2024-03-11T10:15:00.000Z",
    "entry": [
        {
            "fullUrl": f"urn:uuid:{UUID}",
            "resource": {
                "resourceType": "Patient",
                "id": UUID,
                "meta": {"lastUpdated": "2024-03-11T10:15:00+01:00", "source": "https://ehr.fenwick.example"},
                "extension": [
                    {
                        "url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race",
                        "extension": [{"url": "text", "valueString": "White"}],
                    },
                    {"url": "http://terms.example/patient-number", "valueInteger": 7741902},
                ],
                "identifier": [
                    {"system": "http://hospital.fenwick.example/mrn", "value": "7741902"},
                    {"system": "urn:ietf:rfc:3986", "value": f"urn:uuid:{UUID}"},
                ],
                "name": [{"family": "Carranza218", "given": ["Luisa710"]}],
                "birthDate": "1958-02-14",
                "_birthDate": {
                    "extension": [
                        {
                            "url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime",
                            "valueDateTime": "1958-02-14T05:30:00Z",
                        }
                    ]
                },
                "address": [
                    {
                        "line": ["14 Larkspur Lane"],
                        "city": "Millbrook",
                        "extension": [
                            {
                                "url": "http://hl7.org/fhir/StructureDefinition/geolocation",
                                "extension": [
                                    {"url": "latitude", "valueDecimal": 41.857613},
                                    {"url": "longitude", "valueDecimal": -72.604419},
                                ],
                            }
                        ],
                    }
                ],
            },
            "request": {
                "method": "POST",
                "url": "Patient",
                "ifNoneExist": "identifier=http://hospital.fenwick.example/mrn|7741902&birthdate=ge1958-02-14",
            },
        },
        {
            "fullUrl": "https://ehr.fenwick.example/r4/Location/loc-77",
            "resource": {
                "resourceType": "Location",
                "id": "loc-77",
                "name": "Fenwick General",
                "position": {"longitude": -72.604419, "latitude": 41.857613},
            },
            "request": {"method": "GET", "url": "Observation?code=http://loinc.org|2823-3&subject=Patient/pat-77"},
        },
        {
            "fullUrl": "https://ehr.fenwick.example/r4/Observation/obs-77",
            "resource": {
                "resourceType": "Observation",
                "id": "obs-77",
                "status": "final",
                "code": {"coding": [{"system": "http://loinc.org", "code": "2823-3"}], "text": "Potassium"},
                "subject": {"reference": f"urn:uuid:{UUID}", "display": "Luisa710 Carranza218"},
                "issued": "2024-02-11T06:15:00.000Z",
                "effectiveDateTime": "2024-02-11T06:15:00Z",
                "valueString": "Kell negative",
                "referenceRange": [{"text": "3.5-5.1 mmol/L"}],
                "performer": [{"reference": "https://ehr.fenwick.example/r4/Practitioner/doc-77", "display": "Thora Brandvold"}],
            },
            "request": {"method": "PUT", "url": "Observation/obs-77"},
        },
        {
            "fullUrl": "urn:uuid:11111111-1cbf-4d64-b04d-cd9187a4c6e1",
            "resource": {
                "resourceType": "DocumentReference",
                "id": "doc-1",
                "status": "current",
                "date": "2024-02-11T06:15:00.000Z",
                "subject": {"reference": f"urn:uuid:{UUID}"},
                "content": [
                    {
                        "attachment": {
                            "contentType": "text/plain",
                            "data": base64.b64encode(NOTE).decode(),
                            "size": len(NOTE),
                            "hash": base64.b64encode(hashlib.sha1(NOTE).digest()).decode(),
                        }
                    },
                    {"attachment": {"url": "https://ehr.fenwick.example/Binary/1", "hash": "Zm9vYmFyYmF6Zm9vYmFyYmF6"}},
                ],
            },
            "request": {"method": "POST", "url": "DocumentReference"},
        },
        {
            "fullUrl": "urn:uuid:22222222-1cbf-4d64-b04d-cd9187a4c6e2",
            "resource": {
                "resourceType": "ImagingStudy",
                "id": "img-1",
                "status": "available",
                "subject": {"reference": f"urn:uuid:{UUID}"},
                "series": [
                    {
                        "uid": "1.2.840.113619.2.5.1762583153.215519",
                        "modality": {"system": "http://dicom.nema.org/resources/ontology/DCM", "code": "CT"},
                        "instance": [
                            {
                                "uid": "1.2.840.113619.2.5.1762583153.215519.1",
                                "sopClass": {"system": "urn:ietf:rfc:3986", "code": "urn:oid:1.2.840.10008.5.1.4.1.1.2"},
                            }
                        ],
                    }
                ],
            },
            "request": {"method": "POST", "url": "ImagingStudy"},
        },
        {
            "fullUrl": "urn:uuid:33333333-1cbf-4d64-b04d-cd9187a4c6e3",
            "resource": {
                "resourceType": "Provenance",
                "id": "prov-1",
                "target": [{"reference": "Observation/obs-77"}],
                "recorded": "2024-02-11T06:15:00.000Z",
                "agent": [{"who": {"reference": "Practitioner/doc-77"}}],
                "signature": [
                    {
                        "type": [{"system": "urn:iso-astm:E1762-95:2013", "code": "1.2.840.10065.1.12.1.1"}],
                        "when": "2024-02-11T06:15:00.000Z",
                        "who": {"reference": "Practitioner/doc-77"},
                    }
                ],
            },
            "request": {"method": "POST", "url": "Provenance"},
        },
    ],
}  # fmt: skip

# What must be gone, whatever the preset replaces it with: direct identifiers and what points at them.
GONE = [
    "fenwick", "Luisa", "Carranza", "7741902", "Larkspur", "Brandvold", "1762583153", "pat-77", "obs-77",
    "loc-77", "doc-77", UUID, "2024-02-11", "1958-02-14", "Zm9vYmFy",
]  # fmt: skip
KEPT = [
    '"valueString": "White"', '"text": "Potassium"', '"valueString": "Kell negative"', "3.5-5.1 mmol/L",
    '"url": "Patient"', "Observation?code=http://loinc.org|2823-3&subject=Patient/", "identifier=http",
    "urn:oid:1.2.840.10008.5.1.4.1.1.2", "1.2.840.10065.1.12.1.1", '"code": "2823-3"',
]  # fmt: skip


def _check(resource: dict) -> None:
    """A model of FHIR R4B or R5 reads a resource, or raises."""
    from fhir.resources import get_fhir_model_class
    from fhir.resources.R4B import get_fhir_model_class as get_r4b_class

    kind = resource["resourceType"]
    try:
        get_r4b_class(kind).model_validate(resource)
    except ValueError:
        get_fhir_model_class(kind).model_validate(resource)


def _is_valid(resource: dict) -> bool:
    try:
        _check(resource)
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module", params=PRESETS)
def out(request) -> tuple[str, dict]:
    text = deidentified(json.dumps(BUNDLE, indent=1), "bundle.json", request.param).decode()
    return request.param, json.loads(text) | {"": text}


def test_a_bundle_is_valid_under_every_preset(out):
    _check(BUNDLE)
    _check({key: value for key, value in out[1].items() if key})


def test_what_must_go_is_gone(out):
    preset, bundle = out
    dates_stay = preset in ("limited-data-set", "group-a")
    text = bundle[""].lower()
    gone = [each for each in GONE if not (dates_stay and re.match(r"\d{4}-", each))]
    if preset in ("limited-data-set", "group-a", "group-b"):  # which keep hospitals and doctors
        gone = [each for each in gone if each not in ("fenwick", "Brandvold")]
    assert [each for each in gone if each.lower() in text] == []


def test_clinical_values_and_requests_stay(out):
    assert [each for each in KEPT if each not in out[1][""]] == []


def test_links_still_link(out):
    by_type = {e["resource"]["resourceType"]: e for e in out[1]["entry"]}
    patient, observation = by_type["Patient"], by_type["Observation"]
    assert patient["fullUrl"] == f"urn:uuid:{patient['resource']['id']}"
    assert observation["resource"]["subject"]["reference"] == patient["fullUrl"]
    assert observation["fullUrl"].endswith(f"Observation/{observation['resource']['id']}")
    assert observation["request"]["url"] == f"Observation/{observation['resource']['id']}"
    series = by_type["ImagingStudy"]["resource"]["series"][0]
    assert re.fullmatch(r"[012](\.(0|[1-9]\d*))+", series["uid"])
    assert series["instance"][0]["uid"] != series["uid"]


def test_an_attachment_says_its_own_hash_and_size(out):
    by_type = {e["resource"]["resourceType"]: e["resource"] for e in out[1]["entry"]}
    own, other = (each["attachment"] for each in by_type["DocumentReference"]["content"])
    data = base64.b64decode(own["data"])
    assert own["size"] == len(data)
    assert own["hash"] == base64.b64encode(hashlib.sha1(data).digest()).decode()
    assert "hash" not in other


def test_an_attachment_belongs_to_the_patient_of_its_resource():
    out = json.loads(deidentified(json.dumps(BUNDLE), "bundle.json"))
    by_type = {e["resource"]["resourceType"]: e["resource"] for e in out["entry"]}
    note = base64.b64decode(by_type["DocumentReference"]["content"][0]["attachment"]["data"])
    seen = re.search(rb"\d{4}-\d\d-\d\d", note)[0].decode()
    assert by_type["Observation"]["effectiveDateTime"].startswith(seen)


def _fixtures() -> list[Path]:
    return sorted((SHARED / "fixtures" / "fhir").rglob("*.json"))


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
@pytest.mark.parametrize("policy", ["i2b2-2014", "hipaa-safe-harbor"])
def test_outside_resources_stay_valid(path, policy):
    data = path.read_bytes().decode("utf-8-sig")
    resource = json.loads(data)
    if not resource.get("resourceType") or not _is_valid(resource):
        pytest.skip("not valid to begin with")
    _check(json.loads(deidentified(data, path.name, policy)))


def test_a_time_of_the_type_instant_is_one_under_safe_harbor():
    """A year alone is no instant, whichever element holds it."""
    observation = {
        "resourceType": "Observation",
        "status": "final",
        "code": {"text": "Potassium"},
        "effectiveInstant": "2024-02-11T06:15:00Z",
    }
    out = json.loads(deidentified(json.dumps(observation), "o.json", "hipaa-safe-harbor"))
    _check(out)
    assert "2024-02-11" not in json.dumps(out)


@pytest.mark.parametrize("search", ["Patient?name={}", "Observation?patient.name={}"])
def test_a_search_asks_for_the_surrogate(search):
    bundle = {
        "resourceType": "Bundle",
        "type": "batch",
        "entry": [
            {"resource": {"resourceType": "Patient", "name": [{"family": "Kessinger"}]}},
            {"request": {"method": "GET", "url": search.format("Kessinger")}},
        ],
    }
    patient, asked = json.loads(deidentified(json.dumps(bundle), "bundle.json"))["entry"]
    name = patient["resource"]["name"][0]["family"]
    assert asked["request"]["url"] == search.format(name)
