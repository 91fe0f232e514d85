"""Parts of a corpus for training and testing that share no patient and no near-duplicate.

Whole patients (and clusters of near-duplicates) go to one part. Parts get the same mix of note
types as far as whole patients allow. The same seed gives the same split on every machine.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus.describe import NO_TYPE
from incognote.corpus.duplicates import Duplicate, clusters, duplicates
from incognote.corpus.formats.writing import refuse_doubles

Parts = dict[str, list[AnnotatedDocument]]


def split(
    documents: Sequence[AnnotatedDocument],
    shares: Mapping[str, float],
    *,
    seed: int = 0,
    similar: float = 0.7,
) -> Parts:
    """Documents by part; `shares` such as {"train": 0.8, "test": 0.2} are scaled to sum to 1."""
    if len(shares) < 2 or any(share <= 0 for share in shares.values()):
        raise UsageError("a split needs two or more parts with shares above 0")
    refuse_doubles(documents)
    groups = _groups(documents, duplicates(documents, similar))
    if len(groups) < len(shares):
        raise UsageError(
            f"only {len(groups)} patients (or clusters of similar notes) for {len(shares)} parts"
        )
    total = sum(shares.values())
    wanted = {part: share / total for part, share in shares.items()}
    parts: Parts = {part: [] for part in shares}
    types = Counter(map(note_type, documents))
    have: dict[str, Counter[str]] = {part: Counter() for part in shares}
    for group in _order(groups, seed):
        mix = Counter(map(note_type, group))
        part = max(parts, key=lambda one: _need(one, mix, wanted, types, have))
        parts[part] += group
        have[part] += mix
    order = {doc.id: at for at, doc in enumerate(documents)}
    return {part: sorted(docs, key=lambda doc: order[doc.id]) for part, docs in parts.items()}


def note_type(doc: AnnotatedDocument) -> str:
    return doc.document.meta.get("note_type", NO_TYPE)


def _groups(
    documents: Sequence[AnnotatedDocument], similar: Sequence[Duplicate]
) -> list[list[AnnotatedDocument]]:
    """Documents that must stay together."""
    first_of: dict[str, str] = {}
    same_patient = []
    for doc in documents:
        patient = doc.document.patient_id
        if patient is not None:
            first = first_of.setdefault(patient, doc.id)
            same_patient.append(Duplicate(first, doc.id, 1.0))
    owner = clusters((doc.id for doc in documents), [*same_patient, *similar])
    groups: defaultdict[str, list[AnnotatedDocument]] = defaultdict(list)
    for doc in documents:
        groups[owner[doc.id]].append(doc)
    return list(groups.values())


def _order(groups: Sequence[list[AnnotatedDocument]], seed: int) -> list[list[AnnotatedDocument]]:
    """Large groups first, while there is room for them; equals in an order drawn from the seed."""

    def key(group: list[AnnotatedDocument]) -> tuple[int, bytes]:
        drawn = hashlib.sha256(f"{seed}\0{group[0].id}".encode()).digest()
        return -len(group), drawn

    return sorted(groups, key=key)


def _need(
    part: str,
    mix: Counter[str],
    wanted: Mapping[str, float],
    types: Counter[str],
    have: Mapping[str, Counter[str]],
) -> float:
    """How much a group brings a part closer to its share, of each note type and of all notes:
    the fall of the squared distances."""
    size = sum(types.values())
    goals = [(wanted[part] * size, have[part].total(), mix.total())]
    goals += [(wanted[part] * types[kind], have[part][kind], count) for kind, count in mix.items()]
    return sum(count * (2 * (goal - now) - count) for goal, now, count in goals)
