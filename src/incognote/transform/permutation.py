"""Keyed permutations of a range of numbers: the basis of every surrogate of a listed value.

A permutation is one to one, so two values never meet in one surrogate, and it needs no table that
could be stored or leak. Small ranges are shuffled; large ones go through an alternating Feistel
network over Z_a x Z_b with a * b barely larger than the range, and results that lie outside go
through it again (cycle walking) until one lies inside.

A `Cycle` is a permutation that leaves nothing where it was.
"""

from __future__ import annotations

from hashlib import blake2b
from math import isqrt
from typing import NamedTuple

from incognote.core.caches import cached
from incognote.transform.draw import Dice

# Up to here a shuffle is exact, and as fast.
_SHUFFLED = 64
# As FF1 of NIST SP 800-38G has it; lists are no secrets, and need fewer.
_ROUNDS, _FEW_ROUNDS = 10, 6
_LIST = 2**20
_DIGEST = 256
# So many bits more than needed make the bias of a remainder negligible.
_SPARE = 64


class Permutation:
    """A permutation of range(size), fixed by its key."""

    __slots__ = ("_inverse", "_key", "_keyed", "_network", "_size", "_table")

    def __init__(self, key: bytes, size: int) -> None:
        self._key = key
        self._size = size
        self._table: list[int] | None = _shuffled(key, size) if size <= _SHUFFLED else None
        self._inverse: list[int] | None = None
        self._network = _network(size)
        # To take the key in once is a third of the work.
        self._keyed = blake2b(key=key, digest_size=_DIGEST // 8)

    def __reduce__(self) -> tuple[type[Permutation], tuple[bytes, int]]:
        return Permutation, (self._key, self._size)

    def __call__(self, value: int) -> int:
        if not 0 <= value < self._size:
            raise ValueError("outside the range of the permutation")
        if self._table is not None:
            return self._table[value]
        while True:
            value = self._encrypted(value)
            if value < self._size:
                return value

    def source(self, image: int) -> int:
        """The value with this image."""
        if not 0 <= image < self._size:
            raise ValueError("outside the range of the permutation")
        if self._table is not None:
            if self._inverse is None:
                self._inverse = sorted(range(self._size), key=self._table.__getitem__)
            return self._inverse[image]
        while True:
            image = self._decrypted(image)
            if image < self._size:
                return image

    def _encrypted(self, value: int) -> int:
        a, b, rounds, width, blocks = self._network
        left, right = divmod(value, b)
        random = self._random
        for number in range(0, rounds, 2):
            left = (left + random((right << 8 | number).to_bytes(width), blocks)) % a
            right = (right + random((left << 8 | number + 1).to_bytes(width), blocks)) % b
        return left * b + right

    def _decrypted(self, value: int) -> int:
        a, b, rounds, width, blocks = self._network
        left, right = divmod(value, b)
        random = self._random
        for number in range(rounds - 2, -1, -2):
            right = (right - random((left << 8 | number + 1).to_bytes(width), blocks)) % b
            left = (left - random((right << 8 | number).to_bytes(width), blocks)) % a
        return left * b + right

    def _random(self, message: bytes, blocks: int) -> int:
        """Bits that half of a value and the number of the round decide, and the key."""
        if blocks == 1:
            keyed = self._keyed.copy()
            keyed.update(message)
            return int.from_bytes(keyed.digest())
        digests: list[bytes] = []
        for block in range(blocks):
            keyed = self._keyed.copy()
            keyed.update(message + block.to_bytes(2))
            digests.append(keyed.digest())
        return int.from_bytes(b"".join(digests))


class _Network(NamedTuple):
    """The shape of a Feistel network: its halves, its rounds, the bytes of a message, and the
    digests that a half takes."""

    a: int
    b: int
    rounds: int
    width: int
    blocks: int


@cached(4096)
def _network(size: int) -> _Network:
    a = isqrt(max(size - 1, 0)) + 1
    b = -(-size // a)
    bits = max(a, b).bit_length()
    rounds = _ROUNDS if size > _LIST else _FEW_ROUNDS
    return _Network(a, b, rounds, bits // 8 + 2, -(-(bits + _SPARE) // _DIGEST))


class Cycle:
    """A permutation of range(size) that is one single cycle: each value goes to the next one in an
    order fixed by the key. Nothing stays where it was, and all such orders are as likely."""

    __slots__ = ("_order", "_size")

    def __init__(self, key: bytes, size: int) -> None:
        self._order = Permutation(key, size)
        self._size = size

    def __call__(self, value: int) -> int:
        return self._order.source((self._order(value) + 1) % self._size)


def _shuffled(key: bytes, size: int) -> list[int]:
    dice = Dice(key, "shuffle")
    table = list(range(size))
    for last in range(size - 1, 0, -1):
        other = dice.below(last + 1)
        table[last], table[other] = table[other], table[last]
    return table
