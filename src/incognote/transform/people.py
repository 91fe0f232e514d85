"""Names of people: another name of the same form, sex and origin, part by part.

Each part is drawn for itself, so "John", "JOHN", "Smith, John Q." and "J. Smith" agree wherever
they stand. A name on no list becomes a name on no list.
"""

from __future__ import annotations

import re
from dataclasses import replace

from incognote.core.errors import TransformError
from incognote.transform import namepools
from incognote.transform.nameforms import Word
from incognote.transform.record import Mention, Record
from incognote.transform.scripts import name_like, script_of
from incognote.transform.spelling import SPACED, fold
from incognote.transform.whoiswho import JOINTS, START, People, read
from incognote.transform.words import altered

_PATIENCE = 16
_INITIALS = 4
# Letters that take so much room, with what parts them, are no initials.
_SPELLED = 9
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def name(mention: Mention, record: Record) -> str:
    """The surrogate of a written name."""
    text = mention.text
    if SPACED.search(text) and (spaced := _spaced_out(mention, record)):
        return spaced
    if mention.label == "INITIALS" and text.isupper() and len(text) <= _INITIALS:
        return "".join(map(record.scope.letter, text))
    people = record.know(People)
    written = read(text)
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


def _spaced_out(mention: Mention, record: Record) -> str:
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
    return run[1] == " " and any(namepools.known(kind, letters) for kind in namepools.KINDS)


def _part(word: Word, sex: str, mention: Mention, record: Record) -> str:
    if word.role == "kept":
        return word.text
    if word.role in ("initial", "initials"):
        return "".join(map(record.scope.letter, word.text))
    role = record.know(People).role(word, mention)
    if script_of(word.text):
        return _cased(word.text, name_like(word.text, role, sex, record), record)
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
        for joint in JOINTS:
            at = text.find(joint.join(names))
            if at >= 0:
                return at, at + len(joint.join(names)), joint.join(map(new, names))
    family = names[-1]
    for length in range(len(family), START - 1, -1):
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
