"""Takes a written name apart: which word is a first name, a last name, an initial, a suffix."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Vowel signs of Hindi, Hebrew and Arabic, and separate accents, are parts of words.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963"
_WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*)*(?:['’][^\W_]+)*")
_SLASHED = re.compile(r"([A-Z' -]{2,})/[A-Z -]{2,}(?: (?:MR|MRS|MS))?")
_CARETS = re.compile(r"[^\^]+\^[^\^]")
# "M.ª Cruz": so many are called María that it tells of nobody.
_MARIA = re.compile(r"m\.?ª", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’][sS]$")

PARTICLES = frozenset(
    "al ap ben bin bint da das de del dela della delos den der di do dos du e el ibn la las le los "
    "mac of san santa saint st ste ten ter the van vander von y zu".split()
)
# Particles that people are called by when a name begins with them: "Ben Smith", "Al Jones".
_GIVEN = frozenset("al ben della mac san".split())
SUFFIXES = frozenset("jr sr ii iii iv esq".split())
TITLES = frozenset(
    "mr mrs ms miss mx dr doctor prof professor sir madam rev fr sri shri smt kumari dra "
    "sra srta dña doña".split()
)
# Titles that are names, too, where they do not lead: "Latha Kumari".
_LEADING = frozenset("sri shri kumari".split())
# Behind a name, in capitals or behind a comma; "Kim Do" and "Pa Houa" are names.
CREDENTIALS = frozenset("md do rn np pa phd dds lpn cna pharmd facs".split())
# Words in names that are no names: "Baby Boy Smith", "John and Mary Smith".
_NO_NAMES = frozenset("and baby boy girl twin infant newborn nee née aka".split())
# All that may stay of a written name.
KEPT_WORDS = PARTICLES | SUFFIXES | TITLES | CREDENTIALS | _NO_NAMES


@dataclass(slots=True)
class Word:
    """A word of a name. `role` is first, last, initial, initials, one (not yet known) or kept."""

    start: int
    end: int
    text: str
    role: str = ""

    @property
    def folded(self) -> str:
        return self.text.lower().replace("’", "'")


@dataclass(slots=True)
class Written:
    """A written name: the words that may change, in order."""

    words: list[Word] = field(default_factory=list)

    def of(self, role: str) -> list[Word]:
        return [word for word in self.words if word.role == role]


def read(text: str) -> Written:
    """The words of a name with their roles, as far as the name itself shows them."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        end = match.end()
        tail = _POSSESSIVE.search(match[0])
        if tail and tail.start() > 1:
            end -= len(tail[0])
        words.append(Word(match.start(), end, text[match.start() : end]))
    for word in words:
        word.role = _fixed_role(word, text)
    comma = text.find(",") if "," in text else _slash(text)
    if comma > 0:
        before = [w for w in words if w.start < comma and not w.role]
        after = [w for w in words if w.start > comma and (not w.role or w.role == "initial")]
        if before and after:
            _all(before, "last")
            _all([w for w in after if not w.role], "first")
            return Written(words)
    _without_comma(words, text)
    return Written(words)


def _slash(text: str) -> int:
    """Tickets write "SMITH/JOHN", messages "SMITH^JOHN^A"; -1 where nothing of the kind appears."""
    if _CARETS.match(text):
        return text.index("^")
    match = _SLASHED.fullmatch(text)
    return match.end(1) if match else -1


def _fixed_role(word: Word, text: str) -> str:
    lower = word.folded
    if _MARIA.match(text, word.start) or lower == "ª":
        return "kept"
    if len(word.text) == 1 and word.text.lower() != word.text.upper():  # 王 is a whole name
        # "Cruz y Morales": a small letter among names that have capitals.
        joins = (
            lower in PARTICLES and word.text == lower and word.start > 0 and text != text.lower()
        )
        return "" if joins else "initial"
    if _is_credential(word, text):
        return "kept"
    if lower in _LEADING and word.start > 0:
        return ""
    if lower in TITLES or lower in _NO_NAMES or _is_suffix(word, text):
        return "kept"
    upper = word.text.isupper()
    if upper and len(word.text) <= 3 and not any(char in "AEIOUY" for char in word.text):
        return "initials"
    if upper and len(word.text) == 2 and (len(text) <= 3 or _ends_in_initials(word, text)):
        return "initials"
    return ""


def _is_suffix(word: Word, text: str) -> bool:
    """Of "John Smith Jr", and "Jr." alone for the son; "JR" alone may be initials."""
    if word.folded not in SUFFIXES:
        return False
    return word.start > 0 or (len(text) <= word.end + 1 and word.text.istitle())


def _ends_in_initials(word: Word, text: str) -> bool:
    """As lists write it: "Smith JA"."""
    return word.end == len(text) and word.start > 0 and not text.isupper()


def _is_credential(word: Word, text: str) -> bool:
    before = text[: word.start].rstrip()
    behind = _WORD.findall(text[word.end :].lower())
    if word.folded not in CREDENTIALS or not before or not CREDENTIALS.issuperset(behind):
        return False
    return before.endswith(",") or not word.text.istitle()


def _without_comma(words: list[Word], text: str) -> None:
    groups = _groups([word for word in words if word.role != "kept"], text)
    # A particle belongs to the surname behind it; the last word is never one.
    surname_from = len(groups)
    for i, group in enumerate(groups[:-1]):
        if i == 0 and group[0].folded in _GIVEN and group[0].text != group[0].folded:
            continue
        if len(group) == 1 and group[0].folded in PARTICLES and not group[0].role:
            group[0].role = "kept"
            # "y" joins two surnames: the one before it is none of the first names.
            surname_from = min(surname_from, i - 2 if len(group[0].text) == 1 else i)
    names = [(i, group) for i, group in enumerate(groups) if any(not w.role for w in group)]
    if not names:
        return
    initials = [i for i, group in enumerate(groups) if group[0].role in ("initial", "initials")]
    if len(names) == 1:
        i, group = names[0]
        if i > surname_from or (initials and initials[0] < i):
            role = "last"
        else:
            role = "first" if initials else "one"
        _all(group, role)
        return
    for at, (i, group) in enumerate(names):
        last = at == len(names) - 1 or (i > surname_from and at > 0)
        _all(group, "last" if last else "first")


def _groups(words: list[Word], text: str) -> list[list[Word]]:
    """Words joined by a hyphen are one."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and text[groups[-1][-1].end : word.start] == "-":
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _all(words: list[Word], role: str) -> None:
    for word in words:
        if not word.role:
            word.role = "kept" if word.folded in PARTICLES and len(words) > 1 else role
