"""Hospitals, employers, rooms and jobs: other names of the same kind.

The words that say what a name is the name of ("Medical Center", "High School") stay; the words
that say which one it is become others, each for itself, so that "Seacrest" follows "Seacrest
Manor". An abbreviation of a name in the same record follows that name's surrogate.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from incognote.lexicon import fold_place, lexicon
from incognote.transform import people, places
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import case_like, fold
from incognote.transform.worddata import word_list, words_of
from incognote.transform.words import altered

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?|\d+(?:st|nd|rd|th)\b|\d+")
_ORGANISATIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
_SMALL = frozenset({"of", "the", "and", "at", "for", "de", "la"})
_ACRONYM = re.compile(r"[A-Z][A-Z&.]{1,6}")
_DIRECTIONS = ("North", "South", "East", "West")
_SHORT_DIRECTIONS = ("N", "S", "E", "W")


@cache
def _heads() -> frozenset[str]:
    """Words in the names of kinds of institutions ("high school", "saw mill")."""
    lex = lexicon()
    return frozenset(
        word for head in lex.facility_heads | lex.organization_heads for word in head.split()
    )


class Institutions:
    """The surrogates of a record's institutions by the abbreviation a writer would use."""

    def __init__(self, record: Record) -> None:
        self.by_acronym: dict[str, str] = {}
        for mention in record.mentions:
            if mention.label in _ORGANISATIONS and " " in mention.text:
                new = _renamed(mention, record)
                for skip in (frozenset[str](), _SMALL):
                    old = _acronym(mention.text, skip)
                    if len(old) > 1:
                        self.by_acronym.setdefault(old, _acronym(new, skip))


def _acronym(text: str, skip: frozenset[str]) -> str:
    words = [word for word in re.findall(r"[^\W\d_][^\s\-/]*", text) if word.lower() not in skip]
    return "".join(word[0].upper() for word in words)


def organisation(mention: Mention, record: Record) -> str:
    """The surrogate of a hospital or another institution."""
    text = mention.text
    if _ACRONYM.fullmatch(text):
        return _abbreviation(text, record)

    def make(attempt: int) -> str:
        return _renamed(mention, record, attempt)

    return record.first_other(mention.label, mention.text, make)


def _abbreviation(text: str, record: Record) -> str:
    letters = re.sub(r"[^A-Z]", "", text)
    found = record.know(Institutions).by_acronym.get(letters)
    if found and len(found) == len(letters) and found != letters:
        source = iter(found)
    else:
        source = map(record.scope.letter, letters)
    return "".join(next(source) if char.isalpha() else char for char in text)


def _renamed(mention: Mention, record: Record, attempt: int = 0) -> str:
    text = mention.text
    tokens = list(_WORD.finditer(text))
    own = [m for i, m in enumerate(tokens) if not is_generic(m[0], first=i == 0)]
    # "University Hospital", "Family Practice": nothing is a name, so the first word is.
    changing = {m.start() for m in (own or tokens[:1])}
    cities = _cities(record)
    shouted = text.isupper()
    out: list[str] = []
    at = 0
    previous = ""
    for start, end, word in _with_cities(tokens, text, cities):
        out.append(text[at:start])
        at = end
        if start in changing or fold_place(word) in cities:
            new = _word(word, previous, record, attempt, mention)
            out.append(new.upper() if shouted else new.lower() if word.islower() else new)
        else:
            out.append(word)
        previous = word.lower().rstrip(".")
    out.append(text[at:])
    return "".join(out)


def _with_cities(
    tokens: list[re.Match[str]], text: str, cities: frozenset[str]
) -> list[tuple[int, int, str]]:
    """The words, with those that make up a city of the record joined to one."""
    found: list[tuple[int, int, str]] = []
    i = 0
    while i < len(tokens):
        joined = next(
            (
                k
                for k in range(min(len(tokens), i + 3), i + 1, -1)
                if cities and fold_place(text[tokens[i].start() : tokens[k - 1].end()]) in cities
            ),
            i + 1,
        )
        start, end = tokens[i].start(), tokens[joined - 1].end()
        found.append((start, end, text[start:end]))
        i = joined
    return found


@lru_cache(maxsize=65536)
def is_generic(word: str, first: bool = False) -> bool:
    """Whether a word says what kind of institution it is. The lists hold many words that also
    begin names ("Mill Creek"), so a first word must be on the short list."""
    lower = word.lower().replace("’", "'").rstrip(".")
    if lower in word_list("organisations", "generic") or (len(lower) == 1 and lower.isalpha()):
        return True
    return not first and lower in _heads()


def _word(word: str, previous: str, record: Record, attempt: int, mention: Mention) -> str:
    """Another word of its sort: number, saint, city, brand, surname, fancy word or invention."""
    if word[0].isdigit():
        return places.other_number(word, record, attempt)
    tail = "'s" if re.search(r"['’]s$", word) and len(word) > 3 else ""
    stop = "." if word.endswith(".") else ""
    bare = re.sub(r"['’]s$", "", word.rstrip("."))
    folded = fold(bare)
    if previous in ("st", "saint", "san", "santa"):
        return _pick("saints", folded, record, attempt) + tail + stop
    if fold_place(bare) in _cities(record):
        return places.city(_as_city(mention, bare), record) + tail + stop
    for brands in ("pharmacies", "insurers"):
        if bare.lower() in (brand.lower() for brand in words_of("organisations", brands)):
            return _pick(brands, folded, record, attempt) + tail + stop
    if bare.isupper() and len(bare) <= 4 and not mention.text.isupper():
        return "".join(map(record.scope.letter, bare)) + stop
    lex = lexicon()
    if lex.word_rank(bare) is not None or lex.is_ordinary(bare):
        surname = lex.surname(bare)
        if surname is not None and surname.count and not surname.common_word and not attempt:
            return people.last_name(folded, record) + tail + stop
        return _pick("fancy", folded, record, attempt) + tail + stop
    if _is_compound(folded):
        return _pick("fancy", folded, record, attempt) + tail + stop
    return case_like(bare, altered(bare, record, attempt)) + tail + stop


@lru_cache(maxsize=16384)
def _is_compound(folded: str) -> bool:
    """Two ordinary words in one, as in "Lakeshore" and "Birchwood"."""
    lex = lexicon()
    return any(
        lex.is_ordinary(folded[:cut]) and lex.is_ordinary(folded[cut:])
        for cut in range(3, len(folded) - 2)
    )


def _cities(record: Record) -> frozenset[str]:
    return record.know(_city_names)


def _city_names(record: Record) -> frozenset[str]:
    return frozenset(fold_place(m.text) for m in record.mentions if m.label == "CITY")


def _as_city(mention: Mention, text: str) -> Mention:
    return Mention("CITY", text, mention.start, mention.end, mention.span)


def _pick(table: str, folded: str, record: Record, attempt: int) -> str:
    pool = words_of("organisations", table)

    def make(more: int) -> str:
        return record.scope.draws.pick(pool, table.upper(), folded, attempt * 64 + more)

    return record.first_free("institution", make)


def room(mention: Mention, record: Record) -> str:
    """Other numbers, letters and directions; what kind of room it is stays."""

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("ROOM", mention.text.casefold(), attempt)
        named = True

        def other(match: re.Match[str]) -> str:
            nonlocal named
            token = match[0]
            named = named and len(token) > 1 and not token.isdigit()
            if token.isdigit():
                lead = "0" if token[0] == "0" else str(1 + dice.below(9))
                return lead + "".join(str(dice.below(10)) for _ in token[1:])
            for names in (_DIRECTIONS, _SHORT_DIRECTIONS):
                for name in names:
                    if token.lower() == name.lower():
                        named = False
                        rest = tuple(other for other in names if other != name)
                        return case_like(token, dice.pick(rest))
            if len(token) == 1:
                return case_like(token, dice.pick("ABCDEFGHJKLMNP".replace(token.upper(), "")))
            return token

        new = re.sub(r"\d+|[^\W\d_]+", other, mention.text)
        if not named:
            return new
        # A name and no number ("Lowell"): the last word is what tells it apart.
        *_, last = re.finditer(r"[^\W\d_]+", mention.text)
        word = case_like(last[0], _pick("fancy", last[0].lower(), record, attempt))
        return mention.text[: last.start()] + word + mention.text[last.end() :]

    return record.first_other("ROOM", mention.text, make)


_WORKER = re.compile(r"(?:er|or|ist|ian|ant|eer|man|smith|wright|tress|chef|clerk|cook)$")


@cache
def _jobs(words: int, vowel: bool) -> tuple[str, ...]:
    """Jobs of so many words that begin with a vowel or not, so that "a" and "an" stay right;
    without those that would make a patient one of the care staff."""
    lex = lexicon()
    return tuple(
        job
        for job in sorted(lex.professions)
        if len(job.split()) == words
        and (job[0] in "aeiou") == vowel
        and re.fullmatch(r"[a-z '-]+", job)
        and _WORKER.search(job)
        and not any(lex.is_clinical(word) or word in lex.countries for word in job.split())
    )


def profession(mention: Mention, record: Record) -> str:
    """Another job with as many words, in the same case and number."""
    text = mention.text
    folded = fold(text)
    jobs = _jobs(min(len(text.split()), 2), folded[0] in "aeiou")
    plural = folded.endswith("s") and folded[:-1] in lexicon().professions

    def make(attempt: int) -> str:
        return record.scope.draws.pick(jobs, "PROFESSION", folded, attempt)

    def taken(new: str) -> bool:
        return any(record.taken(word) for word in new.split())

    new = record.first_free("PROFESSION", make, taken) + ("s" if plural else "")
    if text.isupper() and len(text) > 4:  # "CPA" stands in any text
        return new.upper()
    return new.capitalize() if text[:1].isupper() and not text.isupper() else new
