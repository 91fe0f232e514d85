"""Made-up words: letters for letters of the same sound class, so that a rare name stays rare."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import groupby

from incognote.transform.draw import Dice
from incognote.transform.record import Record
from incognote.transform.spelling import case_like, fold
from incognote.transform.worddata import word_list

_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnprstvwz"
# What can be said: groups of vowels and of consonants, by length, at the start, inside, at the end.
_VOWEL_GROUPS = {1: tuple(_VOWELS), 2: tuple("ai ea ee ei ia ie io oa oo ou ue".split())}
_GROUPS = {
    "start": {
        1: tuple(_CONSONANTS),
        2: tuple(
            "bl br ch cl cr dr fl fr gl gr kl kr pl pr sc sh sk sl sm sn sp st sw th tr".split()
        ),
        3: tuple("chr sch scr shr spl spr str thr".split()),
    },
    "inside": {
        1: tuple(_CONSONANTS),
        2: tuple(
            "ck ff ld ll lm ln lt mb mm mp nd ng nn ns nt rc rd rg rk rl rm rn rt sh sk ss st th "
            "tt".split()
        ),
        3: tuple("ldr mbl mbr mpl nch ndl ndr ngl nst ntr rch rst rth sch tch".split()),
    },
    "end": {
        1: tuple("dgklmnprst"),
        2: tuple(
            "ch ck ff ld ll lm lt mp nd ng nk nn nt rd rk rl rm rn rt sh ss st th tt tz".split()
        ),
        3: tuple("lch nch nst rch rst rth tch".split()),
    },
}


@cache
def _rude() -> re.Pattern[str]:
    return re.compile("|".join(sorted(word_list("words", "rude"))))


def altered(word: str, record: Record, attempt: int = 0) -> str:
    """A word nobody knows, of the same length, case and rhythm of vowels and consonants.

    Its first letter is the scope's image of the original's, as with all names.
    """
    folded = fold(word)

    def make(more: int) -> str:
        dice = record.scope.draws.dice("WORD", folded, attempt * 64 + more)
        return _alter(folded, dice, record.scope.letters)

    def taken(new: str) -> bool:
        return record.taken(new) or bool(_rude().search(new))

    if len(word) <= 2:
        return case_like(word, make(0))
    new = record.first_free("word", make, taken)
    return case_like(word, new)


def _alter(folded: str, dice: Dice, letters: dict[str, str]) -> str:
    """Group by group; the first letter, where it is given, decides how the word begins."""
    head = letters.get(folded[:1], "")
    out: list[str] = []
    runs = _runs(folded, head)
    for i, (kind, length) in enumerate(runs):
        if kind == "digit":
            out.append("".join(str(dice.below(10)) for _ in range(length)))
            continue
        if kind == "vowel":
            groups = _VOWEL_GROUPS
        else:
            groups = _GROUPS["start" if i == 0 else "end" if i == len(runs) - 1 else "inside"]
        out.append(_group(groups, length, dice, head if i == 0 else ""))
    return "".join(out)


@lru_cache(maxsize=4096)
def _runs(folded: str, head: str) -> tuple[tuple[str, int], ...]:
    """Lengths of the groups of vowels, consonants and digits, beginning as `head` wants it."""
    kinds = [_kind(char) for char in folded]
    if head:
        kinds[0] = _kind(head)
        if len(kinds) > 1 and kinds[1] == kinds[0] and not _can_begin(head, folded):
            # Another letter in front: the second one makes room.
            kinds[1] = "consonant" if kinds[0] == "vowel" else "vowel"
    return tuple((kind, len(list(run))) for kind, run in groupby(kinds))


def _can_begin(head: str, folded: str) -> bool:
    """Whether some group of consonants begins with `head`, where the original has one too."""
    if _kind(head) == "vowel" or _kind(folded[0]) == "vowel":
        return False
    return bool(_fitting(_GROUPS["start"][2], head))


def _kind(char: str) -> str:
    return "vowel" if char in "aeiouy" else "digit" if char.isdigit() else "consonant"


def _group(groups: dict[int, tuple[str, ...]], length: int, dice: Dice, head: str) -> str:
    """A group of so many letters that begins with `head`; long ones are made of short ones."""
    out = ""
    while len(out) < length:
        size = min(length - len(out), max(groups))
        fitting = _fitting(groups[size], "" if out else head)
        out += (
            dice.pick(fitting)
            if fitting
            else head + "".join(dice.pick(groups[1]) for _ in range(size - 1))
        )
    return out


@cache
def _fitting(groups: tuple[str, ...], head: str) -> tuple[str, ...]:
    return tuple(group for group in groups if group.startswith(head))
