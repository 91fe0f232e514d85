"""New surfaces for marked ones: names, places, dates and numbers rewritten in the same form.

The context of a mention stays, its surface changes, the same way everywhere in one note; so a
model learns from the context and the form, not from the names of the training notes.
"""

from __future__ import annotations

import random
import re
import string
from dataclasses import dataclass, field

from incognote.core.text.calendar import MONTHS, WEEKDAYS
from incognote.learn.data import Mark, Note
from incognote.learn.text.pools import SWAPPED, Pools

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_KEPT_WORDS = {
    *("jr", "sr", "ii", "iii", "iv", "de", "la", "del", "der", "den", "van", "von", "bin", "binti"),
    *("al", "el", "da", "dos", "di", "le", "st", "baby", "boy", "girl", "of", "and", "aka", "y"),
}
_MONTHS = tuple(map(str.lower, MONTHS))
_DAYS = tuple(map(str.lower, WEEKDAYS))
_NUMERIC_DATE = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})(?:\2(\d{2}|\d{4}))?")
_ISO_DATE = re.compile(r"((?:19|20)\d\d)([-/.])(\d\d)\2(\d\d)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NATIONALITY = re.compile(r"(?:ese|ian|an|ish|ic|i|ch)s?$", re.IGNORECASE)
_SCRAMBLED = {
    *("SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID"),
    *("IDNUM", "PHONE", "FAX", "ZIP", "IPADDR", "USERNAME"),
}


@dataclass(slots=True)
class Resurfacer:
    """Rewrites the marks of one note; asked twice for one surface, it answers the same."""

    pools: Pools
    rng: random.Random
    rate: float
    _words: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    _surfaces: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    def rewrite(self, note: Note) -> Note:
        parts: list[str] = []
        marks: list[Mark] = []
        end_before = length = 0
        for start, end, label in note.marks:
            between = note.text[end_before:start]
            surface = self._surface(label, note.text[start:end])
            parts += (between, surface)
            length += len(between)
            marks.append((length, length + len(surface), label))
            length += len(surface)
            end_before = end
        parts.append(note.text[end_before:])
        return Note(note.id, "".join(parts), tuple(marks))

    def _surface(self, label: str, old: str) -> str:
        if label in ("PATIENT", "DOCTOR"):
            return self._name(old)
        key = (label, old)
        if key not in self._surfaces:
            changed = self.rng.random() < self.rate
            self._surfaces[key] = self._changed(label, old) if changed else old
        return self._surfaces[key]

    def _changed(self, label: str, old: str) -> str:
        rng = self.rng
        if label in SWAPPED:
            return self._swap(label, old)
        if label in _SCRAMBLED:
            letters = rng.random() < 0.5 and label != "USERNAME"
            return "".join(_other_character(c, rng, letters=letters) for c in old)
        if label in ("ROOM", "EMAIL", "URL"):
            return "".join(_other_character(c, rng, letters=False) for c in old)
        if label == "AGE":
            return _age(old, rng)
        if label == "DATE":
            return _date(old, rng)
        if label == "TIME":
            return _time(old, rng)
        return old

    def _swap(self, label: str, old: str) -> str:
        own, more = self.pools.own.get(label, []), self.pools.more.get(label, [])
        for _ in range(8):
            pool = more if more and (not own or self.rng.random() < 0.4) else own
            new = self.rng.choice(pool) if pool else old
            if _same_form(label, old, new):
                return cased_like(old, new)
        return old

    def _name(self, old: str) -> str:
        spots = list(_WORD.finditer(old))
        surname_first = "," in old
        parts: list[str] = []
        end_before = 0
        for index, spot in enumerate(spots):
            is_last = index == (0 if surname_first else len(spots) - 1)
            parts += (old[end_before : spot.start()], self._name_word(spot.group(), is_last))
            end_before = spot.end()
        return "".join(parts) + old[end_before:]

    def _name_word(self, word: str, is_last: bool) -> str:
        low = word.lower()
        if low in _KEPT_WORDS:
            return word
        key = ("NAME", low)
        if key not in self._words:
            new = low
            if self.rng.random() < self.rate:
                if len(word) == 1:
                    new = self.rng.choice(string.ascii_lowercase)
                elif len(word) < 4 and word.isupper():  # initials, "JRT"
                    new = "".join(self.rng.choice(string.ascii_lowercase) for _ in word)
                else:
                    kind = "LAST" if is_last else "FIRST"
                    own, more = self.pools.own.get(kind, []), self.pools.more.get(kind, [])
                    pool = more if more and (not own or self.rng.random() < 0.6) else own
                    new = self.rng.choice(pool) if pool else low
            self._words[key] = new
        new = self._words[key]
        return word if new == low else cased_like(word, new)


def cased_like(old: str, new: str) -> str:
    """`new` in all caps or all lower case where `old` is; otherwise with capitals."""
    letters = [c for c in old if c.isalpha()]
    if letters and all(c.isupper() for c in letters) and len(letters) > 1:
        return new.upper()
    if letters and all(c.islower() for c in letters):
        return new.lower()
    return new.title() if new.islower() or (new.isupper() and len(new) > 3) else new


def _same_form(label: str, old: str, new: str) -> bool:
    if label == "STATE":
        return (len(old) == 2) == (len(new) == 2)
    if label == "STREET":
        return old[0].isdigit() == new[0].isdigit()
    if label == "COUNTRY":
        return bool(_NATIONALITY.search(old)) == bool(_NATIONALITY.search(new))
    return True


def _other_character(char: str, rng: random.Random, *, letters: bool) -> str:
    if char.isdigit():
        return str(rng.randrange(10))
    if letters and char.isascii() and char.isalpha():
        return rng.choice(string.ascii_uppercase if char.isupper() else string.ascii_lowercase)
    return char


def _age(old: str, rng: random.Random) -> str:
    """Another number, of as many digits, also inside of "53 años"."""
    return re.sub(r"\d+", lambda number: _other_age(number[0], rng), old, count=1)


def _other_age(old: str, rng: random.Random) -> str:
    if len(old) == 1:
        return str(rng.randint(1, 9))
    return str(rng.randint(10, 99)) if rng.random() < 0.95 else str(rng.randint(90, 106))


def _time(old: str, rng: random.Random) -> str:
    hour, minute = rng.randrange(24), rng.randrange(60)
    if re.fullmatch(r"\d{4}", old):
        return f"{hour:02}{minute:02}"
    return re.sub(r"(?<=[:.])\d\d\b", lambda _: f"{rng.randrange(60):02}", old)


def _date(old: str, rng: random.Random) -> str:
    year, month, day = _any_year(rng), rng.randint(1, 12), rng.randint(1, 28)
    if match := _NUMERIC_DATE.fullmatch(old):
        first, mark, second, tail = match.groups()
        if tail and rng.random() < 0.25:
            return _full_date(year, month, day, rng)
        swapped = int(first) > 12
        one, two = (day, month) if swapped else (month, day)
        padded = first.startswith("0") or (len(first) == 2 and len(second) == 2)
        head = f"{one:02}{mark}{two:02}" if padded else f"{one}{mark}{two}"
        return head + (mark + str(year)[-len(tail) :] if tail else "")
    if match := _ISO_DATE.fullmatch(old):
        mark = match.group(2)
        return f"{year}{mark}{month:02}{mark}{day:02}"
    new = _WORD.sub(lambda m: _calendar_word(m.group(), rng), old)
    new = _YEAR.sub(lambda _: str(year), new)
    return re.sub(r"(?<![\d/.'’-])\d{1,2}(?=\b|st|nd|rd|th)", lambda _: str(day), new)


def _any_year(rng: random.Random) -> int:
    return rng.randint(2005, 2027) if rng.random() < 0.7 else rng.randint(1928, 2012)


def _calendar_word(word: str, rng: random.Random) -> str:
    low = word.lower()
    for calendar in (_MONTHS, _DAYS):
        if low in calendar:
            return cased_like(word, rng.choice(calendar))
        short = [name[: max(3, len(low))] for name in calendar]
        if len(low) in (3, 4) and low in short:
            return cased_like(word, rng.choice(calendar)[: len(low)])
    return word


def _full_date(year: int, month: int, day: int, rng: random.Random) -> str:
    name = _MONTHS[month - 1].title()
    yy = f"{year % 100:02}"
    forms = (
        f"{month}/{day}/{year}",
        f"{month:02}/{day:02}/{yy}",
        f"{month}-{day}-{yy}",
        f"{day:02}.{month:02}.{year}",
        f"{day:02}/{month:02}/{year}",
        f"{year}-{month:02}-{day:02}",
        f"{year}/{month:02}/{day:02}",
        f"{name} {day}, {year}",
        f"{name[:3]} {day} {year}",
        f"{day} {name[:3]} {year}",
        f"{day:02}-{name[:3].upper()}-{year}",
        f"{day:02}{name[:3].upper()}{yy}",
        f"{name[:3]}. {day}, '{yy}",
    )
    return rng.choice(forms)
