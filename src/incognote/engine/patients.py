"""Whose a document is where only its path tells; and what the first of two passes found of each
patient, for their other documents.

Counts do not depend on the order of documents, so neither does what the second pass is told. This
value holds identifiers: it lives in memory, for the length of one run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from incognote.core.types import Document, Result
from incognote.policy import FormatRules
from incognote.policy.patterns import compile_pattern
from incognote.resolve.repeat import sure_values


def of_patient(
    documents: Sequence[Document], path: str, rules: FormatRules
) -> tuple[Document, ...]:
    """The documents as those of a patient, if their path says who that is and nothing else does."""
    pattern = rules.patient_path
    found = compile_pattern(pattern, "formats.patient_path").search(path) if pattern else None
    if not found or not found[1]:
        return tuple(documents)
    # The fields of a record share what is said of it, and are known by that.
    metas = {id(each.meta): {**each.meta, "patient_id": found[1]} for each in documents}
    return tuple(
        each if each.patient_id else replace(each, meta=metas[id(each.meta)]) for each in documents
    )


_Values = tuple[tuple[str, str], ...]


class Patients:
    def __init__(self) -> None:
        self._found: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._told: dict[str, _Values] = {}

    def add(self, result: Result) -> None:
        patient = result.document.patient_id
        if patient:
            self._found[patient].update(sure_values(result.spans, result.document.text))

    def told(self, document: Document) -> Document:
        """The document, knowing what the others of its patient say."""
        patient = document.patient_id
        if patient is None or patient not in self._found:
            return document
        return replace(document, known=(*document.known, *self._values(patient)))

    def _values(self, patient: str) -> _Values:
        """The commonest first: of two labels for one value, the usual one is looked for."""
        if patient not in self._told:
            found = self._found[patient]
            self._told[patient] = tuple(sorted(found, key=lambda value: (-found[value], value)))
        return self._told[patient]
