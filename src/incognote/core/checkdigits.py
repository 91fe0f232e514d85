"""Check digits of the numbers that have them: rules ask whether a value is valid, surrogates set
its check characters. Layout and letters are the caller's business."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = dict(
    zip(
        "0123456789ABCDEFGHJKLMNPRSTUVWXYZ",
        [*range(10), *range(1, 9), 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9],
        strict=True,
    )
)
_MONTHS = 12
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
VIN_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Scheme:
    """`fits` says whether a value has the shape at all; `repair` returns it with a valid check;
    `at` are the places of the check characters, from the front or the back."""

    name: str
    fits: Callable[[str], bool]
    repair: Callable[[str], str]
    at: tuple[int, ...] = (-1,)

    def valid(self, value: str) -> bool:
        return self.fits(value) and self.repair(value) == value

    def checks(self, value: str) -> tuple[int, ...]:
        """The places of the check characters of a value."""
        return tuple(at % len(value) for at in self.at)


def luhn_digit(payload: str) -> str:
    total = 0
    for i, char in enumerate(reversed(payload)):
        digit = int(char)
        if i % 2 == 0:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return str(-total % 10)


def _luhn(value: str) -> str:
    return value[:-1] + luhn_digit(value[:-1])


def _npi(value: str) -> str:
    # The standard prefixes 80840 (health, USA) before the Luhn sum.
    first = value[0] if value[0] in "12" else "1"
    payload = first + value[1:-1]
    return payload + luhn_digit("80840" + payload)


def _dea(value: str) -> str:
    digits = [int(char) for char in value[2:8]]
    check = sum(digits[0::2]) + 2 * sum(digits[1::2])
    return value[:-1] + str(check % 10)


def _vin(value: str) -> str:
    total = sum(_VIN_VALUES[c] * w for c, w in zip(value, _VIN_WEIGHTS, strict=True))
    return value[:8] + "0123456789X"[total % 11] + value[9:]


def _iban(value: str) -> str:
    number = int("".join(str(int(char, 36)) for char in value[4:] + value[:2] + "00"))
    return value[:2] + f"{98 - number % 97:02d}" + value[4:]


def _nhs(value: str) -> str:
    payload = value[:-1]
    while True:
        total = sum(int(char) * (10 - i) for i, char in enumerate(payload))
        check = (11 - total % 11) % 11
        if check < 10:
            return payload + str(check)
        # A payload whose check would be 10 is never issued: step to the next.
        payload = f"{(int(payload) + 1) % 10**9:09d}"


def _dni(value: str) -> str:
    # Spanish identity cards; those of foreigners begin with X, Y or Z for 0, 1 or 2.
    number = int(str("XYZ".find(value[0])) + value[1:8] if value[0] in "XYZ" else value[:8])
    return value[:8] + _DNI_LETTERS[number % 23]


def _nir(value: str) -> str:
    # French social security numbers.
    return value[:13] + f"{97 - int(value[:13]) % 97:02d}"


def _ascii_digits(value: str) -> bool:
    return value.isascii() and value.isdigit()


NPI = Scheme("npi", lambda v: len(v) == 10 and _ascii_digits(v) and v[0] in "12", _npi)
DEA = Scheme(
    "dea",
    lambda v: (
        len(v) == 9
        and v.isascii()
        and v[:1].isalpha()
        and v[1:2].isalnum()
        and _ascii_digits(v[2:])
    ),
    _dea,
)
VIN = Scheme("vin", lambda v: len(v) == 17 and all(c in _VIN_VALUES for c in v), _vin, (8,))
IBAN = Scheme(
    "iban",
    lambda v: (
        15 <= len(v) <= 34
        and v.isascii()
        and v.isalnum()
        and v[:2].isalpha()
        and _ascii_digits(v[2:4])
    ),
    _iban,
    (2, 3),
)
DNI = Scheme("dni", lambda v: len(v) == 9 and _ascii_digits(v[:8]) and v[8] in _DNI_LETTERS, _dni)
NIE = Scheme(
    "nie",
    lambda v: len(v) == 9 and v[0] in "XYZ" and _ascii_digits(v[1:8]) and v[8] in _DNI_LETTERS,
    _dni,
)
NIR = Scheme(
    "nir",
    lambda v: len(v) == 15 and _ascii_digits(v) and v[0] in "12" and 1 <= int(v[3:5]) <= _MONTHS,
    _nir,
    (13, 14),
)
NHS = Scheme("nhs", lambda v: len(v) == 10 and _ascii_digits(v), _nhs)
LUHN = Scheme("luhn", lambda v: len(v) >= 8 and _ascii_digits(v), _luhn)

# The particular before the general: every NPI also has a Luhn sum of its own by chance one in ten.
SCHEMES = (VIN, DEA, NPI, IBAN, NIE, DNI, NIR, NHS, LUHN)


def scheme_of(value: str) -> Scheme | None:
    """The first scheme whose check this value passes (upper case, without separators)."""
    for scheme in SCHEMES:
        if scheme.valid(value):
            return scheme
    return None
