"""Patient ids taken from file paths; and what the first of two passes found of each patient, to be
found in their other documents.

Counts do not depend on the order of documents, so neither do the known values. This value holds
identifiers: it lives in memory, for the length of one run.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol

from incognote.core.people import NamePart, People, Person, Trait
from incognote.core.types import Document, Result
from incognote.policy import FormatRules
from incognote.policy.patterns import compile_pattern
from incognote.resolve.repeat import sure_values


def with_patient_from_path(
    documents: Sequence[Document], path: str, rules: FormatRules
) -> tuple[Document, ...]:
    """The documents with the patient id that their path states, where they state none."""
    pattern = rules.patient_path
    found = compile_pattern(pattern, "formats.patient_path").search(path) if pattern else None
    if not found or not found[1]:
        return tuple(documents)
    # The fields of a record share what is said of it, and are known by that.
    metas = {id(each.meta): {**each.meta, "patient_id": found[1]} for each in documents}
    return tuple(
        each if each.patient_id else replace(each, meta=metas[id(each.meta)]) for each in documents
    )


def _without_places(person: Person) -> Person:
    """The person without their mentions: what also holds in other documents."""
    return replace(person, mentions=(), belongings=())


# The kind of a row that holds a person and not a value with its label.
_PERSON = "person"


def _person(row: Mapping[str, Any]) -> Person:
    """A person as `rows` gives it out: without places."""
    parts = tuple(NamePart(**part) for part in row["parts"])
    sex, origin = Trait(**row["sex"]), Trait(**row["origin"])
    return Person(row["key"], row["role"], parts, kinship=row["kinship"], sex=sex, origin=origin)


_Values = tuple[tuple[str, str], ...]


class KnownValues(Protocol):
    """Adds values known from elsewhere to the documents of a patient; `Patients` is one."""

    def with_known_values(self, document: Document) -> Document: ...


class Patients:
    """The values found with certainty in the documents of each patient."""

    def __init__(self) -> None:
        self._found: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._sorted: dict[str, _Values] = {}
        self._named: defaultdict[str, Counter[Person]] = defaultdict(Counter)

    def add(self, result: Result) -> None:
        patient = result.document.patient_id
        if patient:
            self._found[patient].update(sure_values(result.spans, result.document.text))
            self._named[patient].update(map(_without_places, result.people))

    def rows(self) -> Iterator[tuple[str, str, str, int]]:
        """All that is known, as rows of patient, kind, value and count: where the passes run on
        many machines, rows are what can be added up and joined. They hold identifiers."""
        for patient, values in self._found.items():
            for (label, value), count in values.items():
                yield patient, label, value, count
        for patient, persons in self._named.items():
            for person, count in persons.items():
                yield patient, _PERSON, json.dumps(asdict(person)), count

    def add_row(self, patient: str, kind: str, value: str, count: int) -> None:
        if kind == _PERSON:
            self._named[patient][_person(json.loads(value))] += count
        else:
            self._found[patient][kind, value] += count
        self._sorted.pop(patient, None)

    def with_known_values(self, document: Document) -> Document:
        """The document with what was found in the other documents of its patient."""
        patient = document.patient_id
        if patient is None or patient not in self._found:
            return document
        known = (*document.known, *self._values(patient))
        return replace(document, known=known, people=self._people(patient))

    def _people(self, patient: str) -> People:
        """One person for each key, by the parts that most documents name, in a fixed order."""
        usual: dict[str, Person] = {}
        named = self._named[patient]
        for person in sorted(named, key=lambda one: (-named[one], -len(one.parts), one.names)):
            usual.setdefault(person.key, person)
        return People(tuple(usual[key] for key in sorted(usual)))

    def _values(self, patient: str) -> _Values:
        """The commonest first: of two labels for one value, the usual one is looked for."""
        if patient not in self._sorted:
            found = self._found[patient]
            self._sorted[patient] = tuple(sorted(found, key=lambda value: (-found[value], value)))
        return self._sorted[patient]
