"""A folder that a FHIR server exports: one file for each type, tied together by references."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from incognote.cli import main

NOTE = "Mrs. Okonkwo (MRN 7741902) was seen by Dr. Brandvold on 3/11/24. K 4.1."
EXPORT: dict[str, dict[str, Any]] = {
    "Patient": {
        "id": "p-7741902",
        "identifier": [{"system": "urn:mrn", "value": "7741902"}],
        "name": [{"family": "Okonkwo", "given": ["Ann"]}],
        "birthDate": "1950-03-04",
    },
    "Observation": {
        "id": "o1",
        "status": "final",
        "code": {"text": "Potassium"},
        "subject": {"reference": "Patient/p-7741902"},
        "effectiveDateTime": "2024-03-11",
        "valueQuantity": {"value": 4.1, "unit": "mmol/L"},
        "note": [{"text": "Mrs. Okonkwo was called."}],
    },
    "DocumentReference": {
        "id": "d1",
        "status": "current",
        "subject": {"reference": "Patient/p-7741902"},
        "content": [
            {
                "attachment": {
                    "contentType": "text/plain",
                    "data": base64.b64encode(NOTE.encode()).decode(),
                }
            }
        ],
    },
}


def test_references_hold_over_all_files_and_values_stay(tmp_path: Path) -> None:
    given, out = tmp_path / "export", tmp_path / "clean"
    given.mkdir()
    for kind, resource in EXPORT.items():
        (given / f"{kind}.ndjson").write_text(json.dumps({"resourceType": kind, **resource}) + "\n")
    (tmp_path / "key").write_text("three herons on a cold jetty, 7")
    said = ["--policy", "i2b2-2014+rules", "--key-file", str(tmp_path / "key"), "--quiet"]
    assert main(["deid", str(given), "-o", str(out), *said]) == 0
    new = {kind: json.loads((out / f"{kind}.ndjson").read_text()) for kind in EXPORT}
    patient, seen, document = new["Patient"], new["Observation"], new["DocumentReference"]
    about = f"Patient/{patient['id']}"
    assert seen["subject"]["reference"] == document["subject"]["reference"] == about
    assert seen["valueQuantity"] == {"value": 4.1, "unit": "mmol/L"}
    note = base64.b64decode(document["content"][0]["attachment"]["data"]).decode()
    assert patient["name"][0]["family"] in note
    assert patient["identifier"][0]["value"] in note
    assert note.endswith("K 4.1.")
    everything = json.dumps(new) + note
    for value in ("Okonkwo", "Brandvold", "7741902", "1950-03-04", "2024-03-11", "3/11/24"):
        assert value not in everything
