"""The labels of a project: those its policy looks for, each with its colour, pattern and key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.core.caches import cached
from incognote.core.labels import all_labels
from incognote.policy import DetectorRules
from incognote.resolve.claims import detector_of
from incognote.web.store.database.connection import Store
from incognote.web.store.policies import parsed_policy, weight_of_model
from incognote.web.store.tables import Project

# Ten labels that make up nearly all PHI of notes have a letter of their own.
KEYS = {
    "PATIENT": "p",
    "DOCTOR": "d",
    "DATE": "t",
    "HOSPITAL": "h",
    "MEDICALRECORD": "m",
    "PHONE": "n",
    "AGE": "a",
    "CITY": "c",
    "IDNUM": "i",
    "STREET": "s",
}
# Hues that people with any kind of colour blindness can distinguish, after Okabe and Ito; the
# pattern of the underline says the same without colour.
LOOKS = {
    "NAME": "name",
    "PROFESSION": "work",
    "LOCATION": "place",
    "AGE": "age",
    "DATE": "date",
    "CONTACT": "contact",
    "ID": "id",
}


@cached(64)
def _wanted(policy: str, folder: str) -> tuple[str, ...]:
    wanted = parsed_policy(policy, Path(folder)).wanted
    return tuple(name for name in all_labels() if name in wanted)


@cached(64)
def _rules(policy: str, folder: str) -> Mapping[str, DetectorRules]:
    return parsed_policy(policy, Path(folder)).detectors


def weights_of(
    store: Store, project: Project, claims: Iterable[Sequence[Any]]
) -> dict[str, dict[str, int]]:
    """What weighs in the claims on a note: the say of each detector in each label they name."""
    rules = _rules(project.policy, str(store.site.policies(project.id)))
    found: dict[str, dict[str, int]] = {}
    for claim in claims:
        label, sources = claim[2], claim[4]
        for name in map(detector_of, sources):
            weight = rules[name].weight_for(label) if name in rules else weight_of_model(name)
            found.setdefault(name, {})[label] = weight
    return found


def labels_of(store: Store, project: Project) -> list[dict[str, Any]]:
    rows = all_labels()
    names = _wanted(project.policy, str(store.site.policies(project.id)))
    return [
        {
            "name": name,
            "category": rows[name].category,
            "look": LOOKS.get(rows[name].category, "other"),
            "key": KEYS.get(name, ""),
            "description": rows[name].description,
        }
        for name in names
    ]
