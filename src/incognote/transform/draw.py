"""Keyed randomness: every choice is HMAC-SHA256(key, scope, label, canonical form).

The same question always has the same answer, on every worker and in any order, with no table to
store or to leak. `attempt` asks again where an answer cannot be used.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_BITS = 256


def project_key(key: bytes, project: str) -> bytes:
    """The key of a project: what is made under it says nothing about another project."""
    return hmac.digest(key, b"project:" + project.encode(), "sha256") if project else key


class Dice:
    """A stream of choices behind one question. 256 bits serve nearly always; more are drawn."""

    __slots__ = ("_key", "_left", "_round", "_seed", "_value")

    def __init__(self, key: bytes, message: str) -> None:
        self._key = key
        # Later rounds start from this, not from the message, which may be very long.
        self._seed = hmac.digest(key, message.encode(), "sha256")
        self._round = 0
        self._value = int.from_bytes(self._seed)
        self._left = _BITS

    def below(self, n: int) -> int:
        """A number in [0, n). The bias is below 2**-64: that much is kept in reserve."""
        need = n.bit_length() + 64
        if self._left < need:
            self._round += 1
            more = self._seed + self._round.to_bytes(8)
            self._value = int.from_bytes(hmac.digest(self._key, more, "sha256"))
            self._left = _BITS
        self._value, choice = divmod(self._value, n)
        self._left -= n.bit_length()
        return choice

    def pick(self, pool: Sequence[T]) -> T:
        return pool[self.below(len(pool))]


class Draws:
    """All choices of one scope (a patient, a document or the corpus)."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes, scope: str) -> None:
        self._key = hmac.digest(key, b"scope:" + scope.encode(), "sha256")

    @property
    def key(self) -> bytes:
        return self._key

    def dice(self, label: str, form: str, attempt: int = 0) -> Dice:
        # Label and attempt hold no colon, the form comes last: no two questions look alike.
        return Dice(self._key, f"{label}:{attempt}:{form}")

    def pick(self, pool: Sequence[T], label: str, form: str, attempt: int = 0) -> T:
        return self.dice(label, form, attempt).pick(pool)
