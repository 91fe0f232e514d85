"""What the fields of structured files say of a person: columns, HL7 fields, FHIR paths."""

from __future__ import annotations

import re
from dataclasses import replace

from incognote.policy import Policy
from incognote.transform.dates.facts import names_birth

# Fields that hold no PHI and are not read for it, but say something of a person.
_FIELDS = {
    "ETHNICITY": "race ethnicity ethnic_group PID-10 PID-22",
    "MARITAL": "marital_status maritalstatus marital PID-16",
    "RELIGION": "religion PID-17",
    # "language" alone is mostly that of a document.
    "LANGUAGE": "preferred_language primary_language PID-15",
    "text": "sex gender PID-8 Patient.gender",
}
_SEX = re.compile(r"(?:^|[ .])(?:sex|gender|patient_sex|PID-8)$", re.IGNORECASE)
_ADMISSION = re.compile(r"admi(?:t|ssion)|\bPV1-44$", re.IGNORECASE)
_RELATIVE = re.compile(
    r" NK1-| GT1-|\.contact\.|next_of_kin|guarantor|emergency|mother|father|spouse|guardian",
    re.IGNORECASE,
)
_CODES = {
    "marital": {
        "m": "married", "s": "single", "d": "divorced", "w": "widowed", "a": "separated",
        "p": "domestic partnership", "b": "single", "never married": "single",
    },
    "ethnicity": {
        "2106-3": "white", "2054-5": "black", "2028-9": "asian", "1002-5": "american indian",
        "2076-8": "native hawaiian", "2135-2": "hispanic", "h": "hispanic", "w": "white",
        "b": "black", "black or african american": "black", "hispanic or latino": "hispanic",
    },
    "language": {"en": "english", "es": "spanish", "eng": "english", "spa": "spanish"},
}  # fmt: skip


def with_fields(policy: Policy, *, texts: bool = True) -> Policy:
    """The policy with these fields read, where it does not say otherwise. What is read as text may
    be replaced, where the policy is to write, too: a sex of "F" is not an initial."""
    known = dict(policy.formats.labels)
    taken = {*policy.formats.text, policy.formats.id, policy.formats.patient}
    for label, names in _FIELDS.items():
        if label == "text" and not texts:
            continue
        for name in names.split():
            if name not in taken:
                known.setdefault(name, label)
    return replace(policy, formats=replace(policy.formats, labels=known))


def is_sex(locator: str) -> bool:
    return bool(_SEX.search(locator))


def sex(value: str) -> str:
    first = value.strip()[:1].casefold()
    return {"f": "female", "m": "male", "w": "female"}.get(first, "")


def kind_of_date(locator: str) -> str:
    """Whether a field of dates is one of births or of admissions."""
    if names_birth(locator):
        return "birth_date"
    return "admission" if _ADMISSION.search(locator) else ""


def is_of_relative(locator: str) -> bool:
    return bool(_RELATIVE.search(locator))


def decoded(attribute: str, value: str) -> str:
    """The meaning of a code of a field."""
    return _CODES.get(attribute, {}).get(value, value)
