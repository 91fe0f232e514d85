"""Why a mention is this person's, in words. The codes are for machines."""

from __future__ import annotations

_WORDS = {
    "first-named": "no person of that name was named before",
    "same-name": "the full name is the same, or a part of it, or has a nickname for a part",
    "part-of-name": "a word of the name",
    "initial": "a word of the name, and the initial fits",
    "initials": "the initials of the name",
    "nickname": "short for the given name",
    "misspelt": "the name with a typing error, or in the plural",
}


def in_words(reason: str) -> str:
    return _WORDS[reason.partition(":")[0]]
