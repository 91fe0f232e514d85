"""From an anonymised view back into the notes: which text replaces which mention."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.anonymize.hierarchy import ROOT, Hierarchy
from incognote.anonymize.release import RELEASE, Release
from incognote.anonymize.result import Anonymous
from incognote.anonymize.shipped import hierarchy_for
from incognote.anonymize.table import read_parquet, write_parquet
from incognote.core.errors import UsageError
from incognote.core.types import Document
from incognote.persons.fields import with_fields
from incognote.persons.mentions import LABELS, QUASI, Mention, digest
from incognote.persons.subjects import PATIENT
from incognote.persons.view import FACTS, LINKS, MENTIONS, PERSONS, View, read_view
from incognote.policy import LabelRule, Policy

ANONYMOUS = "anonymous.parquet"
# Attributes whose order says something: ages are published as ranges of their members.
_NUMBERS = frozenset({"age", "birth_year"})
# A birth date says the age more exactly than the age itself.
_BIRTH_TAG = "[DATE]"


def table_of(view: View, quasi: Sequence[str], sensitive: str | None) -> dict[str, list[Any]]:
    """The people as a table to be anonymised, ages as numbers."""
    names = [*quasi, *([sensitive] if sensitive else [])]
    table: dict[str, list[Any]] = dict(view.table(names))
    for name in _NUMBERS & set(table):
        table[name] = [None if cell is None else int(cell) for cell in table[name]]
    return table


def default_quasi(view: View) -> list[str]:
    """The quasi-identifiers that notes state about people; the age represents the birth date."""
    known = view.known("quasi")
    return [name for name in known if name != "birth_date" or "age" not in known]


def default_sensitive(view: View) -> str | None:
    """The one sensitive attribute of the notes, if there is one."""
    known = view.known("sensitive")
    return known[0] if len(known) == 1 else None


def default_hierarchies(quasi: Sequence[str]) -> dict[str, Hierarchy]:
    found = {}
    for name in quasi:
        if name not in _NUMBERS and (ready := hierarchy_for(name)):
            found[name] = ready
    return found


def write_anonymous(
    view_folder: Path, out: Path, view: View, anonymous: Anonymous, release: Release
) -> None:
    """The anonymised people, and what is needed to write them back into the notes. The folder links
    people to documents: it holds PHI, as the view does."""
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    for name in (MENTIONS, LINKS, FACTS, PERSONS):
        shutil.copyfile(view_folder / name, out / name)
        (out / name).chmod(0o600)
    columns: dict[str, list[Any]] = {
        "person": [each.id for each in view.persons],
        "class": anonymous.classes.tolist(),
        **anonymous.columns(),
        "suppressed": anonymous.suppressed.tolist(),
    }
    path = out / ANONYMOUS
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    path.chmod(0o600)
    write_parquet(path, columns)
    release.write(out / RELEASE)


@dataclass(frozen=True, slots=True)
class Published:
    """What an anonymised view publishes: the values of each person by attribute, and who is
    suppressed."""

    values: Mapping[str, Mapping[str, str]] = field(repr=False)
    suppressed: frozenset[str] = field(repr=False)

    @classmethod
    def read(cls, folder: Path) -> Published:
        if not (folder / ANONYMOUS).is_file():
            raise UsageError(f"{folder}: not what `incognote anonymize` wrote of a view")
        rows = read_parquet(folder / ANONYMOUS)
        quasi = Release.read(folder).quasi
        people = list(enumerate(rows["person"]))
        return cls(
            {person: {name: rows[name][row] for name in quasi} for row, person in people},
            frozenset(person for row, person in people if rows["suppressed"][row]),
        )

    def wordings(self, person: str) -> dict[str, tuple[str, str]]:
        """The values of a person that say anything, as the table and as a sentence has them."""
        return {
            name: (value, _in_sentence(name, value))
            for name, value in self.values[person].items()
            if value not in (ROOT, "")
        }


@dataclass(frozen=True, slots=True)
class ReleasedValues:
    """The replacement of each mention, by document and digest of its text: in a text that has
    changed since the view was made, no place can be trusted. `known` and `unknown` collect the
    texts that were asked for and that the view has read, or not."""

    places: Mapping[tuple[str, str], tuple[tuple[int, int, str], ...]] = field(repr=False)
    documents: frozenset[str] = field(repr=False)
    known: set[str] = field(default_factory=set, repr=False)
    unknown: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def read(cls, folder: Path) -> ReleasedValues:
        view = read_view(folder)
        released = Published.read(folder).values
        release = Release.read(folder)
        own = {person.id: person for person in view.persons}
        places: defaultdict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
        for each in view.mentions:
            person = view.owner[each.document]
            where = each.source, each.digest
            if not each.label or each.subject != PATIENT:
                continue
            if each.attribute == "birth_date" and "birth_date" not in release.quasi:
                places[where].append((each.start, each.end, _BIRTH_TAG))
            elif each.attribute == "state" and each.value == _state(released.get(person, {})):
                places[where].append((each.start, each.end, each.value))
            elif (
                each.attribute in release.quasi
                and person in released
                and own[person].values[each.attribute].value == each.value
            ):
                text = _written(each, released[person][each.attribute])
                places[where].append((each.start, each.end, text))
        return cls(
            {where: tuple(found) for where, found in places.items()},
            frozenset({*view.owner, *(each.source for each in view.mentions)}),
        )

    def with_known_values(self, document: Document) -> Document:
        """The document with what is published of its mentions."""
        if document.free_text:
            (self.known if document.id in self.documents else self.unknown).add(document.id)
        found = self.places.get((document.id, digest(document.text)), ())
        return replace(document, released=found) if found else document


def _state(released: Mapping[str, str]) -> str:
    """The state that the published town or county shows anyway."""
    return released.get("city", "").rpartition(",")[2].strip()


def _written(mention: Mention, value: str) -> str:
    """A published value as it reads in a sentence."""
    if value in (ROOT, ""):
        return f"[{mention.label}]"
    if mention.attribute == "profession" and value == mention.value:
        return value
    return _in_sentence(mention.attribute, value)


def _in_sentence(attribute: str, value: str) -> str:
    """A generalised value as it reads in a sentence."""
    if attribute == "city":
        return value.partition(",")[0]  # the state is a mention of its own
    if attribute == "profession":
        return f"worker in {value[0].lower()}{value[1:]}"
    return value


def view_policy(policy: Policy) -> Policy:
    """The policy with the values of the view for everything that says something of a person."""
    policy = with_fields(policy, texts=False)
    labels = dict(policy.labels)
    for label, attribute in LABELS.items():
        if attribute in QUASI:
            labels[label] = LabelRule("view")
    rule = labels["DATE"]
    if rule.action not in ("keep", "off"):
        labels["DATE"] = LabelRule("view", {"otherwise": rule.action})
    else:
        labels["DATE"] = LabelRule("view", {"otherwise": "surrogate"})
    return replace(policy, labels=labels)
