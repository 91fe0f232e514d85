"""What the letters of a name on no list suggest: given or family name, a woman's or a man's.

For each run of letters, the logarithm of how much likelier it is in one kind of names than in the
other, learned from the listed names (see lexicon/letters.py).
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable

from name_cells import SEX_SHARE

from incognote.lexicon.origins import BUCKETS, SCALE, grams


def letter_tables(tables: dict[str, bytes]) -> dict[str, bytes]:
    given, family = (_names(tables, table) for table in ("first_names", "surnames"))
    female = tables["first_names/female"]
    women = [name for name, share in zip(given, female, strict=True) if share / 200 >= SEX_SHARE]
    men = [name for name, share in zip(given, female, strict=True) if share / 200 <= 1 - SEX_SHARE]
    listed = set(given)
    return {
        "names/letters_given": _odds(given, (name for name in family if name not in listed)),
        "names/letters_female": _odds(women, men),
    }


def _names(tables: dict[str, bytes], table: str) -> list[str]:
    return tables[f"{table}/keys"].decode().split("\n")


def _odds(ones: Iterable[str], others: Iterable[str]) -> bytes:
    one, other = _shares(ones), _shares(others)
    scaled = (round(SCALE * (a - b)) for a, b in zip(one, other, strict=True))
    return array("b", (max(-127, min(127, value)) for value in scaled)).tobytes()


def _shares(names: Iterable[str]) -> list[float]:
    counts = Counter(column for name in names for column in grams(name))
    total = counts.total() + BUCKETS
    return [math.log((counts[column] + 1) / total) for column in range(BUCKETS)]
