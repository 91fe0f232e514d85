"""The shape of a number or code: which values look like it, and count as the same kind of thing.

A shape gives each place of a value the characters that may appear there; one that allows a single
character is fixed. Check characters are computed from the others. All values of a shape are
numbered, so that a permutation of the numbers is a permutation of the values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase, digits

from incognote.core import checkdigits
from incognote.core.caches import cached
from incognote.transform.word_data import word_list

HEX = digits + "ABCDEF"
_NONZERO = digits[1:]
# Medicare beneficiary identifiers leave out letters that look like digits.
_MBI_LETTERS = "ACDEFGHJKMNPQRTUVWXY"
_MBI = re.compile(
    f"[1-9][{_MBI_LETTERS}][{_MBI_LETTERS}0-9][0-9][{_MBI_LETTERS}][{_MBI_LETTERS}0-9][0-9][{_MBI_LETTERS}]{{2}}[0-9]{{2}}"
)
_UUID = re.compile(r"[0-9A-F]{8}(-?)[0-9A-F]{4}\1[0-9A-F]{4}\1[0-9A-F]{4}\1[0-9A-F]{12}")
# A hash has several of both; digits with one check letter are no hash.
_HEX = re.compile(r"(?=(?:[A-F]*[0-9]){3})(?=(?:[0-9]*[A-F]){3})[0-9A-F]{16,}")
_OID = re.compile(r"[0-2](?:\.(?:0|[1-9][0-9]*)){3,}|2\.25\.[1-9][0-9]*")
_BIC = re.compile(r"[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
# By how many digits the brand of a card is known.
_CARD = re.compile(
    r"(4|5[1-5]|2[2-7]\d\d|3[47]|3(?:0[0-5]|[689])|35(?:2[89]|[3-8])|6011|64[4-9]|65|62)\d+"
)
_CARD_LENGTHS = range(13, 20)
# Arcs that name a country, a registry or the UUIDs: everybody's.
_ROOTS = ("2.16.840.1.", "1.3.6.1.4.1.", "1.2.840.", "2.25.", "1.3.", "1.2.", "2.16.")
_ENOUGH = 10**6
# Standards name their own things: DICOM, and the code systems of HL7.
_STANDARD_OID = re.compile(r"1\.2\.840\.10008\.|2\.16\.840\.1\.113883\.(?:[15-9]|1[0-9]|2[0-9])\.")
_PREFIX = re.compile(r"[A-Z]{2,}(?=[0-9])")


@dataclass(frozen=True, slots=True)
class Shape:
    """All values of one shape. `kind` distinguishes those that have the same characters in the same
    places but are other things; `check` sets the check characters, whose places are fixed."""

    kind: str
    places: tuple[str, ...]
    check: Callable[[str], str] | None = None

    @property
    def size(self) -> int:
        size = 1
        for place in self.places:
            size *= len(place)
        return size

    @property
    def signature(self) -> str:
        return f"{self.kind}:{'|'.join(self.places)}"

    def rank(self, value: str) -> int:
        """The number of a value."""
        number = 0
        for char, place in zip(value, self.places, strict=True):
            if len(place) > 1:
                number = number * len(place) + place.index(char)
        return number

    def unrank(self, number: int) -> str:
        out: list[str] = []
        for place in reversed(self.places):
            if len(place) > 1:
                number, at = divmod(number, len(place))
                out.append(place[at])
            else:
                out.append(place)
        value = "".join(reversed(out))
        return self.check(value) if self.check else value

    def holds(self, value: str) -> bool:
        """Whether a value that was made by `unrank` has this shape."""
        other = shape_of(value)
        return other.kind == self.kind and other.places == self.places


def is_standard(text: str) -> bool:
    """Whether a value is an identifier of a published standard, not of a person."""
    return _STANDARD_OID.match(text) is not None


def is_global(text: str) -> bool:
    """Whether a value is an OID or a UUID: the same thing in every field and format."""
    return _OID.fullmatch(text) is not None or _UUID.fullmatch(text.upper()) is not None


@cached(4096)
def shape_of(value: str) -> Shape:
    """The shape of a value in capitals, without separators; the dots of an OID are none."""
    if _OID.fullmatch(value):
        return Shape("oid", _oid_places(value))
    if _UUID.fullmatch(value):
        return Shape("uuid", _uuid_places(value))
    if _MBI.fullmatch(value):
        return Shape("mbi", _mbi_places(value))
    scheme = checkdigits.scheme_of(value)
    if scheme is not None:
        return Shape(scheme.name, _checked_places(scheme, value), _check(scheme))
    if _HEX.fullmatch(value):
        return Shape("hex", (HEX,) * len(value))
    bank = _BIC.fullmatch(value)
    if bank and bank[1] in word_list("places", "country_codes_2"):
        own = _plain_places(value)
        return Shape("bic", (*own[:4], value[4], value[5], *own[6:]))
    return Shape("plain", _plain_places(value))


def _check(scheme: checkdigits.Scheme) -> Callable[[str], str]:
    return scheme.repair


def _plain_places(value: str) -> tuple[str, ...]:
    """Digits for digits, letters for letters. Leading zeros are part of the form, and so is a word
    in front that says what the number is ("MRN", "ACC")."""
    # A dot matches itself: what is nearly an OID ("1.2.04") keeps its form.
    places = [
        digits if char.isdigit() else char if char == "." else ascii_uppercase for char in value
    ]
    prefix = _PREFIX.match(value)
    if prefix and prefix[0].lower() in word_list("contacts", "number_kinds"):
        places[: prefix.end()] = prefix[0]
    _fix_zeros(value, places)
    return tuple(places)


def _fix_zeros(value: str, places: list[str]) -> None:
    for at, char in enumerate(value):
        if char == "0":
            places[at] = "0"
        elif char.isdigit():
            places[at] = _NONZERO
            return


def _uuid_places(value: str) -> tuple[str, ...]:
    places = [HEX if char != "-" else "-" for char in value]
    gap = 1 if "-" in value else 0
    for at in (12 + 2 * gap, 16 + 3 * gap):  # version and variant
        places[at] = value[at]
    return tuple(places)


def _oid_places(value: str) -> tuple[str, ...]:
    """Arcs of as many digits, none of which begins with a zero, behind a root that is everybody's
    and leaves enough to distinguish things."""
    every = _arcs(value)
    for root in _ROOTS:
        if value.startswith(root):
            places = (*root, *every[len(root) :])
            if Shape("", places).size >= _ENOUGH:
                return places
    second = value.index(".", 2)  # there is no 1.40
    return (*value[: second + 1], *every[second + 1 :])


def _arcs(value: str) -> tuple[str, ...]:
    places: list[str] = []
    for arc in value.split("."):
        places += [digits] if len(arc) == 1 else [_NONZERO, *[digits] * (len(arc) - 1)]
        places.append(".")
    return tuple(places[:-1])


def _mbi_places(value: str) -> tuple[str, ...]:
    places = [digits if char.isdigit() else _MBI_LETTERS for char in value]
    places[0] = _NONZERO
    return tuple(places)


def _checked_places(scheme: checkdigits.Scheme, value: str) -> tuple[str, ...]:
    letters = checkdigits.VIN_LETTERS if scheme is checkdigits.VIN else ascii_uppercase
    places = [digits if char.isdigit() else letters for char in value]
    if scheme is checkdigits.NIR:
        places[4] = _NONZERO if value[3] == "0" else "012"  # the month of birth
    elif scheme is not checkdigits.IBAN:
        _fix_zeros(value, places)
    for at in _fixed(scheme, value):
        places[at] = value[at]
    for at in scheme.checks(value):
        places[at] = "0"
    return tuple(places)


def _fixed(scheme: checkdigits.Scheme, value: str) -> Sequence[int]:
    """What says which kind of number it is: the brand of a card, the country of an account, the
    sex in a French number."""
    if scheme is checkdigits.IBAN:
        return (0, 1)
    if scheme is checkdigits.NIR:
        return (0, 3)
    if scheme in (checkdigits.NPI, checkdigits.DEA, checkdigits.NIE):
        return (0,)
    if scheme is checkdigits.LUHN and len(value) in _CARD_LENGTHS:
        brand = _CARD.fullmatch(value)
        return range(len(brand[1])) if brand else ()
    return ()
