"""Places that fit together: a state goes to a state, and its cities and ZIP codes go with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from incognote.lexicon import fold_place, lexicon
from incognote.transform.ids import redraw
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import case_like, fold, squeeze
from incognote.transform.streets import fancy_place, renamed
from incognote.transform.worddata import words_of

# How adjectives end, as nouns for people do not: "Spanish", not "Spaniard".
_ADJECTIVES = ("an", "ese", "ish", "ic", "i", "ch")
_AMERICAN = re.compile(r"(?<=\w)[- ]American$", re.IGNORECASE)
_NEAR = 6
_TOWN = 5_000
_ENOUGH = 10
_CITIES = 3
_PATIENCE = 24
_PLAIN_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?")


class PlaceFacts:
    """Which state each city of a record lies in and which city each ZIP code, as far as the record
    shows it."""

    def __init__(self, record: Record) -> None:
        lex = lexicon()
        self.states = {
            code
            for mention in record.mentions
            if mention.label == "STATE" and (code := lex.state(mention.text))
        }
        self.provinces = {
            lex.regions.get(fold(mention.text))
            for mention in record.mentions
            if mention.label == "STATE" and not lex.state(mention.text)
        }
        self._state_of: dict[str, str] = {}
        self._city_of: dict[str, str] = {}
        placed = [m for m in record.mentions if m.label in ("CITY", "STATE", "ZIP")]
        city_ = ""
        for before, after in pairwise(placed):
            if before.label == "CITY":
                city_ = fold_place(before.text)
            if not _together(before, after):
                city_ = ""
            if not city_ or after.label == "CITY":
                continue
            is_zip = after.label == "ZIP"
            code = state_of_zip(after.text) if is_zip else lex.state(after.text)
            if code:
                self._state_of.setdefault(city_, code)
            if is_zip:
                self._city_of.setdefault(squeeze(after.text)[:5], city_)

    def state_of(self, key: str) -> str | None:
        """The state of a city: what the record says, or where the largest one of its name lies."""
        known = self._state_of.get(key)
        if known:
            return known
        return next((found.state for found in lexicon().city(key) if found.state), None)

    def city_of(self, zip5: str) -> tuple[str, str | None] | None:
        """The city of a ZIP code and its state: what the record says, or where its office is."""
        key = self._city_of.get(zip5)
        if key is not None:
            return key, self.state_of(key)
        town = lexicon().zips.town(zip5)
        if town is None:
            return None
        state_, key = town
        return key, self._state_of.get(key, state_)


def _together(before: Mention, after: Mention) -> bool:
    """Whether two parts of addresses belong to one."""
    group = before.span.group
    return after.start - before.end <= _NEAR or bool(group and group == after.span.group)


@cache
def _zip_states() -> dict[str, str]:
    return {zip3: code for code, row in lexicon().states.items() for zip3 in row.zip3}


def state_of_zip(text: str) -> str | None:
    return _zip_states().get(text.strip()[:3])


@cache
def _towns() -> dict[str, tuple[str, ...]]:
    """State -> its towns with plain names and ZIP codes of their own, largest first."""
    found: dict[str, list[str]] = {}
    lex = lexicon()
    for city_ in map(lex.us_cities.__getitem__, range(len(lex.us_cities))):
        if city_.population < _TOWN or not _PLAIN_NAME.fullmatch(city_.name):
            continue
        if lex.zips.of(city_.state, fold_place(city_.name)):
            found.setdefault(city_.state, []).append(city_.name)
    return {code: tuple(names) for code, names in found.items() if len(names) >= _ENOUGH}


@cache
def _state_pool() -> tuple[str, ...]:
    """States with enough towns to draw from: territories would be rare enough to be noticed."""
    return tuple(sorted(_towns()))


@cache
def _world() -> dict[str, tuple[str, ...]]:
    """Country -> cities of at least 100,000 people, as English writes them."""
    found: dict[str, list[str]] = {}
    table = lexicon().world_cities
    for city_ in map(table.__getitem__, range(len(table))):
        if city_.population >= 100_000 and _PLAIN_NAME.fullmatch(city_.name):
            found.setdefault(city_.country, []).append(city_.name)
    return {country_: tuple(names) for country_, names in found.items()}


def _replaced(record: Record, label: str) -> bool:
    return record.policy.rule(label).action == "surrogate"


@cache
def _state_names() -> dict[str, str]:
    return {code: row.name.lower() for code, row in lexicon().states.items()}


def _state_image(code: str, record: Record) -> str:
    """Where a state's places go: to itself where the policy leaves states alone."""
    if not _replaced(record, "STATE"):
        return code
    names = _state_names()

    def make(attempt: int) -> str:
        return record.scope.draws.pick(_state_pool(), "STATE", code, attempt)

    def shows(new: str, originals: Iterable[str]) -> bool:
        # West Virginia would show Virginia, Arkansas Kansas.
        return any(names[original] in names[new] for original in originals)

    def taken(new: str) -> bool:
        return shows(new, {code, *record.know(PlaceFacts).states}) or any(
            map(record.taken, names[new].split())
        )

    # A long record may name nearly every state.
    return record.first_free("STATE", make, taken, lambda new: shows(new, {code}))


def state_name(code: str, record: Record) -> str:
    """The name of the state that stands for one."""
    return lexicon().states[_state_image(code, record)].name


def state(mention: Mention, record: Record) -> str:
    text = mention.text
    lex = lexicon()
    code = lex.state(text)
    if code is None:
        return _region(mention, record)
    new = lex.states[_state_image(code, record)]
    letters = squeeze(text)
    if letters == code.lower() and "." not in text:
        return new.code.lower() if text.islower() else new.code
    if letters == squeeze(lex.states[code].name):
        return case_like(text, new.name) if text.isupper() or text.islower() else new.name
    # "Calif.", "N.Y.": some states have no such form and are written in full.
    stop = "." if "." in text else ""
    short = f"{new.abbreviations[0]}{stop}" if new.abbreviations else new.name
    if short == f"{new.code}.":
        short = f"{new.code[0]}.{new.code[1]}."
    return short.upper() if text.isupper() and len(letters) > 2 else short


def _region(mention: Mention, record: Record) -> str:
    """A province abroad: another of the same country, or made-up words."""
    regions = lexicon().regions
    country = regions.get(fold(mention.text))
    short = len(mention.text) <= 3
    pool = tuple(
        name for name, of in sorted(regions.items()) if of == country and (len(name) <= 3) == short
    )
    if country is None or len(pool) < 2:
        return renamed(mention, record, frozenset(), fancy_place)

    def make(attempt: int) -> str:
        return record.scope.draws.pick(pool, "REGION", fold(mention.text), attempt)

    new = record.first_free("STATE", make)
    return new.upper() if mention.text.isupper() else new.title()


def city(mention: Mention, record: Record) -> str:
    key = fold_place(mention.text)
    new, _ = _city_image(key, record.know(PlaceFacts).state_of(key), record)
    return case_like(mention.text, new) if mention.text.isupper() or mention.text.islower() else new


def _city_image(key: str, code: str | None, record: Record) -> tuple[str, str]:
    """The city that stands for one, and its state; "" abroad."""
    names, home = _city_pool(key, code, record)

    def make(attempt: int) -> str:
        return record.scope.draws.pick(names, "CITY", key, attempt)

    def taken(new: str) -> bool:
        return any(map(record.taken, new.split()))

    def known(new: str) -> bool:
        return record.corpus is not None and new.casefold() in record.corpus.cities

    # A corpus may name every town of a state; the ZIP code still keeps them apart.
    return record.first_free("CITY", make, lambda new: taken(new) or known(new), taken), home


def _city_pool(key: str, code: str | None, record: Record) -> tuple[tuple[str, ...], str]:
    if code is not None:
        home = _state_image(code, record)
        towns = _towns().get(home)
        if towns:
            return towns, home
    abroad = next((found.country for found in lexicon().city(key)), None)
    if abroad is not None:
        # Where the record names provinces, which stay in their country, cities stay there too.
        stays = abroad in record.know(PlaceFacts).provinces or not _replaced(record, "COUNTRY")
        country_ = abroad if stays else _country_image(abroad, record)
        names = _world().get(country_, ())
        if len(names) >= 2:
            return names, ""
    # A place on no list: any town will do, but always the same.
    home = record.scope.draws.pick(_state_pool(), "HOME", key)
    return _towns()[home], home


def zip_code(mention: Mention, record: Record) -> str:
    """A ZIP code of the surrogate city; postal codes of other countries keep their classes."""
    text = mention.text
    digits = "".join(char for char in text if char.isdigit())
    code = state_of_zip(digits) if len(digits) in (3, 5, 9) and digits == squeeze(text) else None
    if code is None:
        return redraw("ZIP", text, record)
    own = _zips_of_city(digits[:5], record)
    # Without a city, or where all its codes are originals: one that looks like it.
    prefixes = (
        tuple({each[:3] for each in own}) or lexicon().states[_state_image(code, record)].zip3
    )

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("ZIP", digits, attempt)
        first = dice.pick(own) if own and attempt < _PATIENCE else dice.pick(sorted(prefixes))
        rest = "".join(str(dice.below(10)) for _ in range(len(digits) - len(first)))
        source = iter((first + rest)[: len(digits)])
        return "".join(next(source) if char.isdigit() else char for char in text)

    def taken(new: str) -> bool:
        known = record.corpus is not None and squeeze(new) in record.corpus.zips
        return known or record.is_original(new)

    return record.first_free("ZIP", make, taken)


def _zips_of_city(zip5: str, record: Record) -> tuple[str, ...]:
    """The codes of the city that stands for the one a ZIP code belongs to."""
    found = record.know(PlaceFacts).city_of(zip5)
    if found is None:
        return ()
    key, code = found
    if _replaced(record, "CITY"):
        name, code = _city_image(key, code, record)
        key = fold_place(name)
    return lexicon().zips.of(code or "", key)


@cache
def _peoples() -> dict[str, str]:
    """Country -> its adjective."""
    found: dict[str, str] = {}
    for adjective, country_ in lexicon().nationalities.items():
        found.setdefault(country_, adjective.title())
        if adjective.endswith(_ADJECTIVES) and not found[country_].lower().endswith(_ADJECTIVES):
            found[country_] = adjective.title()
    return found


@cache
def _country_pool() -> tuple[str, ...]:
    """Countries that people come from, that have an adjective and enough cities to draw from."""
    lex = lexicon()
    codes = words_of("places", "country_codes_2")
    names = (lex.country_names[code] for code in codes if code != "US")
    return tuple(
        name for name in names if name in _peoples() and len(_world().get(name, ())) >= _CITIES
    )


def _country_image(name: str, record: Record) -> str:
    def make(attempt: int) -> str:
        return record.scope.draws.pick(_country_pool(), "COUNTRY", name, attempt)

    def own(new: str) -> bool:
        return new == name

    def taken(new: str) -> bool:
        return own(new) or record.taken(new) or record.taken(_peoples()[new])

    return record.first_free("COUNTRY", make, taken, own)


def _country_code(code: str, record: Record) -> str:
    pool = words_of("places", f"country_codes_{len(code)}")

    def make(attempt: int) -> str:
        return record.scope.draws.pick(pool, "COUNTRY", code, attempt)

    return record.first_free("COUNTRY", make, lambda new: new == code or record.taken(new))


def country(mention: Mention, record: Record) -> str:
    """A country for a country, a nationality for a nationality, both by the same map.

    A code in a field of its own becomes another code: "USA" in an address is a form, not a word.
    """
    text = mention.text
    lex = lexicon()
    if text == record.text and re.fullmatch(r"[A-Z]{2,3}", text):
        return _country_code(text, record)
    if _AMERICAN.search(text):  # where the notes are written, everybody is
        head = Mention("COUNTRY", text[:-9], mention.start, mention.end - 9, mention.span)
        return country(head, record) + text[-9:]
    bare = re.sub(r"^the\s+", "", text, flags=re.IGNORECASE)
    key = fold(bare)
    article = text[: len(text) - len(bare)] if record.text.isupper() else ""
    name = lex.countries.get(key) or lex.countries.get(fold(text))
    if name is not None:
        name = name.removeprefix("The ")  # as the Dutch come from: "Netherlands"
        new = _country_image(name, record)
        shouted = bare.isupper() and len(bare) > 3
        return article + (new.upper() if shouted else new.lower() if bare.islower() else new)
    if lex.state(bare) and _replaced(record, "STATE"):
        return state(mention, record)
    plural = key.endswith("s") and key not in lex.nationalities
    people = lex.nationalities.get(key.removesuffix("s") if plural else key)
    if people is None and "-" in bare:
        return "-".join(
            country(Mention(mention.label, part, mention.start, mention.end, mention.span), record)
            for part in bare.split("-")
        )
    image = _country_image(people or key, record)
    # A place that no list knows is a country, unless it ends as adjectives do.
    new = _peoples()[image] if people or key.endswith(_ADJECTIVES) else image
    new += "s" if plural and people else ""
    return new.upper() if bare.isupper() else new.lower() if bare.islower() else new
