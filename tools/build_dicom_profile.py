"""Compiles the Basic Application Confidentiality Profile and its options (DICOM PS3.15, E.1-1).

Sources: for the actions of the profile the table in the `dicom-anonymizer` package (BSD licence);
for the columns of its options `standard/confidentiality_profile_attributes.json` of the repository
innolitics/dicom-standard (MIT licence). Both transcribe the standard.

    pip install dicom-anonymizer
    python tools/build_dicom_profile.py confidentiality_profile_attributes.json
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

EDITION = "2026c"
OUT = Path(__file__).parents[1] / "src/incognote/formats/dicom/profile.json"
ACTIONS = ("D", "Z", "X", "U", "Z_D", "X_Z", "X_D", "X_Z_D", "X_Z_U_STAR")
COLUMNS = {
    "cleanDescOpt": "clean-descriptors",
    "cleanGraphOpt": "clean-graphics",
    "cleanStructContOpt": "clean-structured-content",
    "rtnDevIdOpt": "retain-device-identity",
    "rtnInstIdOpt": "retain-institution-identity",
    "rtnLongFullDatesOpt": "retain-full-dates",
    "rtnLongModifDatesOpt": "retain-modified-dates",
    "rtnPatCharsOpt": "retain-patient-characteristics",
    "rtnUIDsOpt": "retain-uids",
}


def main() -> None:
    fields = import_module(f"dicomanonymizer.dicom_anonymization_databases.dicomfields_{EDITION}")
    table: dict[str, dict[str, str]] = {}
    for action in ACTIONS:
        name = action.replace("_U_STAR", "_U*").replace("_", "/")
        for tag in getattr(fields, f"{action}_TAGS"):
            # Repeating groups come with a mask: (group, element, group mask, element mask).
            group = f"{tag[0]:04x}" if len(tag) == 2 else f"{tag[0] >> 8:02x}xx"
            table[f"{group}{tag[1]:04x}"] = {"basic": name}
    for row in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        options = {option: row[column] for column, option in COLUMNS.items() if column in row}
        if options and row["id"] in table:
            table[row["id"]] |= options
    lines = [f'"{tag}": {json.dumps(row)}' for tag, row in sorted(table.items())]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(table)} attributes of edition {EDITION}")


if __name__ == "__main__":
    main()
