"""Who a record is about, as linking sees it: what identifies the patient, in normal form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from incognote.lexicon import lexicon

NUMBERS = ("mrn", "ssn", "plan")


@dataclass(frozen=True, slots=True)
class Identity:
    """`given` and `family` are folded; `given_root` is the full form of a nickname."""

    stated: str = field(default="", repr=False)
    given: str = field(default="", repr=False)
    family: str = field(default="", repr=False)
    birth_date: str = field(default="", repr=False)
    zip: str = field(default="", repr=False)
    sex: str = field(default="", repr=False)
    mrn: str = field(default="", repr=False)
    ssn: str = field(default="", repr=False)
    plan: str = field(default="", repr=False)

    @classmethod
    def of(cls, stated: str, values: Mapping[str, Iterable[str]]) -> Identity:
        """From the values that a record states, most of them deciding."""
        best = {name: _commonest(found) for name, found in values.items()}
        known = {name: value for name, value in best.items() if name in cls.__slots__ and value}
        return cls(stated=stated, **known)

    @property
    def given_root(self) -> str:
        return root_of(self.given)

    @property
    def is_sure(self) -> bool:
        """Whether there is enough to recognise its person without a link: a number, or
        a name and a birth date."""
        numbered = self.mrn or self.ssn or self.plan
        return bool(numbered or (self.birth_date and (self.family or self.given)))

    def contradicts(self, other: Identity) -> bool:
        """Whether names or birth dates cannot be those of one person."""
        if self.birth_date and other.birth_date and self.birth_date != other.birth_date:
            return True
        if self.family and other.family and self.given and other.given:
            return self.family != other.family and not _same_given(self.given, other.given)
        return False


def _same_given(one: str, other: str) -> bool:
    """One may be a nickname or the initial of the other."""
    if one == other or root_of(one) == root_of(other):
        return True
    return (len(one) == 1 or len(other) == 1) and one[0] == other[0]


def root_of(name: str) -> str:
    """The full form of a first name, for all of its nicknames."""
    if len(name) < 2:
        return name
    forms = lexicon().nicknames(name)
    return max({name, *forms}, key=lambda form: (lexicon().first_name_bearers(form) or 0, form))


def _commonest(values: Iterable[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else ""
