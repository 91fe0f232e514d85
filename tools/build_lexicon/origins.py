"""Where names come from: an origin for each listed name, and a classifier for other names.

Census shares say which of five groups bear a name; within a group, short runs of letters tell the
languages apart. They are learned from faker's national lists and from curated/origins.txt. What
classifies names on no list also learns from the listed names that nearly only one group bears.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import numpy as np
from pack import lines
from sources import Sources, curated

from incognote.lexicon.fold import fold
from incognote.lexicon.origins import BUCKETS, ORIGINS, SCALE, grams

_LOCALES = {
    "anglo": "en en_GB en_US en_IE ga_IE en_NZ",
    "germanic": "de_AT de_CH de_DE de_LI de_LU nl_BE nl_NL",
    "nordic": "da_DK sv_SE no_NO is_IS fi_FI et_EE",
    "italian": "it_IT",
    "french": "fr_FR fr_BE fr_CA fr_CH",
    "slavic": "pl_PL cs_CZ sk_SK hr_HR sl_SI lt_LT lv_LV hu_HU ro_RO",
    "hispanic": "es_AR es_CL es_CO es_ES es_MX es_CA pt_BR pt_PT",
    "arabic": "tr_TR fr_DZ en_PK az_AZ",
    "southeast asian": "en_TH id_ID",
    "vietnamese": "vi_VN",
    "african": "ha_NG ig_NG yo_NG tw_GH zu_ZA sw",
}
# Which origins each group of the census may be.
_EUROPE = (
    "anglo",
    "germanic",
    "nordic",
    "italian",
    "french",
    "slavic",
    "jewish",
    "greek",
    "arabic",
)
_ASIA = (
    "north indian", "south indian", "chinese", "korean", "japanese", "vietnamese",
    "southeast asian", "pacific", "arabic",
)  # fmt: skip
_GROUPS = {
    "white": _EUROPE,
    "black": ("african american", "african", "arabic"),
    "hispanic": ("hispanic",),
    "api": _ASIA,
    "aian": ("native american",),
}
# A name is a group's if so large a share of its bearers is; otherwise it is everybody's, as
# "Johnson" is, and counts as European.
_SHARE = {"black": 0.45, "hispanic": 0.45, "api": 0.4, "aian": 0.25}
# So much more evidence does another origin need than the English one; more for first names, and
# for names so frequent that everybody bears them.
_HEAD_START = {"last": 2.0, "first": 5.0}
_FREQUENT = 20_000
_FREQUENT_START = 6.0
# National lists hold names of all the world: a frequent name of ours is also classified by its
# letters.
_LISTED = 5_000
GROUPS = ("white", "black", "hispanic", "api", "aian")
# Of names on no list: which share of a group makes a listed name an example, what an example counts
# beside a name of the lists, and what every run of letters counts anyway. Of one in five names that
# were kept back, the origin is right for .66 of the surnames of our lists, without examples .58.
_EXAMPLE = 0.7
_EXAMPLE_WEIGHT = 0.3
_ANYWAY = 0.1
_KINDS = {"last": ("last_names",), "first": ("first_names",)}


@cache
def _curated() -> dict[str, dict[str, set[str]]]:
    """Kind -> origin -> names."""
    found: dict[str, dict[str, set[str]]] = {"last": defaultdict(set), "first": defaultdict(set)}
    for head, origin, names in _rows():
        found["last" if head == "last" else "first"][origin].update(names)
    return found


def _rows() -> Iterator[tuple[str, str, list[str]]]:
    """Each row of curated/origins.txt: "last", "female" or "male", the origin, names."""
    origin = ""
    for line in curated("origins"):
        if line.startswith("= "):
            origin = line[2:]
        elif ":" in line:
            head, words = line.split(":")
            yield head, origin, words.split()


def taught_names(listed: Collection[str]) -> bytes:
    """The names of curated/origins.txt that are on no list, each with what it is and its origin."""
    found: dict[str, str] = {}
    for head, origin, names in _rows():
        for name in names:
            if name not in listed and found.get(name, "last")[:4] == "last":
                found[name] = f"{head}\t{origin}"
    return lines(f"{name}\t{found[name]}" for name in sorted(found))


def _letters(counts: Any) -> Any:
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    centred = logs - logs.mean(axis=0)
    return np.clip(np.round(centred * SCALE), -127, 127).astype(np.int8)


class Judge:
    """Learns from lists of known origin, classifies names by their letters."""

    def __init__(self, sources: Sources, kind: str) -> None:
        self.kind = kind
        self.seeds: dict[str, set[str]] = {origin: set() for origin in ORIGINS}
        for attribute in _KINDS[kind]:
            by_locale = sources.faker_strings("person", attribute)
            for origin, locales in _LOCALES.items():
                for locale in locales.split():
                    self.seeds[origin] |= {
                        fold(name)
                        for name in by_locale.get(locale, ())
                        if fold(name).isascii() and fold(name).isalpha() and len(name) > 1
                    }
        english = self.seeds["anglo"] if kind == "first" else set()
        for origin in self.seeds:
            if origin not in ("anglo", "hispanic"):
                self.seeds[origin] -= english
        for origin, names in _curated()[kind].items():
            self.seeds[origin] |= names
        self._of: dict[str, list[str]] = defaultdict(list)
        for origin, names in self.seeds.items():
            for name in names:
                self._of[name].append(origin)
        self.table = _letters(self._seeded(0.02))

    def _seeded(self, anyway: float) -> Any:
        """How often each run of letters appears in the names of each origin."""
        counts = np.full((len(ORIGINS), BUCKETS), anyway)
        for row, origin in enumerate(ORIGINS):
            for name in self.seeds[origin]:
                for gram in grams(name):
                    counts[row, gram] += 1 / len(self._of[name])
        return counts

    def table_for_others(self, examples: dict[str, str]) -> Any:
        """The table that classifies names on no list; `examples` are listed names with their
        origins. An origin without names of its own is not to be seen in letters."""
        counts = self._seeded(_ANYWAY)
        for name, origin in examples.items():
            if name not in self._of:
                for gram in grams(name):
                    counts[ORIGINS.index(origin), gram] += _EXAMPLE_WEIGHT
        table = _letters(counts)
        for row, origin in enumerate(ORIGINS):
            if not self.seeds[origin]:
                table[row] = -127
        return table

    def origin(self, name: str, shares: dict[str, float], count: int) -> str:
        known = self._of.get(name, [])
        taught = [o for o in known if name in _curated()[self.kind].get(o, ())]
        if (
            len(taught) == 1
        ):  # our own lists hold what shares do not show: many a Fatima is Hispanic
            return taught[0]
        if not any(shares.values()):  # from national lists or birth registers only
            options: tuple[str, ...] = tuple(o for o in ORIGINS if o != "african american")
        else:
            group = next((g for g, share in _SHARE.items() if shares[g] >= share), "white")
            options = _GROUPS[group]
        for found in (taught, known if count < _LISTED else []):
            fitting = [origin for origin in found if origin in options]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                options = tuple(fitting)
                break
        scores = self.table[:, grams(name)].sum(axis=1) / SCALE
        english = scores[ORIGINS.index("anglo")]

        def evidence(origin: str) -> float:
            if origin not in ("anglo", "african american"):
                return float(scores[ORIGINS.index(origin)])
            frequent = _FREQUENT_START if count > _FREQUENT else 0.0
            return float(english) + _HEAD_START[self.kind] + frequent

        return max(options, key=evidence)


def share_rows(table: dict[str, list[Any]]) -> dict[str, dict[str, float]]:
    """Folded name -> share of each group of the census."""
    return {
        fold(name): {
            group: (table[f"pct{group}"][row] or 0) / 100 if f"pct{group}" in table else 0.0
            for group in GROUPS
        }
        for row, name in enumerate(table["name"])
        if name
    }


def origin_column(
    sources: Sources,
    kind: str,
    names: list[str],
    counts: list[int],
    shares: dict[str, dict[str, float]],
) -> tuple[bytes, bytes]:
    """An origin for each name in order, and the table that classifies others."""
    judge = Judge(sources, kind)
    nothing = dict.fromkeys(GROUPS, 0.0)
    column = bytes(
        ORIGINS.index(judge.origin(name, shares.get(name, nothing), count))
        for name, count in zip(names, counts, strict=True)
    )
    examples = {
        name: ORIGINS[origin]
        for name, origin in zip(names, column, strict=True)
        if max(shares.get(name, nothing).values()) >= _EXAMPLE
    }
    return column, judge.table_for_others(examples).tobytes()
