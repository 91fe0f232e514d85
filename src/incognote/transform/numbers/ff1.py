"""FF1 of NIST SP 800-38G: format-preserving encryption of numeral strings.

A numeral string is a list of integers below the radix. AES comes from `cryptography`; everything
else is the standard, step by step, with its names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from incognote.core.errors import MissingExtra, UsageError

# SP 800-38G Rev. 1: below a million possible values an attacker can just try them all.
MIN_DOMAIN = 1_000_000
_ROUNDS = 10


class FF1:
    """One key and one radix. `encrypt` and `decrypt` take numeral strings and a tweak."""

    def __init__(self, key: bytes, radix: int) -> None:
        if not 2 <= radix <= 2**16:
            raise UsageError("FF1: the radix must be 2 to 65536")
        if len(key) not in (16, 24, 32):
            raise UsageError("FF1: the key must have 16, 24 or 32 bytes")
        self.radix = radix
        self._key = key

    def encrypt(self, numerals: Sequence[int], tweak: bytes = b"") -> list[int]:
        n, u, v, prf = self._prepare(numerals, tweak)
        a = self._num(numerals[:u])
        b = self._num(numerals[u:])
        for i in range(_ROUNDS):
            m = u if i % 2 == 0 else v
            a, b = b, (a + prf(i, b)) % self.radix**m
        return self._str(a, u) + self._str(b, n - u)

    def decrypt(self, numerals: Sequence[int], tweak: bytes = b"") -> list[int]:
        n, u, v, prf = self._prepare(numerals, tweak)
        a = self._num(numerals[:u])
        b = self._num(numerals[u:])
        for i in reversed(range(_ROUNDS)):
            m = u if i % 2 == 0 else v
            a, b = (b - prf(i, a)) % self.radix**m, a
        return self._str(a, u) + self._str(b, n - u)

    def _prepare(self, numerals: Sequence[int], tweak: bytes) -> tuple[int, int, int, Any]:
        n = len(numerals)
        if n < 2 or self.radix**n < MIN_DOMAIN:
            raise UsageError("FF1: too short a value for this radix")
        u = n // 2
        v = n - u
        # b: bytes that hold the longer half; d: bytes of y, always four more than needed.
        b = ((self.radix**v - 1).bit_length() + 7) // 8
        d = 4 * ((b + 3) // 4) + 4
        p = (
            bytes([1, 2, 1])
            + self.radix.to_bytes(3)
            + bytes([10, u % 256])
            + n.to_bytes(4)
            + len(tweak).to_bytes(4)
        )
        head = tweak + bytes((-len(tweak) - b - 1) % 16)

        def prf(i: int, half: int) -> int:
            r = self._cbc_mac(p + head + bytes([i]) + half.to_bytes(b))
            s = r
            for j in range(1, (d + 15) // 16):
                s += self._aes(bytes(x ^ y for x, y in zip(r, j.to_bytes(16), strict=True)))
            return int.from_bytes(s[:d])

        return n, u, v, prf

    def _num(self, numerals: Sequence[int]) -> int:
        value = 0
        for numeral in numerals:
            value = value * self.radix + numeral
        return value

    def _str(self, value: int, length: int) -> list[int]:
        numerals = [0] * length
        for i in reversed(range(length)):
            value, numerals[i] = divmod(value, self.radix)
        return numerals

    def _aes(self, block: bytes) -> bytes:
        algorithms, modes, cipher = _cryptography()
        encryptor = cipher(algorithms.AES(self._key), modes.ECB()).encryptor()
        return bytes(encryptor.update(block) + encryptor.finalize())

    def _cbc_mac(self, data: bytes) -> bytes:
        algorithms, modes, cipher = _cryptography()
        encryptor = cipher(algorithms.AES(self._key), modes.CBC(bytes(16))).encryptor()
        return bytes((encryptor.update(data) + encryptor.finalize())[-16:])


def _cryptography() -> tuple[Any, Any, Any]:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ModuleNotFoundError:
        raise MissingExtra("format-preserving encryption", "vault") from None
    return algorithms, modes, Cipher
