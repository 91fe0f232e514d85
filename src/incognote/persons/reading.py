"""Notes of any format read for what they say of people, in one or more passes over the files.

HIDE's loop: what the notes of a linked person say is looked for in that person's other notes, and
the people are linked anew, twice at most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.core.types import Document, Failure, Result
from incognote.engine.events import RecordDone, Run
from incognote.engine.settings import Settings
from incognote.engine.sources import STREAM, list_inputs
from incognote.engine.workers import Work
from incognote.persons.fields import with_fields
from incognote.persons.mentions import Mention, mentions_of, roles_of
from incognote.persons.view import Note, View, build
from incognote.policy import LabelRule, Policy
from incognote.resolve.repeat import sure_values

MOST_LOOPS = 2
_TRAIT_LABELS = (
    "RELIGION", "MARITAL", "ETHNICITY", "LANGUAGE", "ORIENTATION", "EMPLOYMENT", "PROFESSION",
)  # fmt: skip


def reading_policy(policy: Policy) -> Policy:
    """The policy with every label on that says something of a person. Nothing is replaced by it."""
    policy = with_fields(policy)
    labels = dict(policy.labels)
    for name in _TRAIT_LABELS:
        labels[name] = LabelRule("tag")
    for name, rule in labels.items():
        if rule.action == "off":
            labels[name] = LabelRule("tag")
    return replace(policy, labels=labels)


class Known:
    """What is known of each person, for their other documents: the engine's `Patients`, by links
    instead of stated ids."""

    def __init__(
        self, owner: Mapping[str, str], found: Mapping[str, Counter[tuple[str, str]]]
    ) -> None:
        self._owner, self._found = owner, found

    def with_known_values(self, document: Document) -> Document:
        person = self._owner.get(document.id)
        values = self._found.get(person) if person else None
        if not values:
            return document
        ordered = sorted(values, key=lambda value: (-values[value], value))
        return replace(document, known=(*document.known, *ordered))


def read_people(
    where: str,
    settings: Settings,
    key: bytes,
    method: str = "exact",
    loops: int = 0,
    refused: Callable[[Failure], None] = lambda _: None,
    leave_out: frozenset[Path] = frozenset(),
    seen: Callable[[Result], None] = lambda _: None,
    owner: Mapping[str, str] | None = None,
) -> View:
    """The view of all documents at `where`. Documents that fail are passed to `refused`; `seen` is
    called with each that was read, once. `owner` says whose documents are, if it knows all that
    say something of anybody."""
    if where == STREAM:
        raise UsageError("people are linked over all notes: give a file or a folder, not -")
    policy = reading_policy(settings.policy)
    roles_of(policy.roles)  # a bad name is an error before anything is read
    settings = replace(settings, policy=policy)
    view: View | None = None
    known: Known | None = None
    for turn in range(1 + min(max(loops, 0), MOST_LOOPS)):
        notes: dict[tuple[str, str], Note] = {}
        sure: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        report = refused if turn == 0 else (lambda _: None)
        for record, result in _results(where, settings, known, report, leave_out):
            _add(notes, record, result, policy)
            if turn == 0:
                seen(result)
            sure[result.document.id].update(sure_values(result.spans, result.document.text))
        before = None if view is None else dict(view.owner)
        view = build(_owned(_settled(notes), owner or {}), key, method)
        if before == dict(view.owner):
            break
        if len(view.persons) == len(view.owner):
            break  # nobody has two notes: there is nothing to learn
        told: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for document, values in sure.items():
            if document in view.owner:
                told[view.owner[document]].update(values)
        known = Known(view.owner, told)
    assert view is not None
    return replace(view, roles=policy.roles)


def _owned(notes: list[Note], owner: Mapping[str, str]) -> list[Note]:
    """The notes under the given owners, if these are known of all notes that say anything."""
    if any(note.id not in owner and (note.stated or note.mentions) for note in notes):
        return notes
    return [replace(note, stated=owner.get(note.id, "")) for note in notes]


def _results(
    where: str,
    settings: Settings,
    known: Known | None,
    refused: Callable[[Failure], None],
    leave_out: frozenset[Path],
) -> Iterator[tuple[int, Result]]:
    """Each document that could be read, with the number of its record."""
    work = Work("detect", settings.policy)
    sources = list_inputs(where, leave_out).sources
    for number, event in enumerate(Run(work, sources, settings, patients=known).events()):
        if not isinstance(event, RecordDone):
            continue
        if event.failure and not event.documents:
            refused(event.failure)
        for outcome in event.outcomes:
            if isinstance(outcome, Failure):
                refused(outcome)
            else:
                yield number, outcome


def _add(notes: dict[tuple[str, str], Note], record: int, result: Result, policy: Policy) -> None:
    """Fields of one row are one note: what they say belongs together. A file with several patients
    is a note of each."""
    document = result.document
    found: Sequence[Mention] = mentions_of(result, policy)
    if not found and not document.free_text:
        return
    patient = document.patient_id or ""
    known = notes.get((document.id, patient)) or Note(
        document.id, patient, document.meta.get("note_date", "")[:10], (), record
    )
    notes[document.id, patient] = replace(known, mentions=(*known.mentions, *found))


def _settled(notes: Mapping[tuple[str, str], Note]) -> list[Note]:
    """The notes under ids of their own. A part of a record that names no patient, as an attachment,
    is the patient's of the record, if it has one."""
    patients: defaultdict[int, set[str]] = defaultdict(set)
    shared: Counter[str] = Counter(document for document, _ in notes)
    for (_, patient), note in notes.items():
        if patient:
            patients[note.record].add(patient)
    found, numbers = [], Counter[str]()
    for (document, patient), each in notes.items():
        note = each
        of_record = patients[note.record]
        if not patient and len(of_record) == 1:
            note = replace(note, stated=next(iter(of_record)))
        if shared[document] > 1:
            numbers[document] += 1
            name = f"{document}#{numbers[document]}"
            own = tuple(replace(mention, document=name) for mention in note.mentions)
            note = replace(note, id=name, mentions=own)
        found.append(note)
    return found
