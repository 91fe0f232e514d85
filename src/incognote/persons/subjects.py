"""Whose a value is: the patient's, a relative's or somebody else's.

What linking found in the note (`People`) decides where it knows; else kinship words of the same
clause and the section do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from incognote.core.caches import cached, once
from incognote.core.people import People

PATIENT, RELATIVE, STAFF, OTHER = "patient", "relative", "staff", "other"
_CLAUSE = 90
_AFTER = 34
_BREAK = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.;\n!?](?=\s|$)", re.IGNORECASE)
_HEADING = re.compile(r"(?m)^[ \t]{0,8}([A-Z][A-Za-z/ &'-]{1,40}?)[ \t]*(?::|$)")


@once
def vocabulary() -> Mapping[str, Any]:
    text = files("incognote.persons").joinpath("vocabulary.toml").read_text("utf-8")
    return tomllib.loads(text)


@cached(256)
def word_pattern(name: str) -> re.Pattern[str]:
    words = [" ".join(each.split()) for each in vocabulary()["subject"][name].split(";")]
    listed = "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True) if each)
    return re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])", re.IGNORECASE)


class Subjects:
    """The subjects of one note."""

    def __init__(self, text: str, people: People) -> None:
        self._text, self._people = text, people
        self._sections = [
            (each.start(), bool(word_pattern("family_sections").fullmatch(each[1].strip())))
            for each in _HEADING.finditer(text)
        ]

    def of(self, start: int, end: int) -> str:
        person = self._people.owner(start)
        if person is None and (named := self._people.at(start)):
            person = named[0]
        before = self._clause_before(start)
        # "other": the key word does not decide, the words around the value may. So they do where
        # somebody is staff by the family name alone, which the doctor has, too.
        doubtful = person is not None and (
            person.role == OTHER
            or (person.role == STAFF and not word_pattern("staff").search(before))
        )
        if person is not None and not doubtful:
            return person.role
        if self._in_family_section(start):
            return RELATIVE
        kin = _last(word_pattern("kinship"), before)
        if kin is not None and not _possessed(before, kin):
            since = before[kin.end() :]
            if not word_pattern("patient").search(since):
                return RELATIVE
        staff = _last(word_pattern("staff"), before[-24:])
        if staff is not None:
            return STAFF
        after = _BREAK.split(self._text[end : end + _AFTER])[0].partition(",")[0]
        described = re.match(
            r"[\s-]{0,2}(?:(?:years?|yrs?|y|months?|weeks?)?[\s./-]{0,2}(?:old|o)?[\s.,/-]{0,2})?",
            after,
        )
        rest = after[described.end() :] if described else after
        kinship = word_pattern("kinship")
        # "12-year-old son", "12-year-old adopted son"
        kin_after = kinship.match(rest) or kinship.match(rest.partition(" ")[2])
        if kin_after and kin_after[0].casefold() not in ("child", "partner", "parent", "twin"):
            return RELATIVE
        return PATIENT

    def _in_family_section(self, at: int) -> bool:
        inside = False
        for start, family in self._sections:
            if start > at:
                break
            inside = family
        return inside

    def _clause_before(self, start: int) -> str:
        before = self._text[max(0, start - _CLAUSE) : start]
        breaks = list(_BREAK.finditer(before))
        return before[breaks[-1].end() :] if breaks else before


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _possessed(before: str, kin: re.Match[str]) -> bool:
    """As in "lives with her daughter in Peoria": what follows is said of both."""
    return bool(
        re.search(r"\b(?:with|by|to|from)\s(?:\w+\s){0,2}$", before[: kin.start()], re.IGNORECASE)
    )
