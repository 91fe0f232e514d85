"""Reads what is known of patients: tables and FHIR, as one list of facts for each patient id."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.core.errors import MissingExtra, PolicyError
from incognote.core.fields import contact_label, identifier_label, label_in_patient_table
from incognote.core.labels import all_labels


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    label: str
    value: str = field(repr=False)


Facts = Mapping[str, frozenset[Fact]]


def read_facts(path: Path, id_column: str, columns: Mapping[str, str]) -> Facts:
    """The facts about each patient, by patient id."""
    known: defaultdict[str, set[Fact]] = defaultdict(set)
    for row in _rows(path):
        if "resourceType" in row:
            for ids, facts in _from_fhir(row):
                for patient in ids:
                    known[patient].update(facts)
            continue
        if id_column not in row:
            raise PolicyError(f"known patients {path}: needs a column named {id_column!r}")
        known[str(row[id_column]).strip()].update(_from_row(row, columns))
    return {patient: frozenset(facts) for patient, facts in known.items()}


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    kind = path.suffix.lower()
    try:
        if kind == ".csv":
            with path.open(encoding="utf-8-sig", newline="") as lines:
                yield from csv.DictReader(lines)
        elif kind == ".parquet":
            yield from _parquet(path)
        elif kind in (".jsonl", ".ndjson"):
            with path.open(encoding="utf-8") as lines:
                yield from (json.loads(line) for line in lines if line.strip())
        elif kind == ".json":
            whole = json.loads(path.read_text("utf-8"))
            yield from whole if isinstance(whole, list) else [whole]
        else:
            raise PolicyError(f"known patients {path}: not CSV, JSON, JSON Lines or Parquet")
    except OSError as error:
        raise PolicyError(f"known patients {path}: {error.strerror}") from None
    except ValueError:
        # Neither the decoder's message nor the line may be shown: both hold patients' data.
        raise PolicyError(f"known patients {path}: cannot be read as {kind[1:]}") from None


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise MissingExtra("reading Parquet", "parquet") from None
    for batch in parquet.ParquetFile(path).iter_batches():
        yield from batch.to_pylist()


def _from_row(row: Mapping[str, Any], columns: Mapping[str, str]) -> Iterator[Fact]:
    for column, value in row.items():
        label = columns.get(str(column)) or label_in_patient_table(str(column)) or str(column)
        if label not in all_labels() or value is None:
            continue
        for part in value if isinstance(value, list) else str(value).split(";"):
            if str(part).strip():
                yield Fact(label, str(part).strip())


# FHIR


def _from_fhir(resource: Mapping[str, Any]) -> Iterator[tuple[set[str], set[Fact]]]:
    """Each Patient in a resource: the ids it is known by, and its facts."""
    if resource["resourceType"] == "Bundle":
        for entry in resource.get("entry", ()):
            yield from _from_fhir(entry.get("resource") or {"resourceType": ""})
    elif resource["resourceType"] == "Patient":
        identifiers = set(_identifiers(resource))
        ids = {fact.value for fact in identifiers if fact.label == "MEDICALRECORD"}
        facts = identifiers | set(_person(resource))
        for contact in resource.get("contact", ()):
            facts |= set(_person({**contact, "name": [contact.get("name") or {}]}))
        for doctor in resource.get("generalPractitioner", ()):
            facts |= set(_fact("DOCTOR", doctor.get("display")))
        facts |= set(_fact("HOSPITAL", (resource.get("managingOrganization") or {}).get("display")))
        yield ids | ({resource["id"]} if "id" in resource else set()), facts


def _person(of: Mapping[str, Any]) -> Iterator[Fact]:
    for name in of.get("name", ()):
        for part in (*name.get("given", ()), name.get("family"), name.get("text")):
            yield from _fact("PATIENT", part)
    yield from _fact("DATE", of.get("birthDate"))
    yield from _fact("DATE", str(of.get("deceasedDateTime") or "")[:10])
    for contact in of.get("telecom", ()):
        yield from _fact(contact_label(contact.get("system", "")), contact.get("value"))
    address = of.get("address", ())
    for place in [address] if isinstance(address, Mapping) else address:
        for line in place.get("line", ()):
            yield from _fact("STREET", line)
        yield from _fact("CITY", place.get("city"))
        yield from _fact("LOCATION-OTHER", place.get("district"))
        yield from _fact("STATE", place.get("state"))
        yield from _fact("ZIP", place.get("postalCode"))


def _identifiers(of: Mapping[str, Any]) -> Iterator[Fact]:
    for identifier in of.get("identifier", ()):
        codes = [
            str(coding.get("code")) for coding in (identifier.get("type") or {}).get("coding", ())
        ]
        label = identifier_label(codes, identifier.get("system", ""))
        yield from _fact(label or "IDNUM", identifier.get("value"))


def _fact(label: str, value: object) -> Iterable[Fact]:
    text = str(value or "").strip()
    return [Fact(label, text)] if label and text else []
