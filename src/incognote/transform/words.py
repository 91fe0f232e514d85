"""Made-up words: letters for letters of the same sound class, so that a rare name stays rare."""

from __future__ import annotations

import unicodedata

from incognote.transform.draw import Dice
from incognote.transform.record import Record

_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnprstvwz"
# After a consonant only these are easy to say; a cluster keeps its second letter in this set.
_SECOND = "lrntsk"


def altered(word: str, record: Record, attempt: int = 0, *, initial: bool = True) -> str:
    """A word nobody knows, of the same length, case and rhythm of vowels and consonants.

    With `initial` the first letter is the scope's image of the original's, so that initials of
    the name agree with it.
    """
    folded = fold(word)

    def make(more: int) -> str:
        dice = record.scope.draws.dice("WORD", folded, attempt * 64 + more)
        return _alter(folded, dice, record.scope.letters if initial else {})

    if len(word) <= 2:
        return case_like(word, make(0))
    new = record.first_free("word", make)
    return case_like(word, new)


def _alter(folded: str, dice: Dice, letters: dict[str, str]) -> str:
    out: list[str] = []
    for i, char in enumerate(folded):
        previous = folded[i - 1] if i else ""
        if char.isdigit():
            out.append(str(dice.below(10)))
        elif not char.isalpha():
            out.append(char)
        elif i == 0 and char in letters:
            out.append(letters[char])
        elif char in _VOWELS or (char == "y" and i):
            out.append(_other(_VOWELS, char, dice))
        else:
            cluster = previous.isalpha() and previous not in _VOWELS
            out.append(_other(_SECOND if cluster else _CONSONANTS, char, dice))
    return "".join(out)


def _other(pool: str, char: str, dice: Dice) -> str:
    return dice.pick(pool.replace(char, ""))


def fold(word: str) -> str:
    """Lower case without accents: "Núñez" and "NUNEZ" are one name."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word)
    return "".join(char for char in parts if not unicodedata.combining(char)).casefold()


def case_like(original: str, word: str) -> str:
    """`word` in the case of `original`; where lengths match, mixed case letter by letter."""
    if original.isupper():
        return word.upper()
    if original.islower():
        return word.lower()
    if original[:1].isupper() and not any(char.isupper() for char in original[1:]):
        return word[:1].upper() + word[1:].lower()
    if len(original) == len(word):
        pairs = zip(original, word, strict=True)
        return "".join(new.upper() if old.isupper() else new.lower() for old, new in pairs)
    return word[:1].upper() + word[1:]
