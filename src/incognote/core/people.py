"""People: who a document mentions, by which names, and what belongs to them.

`link` makes these values, `transform` asks them. All are frozen, slotted and picklable, and none
shows a name in its repr: every string that could be one is hidden there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["patient", "relative", "staff", "other"]
PartKind = Literal["given", "middle", "family", "nickname", "suffix"]
Sex = Literal["female", "male", ""]
# How a mention writes a part of a name. "kept" are words that are no names: titles, particles.
WordForm = Literal["whole", "initial", "misspelt", "plural", "kept"]
BelongingKind = Literal[
    "birth date", "age", "phone", "email", "username", "address", "employer", "job", "id"
]


@dataclass(frozen=True, slots=True)
class Trait:
    """What is known of a person, and from what: "title", "kinship", "list", "pronoun", "stated"."""

    value: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class NamePart:
    """A word of a person's name.

    `kind` is what the word is for this person. `canonical` is the word folded, with misspellings
    mended; `root` is the full form of a nickname ("bob" -> "robert"), else the same. One letter is
    a name of which only the initial is known.

    `pool`, `sex` and `origin` say which names are like this word. They are properties of the word
    wherever the lists know it, and of the person only where they do not: so they are the same in
    every note of a record, also where a note says little. Surrogates are chosen by them.
    """

    kind: PartKind
    canonical: str = field(repr=False)
    root: str = field(repr=False)
    pool: Literal["given", "family"] = "family"
    sex: Sex = ""
    origin: str = ""

    @property
    def is_initial(self) -> bool:
        return len(self.canonical) == 1 and self.canonical.isascii()


@dataclass(frozen=True, slots=True)
class MentionWord:
    """A word of a mention: [start, end) in the document, how it writes which part of the name.

    `part` is None for kept words and for initials of an unknown person.
    """

    start: int
    end: int
    form: WordForm
    part: NamePart | None = None

    @property
    def is_unexplained(self) -> bool:
        """Whether it is an initial of a name that the document does not write out."""
        return self.form == "initial" and self.part is None


@dataclass(frozen=True, slots=True)
class PersonMention:
    """A place where a person is named, the words there, and why it is this person.

    `reason` is "code" or "code:detail" and holds no name; `label` is the label it has now, `was`
    the one it had before linking where that was another, "" where linking found the mention.
    """

    start: int
    end: int
    label: str
    words: tuple[MentionWord, ...]
    reason: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True)
class Belonging:
    """Something that belongs to a person, and where the document says so."""

    kind: BelongingKind
    start: int
    end: int
    value: str = field(default="", repr=False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom the document names.

    `key` is who it is within a scope: the same in every note of a record that names the person
    well enough, so that tags and hashes count people without a table. `kinship` is the word for a
    relative ("daughter").
    """

    key: str = field(repr=False)
    role: Role
    parts: tuple[NamePart, ...]
    mentions: tuple[PersonMention, ...] = ()
    belongings: tuple[Belonging, ...] = ()
    kinship: str = ""
    sex: Trait = Trait()
    origin: Trait = Trait()

    @property
    def names(self) -> str:
        """Given and family names in one canonical order."""
        return " ".join(part.canonical for part in (*self.of("given"), *self.of("family")))

    def of(self, *kinds: PartKind) -> tuple[NamePart, ...]:
        return tuple(part for part in self.parts if part.kind in kinds)

    @property
    def unexplained(self) -> Iterator[MentionWord]:
        """The initials of names that the document does not write out."""
        return (word for at in self.mentions for word in at.words if word.is_unexplained)


@dataclass(frozen=True, slots=True)
class People:
    """The people of a document, or of all documents of a record, in order of appearance."""

    persons: tuple[Person, ...] = ()
    _mentions: Mapping[int, tuple[Person, PersonMention]] = field(
        init=False, repr=False, compare=False
    )
    _owners: Mapping[int, Person] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mentions = {at.start: (each, at) for each in self.persons for at in each.mentions}
        owners = {thing.start: each for each in self.persons for thing in each.belongings}
        object.__setattr__(self, "_mentions", mentions)
        object.__setattr__(self, "_owners", owners)

    def __iter__(self) -> Iterator[Person]:
        return iter(self.persons)

    def __len__(self) -> int:
        return len(self.persons)

    def at(self, start: int) -> tuple[Person, PersonMention] | None:
        """Who is named at a place, and the mention."""
        return self._mentions.get(start)

    def owner(self, start: int) -> Person | None:
        """To whom something at a place belongs: a phone number, a birth date, a job."""
        return self._owners.get(start)

    def parts_of(self, canonical: str) -> tuple[tuple[Person, NamePart], ...]:
        """Who bears a name word, in order of appearance."""
        return tuple(
            (person, part)
            for person in self.persons
            for part in person.parts
            if part.canonical == canonical
        )


NOBODY = People()
