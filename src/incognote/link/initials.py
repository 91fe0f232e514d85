"""Initials of names that only other documents of the record write out: "Barnaby K." in a note whose
patient another note, or a field, calls Barnaby Kestrelwood.

What a note says of its own people comes first. An initial that nobody else's name explains, or that
several names would, stays a letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from incognote.core.people import NamePart, People, Person, PersonMention
from incognote.lexicon.name_words import likely_pool, name_part
from incognote.link.reading import read

_STAFF = {"PATIENT": False, "DOCTOR": True}
# The key of who is only known by single words.
_WORDS = "stated words"


def with_initials(people: People, text: str, known: Iterable[Person]) -> People:
    """The people with the names that their initials stand for, as those in `known` bear them."""
    if not any(any(each.unexplained) for each in people):
        return people
    known = tuple(known)
    return People(tuple(_completed(each, text, known) for each in people)) if known else people


def stated_names(values: Iterable[tuple[str, str]]) -> Iterator[Person]:
    """Whom the fields of a record name: one person for each full name, and one for all single words
    of a label, since fields that state given and family names apart do not say whose they are.
    That one comes last."""
    single: dict[str, dict[str, NamePart]] = {}
    for label, value in values:
        if label not in _STAFF:
            continue
        words = [word for word in read(value).words if word.form == "whole"]
        parts = {
            word.folded: name_part(word.folded, word.kind or likely_pool(word.folded))
            for word in words
        }
        if len(parts) > 1:
            yield _stated("stated", label, parts)
        else:
            single.setdefault(label, {}).update(parts)
    for label, parts in single.items():
        yield _stated(_WORDS, label, parts)


def _stated(key: str, label: str, parts: dict[str, NamePart]) -> Person:
    return Person(key, "staff" if _STAFF[label] else "other", tuple(parts.values()))


def _completed(person: Person, text: str, known: Sequence[Person]) -> Person:
    if not any(person.unexplained):
        return person
    mentions = tuple(
        _written_out(at, text, known, is_staff=person.role == "staff") for at in person.mentions
    )
    return replace(person, mentions=mentions)


def _written_out(
    at: PersonMention, text: str, known: Sequence[Person], *, is_staff: bool
) -> PersonMention:
    if not any(word.is_unexplained for word in at.words):
        return at
    names = [word.part for word in at.words if word.part and word.form != "initial"]
    letters = [text[word.start].lower() for word in at.words if word.form == "initial"]
    fitting = [one for one in known if _fits(one, names, letters)]
    # A note may not say that somebody is staff; a name that is written out says enough.
    alike = [one for one in fitting if (one.role == "staff") == is_staff]
    meant = alike or (fitting if names else [])
    # Who is named in full comes before single words, of which nobody says whose they are.
    whole = [one for one in meant if one.key != _WORDS]
    words = (
        replace(word, part=_only(whole or meant, names, text[word.start].lower()))
        if word.is_unexplained
        else word
        for word in at.words
    )
    return replace(at, words=tuple(words))


def _fits(one: Person, names: Sequence[NamePart], letters: Sequence[str]) -> bool:
    """Whether somebody bears the names that are written out, and as many more as there are
    initials. Of initials alone there must be two, and they must be those of the whole name."""
    if not names and (len(letters) < 2 or len(letters) < len(one.of("given", "family"))):
        return False
    called = {word for part in one.parts for word in (part.canonical, part.root)}
    if not all(part.canonical in called or part.root in called for part in names):
        return False
    left = [part.canonical[0] for part in one.parts if _is_free(part, names)]
    return all(letters.count(letter) <= left.count(letter) for letter in letters)


def _is_free(part: NamePart, names: Sequence[NamePart]) -> bool:
    """Whether a part of a known name may be what an initial stands for."""
    return (
        part.kind != "suffix"
        and not part.is_initial
        and all(part.root not in (name.canonical, name.root) for name in names)
    )


def _only(known: Sequence[Person], names: Sequence[NamePart], letter: str) -> NamePart | None:
    """The one name with this letter that is not written out; None where there are several."""
    found = {
        part.canonical: part
        for one in known
        for part in one.parts
        if part.canonical[0] == letter and _is_free(part, names)
    }
    return next(iter(found.values())) if len(found) == 1 else None
