"""Places for notes in Spanish: towns where Spanish is spoken, streets and institutions of Spanish
words, provinces and postal codes of Spain, countries by their Spanish names."""

from __future__ import annotations

import re

from incognote.core.caches import cached, once
from incognote.lexicon import fold, lexicon
from incognote.lexicon.name_cells import name_place
from incognote.transform.people.name_words import name_image
from incognote.transform.places.renaming import renamed
from incognote.transform.pools import from_pool
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import case_like, squeeze
from incognote.transform.word_data import table_of, word_list

_SPOKEN_IN = (
    *("Spain", "Mexico", "Colombia", "Argentina", "Peru", "Chile", "Ecuador", "Venezuela"),
    *("Bolivia", "Guatemala", "Cuba", "Dominican Republic", "Honduras", "Paraguay", "Uruguay"),
)
_WORLD = ("africa", "middle_east", "europe", "americas", "asia_pacific")
_TOWN = 50_000
# Postal codes of Spain begin with the number of the province.
_PROVINCES = 52
_POSTCODE = 5
_STREET = re.compile(r"(?:c/|(?:calle|avda|avenida|paseo|pza|ctra|carretera)\b)", re.IGNORECASE)
_SAINT = re.compile(r"\b(San|Santa|Santo)\s+([^\W\d_]+)", re.IGNORECASE)
_FEMININE = frozenset("paz cruz luz vid torre fuente merced soledad rosas".split())


@once
def _towns() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    table = lexicon().world_cities
    for town in map(table.__getitem__, range(len(table))):
        if town.country in _SPOKEN_IN and town.population >= _TOWN:
            found.setdefault(town.country, []).append(town.name)
    return {country: tuple(names) for country, names in found.items()}


def towns_like(key: str) -> tuple[str, ...]:
    """Towns of the country that a town is in, or of Spain where no list knows it."""
    homes = [found.country for found in lexicon().city(key) if found.country in _towns()]
    return _towns()["Spain" if "Spain" in homes or not homes else homes[0]]


@cached(8)
def _listed(name: str) -> tuple[str, ...]:
    values: str = table_of("spanish")[name]
    return tuple(" ".join(value.split()) for value in values.split(","))


@cached(8)
def _ranks(name: str) -> dict[str, int]:
    return {fold(value): rank for rank, value in enumerate(_listed(name))}


@once
def _countries() -> dict[str, tuple[str, int, int]]:
    """A folded name or adjective -> its part of the world, its place there, and which form it is
    (0 the name, 1 and 2 the adjectives)."""
    found: dict[str, tuple[str, int, int]] = {}
    for part in _WORLD:
        for at, forms in enumerate(_forms(part)):
            for which, form in enumerate(forms):
                # "la paciente argentina" comes from "Argentina": capitals tell.
                key = fold(form) if which else fold(form).upper()
                found.setdefault(key, (part, at, which))
    return found


@cached(8)
def _forms(part: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(entry.split("/")) for entry in _listed(f"countries_{part}"))


def country(text: str, record: TransformRecord) -> str:
    """Another country of its part of the world, or the adjective of another."""
    key = fold(text)
    known = _countries().get(key.upper()) if text[:1].isupper() else None
    known = known or _countries().get(key) or _countries().get(key.upper())
    if known is None:
        every = [forms[0] for part in _WORLD for forms in _forms(part)]
        return record.chose(record.scope.draws.pick(every, "COUNTRY", key))
    part, at, which = known
    forms = _forms(part)
    new = record.scope.permuted(f"spanish countries:{part}", len(forms), at)
    return record.chose(forms[new][which])


def is_kind(text: str) -> bool:
    """Whether a text is nothing but the abbreviation of a kind: "C.S.", "S.L."."""
    return text.replace(".", "").strip().lower() in word_list("spanish", "abbreviated_kinds")


def is_street(text: str) -> bool:
    """Whether a street says so in Spanish, as in a field, which has no language of its own."""
    return _STREET.match(text) is not None


def street(mention: Mention, record: TransformRecord) -> str:
    """Another street: "Calle de la Constitución 12" -> "Calle de la Alameda 47"."""
    return _renamed(mention, record, "street", "address")


def institution(mention: Mention, record: TransformRecord) -> str:
    """Another institution of the same kind: "Hospital La Paz" -> "Hospital La Merced"."""
    return _renamed(mention, record, "institution", "institutions", "abbreviated_kinds")


def _renamed(mention: Mention, record: TransformRecord, pool: str, *kinds: str) -> str:
    saints = {fold(match[2]): fold(match[1]) for match in _SAINT.finditer(mention.text)}

    def word(token: str, record: TransformRecord, attempt: int) -> str:
        folded = fold(token)
        own = from_pool(pool, folded, record)
        return own or _word(folded, saints.get(folded, ""), record, attempt)

    kept = frozenset[str]().union(*(word_list("spanish", kind) for kind in (*kinds, "small")))
    return record.chose(renamed(mention, record, kept, word))


def region(mention: Mention, record: TransformRecord) -> str:
    """Another province or community; "" for what is none."""
    folded = fold(mention.text)
    for name in ("provinces", "communities"):
        rank = _ranks(name).get(folded)
        if rank is not None:
            values = _listed(name)
            new = values[record.scope.permuted(f"spanish {name}", len(values), rank)]
            same_case = mention.text.isupper() or mention.text.islower()
            return record.chose(case_like(mention.text, new) if same_case else new)
    return ""


def postcode(text: str, record: TransformRecord) -> str:
    """Another postal code, of a province of Spain; "" for what is no such code."""
    digits = squeeze(text)
    if len(digits) != _POSTCODE or not digits.isdigit() or not 1 <= int(digits[:2]) <= _PROVINCES:
        return ""
    province = record.scope.permuted("spanish postcodes", _PROVINCES, int(digits[:2]) - 1)
    rest = record.scope.permuted(f"spanish postcodes:{province}", 1000, int(digits[2:]))
    source = iter(f"{province + 1:02d}{rest:03d}")
    return record.chose("".join(next(source) if char.isdigit() else char for char in text))


def _word(folded: str, saint: str, record: TransformRecord, attempt: int) -> str:
    """The surrogate of a word: a saint for a saint, another of the list and of the same gender, a
    name for a name, else one of the list."""
    if saint:
        pool = "female_saints" if saint == "santa" else "male_saints"
        return _from_list(_listed(pool), pool, folded, record, attempt)
    names = _names(feminine=_is_feminine(folded))
    if folded not in _ranks("names") and name_place(folded) and not lexicon().word_rank(folded):
        return name_image(folded, record)
    return _from_list(names, "names", folded, record, attempt)


def _from_list(
    values: tuple[str, ...], name: str, folded: str, record: TransformRecord, attempt: int
) -> str:
    at = next((at for at, value in enumerate(values) if fold(value) == folded), None)
    if at is None or attempt:
        return record.scope.draws.pick(values, f"SPANISH {name}", folded, attempt)
    return values[record.scope.permuted(f"spanish {name}:{len(values)}", len(values), at)]


@cached(2)
def _names(*, feminine: bool) -> tuple[str, ...]:
    return tuple(name for name in _listed("names") if _is_feminine(fold(name)) == feminine)


def _is_feminine(folded: str) -> bool:
    """The gender of a noun by its ending: "la Alameda", "la Paz", "el Castillo"."""
    return folded.endswith(("a", "as", "ion", "dad", "tad", "ed")) or folded in _FEMININE
