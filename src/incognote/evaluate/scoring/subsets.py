"""The label subsets that are reported side by side."""

from __future__ import annotations

from incognote.core.labels import GROUPS, in_group

ALL = "all"
# What a redaction hid without a name for it: it hides in every subset.
UNTYPED = "PHI"

# The identifiers that i2b2 2014 scored as its HIPAA subset, IDNUM (its slip) included.
HIPAA = frozenset(
    "PATIENT CITY STREET ZIP ORGANIZATION DATE AGE PHONE FAX EMAIL SSN MEDICALRECORD HEALTHPLAN "
    "ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM".split()
)


def subsets() -> dict[str, frozenset[str] | None]:
    """Groups A to D, the i2b2 HIPAA subset, and everything (None)."""
    groups: dict[str, frozenset[str] | None] = {f"group {g}": in_group(g) for g in GROUPS}
    return groups | {"HIPAA (i2b2)": HIPAA, ALL: None}
