"""Places that fit together: a state goes to a state, and its cities and ZIP codes go with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from incognote.core.caches import cached, once
from incognote.lexicon import State, fold_place, lexicon
from incognote.transform.numbers.ids import remapped
from incognote.transform.places import spanish
from incognote.transform.places.renaming import renamed
from incognote.transform.places.streets import place_name
from incognote.transform.pools import from_pool
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import case_like, fold, squeeze
from incognote.transform.word_data import table_of, words_of

# How adjectives end, as nouns for people do not: "Spanish", not "Spaniard".
_ADJECTIVES = ("an", "ese", "ish", "ic", "i", "ch")
_AMERICAN = re.compile(r"(?<=\w)[- ]American$", re.IGNORECASE)
_NEAR = 6
_TOWN = 500
_ENOUGH = 10
_CITIES = 3
_PATIENCE = 24
_PLAIN_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?")
_NAME = re.compile(r"[A-Z][\w'.]+(?:[ -][A-Z][\w'.]+){0,2}")
# So many towns or more are about as large as each other; so many states.
_BAND = 100
_STATES = 17
_LARGE = 20
_CANADIAN = re.compile(r"[A-Z]\d[A-Z][ -]?\d[A-Z]\d", re.IGNORECASE)
_WORLD = ("africa", "middle_east", "europe", "americas", "asia_pacific")
_CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")


class PlaceFacts:
    """Which state each city of a record lies in and which city each ZIP code, as far as the record
    shows it."""

    def __init__(self, record: TransformRecord) -> None:
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
        self._country_of: dict[str, str] = {}
        placed = [m for m in record.mentions if m.label in ("CITY", "STATE", "ZIP", "COUNTRY")]
        city_ = ""
        for before, after in pairwise(placed):
            if before.label == "CITY":
                city_ = fold_place(before.text)
            if not _together(before, after):
                city_ = ""
            if not city_ or after.label == "CITY":
                continue
            if after.label == "COUNTRY":
                country_ = lex.countries.get(fold(after.text))
                if country_ and country_ != "United States":
                    self._country_of.setdefault(city_, country_)
                continue
            is_zip = after.label == "ZIP"
            code = state_of_zip(after.text) if is_zip else lex.state(after.text)
            if code:
                self._state_of.setdefault(city_, code)
            if is_zip:
                self._city_of.setdefault(squeeze(after.text)[:5], city_)

    def country_of(self, key: str) -> str | None:
        """The country abroad that a city lies in: what the record says, or the lists."""
        found = self._country_of.get(key)
        if found or self.state_of(key):
            return found
        return next((each.country for each in lexicon().city(key)), None)

    def state_of(self, key: str) -> str | None:
        """The state of a city: what the record says, or where the largest one of its name lies."""
        known = self._state_of.get(key)
        if known or key in self._country_of:
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


@once
def _zip_states() -> dict[str, str]:
    return {zip3: code for code, row in lexicon().states.items() for zip3 in row.zip3}


def state_of_zip(text: str) -> str | None:
    return _zip_states().get(text.strip()[:3])


@once
def _towns() -> dict[str, tuple[str, ...]]:
    """State -> its towns with ZIP codes of their own, largest first."""
    found: dict[str, list[str]] = {}
    lex = lexicon()
    for city_ in map(lex.us_cities.__getitem__, range(len(lex.us_cities))):
        if city_.population < _TOWN or not _NAME.fullmatch(city_.name):
            continue
        if lex.zips.of(city_.state, fold_place(city_.name)):
            found.setdefault(city_.state, []).append(city_.name)
    return {code: tuple(names) for code, names in found.items() if len(names) >= _ENOUGH}


@once
def _common_towns() -> frozenset[str]:
    states = Counter(name for names in _towns().values() for name in names)
    return frozenset(name for name, count in states.items() if count > 3)


@cached(128)
def _ranks(state_: str) -> dict[str, int]:
    """Folded town -> its rank in the state."""
    ranks: dict[str, int] = {}
    for rank, name in enumerate(_towns().get(state_, ())):
        ranks.setdefault(fold_place(name), rank)
    return ranks


def _band(rank: int, size: int) -> tuple[int, int]:
    """The first and the last rank, plus one, of the towns that are about as large: a hundred of the
    largest, then as many as all before. The rest joins the band before it if it is small."""
    start, end = 0, _BAND
    while rank >= end or (size > end and size - end < _BAND):
        start, end = (end, 2 * end) if rank >= end else (start, size)
    return start, min(end, size)


@once
def _state_pool() -> tuple[str, ...]:
    """States with enough towns to draw from, by the number of their people: territories would be
    rare enough to be noticed."""
    lex = lexicon()
    people: Counter[str] = Counter()
    for city_ in map(lex.us_cities.__getitem__, range(len(lex.us_cities))):
        people[city_.state] += city_.population
    return tuple(sorted(_towns(), key=lambda code: (-people[code], code)))


@once
def _world() -> dict[str, tuple[str, ...]]:
    """Country -> cities of at least 25,000 people, as English writes them."""
    found: dict[str, list[str]] = {}
    table = lexicon().world_cities
    for city_ in map(table.__getitem__, range(len(table))):
        if city_.population >= 25_000 and _PLAIN_NAME.fullmatch(city_.name):
            found.setdefault(city_.country, []).append(city_.name)
    return {country_: tuple(names) for country_, names in found.items()}


def _replaced(record: TransformRecord, label: str) -> bool:
    return record.policy.rule(label).action == "surrogate"


def state_image(code: str, record: TransformRecord) -> str:
    """Where a state's places go: to itself where the policy leaves states alone. Large states go to
    large ones, small ones to small ones."""
    if not _replaced(record, "STATE"):
        return code
    pool = _state_pool()
    if code not in pool:
        return record.scope.draws.pick(pool, "STATE", code)
    band, index = divmod(pool.index(code), _STATES)
    members = pool[band * _STATES : (band + 1) * _STATES]
    return members[record.scope.permuted(f"states:{band}", len(members), index)]


def state_name(code: str, record: TransformRecord) -> str:
    """The name of a state's surrogate."""
    return record.chose(lexicon().states[state_image(code, record)].name)


def state(mention: Mention, record: TransformRecord) -> str:
    text = mention.text
    if record.is_spanish and (region := spanish.region(mention, record)):
        return region
    lex = lexicon()
    code = lex.state(text)
    if code is None:
        return _region(mention, record)
    new = lex.states[state_image(code, record)]
    record.chose(f"{new.name} {new.code} {' '.join(new.abbreviations)}")
    return record.chose(_like_state(text, code, new))


def _like_state(text: str, code: str, new: State) -> str:
    """A state written as another one is."""
    lex = lexicon()
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


@cached(64)
def _provinces_of(country_: str) -> tuple[str, ...]:
    every = lexicon().provinces.values()
    return tuple(sorted({each.name for each in every if each.country == country_}))


def province_image(name: str, record: TransformRecord) -> str:
    """The surrogate of a province abroad: one of the same country."""
    country_ = lexicon().provinces[fold(name)].country
    pool = _provinces_of(country_)
    at = record.scope.permuted(f"provinces:{country_}", len(pool), pool.index(name))
    return record.chose(pool[at])


def _region(mention: Mention, record: TransformRecord) -> str:
    """A province abroad: another of the same country, a code for a code, or made-up words."""
    provinces = lexicon().provinces
    own = provinces.get(fold(mention.text))
    if own is None or len(_provinces_of(own.country)) < 2:
        return renamed(mention, record, frozenset(), place_name)
    image = provinces[fold(province_image(own.name, record))]
    is_code = fold(mention.text) != fold(own.name)
    new = image.codes[0] if is_code and image.codes else image.name
    return record.chose(new.upper() if mention.text.isupper() else new)


def city(mention: Mention, record: TransformRecord) -> str:
    key = fold_place(mention.text)
    new, _ = _city_image(key, record.know(PlaceFacts).state_of(key), record)
    return case_like(mention.text, new) if mention.text.isupper() or mention.text.islower() else new


def _city_image(key: str, code: str | None, record: TransformRecord) -> tuple[str, str]:
    """The surrogate of a city, and its state; "" abroad. Cities of one state go to cities of
    one state, as large as they are."""
    names, home, rank = _city_pool(key, code, record)
    own = from_pool("city", key, record)
    if own is not None:
        return own, home
    many = len(names)
    # On no list: any town but the largest.
    start, end = _band(rank, many) if rank < many else (min(_LARGE, many // 4), many)
    size = end - start

    def make(attempt: int) -> str:
        index = rank - start
        if rank >= end or attempt:  # on no list here, or there are fewer towns there
            index = record.scope.draws.dice("CITY", key, attempt).below(size)
        where = home or (record.know(PlaceFacts).country_of(key) or "")
        return names[start + record.scope.permuted(f"cities:{where}:{start}", size, index)]

    def known(new: str) -> bool:
        if record.corpus is None:
            return False
        # Fairview is in twenty states: too many towns of a corpus would be called so.
        return new.casefold() in record.corpus.cities or new in _common_towns()

    # A corpus may name every town of a state; the ZIP code still keeps them apart.
    return record.chose(record.first_free("CITY", make, known, lambda _: False)), home


def _city_pool(
    key: str, code: str | None, record: TransformRecord
) -> tuple[Sequence[str], str, int]:
    """Cities largest first, their state, and the rank of the original among those of its own
    state; beyond the last for one on no list."""
    if record.is_spanish:
        names = spanish.towns_like(key)
        own = [fold_place(name) for name in names]
        return names, "", own.index(key) if key in own else len(names)
    if code is not None:
        home = state_image(code, record)
        towns = _towns().get(home)
        if towns:
            return towns, home, _ranks(code).get(key, len(towns))
    abroad = record.know(PlaceFacts).country_of(key)
    if abroad is not None:
        # Where the record names provinces, which stay in their country, cities stay there too.
        stays = abroad in record.know(PlaceFacts).provinces or not _replaced(record, "COUNTRY")
        country_ = abroad if stays else country_image(abroad, record)
        names = _world().get(country_, ())
        if len(names) >= 2:
            own = [fold_place(name) for name in _world().get(abroad, ())]
            return names, "", own.index(key) if key in own else len(names)
    # A place on no list: a small town of the state that the record mentions, or of any.
    states = sorted(record.know(PlaceFacts).states)
    if len(states) == 1:
        home = state_image(states[0], record)
    else:
        home = record.scope.draws.pick(_state_pool(), "HOME", key)
    towns = _towns().get(home) or _towns()[_state_pool()[0]]
    return towns, home, len(towns)


def zip_code(mention: Mention, record: TransformRecord) -> str:
    """A ZIP code of the surrogate city; postal codes of other countries keep their classes."""
    text = mention.text
    digits = "".join(char for char in text if char.isdigit())
    code = state_of_zip(digits) if len(digits) in (3, 5, 9) and digits == squeeze(text) else None
    if record.is_spanish and (spanish_code := spanish.postcode(text, record)):
        return spanish_code
    if code is None or record.is_spanish:
        return _postal_code(text, record)
    own = _zips_of_city(digits[:5], record)
    # Without a city, or where all its codes are originals: one that looks like it.
    prefixes = tuple({each[:3] for each in own}) or lexicon().states[state_image(code, record)].zip3

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("ZIP", digits, attempt)
        first = dice.pick(own) if own and attempt < _PATIENCE else dice.pick(sorted(prefixes))
        rest = "".join(str(dice.below(10)) for _ in range(len(digits) - len(first)))
        source = iter((first + rest)[: len(digits)])
        return "".join(next(source) if char.isdigit() else char for char in text)

    def known(new: str) -> bool:
        return record.corpus is not None and squeeze(new) in record.corpus.zips

    return record.chose(record.first_free("ZIP", make, known))


def _postal_code(text: str, record: TransformRecord) -> str:
    """A postal code of another country: of the same form, and in Canada of the surrogate province,
    which the first letter shows."""
    new = remapped(text, record)
    province = _postal_provinces().get(text[:1].upper())
    if province is None or not _CANADIAN.fullmatch(text):
        return new
    letters = table_of("places")["canadian_letters"][province_image(province, record)]
    first = record.scope.draws.pick(tuple(letters), "POSTAL LETTER", text[:1].upper())
    return record.chose((first if text[0].isupper() else first.lower()) + new[1:])


@once
def _postal_provinces() -> dict[str, str]:
    """First letter of a Canadian postal code -> its province."""
    table = table_of("places")["canadian_letters"]
    return {letter: name for name, letters in table.items() for letter in letters}


def _zips_of_city(zip5: str, record: TransformRecord) -> tuple[str, ...]:
    """The codes of the surrogate of the city that a ZIP code belongs to."""
    found = record.know(PlaceFacts).city_of(zip5)
    if found is None:
        return ()
    key, code = found
    if _replaced(record, "CITY"):
        name, code = _city_image(key, code, record)
        key = fold_place(name)
    return lexicon().zips.of(code or "", key)


@once
def _peoples() -> dict[str, str]:
    """Country -> its adjective."""
    found: dict[str, str] = {}
    for adjective, country_ in lexicon().nationalities.items():
        found.setdefault(country_, adjective.title())
        if adjective.endswith(_ADJECTIVES) and not found[country_].lower().endswith(_ADJECTIVES):
            found[country_] = adjective.title()
    return found


@once
def _country_pool() -> tuple[str, ...]:
    """Countries that people come from, that have an adjective and enough cities to draw from."""
    lex = lexicon()
    codes = words_of("places", "country_codes_2")
    names = (lex.country_names[code] for code in codes if code != "US")
    return tuple(
        name for name in names if name in _peoples() and len(_world().get(name, ())) >= _CITIES
    )


@once
def _parts_of_world() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Country -> its part of the world, and the countries there that may stand for it: those that
    have an adjective and cities."""
    lex = lexicon()
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for part in _WORLD:
        names = [lex.country_names[code] for code in words_of("places", f"world_{part}")]
        pool = [each for each in names if each in _peoples() and len(_world().get(each, ())) > 1]
        found |= dict.fromkeys(names, (part, tuple(pool)))
    return found


def country_image(name: str, record: TransformRecord) -> str:
    """The surrogate of a country, by a permutation of those of its part of the world; continents
    are a pool of their own."""
    part, pool = _parts_of_world().get(name, ("", _country_pool()))
    if name in _CONTINENTS:
        part, pool = "continents", _CONTINENTS
    if part and name in pool:
        key = f"countries:{part}"
        return record.chose(pool[record.scope.permuted(key, len(pool), pool.index(name))])
    return record.chose(record.scope.draws.pick(pool, "COUNTRY", name))


def _country_code(code: str, record: TransformRecord) -> str:
    pool = words_of("places", f"country_codes_{len(code)}")
    if code not in pool:
        return record.chose(record.scope.draws.pick(pool, "COUNTRY", code))
    # Codes of two and of three letters appear in the same order.
    return record.chose(pool[record.scope.permuted("country codes", len(pool), pool.index(code))])


def country(mention: Mention, record: TransformRecord) -> str:
    """A country for a country, a nationality for a nationality, both by the same map.

    A code in a field of its own becomes another code: "USA" in an address is a form, not a word.
    """
    text = mention.text
    if record.is_spanish:
        new = spanish.country(text, record)
        return new.upper() if text.isupper() else new
    lex = lexicon()
    if text == record.text and re.fullmatch(r"[A-Z]{2,3}", text):
        return _country_code(text, record)
    if _AMERICAN.search(text):  # where the notes are written, everybody is
        head = Mention("COUNTRY", text[:-9], mention.start, mention.end - 9, mention.span)
        return record.chose(country(head, record) + text[-9:])
    bare = re.sub(r"^the\s+", "", text, flags=re.IGNORECASE)
    key = fold(bare)
    article = text[: len(text) - len(bare)] if record.text.isupper() else ""
    name = lex.countries.get(key) or lex.countries.get(fold(text))
    if bare.title() in _CONTINENTS:
        name = bare.title()
    if name is not None:
        name = name.removeprefix("The ")  # as the Dutch come from: "Netherlands"
        new = country_image(name, record)
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
    image = country_image(people or key, record)
    # A place that no list knows is a country, unless it ends as adjectives do.
    new = _peoples()[image] if people or key.endswith(_ADJECTIVES) else image
    new = record.chose(new + ("s" if plural and people else ""))
    return new.upper() if bare.isupper() else new.lower() if bare.islower() else new
