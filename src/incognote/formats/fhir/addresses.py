"""Where a resource lives: references, full URLs, requests and searches, stretch by stretch.

The type of a resource, the names of search parameters and public addresses stay, so that it is an
address still; servers, ids and what a search asks for do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from incognote.core.fields import identifier_label, is_public_code_system
from incognote.formats.clinical import VALUE
from incognote.formats.typed import ADDRESS, QUERY, Decision
from incognote.policy import KEEP, TEXT

_SERVER = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HOST = re.compile(r"https?://([^/?#]+)", re.IGNORECASE)
_URN = re.compile(r"urn:(?:uuid|oid):")
# The type and id of a resource at the end of an address, perhaps with a version.
_RESOURCE = re.compile(r"(?:^|/)[A-Z][A-Za-z]+/([^/?#|$]+)(?:/_history/([^/?#]+))?(?:/\$[\w-]+)?$")
# A type alone, an operation, or what every server has.
_NO_ONE = re.compile(r"(?:[A-Z][A-Za-z]+/?)?(?:[$_][\w-]+|metadata)?")
_PARAMETER = re.compile(r"([^&=]+)=([^&]*)")
_ONE_OF = re.compile(r"[^,]+")
_DAY = re.compile(r"(?:eq|ne|gt|lt|ge|le|sa|eb|ap)?(\d{4}(?:-\d\d){0,2})(?:T.*)?")
_NAMED = {
    "family": "PATIENT", "given": "PATIENT", "name": "PATIENT", "phonetic": "PATIENT",
    "phone": "PHONE", "telecom": "PHONE", "email": "EMAIL", "address": "STREET",
    "address-city": "CITY", "address-state": "STATE", "address-postalcode": "ZIP",
}  # fmt: skip
# Parameters whose values are codes of the standard.
_CODES = frozenset(
    """status category type class intent active gender code priority severity clinical-status
    verification-status criticality docstatus event-status""".split()
)
# Those that shape the answer. What `_text`, `_content`, `_filter` and `_list` ask for may be PHI.
_SHAPE = frozenset(
    """_count _sort _include _revinclude _summary _elements _format _pretty _total _type _profile
    _security _tag _contained _containedType _maxresults _score _language _source""".split()
)
_NUMBER = re.compile(r"\d{1,4}")


def address_parts(value: str) -> Iterator[Decision]:
    """The stretches of an address that say who or where; what it does not yield stays."""
    address, asks, query = value.partition("?")
    yield from _path(address)
    if asks:
        yield from query_parts(query, len(address) + 1)


def server_of(system: str) -> Decision:
    """The host of an identifier system: hospitals name theirs after themselves. An OID stays."""
    found = _HOST.match(system)
    if found is None or is_public_code_system(system):
        return Decision(KEEP)
    return Decision("URL", *found.span(1), shared=True)


def _path(address: str) -> Iterator[Decision]:
    if address.startswith("#"):
        if len(address) > 1:
            yield Decision("IDNUM", 1, len(address), shared=True)
        return
    if urn := _URN.match(address):
        yield Decision("IDNUM", urn.end(), len(address), shared=True)
        return
    found = _RESOURCE.search(address)
    if server := _SERVER.match(address):
        if is_public_code_system(address):
            return
        end = found.start() if found else len(address)
        if server.end() < end:
            yield Decision("URL", server.end(), end, shared=True)
    elif found is None and not _NO_ONE.fullmatch(address):
        yield Decision(TEXT, 0, len(address))
    for group in (1, 2):
        if found and found[group] and found[group] != "_search":
            yield Decision("IDNUM", *found.span(group), shared=True)


def query_parts(query: str, at: int = 0) -> Iterator[Decision]:
    """The values of search parameters; their names and modifiers stay."""
    for parameter in _PARAMETER.finditer(query):
        name = _parameter_name(parameter[1])
        for value in _ONE_OF.finditer(parameter[2]):
            start = at + parameter.start(2) + value.start()
            for part in _asked(name, value[0]):
                end = len(value[0]) if part.end is None else part.end
                yield Decision(part.kind, start + part.start, start + end, part.shared)


def _parameter_name(written: str) -> str:
    """What is asked about: "patient.name:exact" asks for a name, and "_has:Group:member:_id" for
    an id."""
    if written.startswith("_has:"):
        return written.rpartition(":")[2]
    return written.rpartition(".")[2].partition(":")[0]


def _asked(name: str, value: str) -> Iterator[Decision]:
    if name in _NAMED:
        yield Decision(_NAMED[name])
    elif day := _DAY.fullmatch(value):
        yield Decision("DATE", *day.span(1))
    elif "|" in value:
        system, _, code = value.partition("|")
        if is_public_code_system(system):
            return
        yield from _path(system)
        if code:
            yield Decision(identifier_label(system=system) or "IDNUM", len(system) + 1)
    elif name in _CODES or name in _SHAPE or _NUMBER.fullmatch(value):
        return
    elif found := _RESOURCE.search(value):
        yield Decision("IDNUM", *found.span(1), shared=True)
    elif name in ("_id", "identifier", "patient", "subject", "encounter") or value[0].isdigit():
        yield Decision("IDNUM", shared=name != "identifier")
    else:
        yield Decision(VALUE)


# The stretches of a value, by the kind of its decision.
PARTS: dict[str, Callable[[str], Iterable[Decision]]] = {ADDRESS: address_parts, QUERY: query_parts}
