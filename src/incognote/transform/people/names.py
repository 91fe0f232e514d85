"""Names of people: another name of the same form, sex and origin, part by part.

Each word is the image of its own original, so "John", "JOHN", "Smith, John Q." and "J. Smith" agree
wherever they appear. A name on no list becomes one of the rarest that are.
"""

from __future__ import annotations

import re
from dataclasses import replace

from incognote.core.caches import cached
from incognote.core.name_forms import SUFFIXES
from incognote.core.people import MentionWord, NamePart, Person, Sex
from incognote.core.text.misspelling import misspelt_like
from incognote.lexicon import lexicon
from incognote.lexicon.name_cells import name_place
from incognote.lexicon.name_words import is_syllable, name_sex
from incognote.transform.people.name_words import (
    ABBREVIATED,
    name_image,
    other_name,
    real_word,
    spelled_out,
)
from incognote.transform.people.scripts import name_like, script_of
from incognote.transform.people.written import written_words
from incognote.transform.record import KIN, STAFF, Mention, TransformRecord
from incognote.transform.spelling import SPACED, fold
from incognote.transform.word_data import words_of

# Letters that take so much room, with what parts them, are no initials.
_SPELLED = 9
_SHORT = 3
_VOWELS = set("aeiouy")
_FREQUENT = 2_000
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def name(mention: Mention, record: TransformRecord) -> str:
    """The surrogate of a written name."""
    text = mention.text
    if SPACED.search(text) and (spaced := _spaced_out(mention, record)):
        return spaced
    words = written_words(mention, record.people)
    if SUFFIXES.issuperset(_written(word, text).lower() for word in words):
        return record.chose(text)  # "Jr." alone says whose son, and not who
    if all(word.form == "kept" for word in words):  # particles, titles: nothing was a name
        return re.sub(r"[^\W\d_]+", lambda m: like_case(m[0], real_word(m[0], record)), text)
    new = [_word(word, mention, record) for word in words]
    names = [at for at, word in enumerate(words) if word.form == "whole"]
    if len(names) > 1 and all(new[at] == _written(words[at], text) for at in names):
        # By chance each word is its own image: the last one gives way, for no full name stays.
        last = _written(words[names[-1]], text)
        new[names[-1]] = like_case(last, other_name(_plain(fold(last)), record))
    out: list[str] = []
    at = 0
    for word, image in zip(words, new, strict=True):
        out += (text[at : word.start], image)
        at = word.end
    out.append(text[at:])
    return record.chose("".join(out))


def _written(word: MentionWord, text: str) -> str:
    return text[word.start : word.end]


def _spaced_out(mention: Mention, record: TransformRecord) -> str:
    """A name letter by letter ("S m i t h"): the letters of the surrogate, as wide apart. "" where
    the letters are initials."""
    text = mention.text
    runs = [run for run in SPACED.finditer(text) if _is_spelled(run[0])]
    if not runs:
        return ""
    plain, at = "", 0
    for run in runs:
        plain += text[at : run.start()] + run[0][::2]
        at = run.end()
    plain += text[at:]
    words = re.sub(r"\s+", " ", plain)
    new = name(replace(mention, text=words), record)
    if len(runs) == 1 or words == plain:
        joint = runs[0][0][1]
        return joint.join(new) if len(runs[0][0]) == len(text) else new
    joint, gap = runs[0][0][1], text[runs[0].end() : runs[1].start()]
    return gap.join(joint.join(part) for part in new.split(" "))


def _is_spelled(run: str) -> bool:
    """Whether letters are a name: so many are no initials, and "L E E" is one on the lists."""
    if len(run) >= _SPELLED:
        return True
    letters = fold(run[::2])
    return run[1] == " " and name_place(letters) is not None


def _word(word: MentionWord, mention: Mention, record: TransformRecord) -> str:
    written, part = mention.text[word.start : word.end], word.part
    if word.form == "kept":
        return written
    role = _role(mention, record)
    if word.form == "initial" or part is None:
        return _initials(written, part, role, record)
    if script_of(written):
        return like_case(written, _in_script(written, part, mention, record))
    if written.isdecimal():  # "Zed 88" is an alias, "twin 2" is not
        return record.chose(record.scope.identifiers(written)) if len(written) > 1 else written
    folded = fold(written)
    if part.pool == "given" and _is_abbreviated(word, folded, mention):
        # "Wm. Smith": the full stop of an abbreviation follows a letter, not behind a name.
        return name_image(spelled_out(folded), record)[0]
    if folded in ABBREVIATED:  # "Wm Smith"
        return like_case(written, name_image(ABBREVIATED[folded], record))
    if _is_initials(folded, written, mention.text):  # in small letters: "tk"
        return _initials(written, None, role, record)
    if word.form == "plural":
        family = name_image(part.canonical, record, like=part)
        return like_case(written, family + ("es" if family.endswith(_SIBILANTS) else "s"))
    if word.form == "misspelt":
        right = like_case(written, name_image(part.canonical, record, like=part))
        return record.chose(misspelt_like(part.canonical, folded, right))
    if _is_half(word, mention.text):
        return like_case(written, _syllable(folded, record))
    return like_case(written, name_image(_plain(folded), record, like=part))


def _is_initials(folded: str, written: str, text: str) -> bool:
    """Whether letters are no name: on no list, or two small ones that very few people have and that
    are all there is. "Seb" can be spoken, and is written like a name."""
    if len(folded) > _SHORT:
        return False
    if name_place(folded) is None:
        return not (len(folded) == _SHORT and written.istitle() and set(folded) & _VOWELS)
    lex = lexicon()
    bearers = (lex.first_name_bearers(folded) or 0) + (lex.surname_bearers(folded) or 0)
    return bearers < _FREQUENT and len(folded) == 2 and written == text and text.islower()


def _role(mention: Mention, record: TransformRecord) -> str:
    """Whose map of letters it is: that of the staff, or that of the patient and everybody else.

    Names have one map for everybody in a scope. A note does not always say that somebody is staff,
    and then one person would get two names; and who knows the surrogate of a staff name knows
    no more of the patient's than that it is another of hundreds.
    """
    linked = record.people.at(mention.start)
    if linked is not None:
        return STAFF if linked[0].role == "staff" else KIN
    return STAFF if mention.label == "DOCTOR" else KIN


def _initials(written: str, part: NamePart | None, role: str, record: TransformRecord) -> str:
    """The initial of the name's surrogate; letters for letters where the name is not known."""
    if part is not None and not part.is_initial and len(written) == 1:
        initial = name_image(part.canonical, record, like=part)[0]
        return record.chose(initial if written.isupper() else initial.lower())
    return record.chose("".join(record.scope.letter(char, role) for char in written))


def _plain(folded: str) -> str:
    """A name as lists have it: "o'sullivan" and "o sullivan" are "osullivan"."""
    return re.sub("['’ ]", "", folded)


def _in_script(written: str, part: NamePart, mention: Mention, record: TransformRecord) -> str:
    """A name in another script. No list has these words: the note shows what they are."""
    named = record.people.at(mention.start)
    role = "first" if part.kind in ("given", "middle", "nickname") else "last"
    return name_like(written, role, named[0].sex.value if named else "", record)


def _is_abbreviated(word: MentionWord, folded: str, mention: Mention) -> bool:
    """Whether a full stop behind a given name cuts it short: inside a name, or, in "Harper, Wm.",
    of one that is always written so."""
    behind = mention.text[word.end :]
    return behind.startswith(".") and (folded in ABBREVIATED or any(map(str.isalpha, behind)))


_HALVES = re.compile(r"([^\W\d_]+)-([^\W\d_]+)")


def _is_half(word: MentionWord, text: str) -> bool:
    """Whether a word is half of a given name like "Mei-Ling", and no name of its own."""
    if "-" not in (text[word.start - 1 : word.start], text[word.end : word.end + 1]):
        return False
    return any(
        match.start() <= word.start < match.end() and all(map(is_syllable, match.groups()))
        for match in _HALVES.finditer(fold(text))
    )


def _syllable(folded: str, record: TransformRecord) -> str:
    sex = name_sex(folded)
    pool = _syllables(sex)
    listed = {each.lower(): at for at, each in enumerate(pool)}
    if folded in listed:
        stays = record.scope.may_stay == "first"
        at = record.scope.permuted(f"syllables:{sex}", len(pool), listed[folded], stays=stays)
        return record.chose(pool[at])
    return record.chose(record.scope.draws.pick(pool, "SYLLABLE", folded))


@cached(8)
def _syllables(sex: Sex) -> tuple[str, ...]:
    """Halves of given names that women bear, men, or both."""
    return tuple(each for each in words_of("names", "syllables") if name_sex(each.lower()) == sex)


def like_case(original: str, new: str) -> str:
    if original.isupper() and len(original) > 1:
        return new.upper()
    return new.lower() if original.islower() else new


def person_in(text: str, record: TransformRecord) -> str | None:
    """A user name built from the surrogate as the old one was from the name; None if it was not."""
    lower = text.lower()
    for person in record.people:
        role = STAFF if person.role == "staff" else KIN
        names = [part.canonical for part in person.of("family")]
        found = _family_in(lower, names, record)
        if found:
            at, end, new = found
            given = next(iter(person.of("given", "nickname")), None)
            lead, particle = _particle_apart(lower[:at])
            head = _given_head(lead, given, role, record) + particle
            joined = record.chose(head + new + _tail(lower[end:], record))
            return joined.upper() if text.isupper() else joined
        if short := _of_short_name(lower, person, role, record):
            return record.chose(short.upper() if text.isupper() else short)
    return None


def _of_short_name(text: str, person: Person, role: str, record: TransformRecord) -> str:
    """A user name made of a short family name, "alee" of Ann Lee; three letters alone say nothing,
    so the given name must come before them, or its initial."""
    given = next(iter(person.of("given", "nickname")), None)
    for part in person.of("family") if given else ():
        name = part.canonical
        match = re.fullmatch(rf"([a-z]+?)([._-]?){re.escape(name)}(\d*)", text)
        if len(name) < _START and match and given and match[1] in (given.canonical, given.root[0]):
            head = _given_head(match[1], given, role, record)
            return head + match[2] + fold(name_image(name, record)) + _renumber(match[3], record)
    return ""


# What may appear between the names in a user name.
_JOINTS = ("", "-", "_", ".")
_PARTICLE = re.compile(r"(?:(?<=[._-])|^)(?:van|von|de|del|della|der|den|di|da|dos|la|le)[._-]?$")
# So much of a last name must appear in a user name to be recognised.
_START = 4
# Fewer letters before a last name are initials and not a first name.
_SHORTEST_GIVEN = 3


def _family_in(text: str, names: list[str], record: TransformRecord) -> tuple[int, int, str] | None:
    """Where the last names appear, and their surrogates: all of a double name, or the last one
    or its beginning."""
    if not any(name[:_START] in text for name in names):
        return None

    def new(name: str) -> str:
        return fold(name_image(name, record))

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


def _given_head(head: str, given: NamePart | None, role: str, record: TransformRecord) -> str:
    """What comes before the last name: the first name, its beginning, or letters."""
    letters = re.sub(r"[^a-z]", "", head)
    if letters and given and given.canonical.startswith(letters):
        name = given.canonical
        if not given.is_initial:
            new = fold(name_image(name, record, like=given))
            return head.replace(letters, new if letters == name else new[: len(letters)])
    # "emeka.okonkwo" is the patient's husband: another first name before the same last name.
    if len(letters) >= _SHORTEST_GIVEN and lexicon().first_name(letters):
        return head.replace(letters, fold(name_image(letters, record)))
    return "".join(record.scope.letter(char, role) for char in head)


def _particle_apart(head: str) -> tuple[str, str]:
    """What comes before a family name, and a particle that belongs to it: "joost.van"."""
    match = _PARTICLE.search(head)
    return (head[: match.start()], match[0]) if match else (head, "")


def _tail(tail: str, record: TransformRecord) -> str:
    """What follows a name: another name of somebody here, numbers, letters."""
    for person in record.people:
        for part in person.of("family", "given"):
            at = tail.find(part.canonical) if len(part.canonical) >= _START else -1
            if at >= 0:
                lead, particle = _particle_apart(tail[:at])
                rest = _tail(tail[at + len(part.canonical) :], record)
                image = fold(name_image(part.canonical, record, like=part))
                return _renumber(lead, record) + particle + image + rest
    return _renumber(tail, record)


def _renumber(tail: str, record: TransformRecord) -> str:
    dice = record.scope.draws.dice("NUMBER", tail)
    out = []
    for char in tail:
        if char.isdigit():
            out.append(str((int(char) + 1 + dice.below(9)) % 10))
        else:
            out.append(record.scope.letter(char))
    return "".join(out)
