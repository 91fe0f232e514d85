"""Compiles the Basic Application Confidentiality Profile (DICOM PS3.15, table E.1-1).

Source: the table in the `dicom-anonymizer` package (BSD licence), which transcribes the standard.

    pip install dicom-anonymizer && python tools/build_dicom_profile.py
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

EDITION = "2026c"
OUT = Path(__file__).parents[1] / "src/incognote/formats/dicom_profile.json"
ACTIONS = ("D", "Z", "X", "U", "Z_D", "X_Z", "X_D", "X_Z_D", "X_Z_U_STAR")


def main() -> None:
    fields = import_module(f"dicomanonymizer.dicom_anonymization_databases.dicomfields_{EDITION}")
    table: dict[str, str] = {}
    for action in ACTIONS:
        name = action.replace("_U_STAR", "_U*").replace("_", "/")
        for tag in getattr(fields, f"{action}_TAGS"):
            # Repeating groups come with a mask: (group, element, group mask, element mask).
            group = f"{tag[0]:04x}" if len(tag) == 2 else f"{tag[0] >> 8:02x}xx"
            table[f"{group}{tag[1]:04x}"] = name
    OUT.write_text(json.dumps(dict(sorted(table.items())), indent=0) + "\n", encoding="utf-8")
    print(f"{len(table)} attributes of edition {EDITION}")


if __name__ == "__main__":
    main()
