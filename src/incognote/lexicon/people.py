"""Names of people: how frequent, for which sex, in which communities."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from incognote.core.caches import cached, once
from incognote.lexicon import store
from incognote.lexicon.fold import fold

Sex = Literal["female", "male"]
Ethnicity = Literal["white", "black", "hispanic", "api"]
ETHNICITIES: tuple[Ethnicity, ...] = ("white", "black", "hispanic", "api")

# What the 2020 census counted: the people behind the shares below.
POPULATION = 331_000_000
# A surrogate must be a name that many people have, or it identifies one of them.
SURROGATE_MINIMUM = POPULATION * 2 // 100_000
# A name belongs to a sex or a community if this share of its bearers does.
SEX_SHARE, ETHNICITY_SHARE = 0.9, 0.5

_IRISH = frozenset(
    "obannon obrien obryan obryant obyrne ocallaghan oconnell oconner oconnor odaniel odell oday"
    " odom odonnell odonoghue odonohue odriscoll odwyer ofarrell oflaherty oflynn ogorman ograd"
    " ogrady ohagan ohalloran ohanlon ohara ohare oherron okane okeefe okeeffe okelley okelly"
    " oleary oloughlin omahony omalley omara omeara oneal oneil oneill oquinn oregan oreilly"
    " oriley orourke oshaughnessy oshea osullivan otoole".split()
) - {"odom", "odell"}
_SCOTTISH = re.compile(r"mc(?=[a-z]{3})")


@dataclass(frozen=True, slots=True)
class Name:
    """What is known of a name.

    `count` is how many people in the United States bear it (0: known from other sources only);
    `female` the share of women among them (0.5 for surnames); `ethnicity` the shares of
    ETHNICITIES; `common_word` that the same letters are an ordinary or clinical word.
    """

    count: int
    female: float
    ethnicity: tuple[float, float, float, float]
    common_word: bool


class NameTable:
    """One kind of name, most frequent first."""

    def __init__(self, table: str) -> None:
        self._keys = store.lines(f"{table}/keys")
        self._count = store.numbers(f"{table}/count")
        self._shares = store.octets(f"{table}/shares")
        self._female = store.octets(f"{table}/female") if table == "first_names" else b""
        self._row = dict(zip(self._keys, range(len(self._keys)), strict=True))

    def row(self, word: str) -> int | None:
        """Its rank by frequency, 0 for the most frequent; `word` is folded."""
        return self._row.get(word)

    def bearers(self, word: str) -> int | None:
        """How many people bear it; `word` is folded."""
        row = self._row.get(word)
        return None if row is None else self._count[row]

    def name(self, row: int, *, common_word: bool) -> Name:
        white, black, hispanic, api = (share / 200 for share in self._shares[4 * row : 4 * row + 4])
        return Name(
            self._count[row], self._share_female(row), (white, black, hispanic, api), common_word
        )

    def key(self, row: int) -> str:
        """The folded name at a rank."""
        return self._keys[row]

    def count(self, row: int) -> int:
        return self._count[row]

    def female(self, row: int) -> float:
        return self._share_female(row)

    def __len__(self) -> int:
        return len(self._keys)

    def pool(self, sex: Sex | None, ethnicity: Ethnicity | None) -> tuple[str, ...]:
        found = []
        which = ETHNICITIES.index(ethnicity) if ethnicity else 0
        for row, key in enumerate(self._keys):
            if self._count[row] < SURROGATE_MINIMUM:
                break
            female = self._share_female(row)
            if sex and (female if sex == "female" else 1 - female) < SEX_SHARE:
                continue
            if ethnicity and self._shares[4 * row + which] < 200 * ETHNICITY_SHARE:
                continue
            found.append(written(key))
        return tuple(found)

    def _share_female(self, row: int) -> float:
        return self._female[row] / 200 if self._female else 0.5


@cached(16384)
def written(key: str) -> str:
    """The usual capitals of a folded name: "McDonald", "O'Brien", "Garcia"."""
    if key in _IRISH:
        return f"O'{key[1:].capitalize()}"
    if _SCOTTISH.match(key):
        return f"Mc{key[2:].capitalize()}"
    return key.capitalize()


@once
def nickname_table() -> dict[str, frozenset[str]]:
    rows = (line.split("\t") for line in store.lines("nicknames"))
    return {fold(name): frozenset(variants.split()) for name, variants in rows}
