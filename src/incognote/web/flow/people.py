"""Who is meant, after people said so: mentions that are the same person, and those that are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from incognote.core.people import People, Person


@dataclass(frozen=True, slots=True)
class Link:
    """What somebody said of two mentions, each named by its start."""

    one: int
    other: int
    same: bool


def corrected(people: People, links: Iterable[Link]) -> People:
    """The people after corrections, in the order in which they were made: the last word counts."""
    persons = list(people)
    for link in links:
        first, second = _at(persons, link.one), _at(persons, link.other)
        if first is None or second is None:
            continue  # the mention is not marked any more
        if link.same and first != second:
            joined = _joined(persons[first], persons[second])
            persons = [p for at, p in enumerate(persons) if at not in (first, second)]
            persons.append(joined)
        elif not link.same and first == second:
            persons[first : first + 1] = _split(persons[first], link.other)
    return People(tuple(sorted(persons, key=lambda p: p.mentions[0].start if p.mentions else 0)))


def _at(persons: Sequence[Person], start: int) -> int | None:
    found = (
        at for at, person in enumerate(persons) if any(m.start == start for m in person.mentions)
    )
    return next(found, None)


def _joined(one: Person, other: Person) -> Person:
    """One person with the names and places of both; the first mention decides the key."""
    first, second = sorted((one, other), key=lambda p: p.mentions[0].start)
    parts = (*first.parts, *(part for part in second.parts if part not in first.parts))
    return replace(
        first,
        parts=parts,
        mentions=tuple(sorted((*first.mentions, *second.mentions), key=lambda m: m.start)),
        belongings=tuple(sorted((*first.belongings, *second.belongings), key=lambda b: b.start)),
    )


def _split(person: Person, start: int) -> tuple[Person, Person]:
    """The person without the mention at `start`, and somebody else who is named there."""
    away = tuple(m for m in person.mentions if m.start == start)
    stay = tuple(m for m in person.mentions if m.start != start)
    parts = tuple(
        dict.fromkeys(word.part for mention in away for word in mention.words if word.part)
    )
    other = replace(
        person,
        key=f"{person.key}@{start}",
        parts=parts or person.parts,
        mentions=away,
        belongings=(),
    )
    return replace(person, mentions=stay), other
