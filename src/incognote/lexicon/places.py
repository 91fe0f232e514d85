"""Places: cities, counties, states, countries and the words for people from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from incognote.lexicon import store
from incognote.lexicon.fold import fold, fold_place


@dataclass(frozen=True, slots=True)
class City:
    """`state` is a two-letter code inside the United States and empty elsewhere."""

    name: str
    state: str
    country: str
    population: int


@dataclass(frozen=True, slots=True)
class State:
    """A state, district or territory of the United States.

    `zip3` are the three-digit ZIP prefixes in use there; `abbreviations` the traditional ones
    without full stops ("Calif", "NC").
    """

    code: str
    name: str
    abbreviations: tuple[str, ...]
    zip3: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Province:
    """A state or province abroad, as it stands in addresses: the codes may be none."""

    name: str
    codes: tuple[str, ...]
    country: str


class ZipTable:
    """Which ZIP codes a town has, and which town a ZIP code. Towns go by state and folded name."""

    def __init__(self) -> None:
        self._of_town: dict[tuple[str, str], str] = {}
        for line in store.lines("us_zips"):
            state, town, codes = line.split("\t")
            self._of_town[state, town] = codes

    @cached_property
    def _towns(self) -> dict[str, tuple[str, str]]:
        return {code: town for town, codes in self._of_town.items() for code in codes.split()}

    def of(self, state: str, town: str) -> tuple[str, ...]:
        return tuple(self._of_town.get((state, town), "").split())

    def town(self, code: str) -> tuple[str, str] | None:
        return self._towns.get(code)


class CityTable:
    """Cities by name, largest first."""

    def __init__(self, table: str, areas: list[str], *, abroad: bool) -> None:
        self._names = store.lines(f"{table}/name")
        self._areas, self._abroad = areas, abroad
        self._population = store.numbers(f"{table}/population")
        keys = store.lines(f"{table}/keys")
        # Most names belong to one city: only the others need lists.
        self._largest = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        self._smaller: dict[str, list[int]] = {}
        if len(self._largest) < len(keys):
            for row, key in enumerate(keys):
                if self._largest[key] != row:
                    self._smaller.setdefault(key, []).append(row)

    def __getitem__(self, row: int) -> City:
        area = self._areas[row]
        state, country = ("", area) if self._abroad else (area, "United States")
        return City(self._names[row], state, country, self._population[row])

    def __len__(self) -> int:
        return len(self._names)

    def find(self, key: str) -> Iterable[City]:
        """Cities with this folded name."""
        largest = self._largest.get(key)
        if largest is not None:
            yield self[largest]
            yield from map(self.__getitem__, self._smaller.get(key, ()))

    def population(self, key: str) -> int | None:
        """People in the largest city with this folded name; None if there is none."""
        row = self._largest.get(key)
        return None if row is None else self._population[row]

    def keys(self) -> Iterable[str]:
        """The folded names."""
        return self._largest.keys()


class Places:
    """Every table is built when first used."""

    @cached_property
    def us_cities(self) -> CityTable:
        return CityTable("us_cities", store.lines("us_cities/state"), abroad=False)

    @cached_property
    def world_cities(self) -> CityTable:
        countries = [self.country_names[code] for code in store.lines("world_cities/country")]
        return CityTable("world_cities", countries, abroad=True)

    @cached_property
    def zips(self) -> ZipTable:
        return ZipTable()

    @cached_property
    def states(self) -> Mapping[str, State]:
        """Code -> state."""
        states = {}
        for line in store.lines("states"):
            code, name, abbreviations, ranges = line.split("|")
            short = tuple(a.replace(".", "") for a in abbreviations.split())
            states[code] = State(code, name, short, tuple(_prefixes(ranges)))
        return states

    @cached_property
    def state_codes(self) -> Mapping[str, str]:
        """Folded name, code or traditional abbreviation -> code."""
        found: dict[str, str] = {}
        for state in self.states.values():
            for form in (state.name, state.code, *state.abbreviations):
                found[fold(form)] = state.code
        return found

    @cached_property
    def regions(self) -> Mapping[str, str]:
        """Folded name or code of a state or province abroad -> its country."""
        return {form: province.country for form, province in self.provinces.items()}

    @cached_property
    def provinces(self) -> Mapping[str, Province]:
        """Folded name or code of a state or province abroad -> what it is."""
        found: dict[str, Province] = {}
        for line in store.lines("regions"):
            codes, name, country = line.split("|")
            province = Province(name, tuple(codes.split()), country)
            for form in (name, *province.codes):
                found.setdefault(fold(form), province)
        return found

    @cached_property
    def counties(self) -> Mapping[str, frozenset[str]]:
        """Folded name with its kind ("lane county", "orleans parish") -> states that have it."""
        found: dict[str, set[str]] = {}
        for line in store.lines("counties"):
            name, state = line.split("\t")
            found.setdefault(fold_place(name), set()).add(state)
        return {name: frozenset(states) for name, states in found.items()}

    @cached_property
    def countries(self) -> Mapping[str, str]:
        """Folded name or usual alias -> country."""
        return {fold(k): v for k, v in (row.split("=") for row in store.lines("countries"))}

    @cached_property
    def country_names(self) -> Mapping[str, str]:
        """ISO 3166 code of two letters -> country."""
        return dict(line.split("=") for line in store.lines("country_codes"))

    @cached_property
    def nationalities(self) -> Mapping[str, str]:
        """Folded adjective or noun, singular -> country."""
        return {fold(k): v for k, v in (row.split("=") for row in store.lines("nationalities"))}


def _prefixes(ranges: str) -> Iterable[str]:
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from (f"{n:03d}" for n in range(int(first), int(last or first) + 1))
