"""Rooms, units and beds: other numbers, letters, directions and names; the kind of room stays."""

from __future__ import annotations

import re

from incognote.lexicon import lexicon
from incognote.transform.places import renaming
from incognote.transform.places.organisations import invented_name, is_generic
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import case_like
from incognote.transform.word_data import word_list

_DIRECTIONS = (
    ("north", "south", "east", "west"),
    ("northeast", "northwest", "southeast", "southwest"),
    ("n", "s", "e", "w"),
)
_TOKEN = re.compile(
    r"\d+(?:st|nd|rd|th)\b|\d+|\b[A-Z](?:\.[A-Z])+\b|[^\W\d_ºª]+(?:['’][^\W\d_ºª]+)*"
)
_LETTERS = "ABCDEFGHJKLMNPRT"


def room(mention: Mention, record: TransformRecord) -> str:
    """The kind of room stays; every number, letter, direction and name in it changes, each by
    itself, so that "rm 118" is "Room 118" and "bed 2" is in the same ward as before."""
    words = [match[0].lower() for match in _TOKEN.finditer(mention.text)]
    # Where nothing else identifies the place, its last word does: "Oncology Annex".
    bare = all(word in word_list("places", "rooms") for word in words)

    def other(match: re.Match[str]) -> str:
        token = match[0]
        around = mention.text[max(match.start() - 1, 0) : match.end() + 1]
        if token.isdigit():
            return record.scope.identifiers(token)
        if token[0].isdigit():  # "2nd floor"
            return renaming.other_number(token, record, 0)
        if "." in token or "&" in around:  # the operating room of "O.R. #4", "L&D"
            return token
        last = bare and match.end() == len(mention.text.rstrip(" .,"))
        return case_like(token, _word(token, last, record))

    return record.chose(_TOKEN.sub(other, mention.text))


def _word(token: str, last: bool, record: TransformRecord) -> str:
    lower = token.lower()
    for directions in _DIRECTIONS:
        if lower in directions:
            at = record.scope.permuted(f"directions:{directions[0]}", 4, directions.index(lower))
            return directions[at]
    if len(token) == 1:
        if token.upper() not in _LETTERS:
            return token
        index = _LETTERS.index(token.upper())
        return _LETTERS[record.scope.permuted("room letters", len(_LETTERS), index)]
    if not last and (_is_kind(token) or lower in word_list("places", "rooms")):
        return token
    return invented_name(lower, record)


def _is_kind(token: str) -> bool:
    """Whether a word says what goes on in a room: "MICU", "dialysis", "Ambulatory"."""
    lex = lexicon()
    short = token.isupper() and len(token) <= 5
    return short or is_generic(token, first=True) or lex.is_clinical(token) or token.islower()
