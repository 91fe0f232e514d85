"""Hospitals and employers: other names of the same kind.

The words that say what a name is the name of ("Medical Center", "High School") stay; the words
that say which one it is become others, each for itself, so that "Seacrest" follows "Seacrest
Manor". An abbreviation of a name in the same record follows that name's surrogate.
"""

from __future__ import annotations

import re
from dataclasses import replace

from incognote.core.caches import cached, once
from incognote.lexicon import fold_place, lexicon
from incognote.lexicon.name_cells import name_place
from incognote.transform.numbers.ids import remapped
from incognote.transform.numbers.shapes import is_global
from incognote.transform.people.name_words import name_image, real_word
from incognote.transform.places import geography as places
from incognote.transform.places import landmarks, renaming, spanish, streets
from incognote.transform.pools import from_pool
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import case_like, fold, squeeze
from incognote.transform.word_data import groups_of, word_list, words_of

_WORD = re.compile(
    r"(?<!\w)[A-Z](?:[.&-][A-Z])+\b\.?"  # "V.F.W.", "A&P": letters that are one word
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*\.?|\d+(?:st|nd|rd|th)\b|\d+"
)
_ORGANISATIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
_SMALL = frozenset({"of", "the", "and", "at", "for", "de", "la"})
# With fewer alike in form, an institution would too often keep its name.
_ENOUGH = 5
# Longer runs of capitals may be names.
_LETTERED = 5
# So much of a name must a host show to be taken for it.
_HOST = 5
_ACRONYM = re.compile(r"[A-Z][A-Z&.]{1,6}")
_LETTERS = re.compile(r"(?:[A-Z]\.){2,}[A-Z]?")
_PART = re.compile(r"[^\W\d_][^\s\-/]*")
_COUNTIES = frozenset({"county", "co"})
# Behind the name of a state: "Ohio Dept of Health".
_OFFICES = frozenset("div division dept department board bureau medicaid state office".split())
# A town of so many people, whose name not so many bear.
_TOWN, _BORNE = 5_000, 1_000
_CAMEL = re.compile(r"[A-Z][a-z]+")


@once
def _heads() -> frozenset[str]:
    """Words in the names of kinds of institutions ("high school", "saw mill")."""
    lex = lexicon()
    return frozenset(
        word for head in lex.facility_heads | lex.organization_heads for word in head.split()
    )


class Institutions:
    """The surrogates of a record's institutions by the abbreviation a writer would use."""

    def __init__(self, record: TransformRecord) -> None:
        self.by_acronym: dict[str, str] = {}
        self._hosts: dict[str, dict[str, str]] = {}
        for mention in record.mentions:
            if mention.label in _ORGANISATIONS and " " in mention.text:
                new = organisation(mention, record)
                old = squeeze(mention.text)
                self._hosts.setdefault(old[:_HOST], {})[old] = squeeze(new)
                for skip in (frozenset[str](), _SMALL):
                    old = _acronym(mention.text, skip)
                    if len(old) > 1:
                        self.by_acronym.setdefault(old, _acronym(new, skip))

    def host(self, label: str) -> str:
        """The label of a host that is the name of an institution of the record, or begins it, or is
        its abbreviation: that institution's surrogate, of the same length. "" for any other."""
        begun = self._hosts.get(label[:_HOST], {}) if len(label) >= _HOST else {}
        for old, new in begun.items():
            if old.startswith(label):
                return new[: len(label)] if old != label else new
        return self.by_acronym.get(label.upper(), "").lower()


def _acronym(text: str, skip: frozenset[str]) -> str:
    words = [word for word in _PART.findall(text) if word.lower() not in skip]
    return "".join(word[0].upper() for word in words)


def organisation(mention: Mention, record: TransformRecord) -> str:
    """The surrogate of a hospital or another institution."""
    text = mention.text
    if text[:1].isalnum() and is_global(text):  # messages name institutions by their OIDs
        return remapped(text, record)
    if record.is_spanish and spanish.is_kind(text):
        return record.chose(text)
    if record.is_spanish and " " in text:
        return spanish.institution(mention, record)
    group = known_group(text, whole=True)
    if group:
        return _like(text, pick(group, fold(text), record, 0))
    if _ACRONYM.fullmatch(text) and not _is_name(text):
        return _abbreviation(text, record)

    def make(attempt: int) -> str:
        return _renamed(mention, record, attempt)

    acronyms = record.know(_acronyms)
    if not acronyms or _acronym(text, _SMALL) not in acronyms:
        return record.chose(make(0))

    def taken(new: str) -> bool:
        # The abbreviation of the surrogate must not be that of the original.
        return _acronym(text, _SMALL) == _acronym(new, _SMALL)

    return record.chose(record.first_free(mention.label, make, taken, lambda _: False))


def _acronyms(record: TransformRecord) -> frozenset[str]:
    """The abbreviations among a record's institutions."""
    return frozenset(
        re.sub(r"[^A-Z]", "", mention.text)
        for mention in record.mentions
        if mention.label in _ORGANISATIONS and _ACRONYM.fullmatch(mention.text)
    )


@cached(4096)
def _is_name(text: str) -> bool:
    """Whether capitals are a name and no letters: "DEBORAH"."""
    return len(text) > _LETTERED and text.isalpha() and name_place(fold(text)) is not None


@cached(4)
def _known(kind: str) -> dict[str, tuple[str, ...]]:
    """Folded name of what everybody knows -> the group it may be exchanged within."""
    return {fold_place(name): tuple(group) for group in groups_of("known", kind) for name in group}


@cached(16384)
def known_group(text: str, *, whole: bool = False) -> tuple[str, ...]:
    """Surrogates for something well known: if possible, as short and in capitals too."""
    bare = re.sub(r"^the\s+", "", text, flags=re.IGNORECASE)
    key = fold_place(bare)
    group = _known("anywhere").get(key, ()) or (_known("alone").get(key, ()) if whole else ())
    short = bare.isupper() and len(bare) <= 5
    alike = tuple(name for name in group if name.isupper() == short)
    same = tuple(name for name in alike if name.count(" ") == bare.count(" "))
    return next((each for each in (same, alike) if len(each) >= (2 if short else _ENOUGH)), group)


def _like(text: str, new: str) -> str:
    article = re.match(r"(?:the\s+)?", text, re.IGNORECASE)
    front = article[0] if article else ""
    if text.isupper() and len(text) > len(front) + 5:
        return front + new.upper()
    return front + (new.lower() if text.islower() else new)


def _abbreviation(text: str, record: TransformRecord) -> str:
    letters = re.sub(r"[^A-Z]", "", text)
    found = record.know(Institutions).by_acronym.get(letters)
    if found and len(found) == len(letters) and found != letters:
        source = iter(found)
    else:
        source = map(record.scope.letter, letters)
    return record.chose("".join(next(source) if char.isalpha() else char for char in text))


def _renamed(mention: Mention, record: TransformRecord, attempt: int = 0) -> str:
    text = mention.text
    words = _phrases(list(_WORD.finditer(text)), text, _cities(record))
    own = [
        i
        for i, (_, _, word, phrase) in enumerate(words)
        if phrase or not (is_generic(word, i == 0) or _leads(words, i) or _is_small(word, text))
    ]
    changing = own or [_last_resort(words)]
    shouted = text.isupper()
    out: list[str] = []
    used: set[str] = set()
    at = 0
    previous = ""
    for i, (start, end, word, _) in enumerate(words):
        out.append(text[at:start])
        at = end
        new = word
        if i in changing:
            behind = words[i + 1][2].lower().rstrip(".") if i + 1 < len(words) else ""
            tries = (
                _word(word, (previous, behind), record, attempt + 8 * k, mention) for k in range(8)
            )
            used.add(word)  # a draw may hit upon the original
            new = next((each for each in tries if each not in used), word)
            used.add(new)
            new = new.upper() if shouted else new.lower() if word.islower() else new
        out.append(new)
        previous = word.lower().rstrip(".")
    out.append(text[at:])
    return "".join(out)


def _is_small(word: str, text: str) -> bool:
    """A word in small letters among others is no name: that in "Exeter movement clinic"."""
    return word.islower() and not text.islower()


def _last_resort(words: list[tuple[int, int, str, bool]]) -> int:
    """What changes where nothing is a name: the dunes of "Hospice of the Dunes", or else the first
    word ("University Hospital", "Family Practice")."""
    texts = [word.lower() for _, _, word, _ in words]
    features = word_list("places", "features")
    if "of" in texts:
        behind = range(texts.index("of"), len(texts))
        found = next((i for i in behind if texts[i] in features), None)
        if found is not None:
            return found
    return next((i for i, text in enumerate(texts) if text not in _SMALL), 0)


def _leads(words: list[tuple[int, int, str, bool]], i: int) -> bool:
    """Whether a kind of place appears in front of its name: the camp of "Camp Tecumseh"."""
    if i and words[i - 1][2].lower() == "our" and words[i][2].lower() == "lady":
        return True
    leading = i == 0 and words[0][2].lower() in word_list("places", "leading")
    return leading and len(words) > 1 and not is_generic(words[1][2])


@cached(16384)
def _first_word(text: str) -> str:
    return (fold_place(text).split() or [""])[0]


@cached(256)
def _starts(cities: frozenset[str]) -> frozenset[str]:
    """How the phrases begin that are one name."""
    return frozenset(map(_first_word, (*_known("anywhere"), *cities)))


def _phrases(
    tokens: list[re.Match[str]], text: str, cities: frozenset[str]
) -> list[tuple[int, int, str, bool]]:
    """The words; those that make up a city of the record, or what everybody knows, are one."""
    found: list[tuple[int, int, str, bool]] = []
    i = 0
    while i < len(tokens):
        longest = i + 5 if _first_word(tokens[i][0]) in _starts(cities) else i + 1
        for k in range(min(len(tokens), longest), i, -1):
            start, end = tokens[i].start(), tokens[k - 1].end()
            phrase = text[start:end]
            joined = bool(known_group(phrase) or (cities and fold_place(phrase) in cities))
            if joined or k == i + 1:
                found.append((start, end, phrase, joined))
                i = k
                break
    return found


@cached(65536)
def is_generic(word: str, first: bool = False) -> bool:
    """Whether a word says what kind of institution it is. The lists hold many words that also
    begin names ("Mill Creek"), so a first word must be on the short list."""
    lower = word.lower().replace("’", "'").replace(".", "")  # "P.C.", "H.S."
    if lower in word_list("organisations", "generic") or (len(lower) == 1 and lower.isalpha()):
        return True
    # "Garnet Hill OB": what is done there. A name of capitals alone appears first.
    if not first and word.isupper() and lexicon().is_abbreviation(word):
        return True
    # "Alder Ridge Clinic": a ridge is a kind of place, and says nothing behind a name.
    return not first and (
        lower in _heads()
        or lower in word_list("places", "features")
        or lower in word_list("places", "street_kinds")
    )


def _word(
    word: str, beside: tuple[str, str], record: TransformRecord, attempt: int, mention: Mention
) -> str:
    """Another word of its sort: number, saint, city, county, brand, surname, fancy word or
    invention. `beside` are the words before and behind it."""
    previous, behind = beside
    if word[0].isdigit():
        return renaming.other_number(word, record, attempt)
    stop = "." if word.endswith(".") else ""
    bare = word.rstrip(".")
    tail = ""
    if bare.endswith(("'s", "’s")):
        tail, bare = "'s" if len(word) > 3 else "", bare[:-2]
    folded = fold(bare)
    if previous in ("st", "saint", "san", "santa"):
        return pick(words_of("organisations", "saints"), folded, record, attempt) + tail + stop
    cities = _cities(record)
    if cities and fold_place(bare) in cities:
        return places.city(_as_city(mention, bare), record) + tail + stop
    if behind in _COUNTIES and (county := _county(bare, mention, record)):
        return county
    group = known_group(word)
    if group:
        return pick(group, folded, record, attempt)
    if _is_town(bare) and not attempt:
        return places.city(_as_city(mention, bare), record) + tail + stop
    stately = previous == "of" or (not previous and behind in _OFFICES)
    if stately and (state := lexicon().state(bare)) and len(bare) > 3:
        return places.state_name(state, record) + tail + stop
    if _LETTERS.fullmatch(word):  # "M.E."
        return "".join(map(record.scope.letter, word))
    if bare.isupper() and (len(bare) <= 4 or not bare.isalpha()) and not mention.text.isupper():
        return "".join(map(record.scope.letter, bare)) + stop
    parts = _CAMEL.findall(bare)
    if len(parts) > 1 and "".join(parts) == bare:  # the county of "TriCounty" stays
        kinds = [part if is_generic(part) else "" for part in parts[1:]]
        return invented_name(folded, record, attempt) + "".join(kinds) + tail + stop
    lex = lexicon()
    if lex.word_rank(bare) is not None or lex.is_ordinary(bare):
        surname = lex.surname(bare)
        if surname is not None and surname.count and not surname.common_word and not attempt:
            return name_image(folded, record) + tail + stop
        return invented_name(folded, record, attempt) + tail + stop
    if _is_compound(folded):
        return invented_name(folded, record, attempt) + tail + stop
    return case_like(bare, real_word(bare, record, salt=str(attempt or ""))) + tail + stop


@cached(16384)
def _is_town(word: str) -> bool:
    """Whether a word names a town and hardly anything else: the Tacoma of "Tacoma Dialysis"."""
    lex = lexicon()
    borne = (lex.surname_bearers(fold(word)) or 0) + (lex.first_name_bearers(fold(word)) or 0)
    if borne > _BORNE or lex.is_ordinary(word) or lex.state(word) or _is_compound(fold(word)):
        return False  # "Lakeview" says where a house lies, and is the name of many
    return any(city.state and city.population > _TOWN for city in lex.city(word))


def _county(word: str, mention: Mention, record: TransformRecord) -> str:
    """The name of another county, for "King County Health"; "" for what is none."""
    if fold_place(f"{word} County") not in lexicon().counties:
        return ""
    whole = replace(mention, label="LOCATION-OTHER", text=f"{word} County")
    return landmarks.county(whole, record).rpartition(" ")[0]


@cached(16384)
def _is_compound(folded: str) -> bool:
    """Two ordinary words in one, as in "Lakeshore" and "Birchwood"."""
    lex = lexicon()
    return any(
        lex.is_ordinary(folded[:cut]) and lex.is_ordinary(folded[cut:])
        for cut in range(3, len(folded) - 2)
    )


def _cities(record: TransformRecord) -> frozenset[str]:
    return record.know(_city_names)


def _city_names(record: TransformRecord) -> frozenset[str]:
    return frozenset(fold_place(m.text) for m in record.mentions if m.label == "CITY")


def _as_city(mention: Mention, text: str) -> Mention:
    return Mention("CITY", text, mention.start, mention.end, mention.span)


def pick(pool: tuple[str, ...], folded: str, record: TransformRecord, attempt: int) -> str:
    """Another of a list: the image of a listed one, a keyed choice for any other."""
    listed = {fold(name): rank for rank, name in enumerate(pool)}
    if folded in listed and not attempt:
        at = record.scope.permuted(f"list:{pool[0]}:{len(pool)}", len(pool), listed[folded])
        return record.chose(pool[at])
    return record.chose(record.scope.draws.pick(pool, "INSTITUTION", folded, attempt))


def invented_name(folded: str, record: TransformRecord, attempt: int = 0) -> str:
    """A word that institutions and streets are named with: one of thousands."""
    own = from_pool("institution", folded, record)
    return own or streets.street_name(folded, record, attempt)
