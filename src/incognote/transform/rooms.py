"""Rooms, units and beds: other numbers, letters and directions of the same kind."""

from __future__ import annotations

import re

from incognote.transform import streets
from incognote.transform.organisations import pick
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import case_like
from incognote.transform.worddata import words_of

_DIRECTIONS = ("North", "South", "East", "West")
_SHORT_DIRECTIONS = ("N", "S", "E", "W")
_TOKEN = re.compile(r"\d+(?:st|nd|rd|th)\b|\d+|\b[A-Z](?:\.[A-Z])+\b|[^\W\d_]+")
_ROOM = re.compile(r"\b(?:room|rm)\b\.?\s*")


def room(mention: Mention, record: Record) -> str:
    """Other numbers, letters and directions; what kind of room it is stays."""

    def make(attempt: int) -> str:
        # "Room 118" is "rm 118".
        dice = record.scope.draws.dice("ROOM", _ROOM.sub("", mention.text.casefold()), attempt)
        named = True

        def other(match: re.Match[str]) -> str:
            nonlocal named
            token = match[0]
            named = named and len(token) > 1 and not token.isdigit()
            if token[0].isdigit() and not token.isdigit():  # "2nd floor"
                named = False
                return streets.other_number(token, record, attempt)
            if "." in token:  # the operating room of "O.R. #4"
                return token
            if token.isdigit():
                lead = "0" if token[0] == "0" else str(1 + dice.below(9))
                return lead + "".join(str(dice.below(10)) for _ in token[1:])
            for names in (_DIRECTIONS, _SHORT_DIRECTIONS):
                for name in names:
                    if token.lower() == name.lower():
                        named = False
                        rest = tuple(other for other in names if other != name)
                        return case_like(token, dice.pick(rest))
            around = mention.text[max(match.start() - 1, 0) : match.end() + 1]
            if len(token) == 1 and "&" not in around:  # "L&D" is a kind of room
                return case_like(token, dice.pick("ABCDEFGHJKLMNP".replace(token.upper(), "")))
            return token

        new = _TOKEN.sub(other, mention.text)
        if not named:
            return new
        # A name and no number ("Lowell"): the last word is what tells it apart.
        *_, last = re.finditer(r"[^\W\d_]+", mention.text)
        word = case_like(
            last[0], pick(words_of("organisations", "fancy"), last[0].lower(), record, attempt)
        )
        return mention.text[: last.start()] + word + mention.text[last.end() :]

    return record.first_other("ROOM", mention.text, make)
