"""What is beside a mention and says who is meant: titles, kinship, fields, credentials."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from incognote.core.caches import once
from incognote.core.people import Sex

# What may appear between a word and the mention behind it: "his daughter, Ann", "Pt: SMITH".
_BETWEEN = ' \t\r\n.,:(/=-"“'
_REACH = 28
_LONGEST = 18
# "Smith, MD", "Smith RN", "Smith (daughter)".
_BEHIND = re.compile(r"['’]?s?\s*(,|\(|-|–)?\s*([^\W\d_](?:[\w.-]*\w)?)")
_FURTHER = 24


@dataclass(frozen=True, slots=True)
class Cue:
    """What the words around one mention say; empty where they say nothing."""

    title: str = ""
    sex: Sex = ""
    kinship: str = ""
    patient: bool = False
    staff: bool = False


_NOTHING = Cue()


@once
def _words() -> dict[str, Cue]:
    table = tomllib.loads(files("incognote.link").joinpath("cues.toml").read_text("utf-8"))
    found: dict[str, Cue] = {}
    for sex in ("male", "female", "any"):
        known: Sex = "" if sex == "any" else sex  # type: ignore[assignment]
        for word in table["kinship"][sex].split():
            found[word] = Cue(sex=known, kinship=word)
        for word in table["titles"][sex].split():
            found.setdefault(word, Cue(title=word, sex=known))
    for word in table["titles"]["staff"].split():
        found[word] = Cue(title=word, staff=True)
    for word in table["patient"]["any"].split():
        found.setdefault(word, Cue(patient=True))
    for word in table["staff"]["any"].split():
        found.setdefault(word, Cue(staff=True))
    return found


@once
def _credentials() -> frozenset[str]:
    table = tomllib.loads(files("incognote.link").joinpath("cues.toml").read_text("utf-8"))
    return frozenset(table["credentials"]["any"].split())


def is_cue(word: str) -> bool:
    """Whether a word says who a person is, and so is no name: "daughter"."""
    return word in _words()


def cue(text: str, start: int, end: int) -> Cue:
    """What the neighbours of a mention say of its bearer."""
    before = _before(text, start)
    if before.staff or before.title or before.patient:
        return before
    behind = _behind(text, end)
    return behind if behind is not _NOTHING and not before.kinship else before


def _before(text: str, start: int) -> Cue:
    # By hand: a regular expression that ends at the mention takes ten times as long.
    reach = text[start - _REACH if start > _REACH else 0 : start]
    head = reach.rstrip(_BETWEEN)
    if not head or head[-1].isdigit():
        return _NOTHING
    word = head[-_LONGEST:].rsplit(None, 1)[-1].lower()
    found = _words().get(word)
    if found is None:
        word = re.split(r"[^\w'’-]+", word)[-1].removesuffix("'s").removesuffix("’s")
        found = _words().get(word) or _words().get(word.rpartition("'s")[2], _NOTHING)
    if found.patient or (found.staff and not found.title):
        # "name", "by", "tech" say so as the head of a field only; "pt" and "patient" anywhere.
        bare = word in ("pt", "patient", "client", "resident")
        return found if ":" in reach[len(head) :] or (bare and found.patient) else _NOTHING
    return found


def _behind(text: str, end: int) -> Cue:
    match = _BEHIND.match(text, end, end + _FURTHER)
    if match is None:
        return _NOTHING
    word = match[2].lower()
    if word in _credentials():
        # "Kim Do" and "Ma" are names, "pa" is a father: in small letters they need a comma.
        return Cue(staff=True) if match[1] == "," or match[2][:2].isupper() else _NOTHING
    if match[1] == "(" or (match[1] == "," and text[match.end() : match.end() + 1] in ",.;)\n"):
        # "Ann Lee, daughter,"; in "John Lee, wife Mary" the word is about Mary.
        found = _words().get(word, _NOTHING)
        return found if found.kinship else _NOTHING
    return _NOTHING
