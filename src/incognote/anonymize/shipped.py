"""The hierarchies that ship: `shipped("age")`.

A value that a list does not hold is not an error here, as it is in a hierarchy of yours: notes name
towns and jobs that no list has. Above itself such a value becomes one group, "other".
"""

from __future__ import annotations

import gzip
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from incognote.anonymize.hierarchy import ROOT, Hierarchy, computed, day_of, from_rows, intervals
from incognote.core.caches import cached, once
from incognote.core.errors import UsageError
from incognote.core.zips import RESTRICTED_ZIP3

OTHER = "other"
_ICD = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.IGNORECASE)
_SOC = re.compile(r"\d\d-\d{4}")
TRAITS = ("ethnicity", "religion", "marital", "language", "orientation", "employment")


def shipped(name: str) -> Hierarchy:
    """A hierarchy by the name of its attribute."""
    found = _TABLE.get(name)
    if found is None:
        raise UsageError(
            f"no hierarchy named {name!r} ships; there are: {', '.join(sorted(_TABLE))}"
        )
    return found()


def shipped_names() -> tuple[str, ...]:
    return tuple(sorted(_TABLE))


def hierarchy_for(attribute: str) -> Hierarchy | None:
    """The one that ships for an attribute of the identifier view; None where none does."""
    name = _USED.get(attribute, attribute)
    return shipped(name) if name in _TABLE else None


def from_spec(name: str, spec: Mapping[str, Any]) -> Hierarchy:
    """A hierarchy from what `Hierarchy.spec` says of it."""
    if "shipped" in spec:
        return shipped(spec["shipped"])
    if "widths" in spec:
        return intervals(name, spec["widths"], spec.get("top"))
    if "rows" in spec:
        return from_rows(name, spec["rows"])
    raise UsageError(f"{name}: no hierarchy can be made of what is written of it")


def _age() -> Hierarchy:
    """Years; 1, 5, 10, 20; 90 and above are one."""
    return intervals("age", (5, 10, 20), top=90)


def _date() -> Hierarchy:
    """Day, month, quarter, year, five years."""

    def path(value: Any) -> tuple[str, ...] | None:
        day = day_of(value)
        if day is None:
            return None
        five = day.year // 5 * 5
        quarter = (day.month - 1) // 3 + 1
        return (
            day.isoformat(),
            f"{day.year:04d}-{day.month:02d}",
            f"{day.year:04d}-Q{quarter}",
            f"{day.year:04d}",
            f"{five:04d}-{five + 4:04d}",
            ROOT,
        )

    return computed("date", path, 6)


def _year() -> Hierarchy:
    """A year of birth: 1, 5, 10, 20 years."""
    return intervals("birth_year", (5, 10, 20))


def _zip() -> Hierarchy:
    """Five digits, three (000 where 20,000 people or fewer live), one."""

    def path(value: Any) -> tuple[str, ...]:
        digits = re.sub(r"\D", "", str(value))
        if len(digits) not in (3, 5, 9):
            return (str(value), "000", "0", ROOT)
        three = "000" if digits[:3] in RESTRICTED_ZIP3 else digits[:3]
        return (str(value), three, three[0], ROOT)

    return computed("zip", path, 4)


def _place() -> Hierarchy:
    """Town, county, state, division, region, country, of "Town, ST" or "ST"."""
    places = _toml("places.toml")
    division = {
        state: name for name, states in places["divisions"].items() for state in states.split()
    }
    region = {name: area for area, names in places["regions"].items() for name in names}

    def path(value: Any) -> tuple[str, ...]:
        text = str(value).strip()
        town, _, state = text.rpartition(",")
        town, state = town.strip(), state.strip().upper()
        if state not in division:
            return (text, *[OTHER] * 4, OTHER, ROOT)
        county = _county(state, town) if town else state
        area = division[state]
        return (text, county, state, area, region[area], "United States", ROOT)

    return computed("place", path, 7)


def _county(state: str, town: str) -> str:
    found = _towns().get((state, town.casefold()))
    return f"{found} County, {state}" if found else f"{OTHER}, {state}"


@once
def _towns() -> Mapping[tuple[str, str], str]:
    packed = files("incognote.anonymize").joinpath("hierarchies/towns.tsv.gz").read_bytes()
    found = {}
    for line in gzip.decompress(packed).decode().splitlines():
        state, county, towns = line.split("\t")
        for town in towns.split(";"):
            found[state, town.casefold()] = county
    return found


def _profession() -> Hierarchy:
    """A job title or a code of SOC 2018: title, broad, minor, major group."""
    table = _toml("occupations.toml")
    titles = _titles()

    def path(value: Any) -> tuple[str, ...]:
        title = " ".join(str(value).casefold().split())
        code = title if _SOC.fullmatch(title) else titles.get(title) or titles.get(_head(title))
        if code is None or code[:2] not in table["major"]:
            return (title, *["Other occupation"] * 3, ROOT)
        minor = table["minor"].get(code[:4], table["major"][code[:2]])
        return (title, f"SOC {code[:6]}0", minor, table["major"][code[:2]], ROOT)

    return computed("profession", path, 5)


def occupation_codes() -> tuple[str, ...]:
    return tuple(_toml("occupations.toml")["titles"])


def state_codes() -> tuple[str, ...]:
    divisions = _toml("places.toml")["divisions"]
    return tuple(state for states in divisions.values() for state in states.split())


def _head(title: str) -> str:
    """The last word: a "night shift nurse" is a nurse."""
    words = title.split()
    return words[-1] if words else ""


@once
def _titles() -> Mapping[str, str]:
    rows = _toml("occupations.toml")["titles"]
    return {title.strip(): code for code, names in rows.items() for title in names.split(";")}


def _diagnosis() -> Hierarchy:
    """A code of ICD-10-CM: code, category, block, chapter."""
    categories = icd_categories()

    def path(value: Any) -> tuple[str, ...]:
        text = str(value).strip()
        row = categories.get(text[:3].upper()) if _ICD.fullmatch(text) else None
        if row is None:
            return (text, *[OTHER] * 3, ROOT)
        category, block, chapter = row
        return (text.upper(), category, block, chapter, ROOT)

    return computed("diagnosis", path, 5)


@once
def icd_categories() -> Mapping[str, tuple[str, str, str]]:
    """Code of a category -> what it, its block and its chapter are called."""
    lines = files("incognote.anonymize").joinpath("hierarchies/diagnosis.tsv").read_text("utf-8")
    found = {}
    for line in lines.splitlines():
        code, title, block, block_title, chapter, chapter_title = line.split("\t")
        found[code] = (
            f"{code} {title}",
            f"{block} {block_title}",
            f"Chapter {chapter}: {chapter_title}",
        )
    return found


def _trait(name: str) -> Hierarchy:
    groups = _toml("traits.toml")[name]
    known = {
        value.strip(): group for group, values in groups.items() for value in values.split(";")
    }

    def path(value: Any) -> tuple[str, ...]:
        text = " ".join(str(value).casefold().split())
        return (text, known.get(text, OTHER), ROOT)

    return computed(name, path, 3)


def trait_values(name: str) -> tuple[str, ...]:
    """The values of a trait that its hierarchy knows."""
    groups = _toml("traits.toml")[name]
    return tuple(value.strip() for values in groups.values() for value in values.split(";"))


def _sex() -> Hierarchy:
    words = {"f": "female", "m": "male"}

    def path(value: Any) -> tuple[str, ...]:
        text = str(value).strip().casefold()
        return (words.get(text, text), ROOT)

    return computed("sex", path, 2)


@cached(16)
def _toml(name: str) -> Mapping[str, Any]:
    text = files("incognote.anonymize").joinpath(f"hierarchies/{name}").read_text("utf-8")
    return tomllib.loads(text)


_TABLE: Mapping[str, Callable[[], Hierarchy]] = {
    "age": _age,
    "date": _date,
    "birth_year": _year,
    "zip": _zip,
    "place": _place,
    "profession": _profession,
    "diagnosis": _diagnosis,
    "sex": _sex,
    **{name: (lambda name=name: _trait(name)) for name in TRAITS},  # type: ignore[misc]
}
# Attributes of the identifier view that use a hierarchy of another name.
_USED = {"city": "place", "state": "place", "birth_date": "date", "admission": "date"}
