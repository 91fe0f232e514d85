"""Annotated notes as training reads them, checked before any training starts."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from incognote.core.errors import UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument
from incognote.lexicon.language import languages_in
from incognote.prepare.fold import fold

Mark = tuple[int, int, str]
# What a model may be trained for alone.
TYPES: dict[str, frozenset[str]] = {
    "names": frozenset({"PATIENT", "DOCTOR", "USERNAME", "INITIALS"}),
    "organisations": frozenset({"HOSPITAL", "ORGANIZATION"}),
    "locations": frozenset({"ROOM", "STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER"}),
    "ages": frozenset({"AGE"}),
}


@dataclass(frozen=True, slots=True)
class Note:
    """A text and its marks: (start, end, label), sorted, apart from each other."""

    id: str
    text: str = field(repr=False)
    marks: tuple[Mark, ...] = field(repr=False)


def notes_of(documents: Iterable[AnnotatedDocument]) -> list[Note]:
    """Annotated documents of any corpus format, as notes.

    Their text is folded as that of every document is before detectors read it: a model must learn
    from what it will see ("años" is read as "anos").
    """
    return [_folded(doc) for doc in documents]


def _folded(doc: AnnotatedDocument) -> Note:
    text, offsets = fold(doc.text)
    marks = sorted((s.start, s.end, s.label) for s in doc.spans)
    if text != doc.text:
        for start, end, label in marks:
            if not 0 <= start < end <= len(doc.text):
                raise outside(doc.id, start, end, label, len(doc.text))
        moved = [(*offsets.to_view(start, end), label) for start, end, label in marks]
        marks = [mark for mark in moved if mark[0] < mark[1]]
    return Note(doc.id, text, tuple(marks))


def outside(name: str, start: int, end: int, label: str, size: int) -> UsageError:
    return UsageError(
        f"document {name}: span [{start}, {end}) {label} is outside its text of {size} characters"
    )


def languages_of(notes: Iterable[Note]) -> tuple[str, ...]:
    """The languages that at least a twentieth of the notes are written in."""
    counts = Counter(languages_in(note.text).main for note in notes)
    return tuple(sorted(name for name, count in counts.items() if count * 20 >= counts.total()))


def check_notes(
    notes: Sequence[Note], *, least: int = 2, wanted: Iterable[str] | None = None
) -> list[str]:
    """Raises for data that cannot be trained on; returns warnings about what is thin or lacking.

    `wanted` are the labels to be learned; without it, all that are not optional.
    """
    if len(notes) < least:
        raise UsageError(
            f"{len(notes)} annotated document(s); training needs at least {least}, so that one can "
            "be held out to measure on"
        )
    counts: Counter[str] = Counter()
    for note in notes:
        end_before = 0
        for start, end, label in note.marks:
            if not 0 <= start < end <= len(note.text):
                raise outside(note.id, start, end, label, len(note.text))
            if start < end_before:
                raise UsageError(
                    f"document {note.id}: span [{start}, {end}) {label} overlaps the one before"
                )
            if label not in all_labels():
                raise UsageError(f"document {note.id}: incognote has no label {label!r}")
            end_before = end
            counts[label] += 1
    if not counts:
        raise UsageError("the training data has no spans at all")
    if wanted is None:
        wanted = [name for name, row in all_labels().items() if not row.optional]
    lacking = [name for name in wanted if name not in counts]
    warnings = [f"no example of {', '.join(lacking)}: this model will not find it"] * bool(lacking)
    return warnings + [
        f"only {count} example(s) of {label}: it will not be learned well"
        for label, count in sorted(counts.items())
        if count < 20
    ]


def hold_out(notes: Sequence[Note], count: int, seed: int) -> tuple[list[Note], list[Note]]:
    """(training, held out): whole notes, a few from every group (the id up to "_")."""
    groups: dict[str, list[Note]] = defaultdict(list)
    for note in notes:
        groups[note.id.partition("_")[0]].append(note)
    rng = random.Random(seed)
    for members in groups.values():
        rng.shuffle(members)
    held: list[Note] = []
    order = sorted(groups)
    while len(held) < min(count, len(notes) - 1):
        for group in order:
            if groups[group] and len(held) < count:
                held.append(groups[group].pop())
    ids = {note.id for note in held}
    return [note for note in notes if note.id not in ids], held


def labels_of_types(types: Iterable[str]) -> list[str]:
    """The labels of some types, each a label or a name for several."""
    wanted: set[str] = set()
    for name in types:
        if name not in TYPES and name not in all_labels():
            raise UsageError(f"no type or label {name!r}; types are {', '.join(TYPES)}")
        wanted |= TYPES.get(name, {name})
    return sorted(wanted)


def only(notes: Iterable[Note], labels: Sequence[str]) -> list[Note]:
    """The notes with the marks of these labels alone."""
    return [replace(note, marks=tuple(m for m in note.marks if m[2] in labels)) for note in notes]


def labels_of(notes: Iterable[Note]) -> tuple[str, ...]:
    return tuple(sorted({label for note in notes for _, _, label in note.marks}))
