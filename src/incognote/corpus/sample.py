"""Notes of an archive drawn for annotation, stratified by note type (Deleger et al. 2014).

Types get places in proportion to how many notes they have, but at least a minimum each (all of a
type that has fewer), so that rare types are seen at all; a factor draws more of a type on purpose.
Each note carries the chance it had of being drawn: its inverse weighs a score up to the archive.
The same seed draws the same notes on every machine.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document
from incognote.corpus.formats.writing import refuse_doubles
from incognote.corpus.split import note_type

CHANCE = "sampled"  # the key of a note's chance among what its source says of it


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How much to draw. `least` notes of each type; `factors` by type, 2 for twice as likely;
    `per_patient` limits the notes of one patient; `whole_patients` draws patients with all of
    their notes instead."""

    notes: int
    least: int = 0
    factors: Mapping[str, float] | None = None
    per_patient: int | None = None
    whole_patients: bool = False

    def __post_init__(self) -> None:
        if self.notes < 1:
            raise UsageError("a sample has at least one note")
        if self.least < 0:
            raise UsageError("the least number of notes of a type must be 0 or more")
        if self.per_patient is not None and self.per_patient < 1:
            raise UsageError("at least one note of a patient can be drawn")
        if self.whole_patients and self.per_patient is not None:
            raise UsageError("whole patients have all of their notes; there is no limit to them")
        for name, factor in (self.factors or {}).items():
            if not 0 < factor < math.inf:
                raise UsageError(f"the factor of {name!r} must be above 0")


@dataclass(frozen=True, slots=True)
class TypeSample:
    """What became of one note type. `wanted` are its places, `drawn` what filled them."""

    name: str
    available: int
    wanted: int
    drawn: int

    @property
    def chance(self) -> float:
        return self.drawn / self.available


def sample(
    documents: Sequence[AnnotatedDocument], size: SampleSize, *, seed: int = 0
) -> tuple[list[AnnotatedDocument], list[TypeSample]]:
    """The drawn notes in the order of the archive, and a row for each note type."""
    refuse_doubles(documents)
    eligible = _limited(documents, size.per_patient, seed)
    available = Counter(map(note_type, documents))
    unknown = sorted((size.factors or {}).keys() - available.keys())
    if unknown:
        raise UsageError(f"no note is of the type {unknown[0]!r}")
    wanted = _places(Counter(map(note_type, eligible)), size)
    draw = _patients if size.whole_patients else _notes
    drawn = draw(eligible, wanted, seed)
    taken = Counter(note_type(doc) for doc in eligible if doc.id in drawn)
    rows = [
        TypeSample(name, count, wanted.get(name, 0), taken[name])
        for name, count in available.most_common()
    ]
    chances = {row.name: f"{row.chance:.6g}" for row in rows}
    chosen = [
        replace(doc, document=_with_chance(doc.document, chances[note_type(doc)]))
        for doc in documents
        if doc.id in drawn
    ]
    return chosen, rows


def _with_chance(document: Document, chance: str) -> Document:
    return replace(document, meta={**document.meta, CHANCE: chance})


def _limited(
    documents: Sequence[AnnotatedDocument], most: int | None, seed: int
) -> list[AnnotatedDocument]:
    """At most so many notes of one patient, any of them."""
    if most is None:
        return list(documents)
    seen: Counter[str] = Counter()
    kept = set()
    for doc in _shuffled(documents, seed):
        seen[_patient(doc)] += 1
        if seen[_patient(doc)] <= most:
            kept.add(doc.id)
    return [doc for doc in documents if doc.id in kept]


def _places(available: Counter[str], size: SampleSize) -> dict[str, int]:
    """Places of each type: the minimum, then the rest in proportion."""
    if size.notes >= available.total():
        return dict(available)
    places = {name: min(size.least, count) for name, count in available.items()}
    if sum(places.values()) > size.notes:
        raise UsageError(
            f"{size.least} notes of each of {len(available)} types are more than {size.notes}"
        )
    factors = size.factors or {}
    weights = {name: count * factors.get(name, 1.0) for name, count in available.items()}
    # One place at a time to the type that has least for its weight (Sainte-Lague), while it lasts.
    for _ in range(size.notes - sum(places.values())):
        open_types = [name for name, count in available.items() if places[name] < count]
        most = max(open_types, key=lambda name: (weights[name] / (2 * places[name] + 1), name))
        places[most] += 1
    return places


def _notes(
    documents: Sequence[AnnotatedDocument], wanted: Mapping[str, int], seed: int
) -> frozenset[str]:
    left = Counter(wanted)
    drawn = set()
    for doc in _shuffled(documents, seed):
        if left[note_type(doc)] > 0:
            left[note_type(doc)] -= 1
            drawn.add(doc.id)
    return frozenset(drawn)


def _patients(
    documents: Sequence[AnnotatedDocument], wanted: Mapping[str, int], seed: int
) -> frozenset[str]:
    """Patients in a drawn order, those who have what is still lacking; types come near their
    places, no nearer than whole patients allow."""
    records: defaultdict[str, list[AnnotatedDocument]] = defaultdict(list)
    for doc in documents:
        records[_patient(doc)].append(doc)
    left = Counter(wanted)
    drawn: set[str] = set()
    for patient in sorted(records, key=lambda name: _drawn(name, seed)):
        mix = Counter(map(note_type, records[patient]))
        useful = sum(min(count, max(0, left[name])) for name, count in mix.items())
        if 2 * useful > mix.total():
            drawn |= {doc.id for doc in records[patient]}
            left -= mix
    return frozenset(drawn)


def _patient(doc: AnnotatedDocument) -> str:
    return doc.document.patient_id or f"document {doc.id}"


def _shuffled(documents: Sequence[AnnotatedDocument], seed: int) -> list[AnnotatedDocument]:
    return sorted(documents, key=lambda doc: _drawn(doc.id, seed))


def _drawn(name: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()
