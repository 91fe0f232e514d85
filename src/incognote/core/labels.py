"""The PHI taxonomy: what each label means in law, in the groups A to D and in other schemes.

The facts are in labels.toml beside this file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from incognote.core.caches import once
from incognote.core.errors import UsageError

GROUPS = ("A", "B", "C", "D")
SCHEMES = ("i2b2-2006", "i2b2-2014", "physionet", "cchmc", "hipaa-18", "presidio", "spacy")

# A detector that knows what a stretch of text is, and that it is no PHI, says so with this label.
# It never reaches a result: it only argues against others.
SAFE = "SAFE"
# Labels of values that follow the name of whom they belong to.
MADE_OF_NAMES = frozenset({"EMAIL", "USERNAME", "URL"})


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    category: str
    hipaa: str
    group: str
    direct: bool
    optional: bool
    description: str
    aliases: Mapping[str, tuple[str, ...]]

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return label, (self.name,)


@once
def all_labels() -> Mapping[str, Label]:
    """Every label by name, in the order of the taxonomy."""
    table = tomllib.loads(files("incognote.core").joinpath("labels.toml").read_text("utf-8"))
    return MappingProxyType(
        {
            name: Label(
                name=name,
                category=row["category"],
                hipaa=row["hipaa"],
                group=row["group"],
                direct=row["direct"],
                optional=row["optional"],
                description=row["description"],
                aliases=MappingProxyType({k: tuple(v.split()) for k, v in row["aliases"].items()}),
            )
            for name, row in table.items()
        }
    )


def label(name: str) -> Label:
    found = all_labels().get(name)
    if found is None:
        raise UsageError(f"no label named {name!r}")
    return found


def in_group(group: str) -> frozenset[str]:
    """The labels of a group; each group holds those before it."""
    if group not in GROUPS:
        raise UsageError(f"no group named {group!r}; there are A, B, C and D")
    wanted = GROUPS[: GROUPS.index(group) + 1]
    return frozenset(name for name, row in all_labels().items() if row.group in wanted)


# The label for a coarse label of another scheme that may be several of ours: what most of its
# mentions are, or what every group hides. Others become the first in the taxonomy.
_TYPICAL = ("DATE", "CITY", "IDNUM")


def from_scheme(scheme: str, name: str) -> tuple[str, ...]:
    """Our labels for another scheme's name, the typical one first, then in taxonomy order; empty if
    it knows no such name."""
    if scheme not in SCHEMES:
        raise UsageError(f"no label scheme named {scheme!r}; there are: {', '.join(SCHEMES)}")
    found = [
        own
        for own, row in all_labels().items()
        if name.upper() in (alias.upper() for alias in row.aliases.get(scheme, ()))
    ]
    return tuple(sorted(found, key=lambda own: own not in _TYPICAL))
