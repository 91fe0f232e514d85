"""Places and what appears in addresses, jobs, and head words of facilities and organisations."""

from __future__ import annotations

import re

from pack import lines, numbers
from sources import Sources, curated

from incognote.lexicon.fold import fold, fold_place

# Where clinical English is written, small towns count too; elsewhere only larger ones.
ENGLISH_SPEAKING = frozenset("AU CA GB IE IN KE NG NZ PH PR SG ZA".split())
SMALL_TOWN, LARGE_TOWN = 2_000, 30_000


def place_tables(sources: Sources) -> dict[str, bytes]:
    countries = {row["iso"]: row["name"] for row in sources.geonames("countries").values()}
    return {
        **_us_cities(sources),
        **_world_cities(sources, countries),
        "us_zips": lines(_zip_codes(sources)),
        "counties": lines(
            sorted(f"{row['name']}\t{row['state']}" for row in sources.geonames("us_counties"))
        ),
        "states": lines(curated("states")),
        "regions": lines(curated("regions")),
        "countries": lines(
            sorted({f"{name}={name}" for name in countries.values()} | set(curated("countries")))
        ),
        "country_codes": lines(f"{code}={countries[code]}" for code in sorted(countries)),
        "nationalities": lines(curated("nationalities")),
        "streets": lines(_streets(sources)),
        "professions": lines(_professions(sources)),
        "profession_heads": lines(
            sorted({w for row in curated("professions") for w in row.split()})
        ),
        "facility_heads": lines(sorted(set(curated("facilities")))),
        "organization_heads": lines(sorted(set(curated("organizations")))),
    }


def _us_cities(sources: Sources) -> dict[str, bytes]:
    best: dict[tuple[str, str], int] = {}
    for row in sources.geonames("cities500").values():
        if row["countrycode"] == "US" and not re.search(r"[0-9(]", row["name"]):
            key = row["name"], row["admin1code"]
            best[key] = max(best.get(key, 0), row["population"])
    order = sorted(best, key=lambda key: (-best[key], key))
    return {
        "us_cities/keys": lines(fold_place(name) for name, _ in order),
        "us_cities/name": lines(name for name, _ in order),
        "us_cities/state": lines(state for _, state in order),
        "us_cities/population": numbers(best[key] for key in order),
    }


def _zip_codes(sources: Sources) -> list[str]:
    """State, folded post town and its ZIP codes, in columns."""
    codes = {fold(row.split("|")[1]): row.split("|")[0] for row in curated("states")}
    found: dict[tuple[str, str], set[str]] = {}
    for zip_code, town, state in sources.zip_codes():
        code = codes.get(fold(state))
        if code is not None:  # addresses of the armed forces lie in no state
            found.setdefault((code, fold_place(town)), set()).add(zip_code)
    return [
        f"{code}\t{town}\t{' '.join(sorted(zips))}" for (code, town), zips in sorted(found.items())
    ]


def _world_cities(sources: Sources, countries: dict[str, str]) -> dict[str, bytes]:
    best: dict[tuple[str, str], int] = {}
    for row in sources.geonames("cities1000").values():
        code = row["countrycode"]
        smallest = SMALL_TOWN if code in ENGLISH_SPEAKING else LARGE_TOWN
        if code == "US" or code not in countries or row["population"] < smallest:
            continue
        if fold(row["name"]).isascii() and not re.search(r"[0-9(]", row["name"]):
            key = row["name"], code
            best[key] = max(best.get(key, 0), row["population"])
    order = sorted(best, key=lambda key: (-best[key], key))
    return {
        "world_cities/keys": lines(fold_place(name) for name, _ in order),
        "world_cities/name": lines(name for name, _ in order),
        "world_cities/country": lines(code for _, code in order),
        "world_cities/population": numbers(best[key] for key in order),
    }


def _streets(sources: Sources) -> list[str]:
    names = {name for name in sources.mimesis("address")["street"]["name"] if name.isascii()}
    return sorted(names)


def _professions(sources: Sources) -> list[str]:
    """Lower-case phrases. "Engineer, civil (consulting)" reads "civil engineer"."""
    phrases = set(curated("professions_phrases"))
    for job in sources.mimesis("person")["occupation"]:
        phrases.add(job.lower())
    for job in sources.faker_strings("job", "jobs")[""]:
        phrases.add(_natural_order(job))
    return sorted(p for p in phrases if re.fullmatch(r"[a-z][a-z' /-]{2,40}", p))


def _natural_order(job: str) -> str:
    head, _, detail = re.sub(r"\s*\(.*?\)", "", job.lower()).partition(", ")
    return f"{detail} {head}".strip()
