"""Who is who in a record: which word is a first name, of which sex, and who is named in full."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from incognote.transform import nameforms, namepools
from incognote.transform.nameforms import Word
from incognote.transform.namepools import Kind
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import fold
from incognote.transform.worddata import words_of

_PEOPLE = frozenset({"PATIENT", "DOCTOR", "INITIALS"})
_PRONOUN = re.compile(r"\b(?:(?P<male>he|his|him)|(?P<female>she|her))\b", re.IGNORECASE)

# All that stands before the last word: "pt's/son" ends in "son".
_LAST_WORD = re.compile(r".*[\W\d_]", re.DOTALL)

_SYLLABLE = 6
# How much more frequent as a first name a word must be to be one behind "Ms." or "Mr.".
_CALLED = 20
# How much rarer than as a last name a word may be as a first name, to be taken for one.
_FAMILIAR = 4
_LONE_INITIAL = re.compile(r" [A-Z]{1,2}\.?")
# The share of women among those with a man's name.
_HARDLY_EVER = 0.02
_QUOTES = "\"“”'‘’("
# What may stand between the names in a user name.
JOINTS = ("", "-", "_", ".")
# So much of a last name must stand in a user name to be recognised.
START = 4

read = lru_cache(maxsize=8192)(nameforms.read)


class FullName(NamedTuple):
    """A person by first name, last names and sex, numbered by where the record names them."""

    number: int
    given: str
    names: tuple[str, ...]
    sex: str


class People:
    """Who is who in a record: the roles of single words, the sex of first names, full names."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._roles: dict[str, Counter[str]] = {}
        self._sex: dict[str, str] = {}
        self._judged: dict[str, Kind] = {}
        self._guesses: dict[str, str] = {}
        self._full: dict[str, list[FullName]] = {}
        self._given: set[str] = set()
        self._titled: dict[str, set[str]] = {}
        self.syllables: set[str] = set()
        for mention in record.mentions:
            if mention.label in _PEOPLE:
                self._learn(mention)
        self._hear_titles()
        self._turned = {m.start for m in record.mentions if m.label in _PEOPLE and self._turns(m)}

    def _learn(self, mention: Mention) -> None:
        written = read(mention.text)
        first, last = written.of("first"), written.of("last")
        for role, found in (("first", first), ("last", last)):
            for word in found:
                self._roles.setdefault(fold(word.text), Counter())[role] += 1
        given_names = first or written.of("one")
        self._note_title(mention, first, last or written.of("one"))
        self._given.update(fold(word.text) for word in given_names)
        self.syllables.update(_syllables(mention.text, given_names))
        cue = _cue(self._record.text, mention.start) if given_names else None
        if cue is not None and cue.sex:
            self._hear(fold(given_names[0].text), cue, alone=not last)
        for word in given_names[1:]:
            if mention.text[word.start - 1] in _QUOTES:  # of one sex with the name it stands by
                leading = self.sex(fold(given_names[0].text), mention)
                if leading:
                    self._sex.setdefault(fold(word.text), leading)
        if last:
            given = fold((first or written.of("initial") or [Word(0, 0, "")])[0].text)
            sex = self.sex(given, mention) if first else ""
            names = tuple(fold(word.text) for word in last)
            who = FullName(mention.start, given, names, sex)
            starts = {names[-1][:START]}
            if len(names) > 1:
                starts.update(joint.join(names)[:START] for joint in JOINTS)
            for start in starts:
                self._full.setdefault(start, []).append(who)

    def _note_title(self, mention: Mention, first: list[Word], last: list[Word]) -> None:
        cue = _cue(self._record.text, mention.start) if last and not first else None
        if cue is not None and cue.kind == "titles" and cue.sex:
            self._titled.setdefault(fold(last[-1].text), set()).add(cue.sex)

    def _hear_titles(self) -> None:
        """Who is "Ms. Trinh" elsewhere is a woman, where one person only has that last name."""
        for last, sexes in self._titled.items():
            named = {who for who in self._full.get(last[:START], ()) if who.names[-1] == last}
            given = {who.given for who in named if len(who.given) > 1}
            if len(sexes) == 1 and len(given) == 1:
                [folded], [sex] = given, sexes
                row = namepools.known("first", folded)
                if row is None or _HARDLY_EVER < row.female < 1 - _HARDLY_EVER:
                    self._sex.setdefault(folded, sex)

    def _hear(self, folded: str, cue: Cue, *, alone: bool) -> None:
        row = namepools.known("first", folded)
        if cue.kind == "relations":
            self._sex[folded] = cue.sex
        elif alone or row is None or not row.female < _HARDLY_EVER:
            self._sex.setdefault(folded, cue.sex)
        # Otherwise it is "Mrs. John Smith", who goes by her husband's name.

    def root(self, folded: str) -> str:
        """The full form of a nickname, which tells its sex: the one this record names, or else the
        likeliest."""
        likeliest = namepools.formal(folded)
        if likeliest in self._given and likeliest != folded:
            return likeliest
        named = namepools.full_forms(folded) & self._given
        return min(named) if named else likeliest

    def named_in(self, text: str) -> list[FullName]:
        """Whose last name may stand in a text, in the order of the record."""
        starts = {text[at : at + START] for at in range(len(text) - START + 1)}
        return sorted({found for start in starts for found in self._full.get(start, ())})

    def role(self, word: Word, mention: Mention) -> Kind:
        """First or last: for a name of one word, and for one that the form of this name takes for
        a first name where the record knows it as a last name ("SMITH JOHN", "F. Garcia Hale")."""
        folded = fold(word.text)
        seen = self._roles.get(folded)
        if word.role == "first":
            if _leads_initial(word, mention.text):  # "Kowalski A", as lists write it
                return "last"
            return "last" if seen and seen["last"] > seen["first"] else "first"
        if word.role == "last":
            return "first" if mention.start in self._turned else "last"
        if seen:
            return "first" if seen["first"] > seen["last"] else "last"
        if folded not in self._judged:  # one answer for all mentions, as with the sex
            self._judged[folded] = self._judge(folded, mention)
        return self._judged[folded]

    def _turns(self, mention: Mention) -> bool:
        """Whether a name ends in its first name: it begins with a last name of the record, and
        nobody else has the last name that it ends in."""
        words = [word for word in read(mention.text).words if word.role != "kept"]
        roles = [word.role for word in words]
        if roles[:2] != ["first", "last"] or roles[2:] not in ([], ["initial"]):
            return False
        lead, end = (self._roles[fold(word.text)] for word in words[:2])
        first, second = fold(words[0].text), fold(words[1].text)
        # Behind "Smith John A." an initial tells that all is turned round.
        surname = _only_last(first) or (roles[2:] and not _mostly_first(first))
        listed = surname and _mostly_first(second)
        if (lead["last"] <= lead["first"] and not listed) or end["last"] > 1:
            return False
        lead.update(first=-1, last=1)
        end.update(first=1, last=-1)
        return True

    def _judge(self, folded: str, mention: Mention) -> Kind:
        first, last = namepools.known("first", folded), namepools.known("last", folded)
        cue = _cue(self._record.text, mention.start)
        if cue is not None and cue.kind == "titles":
            # "Miss Abby", but "Dr. Thomas".
            called = first is not None and (last is None or first.count > _CALLED * last.count)
            return "first" if called and cue.sex else "last"
        if cue is not None:
            return "first"
        if first is None or last is None:
            return "first" if first is not None else "last"
        # Patients and relatives go by their first names where no title stands before them.
        doubt = _FAMILIAR if mention.label == "PATIENT" else 1
        return "first" if doubt * first.count >= last.count else "last"

    def sex(self, folded: str, mention: Mention) -> str:
        """What the note says wins over the list; the list wins over a pronoun nearby."""
        root = self.root(folded)
        cue = self._sex.get(folded) or self._sex.get(root)
        if cue is not None:
            return cue
        row = namepools.known("first", root)
        listed = namepools.sex(row) if row else ""
        if listed or mention.label == "DOCTOR":
            return listed
        if folded not in self._guesses:  # one answer for all mentions, or one person gets two names
            near = _PRONOUN.search(self._record.text, mention.end, mention.end + 80)
            self._guesses[folded] = (near.lastgroup or "") if near else ""
        return self._guesses[folded]


def _only_last(folded: str) -> bool:
    return not namepools.known("first", folded) and namepools.known("last", folded) is not None


def _mostly_first(folded: str) -> bool:
    first, last = namepools.known("first", folded), namepools.known("last", folded)
    return first is not None and (last is None or first.count > last.count)


def _leads_initial(word: Word, text: str) -> bool:
    initials = _LONE_INITIAL.fullmatch(text, word.end)
    if initials is None:
        return False
    two = len(initials[0].rstrip(".")) > 2
    return _only_last(fold(word.text)) or (two and not _mostly_first(fold(word.text)))


def _syllables(text: str, given: list[Word]) -> Iterator[str]:
    """The halves of "Mei-Ling", which are no names of their own."""
    for before, after in pairwise(given):
        if text[before.end : after.start] != "-":
            continue
        halves = fold(before.text), fold(after.text)
        if all(map(_is_syllable, halves)):
            yield from halves


@lru_cache(maxsize=4096)
def _is_syllable(folded: str) -> bool:
    rows = [row for kind in namepools.KINDS if (row := namepools.known(kind, folded))]
    origins = set(map(namepools.origin, rows))
    return len(folded) <= _SYLLABLE and (not rows or "api" in origins)


class Cue(NamedTuple):
    """What the word before a name says: a title or a relation, and the sex where it tells it."""

    kind: str
    sex: str


@cache
def _cues() -> dict[str, Cue]:
    return {
        word: Cue(kind, "" if sex == "other" else sex)
        for kind in ("titles", "relations")
        for sex in ("male", "female", "other")
        for word in words_of("names", f"{sex}_{kind}")
    }


def _cue(text: str, start: int) -> Cue | None:
    words = text[max(start - 24, 0) : start].rstrip(" \t\r\n.,:(").rsplit(None, 1)
    return _cues().get(_LAST_WORD.sub("", words[-1]).lower()) if words else None
