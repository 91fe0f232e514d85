"""The identifier view: mentions, links and persons, as a folder of Parquet files.

It holds PHI: its files can be read by their owner alone.
"""

from __future__ import annotations

import csv
import hmac
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.anonymize.table import read_parquet, write_parquet
from incognote.core.errors import UsageError
from incognote.persons.identity import Identity
from incognote.persons.linking import NOBODY, Clusters, cluster
from incognote.persons.mentions import ATTRIBUTES, DATED, Mention, roles_of
from incognote.persons.subjects import PATIENT
from incognote.resolve.claims import GIVEN

MENTIONS, LINKS = "mentions.parquet", "links.parquet"
PERSONS, FACTS = "persons.parquet", "view.json"
MANY = frozenset({"diagnosis", "visit", "admission"})  # a person has several, and none is wrong


@dataclass(frozen=True, slots=True)
class Note:
    """A document as the view knows it: its id, whom the source states, its date, what it says."""

    id: str
    stated: str = field(default="", repr=False)
    date: str = field(default="", repr=False)
    mentions: tuple[Mention, ...] = field(default=(), repr=False)
    record: int = 0  # the parts of one record have one number

    def identity(self) -> Identity:
        values: defaultdict[str, list[str]] = defaultdict(list)
        for each in self.mentions:
            if each.subject == PATIENT:
                values[each.attribute].append(each.value)
        names = [name.split(", ") for name in values.pop("name", [])]
        values["family"] = [name[0] for name in names if len(name) == 2]
        values["given"] = [name[1] for name in names if len(name) == 2]
        return Identity.of(self.stated, values)


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of one attribute of one person: the value, how often it was said, how often
    something else, and by which rows of `mentions`."""

    value: str = field(default="", repr=False)
    count: int = 0
    conflicts: int = 0
    mentions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    documents: int
    values: Mapping[str, Value] = field(repr=False)


@dataclass(frozen=True, slots=True)
class View:
    mentions: tuple[Mention, ...] = field(repr=False)
    owner: Mapping[str, str] = field(repr=False)  # document -> person
    how: Mapping[str, tuple[str, float]] = field(repr=False)
    persons: tuple[Person, ...] = field(repr=False)
    # As `owner`, by the links that count cautiously; a document without a person is not in it.
    # Empty where `why` says that it could not be made.
    cautious: Mapping[str, str] = field(repr=False)
    method: str = "stated"
    conflicts: int = 0
    why: str = ""
    # Documents whose numbers say one person and whose names, birth dates or stated ids say two.
    contradicting: frozenset[str] = field(default=frozenset(), repr=False)
    roles: Mapping[str, str] = field(default_factory=dict)  # those of the policy

    def known(self, role: str) -> list[str]:
        """The attributes of a role that the documents say anything of."""
        roles = roles_of(self.roles)
        return [
            name
            for name in ATTRIBUTES
            if roles[name] == role and any(each.values[name].value for each in self.persons)
        ]

    def table(self, attributes: Sequence[str] = ATTRIBUTES) -> dict[str, list[str | None]]:
        """One row for each person; empty where nothing is known."""
        for name in attributes:
            if name not in ATTRIBUTES:
                raise UsageError(
                    f"a view has no attribute {name!r}; it has {', '.join(ATTRIBUTES)}"
                )
        columns: dict[str, list[str | None]] = {"person": [each.id for each in self.persons]}
        for name in attributes:
            columns[name] = [each.values[name].value or None for each in self.persons]
        return columns

    def linkage(self) -> dict[str, object]:
        """How the documents came to their people, in numbers."""
        return {
            "method": self.method,
            "documents": len(self.owner),
            "persons": len(self.persons),
            "persons_cautious": None if self.why else len(set(self.cautious.values())),
            "links": dict(Counter(how for how, _ in self.how.values())),
            "conflicting_identifiers": self.conflicts,
        }

    def cautious_table(self, attributes: Sequence[str] = ATTRIBUTES) -> dict[str, list[str | None]]:
        """One row for each person of the cautious links: of each attribute the value that was said
        most often."""
        wide = {
            person: self.cautious[document]
            for document, person in self.owner.items()
            if document in self.cautious
        }
        rows: defaultdict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for person in self.persons:
            if person.id in wide:
                row = rows[wide[person.id]]
                for name in attributes:
                    value = person.values[name]
                    if value.value:
                        row[name][value.value] += max(1, value.count)
        people = sorted(rows)
        columns: dict[str, list[str | None]] = {"person": [*people]}
        for name in attributes:
            columns[name] = [_commonest(rows[each][name]) for each in people]
        return columns


def build(notes: Sequence[Note], key: bytes, method: str = "exact") -> View:
    """The view of these notes. `key` names the people: without it the persons cannot be
    identified."""
    if not notes:
        raise UsageError("there is no document to make people of")
    twice = [name for name, count in Counter(note.id for note in notes).items() if count > 1]
    if twice:
        raise UsageError(f"{len(twice)} documents share an id with another one")
    identities = [note.identity() for note in notes]
    clusters = cluster(identities, method)
    names = _names(notes, identities, clusters.of, key)
    cautious = _names(notes, identities, clusters.cautious, key) if not clusters.why else []
    wide = {
        note.id: person
        for note, person, number in zip(notes, cautious, clusters.cautious, strict=False)
        if number != NOBODY
    }
    return _view(notes, clusters, names, wide, method)


def _view(
    notes: Sequence[Note],
    clusters: Clusters,
    names: Sequence[str],
    cautious: Mapping[str, str],
    method: str,
) -> View:
    mentions: list[Mention] = []
    rows: defaultdict[str, list[int]] = defaultdict(list)
    days: dict[str, str] = {}
    documents: Counter[str] = Counter()
    for note, person in zip(notes, names, strict=True):
        documents[person] += 1
        days[note.id] = note.date
        for each in note.mentions:
            rows[person].append(len(mentions))
            mentions.append(each)
    for own in rows.values():
        _add_states(mentions, own)
    persons = tuple(
        Person(person, documents[person], _values(mentions, rows[person], days))
        for person in sorted(documents)
    )
    return View(
        tuple(mentions),
        {note.id: person for note, person in zip(notes, names, strict=True)},
        {
            note.id: (how, probability)
            for note, how, probability in zip(
                notes, clusters.how, clusters.probability, strict=True
            )
        },
        persons,
        cautious,
        method,
        clusters.conflicts,
        clusters.why,
        frozenset(
            note.id
            for note, contradicts in zip(notes, clusters.contradicting, strict=True)
            if contradicts
        ),
    )


def _add_states(mentions: list[Mention], rows: Sequence[int]) -> None:
    """Towns of a person with the state that another mention of that town has, or that stands in
    the fields of the same record: without it no hierarchy knows a town."""
    own = [row for row in rows if mentions[row].subject == PATIENT]
    of_record: defaultdict[str, set[str]] = defaultdict(set)
    for each in map(mentions.__getitem__, own):
        if each.attribute == "state" and GIVEN in each.detectors:
            of_record[each.document].add(each.value)
    towns = [row for row in own if mentions[row].attribute == "city"]
    states: defaultdict[str, set[str]] = defaultdict(set)
    for each in map(mentions.__getitem__, towns):
        town, _, state = each.value.partition(", ")
        if state:
            states[town].add(state)
        elif GIVEN in each.detectors:
            states[town] |= of_record[each.document]
    for row in towns:
        each = mentions[row]
        if len(found := states[each.value]) == 1:
            mentions[row] = replace(each, value=f"{each.value}, {min(found)}")


def _commonest(counts: Counter[str]) -> str | None:
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None


def _names(
    notes: Sequence[Note], identities: Sequence[Identity], clusters: Sequence[int], key: bytes
) -> list[str]:
    """A keyed name for each cluster, which does not depend on the order of the notes."""
    members: defaultdict[int, list[str]] = defaultdict(list)
    for note, identity, number in zip(notes, identities, clusters, strict=True):
        members[number].append(
            f"stated:{identity.stated}" if identity.stated else f"document:{note.id}"
        )
    named = {
        number: hmac.new(key, f"person:{max(found)}".encode(), "sha256").hexdigest()[:16]
        for number, found in members.items()
    }
    return [named[number] for number in clusters]


def _values(
    mentions: Sequence[Mention], rows: Sequence[int], days: Mapping[str, str]
) -> dict[str, Value]:
    """Most mentions win, then the better score; how many disagree stays on record."""
    said: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        each = mentions[row]
        if each.subject == PATIENT:
            said[each.attribute][each.value].append(row)
    found = {name: _decided(name, said[name], mentions) for name in ATTRIBUTES}
    years = _birth_years(rows, mentions, days)
    found["birth_year"] = _birth_year(found["birth_date"], years)
    if said["age"] and (born_in := found["birth_year"].value):
        # People grow older from note to note: ages contradict where years of birth do.
        apart = sum(abs(year - int(born_in)) > 1 for year in years.values())
        stated = int(found["age"].value)
        for value, own in said["age"].items():
            if abs(int(value) - stated) > 1:
                apart += sum(row not in years for row in own)
        found["age"] = replace(found["age"], conflicts=apart)
    if not found["age"].value and (age := _age_of(found["birth_date"].value, rows, mentions, days)):
        born = found["birth_date"]
        found["age"] = Value(age, 0, born.conflicts, born.mentions)
    return found


def _birth_years(
    rows: Sequence[int], mentions: Sequence[Mention], days: Mapping[str, str]
) -> dict[int, int]:
    """The year of birth by each age of the patient, where its note has a date: that of its source,
    or the latest it speaks of."""
    dates = {document: day for document, day in days.items() if day}
    for row in rows:
        each = mentions[row]
        if each.attribute in DATED and not days.get(each.document):
            dates[each.document] = max(each.value, dates.get(each.document, ""))
    return {
        row: int(dates[each.document][:4]) - int(each.value)
        for row in rows
        if (each := mentions[row]).attribute == "age"
        and each.subject == PATIENT
        and each.document in dates
    }


def _birth_year(born: Value, years: Mapping[int, int]) -> Value:
    """By the birth date where one is known, else by the ages and the dates of their notes. An age
    allows two years, so that one next to it contradicts nothing."""
    if born.value:
        return replace(born, value=born.value[:4])
    if not years:
        return Value()
    counts = Counter(years.values())
    best = min(counts, key=lambda year: (-counts[year], year))
    apart = sum(abs(year - best) > 1 for year in years.values())
    own = tuple(row for row, year in years.items() if year == best)
    return Value(str(best), len(own), apart, own)


def _decided(name: str, said: Mapping[str, list[int]], mentions: Sequence[Mention]) -> Value:
    if not said:
        return Value()

    def strength(value: str) -> tuple[int, float, str]:
        rows = said[value]
        return -len(rows), -max(mentions[row].score for row in rows), value

    best = min(said, key=strength)
    others = sum(len(rows) for value, rows in said.items() if value != best)
    if name == "age":  # people grow older from note to note
        others = sum(len(rows) for value, rows in said.items() if abs(int(value) - int(best)) > 1)
    return Value(best, len(said[best]), 0 if name in MANY else others, tuple(said[best]))


def _age_of(
    born: str, rows: Sequence[int], mentions: Sequence[Mention], days: Mapping[str, str]
) -> str:
    """The age at the latest note of the person, where only the birth date is known."""
    dates = [days[mentions[row].document] for row in rows if days.get(mentions[row].document)]
    dates += [
        mentions[row].value for row in rows if mentions[row].attribute in ("visit", "admission")
    ]
    last = max((day for day in dates if day > born), default="") if born else ""
    if not last:
        return ""
    return str(int(last[:4]) - int(born[:4]) - (last[5:10] < born[5:10]))


# ----------------------------------------------------------------------------------------- folders


def write_view(view: View, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    _write(folder / MENTIONS, _mention_columns(view.mentions))
    documents = sorted(view.owner)
    _write(
        folder / LINKS,
        {
            "document": documents,
            "person": [view.owner[each] for each in documents],
            "how": [view.how[each][0] for each in documents],
            "probability": [view.how[each][1] for each in documents],
            "cautious": [view.cautious.get(each) for each in documents],
            "contradicts": [each in view.contradicting for each in documents],
        },
    )
    _write(folder / PERSONS, person_columns(view))
    facts = {**view.linkage(), "why_not_cautious": view.why, "roles": dict(view.roles)}
    path = folder / FACTS
    path.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    path.chmod(0o600)


def _write(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    # Created for the owner alone before the first byte is in it.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    path.chmod(0o600)
    write_parquet(path, columns)


def _mention_columns(mentions: Iterable[Mention]) -> dict[str, list[Any]]:
    rows = list(mentions)
    return {
        "document": [each.document for each in rows],
        "start": [each.start for each in rows],
        "end": [each.end for each in rows],
        "label": [each.label for each in rows],
        "attribute": [each.attribute for each in rows],
        "value": [each.value for each in rows],
        "subject": [each.subject for each in rows],
        "score": [each.score for each in rows],
        "source": [each.source for each in rows],
        "locator": [each.locator for each in rows],
        "digest": [each.digest for each in rows],
        "detectors": [list(each.detectors) for each in rows],
    }


def person_columns(view: View) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "person": [each.id for each in view.persons],
        "documents": [each.documents for each in view.persons],
    }
    for name in ATTRIBUTES:
        values = [each.values[name] for each in view.persons]
        columns[name] = [value.value or None for value in values]
        columns[f"{name}_count"] = [value.count for value in values]
        columns[f"{name}_conflicts"] = [value.conflicts for value in values]
        columns[f"{name}_mentions"] = [list(value.mentions) for value in values]
    return columns


def read_view(folder: Path) -> View:
    for name in (MENTIONS, LINKS, PERSONS, FACTS):
        if not (folder / name).is_file():
            raise UsageError(f"{folder}: no view; {name} is missing")
    try:
        facts = json.loads((folder / FACTS).read_text("utf-8"))
        rows = read_parquet(folder / MENTIONS)
        links = read_parquet(folder / LINKS)
        people = read_parquet(folder / PERSONS)
        names = [name for name in _mention_columns(()) if name != "detectors"]
        mentions = tuple(
            Mention(detectors=tuple(found or ()), **dict(zip(names, cells, strict=True)))
            for *cells, found in zip(*(rows[name] for name in (*names, "detectors")), strict=True)
        )
        persons = tuple(
            Person(
                person,
                people["documents"][row],
                {name: _read_value(people, name, row) for name in ATTRIBUTES},
            )
            for row, person in enumerate(people["person"])
        )
    except UsageError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with it, its text must not be shown
        raise UsageError(f"{folder}: not a view that `incognote persons` wrote") from None
    if len({person.id for person in persons}) < len(persons):
        raise UsageError(f"{folder}: a person stands in it twice")
    return View(
        mentions,
        dict(zip(links["document"], links["person"], strict=True)),
        {
            document: (how, probability)
            for document, how, probability in zip(
                links["document"], links["how"], links["probability"], strict=True
            )
        },
        persons,
        {
            document: person
            for document, person in zip(links["document"], links["cautious"], strict=True)
            if person
        },
        facts["method"],
        facts["conflicting_identifiers"],
        facts["why_not_cautious"],
        frozenset(
            document
            for document, contradicts in zip(links["document"], links["contradicts"], strict=True)
            if contradicts
        ),
        facts["roles"],
    )


def _read_value(people: Mapping[str, list[Any]], name: str, row: int) -> Value:
    return Value(
        people[name][row] or "",
        people[f"{name}_count"][row],
        people[f"{name}_conflicts"][row],
        tuple(people[f"{name}_mentions"][row] or ()),
    )


# ------------------------------------------------------------------------------------ other shapes

# Concepts of OMOP's standard vocabulary.
_GENDER = {"female": 8532, "male": 8507}
_RACE = {"white": 8527, "caucasian": 8527, "black": 8516, "african american": 8516, "asian": 8515}
_ETHNICITY = {"hispanic": 38003563, "latino": 38003563}


def omop_columns(view: View) -> dict[str, list[Any]]:
    """The people as a table `person` of the OMOP common data model. Ids are numbers in the order of
    the view; the keyed names appear in `person_source_value`."""
    table = view.table()
    return {
        "person_id": list(range(1, len(view.persons) + 1)),
        "gender_concept_id": [_GENDER.get(each or "", 0) for each in table["sex"]],
        "year_of_birth": [int(year) if year else None for year in table["birth_year"]],
        "month_of_birth": [int(b[5:7]) if b else None for b in table["birth_date"]],
        "day_of_birth": [int(b[8:10]) if b else None for b in table["birth_date"]],
        "race_concept_id": [_RACE.get(each or "", 0) for each in table["ethnicity"]],
        "ethnicity_concept_id": [_ETHNICITY.get(each or "", 0) for each in table["ethnicity"]],
        "person_source_value": table["person"],
        "gender_source_value": table["sex"],
        "race_source_value": table["ethnicity"],
    }


def write_csv(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    path.chmod(0o600)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if cell is None else cell for cell in row])
