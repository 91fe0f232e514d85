"""Names of people: another name of the same form, sex and origin, part by part.

Each part is drawn for itself, so "John", "JOHN", "Smith, John Q." and "J. Smith" agree wherever
they stand. A name on no list becomes a name on no list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from incognote.core.errors import TransformError
from incognote.transform import nameforms, namepools
from incognote.transform.nameforms import Word
from incognote.transform.namepools import Kind
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import fold
from incognote.transform.worddata import words_of
from incognote.transform.words import altered

_PEOPLE = frozenset({"PATIENT", "DOCTOR", "INITIALS"})
_PRONOUN = re.compile(r"\b(?:(?P<male>he|his|him)|(?P<female>she|her))\b", re.IGNORECASE)

# All that stands before the last word: "pt's/son" ends in "son".
_LAST_WORD = re.compile(r".*[\W\d_]", re.DOTALL)

_PATIENCE = 16
_SYLLABLE = 6
# How much more frequent as a first name a word must be to be one behind "Ms." or "Mr.".
_CALLED = 20
# How much rarer than as a last name a word may be as a first name, to be taken for one.
_FAMILIAR = 4
_JOINTS = ("", "-", "_", ".")
_LONE_INITIAL = re.compile(r" [A-Z]\.?")
# The share of women among those with a man's name.
_HARDLY_EVER = 0.02
_QUOTES = "\"“”'‘’("
_SIBILANTS = ("s", "x", "z", "ch", "sh")
# So much of a last name must stand in a user name to be recognised.
_START = 4

_read = lru_cache(maxsize=8192)(nameforms.read)


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
        self.syllables: set[str] = set()
        for mention in record.mentions:
            if mention.label in _PEOPLE:
                self._learn(mention)
        self._turned = {m.start for m in record.mentions if m.label in _PEOPLE and self._turns(m)}

    def _learn(self, mention: Mention) -> None:
        written = _read(mention.text)
        first, last = written.of("first"), written.of("last")
        for role, found in (("first", first), ("last", last)):
            for word in found:
                self._roles.setdefault(fold(word.text), Counter())[role] += 1
        given_names = first or written.of("one")
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
            starts = {names[-1][:_START]}
            if len(names) > 1:
                starts.update(joint.join(names)[:_START] for joint in _JOINTS)
            for start in starts:
                self._full.setdefault(start, []).append(who)

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
        starts = {text[at : at + _START] for at in range(len(text) - _START + 1)}
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
        words = _read(mention.text).words
        if [word.role for word in words] != ["first", "last"]:
            return False
        lead, end = (self._roles[fold(word.text)] for word in words)
        listed = _only_last(fold(words[0].text)) and _mostly_first(fold(words[1].text))
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
    return bool(_LONE_INITIAL.fullmatch(text, word.end)) and _only_last(fold(word.text))


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


def name(mention: Mention, record: Record) -> str:
    """The surrogate of a written name."""
    text = mention.text
    people = record.know(People)
    written = _read(text)
    both = [*written.of("first"), *written.of("last")]
    given = [w for w in both if people.role(w, mention) == "first"] or written.of("one")
    # Middle names are of the sex of the first; both halves of "Jean-Luc" of that of the second.
    leading = given[0] if given else None
    if len(given) > 1 and text[given[0].end : given[1].start] == "-":
        leading = given[1]
    sex = people.sex(fold(leading.text), mention) if leading else ""
    out: list[str] = []
    at = 0
    for word in written.words:
        out.append(text[at : word.start])
        out.append(_part(word, sex, mention, record))
        at = word.end
    out.append(text[at:])
    new = "".join(out)
    if new == text:  # only particles, titles or signs: nothing was a name
        return re.sub(r"[^\W\d_]+", lambda m: altered(m[0], record), text)
    return new


def _part(word: Word, sex: str, mention: Mention, record: Record) -> str:
    if word.role == "kept":
        return word.text
    if word.role in ("initial", "initials"):
        return "".join(map(record.scope.letter, word.text))
    role = record.know(People).role(word, mention)
    if fold(word.text) in record.know(People).syllables:
        joined = "-" in (mention.text[: word.start][-1:], mention.text[word.end :][:1])
        if role == "first" or (joined and word.role == "one"):
            return _cased(word.text, _syllable(fold(word.text), record), record)
    if role == "first":
        new = _cased(word.text, first_name(fold(word.text), sex, record), record)
        # "Wm. Smith": the full stop of an abbreviation stands behind a letter, not behind a name.
        return new[0] if _is_abbreviated(word, mention.text) else new
    return _cased(word.text, last_name(fold(word.text), record), record)


def _is_abbreviated(word: Word, text: str) -> bool:
    behind = text[word.end :]
    return behind.startswith(".") and any(map(str.isalpha, behind))


def _syllable(folded: str, record: Record) -> str:
    pool = namepools.syllables(record.scope.letter(folded[0]))

    def make(attempt: int) -> str:
        return record.scope.draws.pick(pool, "SYLLABLE", folded, attempt)

    return record.first_free("first name", make, lambda new: new.lower() in record.words)


def first_name(folded: str, sex: str, record: Record) -> str:
    """The surrogate first name, as usually written; "" stands for a name on no list."""
    # Many first names of other countries are known as last names only.
    row = namepools.known("first", folded) or namepools.known("last", folded)
    if row is None:
        return ""
    root = namepools.formal(folded)
    origin = namepools.origin(namepools.known("first", root) or row)
    letter = record.scope.letter(root[0])

    def make(attempt: int) -> str:
        question = ("first", root, sex, origin, attempt)
        return record.scope.memo(question, lambda: _draw_first(question, letter, record))

    def taken(new: str) -> bool:
        known = record.corpus is not None and fold(new) in record.corpus.first_names
        return known or record.taken(new)

    try:
        full = record.first_free("first name", make, taken)
    except TransformError:
        return ""  # a corpus may use up all frequent names: then a made-up one is left
    if root == folded:
        return full
    # Where the short form keeps the initial, so must the surrogate's.
    forms = [
        form
        for form in namepools.short_forms(full)
        if (form[0] == full[0] or folded[0] != root[0]) and not taken(form)
    ]
    if forms:
        return record.scope.draws.pick(forms, "NICKNAME", folded)
    # Where the lists know none, all nicknames become one short name: 'Coleen "Cora"'.
    brief = [
        each
        for each in namepools.brief(sex, origin, fold(full)[0])
        if each != full and not taken(each)
    ]
    return record.scope.draws.pick(brief, "NICKNAME", root) if brief else full


def _draw_first(question: tuple[str, str, str, str, int], letter: str, record: Record) -> str:
    _, root, sex, origin, attempt = question
    # In a small pool everything may be taken: then any letter will do.
    wide = attempt >= _PATIENCE
    names = (
        namepools.everyone("first", sex) if wide else namepools.pool("first", sex, origin, letter)
    )
    return record.scope.draws.pick(names, "FIRST", root, attempt)


def last_name(folded: str, record: Record) -> str:
    """The surrogate last name, as usually written; "" stands for a name on no list."""
    plain = folded.replace("'", "").replace("’", "")
    if plain.endswith("ska") and namepools.known("last", plain[:-1] + "i"):
        return last_name(plain[:-1] + "i", record)  # Polish wives and daughters
    row = namepools.known("last", plain)
    if row is None:
        if plain.endswith("s") and namepools.known("last", plain[:-1]):  # "the Kowalskis"
            family = last_name(plain[:-1], record)
            return family + ("es" if family.endswith(_SIBILANTS) else "s")
        first = namepools.known("first", plain)
        if first is None:
            return ""
        row = first
    origin = namepools.origin(row)
    letter = record.scope.letter(plain[0])
    prefix = "O'" if folded[:2] in ("o'", "o’") else "Mc" if folded[:2] == "mc" else ""

    def make(attempt: int) -> str:
        question = ("last", plain, prefix, attempt)
        if attempt >= _PATIENCE:
            names = namepools.everyone("last", "")
        else:
            names = namepools.prefixed(prefix) or namepools.pool("last", "", origin, letter)
        return record.scope.memo(
            question, lambda: record.scope.draws.pick(names, "LAST", plain, attempt)
        )

    def taken(new: str) -> bool:
        plain = new.replace("'", "").lower()
        known = record.corpus is not None and plain in record.corpus.last_names
        return known or record.taken(plain)

    try:
        return record.first_free("last name", make, taken)
    except TransformError:
        return ""  # a corpus may use up all frequent names: then a made-up one is left


def _cased(original: str, new: str, record: Record) -> str:
    if not new:
        return _altered_parts(original, record)
    if original.isupper():
        return new.upper()
    return new.lower() if original.islower() else new


def _altered_parts(word: str, record: Record) -> str:
    """Apostrophes stay where they are: "D'Amboise" is a D' and a word."""
    return re.sub(r"[^\W_]+", lambda m: m[0] if len(m[0]) == 1 else altered(m[0], record), word)


def person_in(text: str, record: Record) -> str | None:
    """A user name made of a person's name, made of the surrogate's; None if it is nobody's."""
    lower = text.lower()
    for _, given, names, sex in record.know(People).named_in(lower):
        found = _family_in(lower, names, record)
        if found:
            at, end, new = found
            head = _given_head(lower[:at], given, sex, record)
            joined = head + new + _renumber(lower[end:], record)
            return joined.upper() if text.isupper() else joined
    return None


def _family_in(text: str, names: tuple[str, ...], record: Record) -> tuple[int, int, str] | None:
    """Where the last names stand, and what stands for them: all of a double name, or the last one
    or its beginning."""

    def new(name: str) -> str:
        return (last_name(name, record) or altered(name, record)).replace("'", "").lower()

    if len(names) > 1:
        for joint in _JOINTS:
            at = text.find(joint.join(names))
            if at >= 0:
                return at, at + len(joint.join(names)), joint.join(map(new, names))
    family = names[-1]
    for length in range(len(family), _START - 1, -1):
        at = text.find(family[:length])
        if at >= 0:
            whole = new(family)
            return at, at + length, whole if length == len(family) else whole[:length]
    return None


def _given_head(head: str, given: str, sex: str, record: Record) -> str:
    """What stands before the last name: the first name, its beginning, or letters."""
    letters = re.sub(r"[^a-z]", "", head)
    if letters and len(given) > 1 and given.startswith(letters):
        new = (first_name(given, sex, record) or altered(given, record)).lower()
        return head.replace(letters, new if letters == given else new[: len(letters)])
    return "".join(map(record.scope.letter, head))


def _renumber(tail: str, record: Record) -> str:
    dice = record.scope.draws.dice("NUMBER", tail)
    out = []
    for char in tail:
        if char.isdigit():
            out.append(str((int(char) + 1 + dice.below(9)) % 10))
        else:
            out.append(record.scope.letter(char))
    return "".join(out)
