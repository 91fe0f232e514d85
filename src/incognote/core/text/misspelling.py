"""Typing errors as values: what went wrong in one word, done again to another.

A surrogate of "Smiht" is the surrogate of "Smith" with two letters swapped: readers still see a
slip of the pen, and two spellings of one name stay two spellings of one name.
"""

from __future__ import annotations


def misspelt_like(intended: str, written: str, word: str) -> str:
    """`word` with the error that turned `intended` into `written`, at about the same place.

    What differs in several places, as two traditions of one name do ("Yusuf", "Youssef"), becomes
    an error at the first of them. The answer never equals `word`.
    """
    at = _first_difference(intended, written)
    # The first letter is kept where the error kept it: initials must go on to fit.
    place = min(max(at, 1 if at else 0), len(word) - 1)
    more = len(written) - len(intended)
    if more > 0:
        return word[:place] + word[max(place - 1, 0)] + word[place:]
    if more < 0 and len(word) > 2:
        return _without(word, place)
    for i in (*range(place, len(word) - 1), *range(place - 1, 0, -1)):
        if word[i].lower() != word[i + 1].lower():
            return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word + word[-1]


def _without(word: str, place: int) -> str:
    return word[:place] + word[place + 1 :]


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
