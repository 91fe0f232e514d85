"""What an identifier or a contact is, by its type and its system (identifiers.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files

from incognote.core.caches import cached


@cached(16)
def _table(section: str) -> Mapping[str, str]:
    source = files("incognote.core.fields").joinpath("identifiers.toml")
    listed = tomllib.loads(source.read_text("utf-8"))[section]
    return {code: label for label, codes in listed.items() for code in codes}


def identifier_label(types: Iterable[str] = (), system: str = "") -> str | None:
    """The label of an identifier, by its system or else by the codes of its type (table 0203)."""
    where = system.lower().removeprefix("urn:oid:")
    for known, label in _table("systems").items():
        if where == known or (not known[0].isdigit() and known in where):
            return label
        if known.endswith(".") and where.startswith(known):
            return label
    return next((_table("types")[code] for code in types if code in _table("types")), None)


def is_identifier_type(code: str) -> bool:
    return code in _table("types")


def contact_label(system: str) -> str:
    """The label of a telecom value: a telephone number where its system says nothing."""
    return _table("contacts").get(system, "PHONE")
