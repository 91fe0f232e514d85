"""Whether a code system is published for everybody (code_systems.toml)."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from incognote.core.caches import cached, once

# Tables of HL7 itself, and value sets of the CDC.
_TABLE = re.compile(r"HL7\d{3,4}|PHINQUESTION|PHVS_\w{1,60}")


@once
def _lists() -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    source = files("incognote.core.fields").joinpath("code_systems.toml")
    raw = tomllib.loads(source.read_text("utf-8"))
    return frozenset(raw["names"]), tuple(raw["addresses"]), tuple(raw["oids"])


@cached(1024)
def is_public_code_system(system: str) -> bool:
    """Whether the name, the OID or the address of a code system is one of the world's."""
    names, addresses, oids = _lists()
    return (
        system in names
        or _TABLE.fullmatch(system) is not None
        or system.startswith(addresses)
        or system.removeprefix("urn:oid:").startswith(oids)
    )
