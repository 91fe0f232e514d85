"""The lexicon: one object, tables loaded on first use, questions answered for any spelling."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from incognote.core.caches import cached, once
from incognote.lexicon import store
from incognote.lexicon.fold import fold, fold_place
from incognote.lexicon.origins import Kind, guess_origin, origin_of_row
from incognote.lexicon.people import Ethnicity, Name, NameTable, Sex, nickname_table
from incognote.lexicon.places import City, Places


class Lexicon(Places):
    """Ask it about words. Word sets and maps hold folded forms (see `fold`)."""

    # People

    def first_name(self, word: str) -> Name | None:
        return self._name(self._first_names, word)

    def surname(self, word: str) -> Name | None:
        return self._name(self._surnames, word)

    def first_name_bearers(self, word: str) -> int | None:
        """How many people have this first name; None if it is none that is known."""
        return self._first_names.bearers(fold(word))

    def surname_bearers(self, word: str) -> int | None:
        """How many people have this surname; None if it is none that is known."""
        return self._surnames.bearers(fold(word))

    def origin(self, kind: Kind, word: str) -> str:
        """Where a name comes from (one of ORIGINS): as listed, or estimated from its letters."""
        key = fold(word)
        row = self.name_table(kind).row(key)
        return guess_origin(kind, key) if row is None else origin_of_row(kind, row)

    def name_table(self, kind: Kind) -> NameTable:
        """All names of a kind, most frequent first."""
        return self._first_names if kind == "first" else self._surnames

    def first_names(
        self, sex: Sex | None = None, ethnicity: Ethnicity | None = None
    ) -> tuple[str, ...]:
        """First names fit for surrogates, most frequent first: at least 2 in 100,000 bear them."""
        return self._pool("first_names", sex, ethnicity)

    def surnames(self, ethnicity: Ethnicity | None = None) -> tuple[str, ...]:
        """Surnames fit for surrogates, most frequent first."""
        return self._pool("surnames", None, ethnicity)

    def nicknames(self, name: str) -> frozenset[str]:
        """Folded short and long forms that may mean the same person."""
        return nickname_table().get(fold(name), frozenset())

    # Places (the maps are in `Places`)

    def city(self, name: str) -> tuple[City, ...]:
        """Cities of that name, those in the United States first, larger before smaller."""
        key = fold_place(name)
        return (*self.us_cities.find(key), *self.world_cities.find(key))

    def cities(self, state: str, minimum: int = 20_000) -> tuple[City, ...]:
        """Cities of a state with at least so many people, largest first."""
        return tuple(
            city
            for city in map(self.us_cities.__getitem__, range(len(self.us_cities)))
            if city.state == state and city.population >= minimum
        )

    def state(self, text: str) -> str | None:
        """The code for a state's name, code or abbreviation ("N.C.", "W. Va.", "oregon")."""
        key = fold(text)
        return self.state_codes.get(key) or self.state_codes.get(key.replace(" ", ""))

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """Names of streets without their kind ("Abbey", "Acacia")."""
        return tuple(store.lines("streets"))

    # Jobs and institutions

    @cached_property
    def professions(self) -> frozenset[str]:
        """Jobs as lower-case phrases ("civil engineer", "bus driver")."""
        return frozenset(store.lines("professions")) | self.profession_heads

    @cached_property
    def profession_heads(self) -> frozenset[str]:
        """Last words of jobs ("farmer", "teacher"): what comes before them narrows them down."""
        return frozenset(store.lines("profession_heads"))

    @cached_property
    def facility_heads(self) -> frozenset[str]:
        """Phrases that carry the name of a place of care ("medical center", "pharmacy")."""
        return frozenset(store.lines("facility_heads"))

    @cached_property
    def organization_heads(self) -> frozenset[str]:
        """Phrases that end the name of a school, employer, congregation, insurer or agency."""
        return frozenset(store.lines("organization_heads"))

    # Words that are no PHI

    def is_drug(self, word: str) -> bool:
        return fold(word) in self._drugs

    def is_clinical(self, word: str) -> bool:
        """A word of diagnoses, findings and procedures."""
        return fold(word) in self._clinical

    def is_eponym(self, word: str) -> bool:
        """A person's name that is also a disease, sign, scale, device or operation."""
        return fold(word.removesuffix("'s").removesuffix("’s")) in self._eponyms

    def is_abbreviation(self, word: str) -> bool:
        """A clinical abbreviation as written, letter case included."""
        return word in self._abbreviations

    def is_ordinary(self, word: str) -> bool:
        """An ordinary English word, more often than a name."""
        return fold(word) in self._ordinary

    def word_rank(self, word: str) -> int | None:
        """0 for the most frequent string of English text, None beyond the 82,000 that are known.

        Names are ranked too: use `is_ordinary` to distinguish them.
        """
        return self._words.get(fold(word))

    # Tables

    def _name(self, table: NameTable, word: str) -> Name | None:
        key = fold(word)
        row = table.row(key)
        if row is None:
            return None
        common = key in self._ordinary or key in self._clinical or key in self._drugs
        return table.name(row, common_word=common)

    @cached(64)  # the one lexicon lives as long as the program
    def _pool(self, kind: str, sex: Sex | None, ethnicity: Ethnicity | None) -> tuple[str, ...]:
        table = self._first_names if kind == "first_names" else self._surnames
        return table.pool(sex, ethnicity)

    @cached_property
    def _first_names(self) -> NameTable:
        return NameTable("first_names")

    @cached_property
    def _surnames(self) -> NameTable:
        return NameTable("surnames")

    @cached_property
    def _drugs(self) -> frozenset[str]:
        return frozenset(store.lines("drugs"))

    @cached_property
    def _clinical(self) -> frozenset[str]:
        return frozenset(store.lines("clinical"))

    @cached_property
    def _eponyms(self) -> frozenset[str]:
        return frozenset(store.lines("eponyms"))

    @cached_property
    def _abbreviations(self) -> frozenset[str]:
        return frozenset(store.lines("abbreviations"))

    @cached_property
    def _ordinary(self) -> frozenset[str]:
        return frozenset(store.lines("ordinary"))

    @cached_property
    def _words(self) -> Mapping[str, int]:
        words = store.lines("words")
        return dict(zip(words, range(len(words)), strict=True))


@once
def lexicon() -> Lexicon:
    """The one lexicon of this process."""
    return Lexicon()
