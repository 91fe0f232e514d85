"""Transforms that need no lists: tag, redact, remove, hash, truncate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from incognote.core.errors import PolicyError
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import squeeze

_HASH_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Tag:
    """The label in brackets. `numbered` tells the values of one document apart: [PATIENT-2]."""

    label: str
    numbered: bool = False
    form: str = "[{}]"
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if self.form.count("{}") != 1:
            raise PolicyError(f"labels.{self.label}.form: must hold {{}} once")

    def replace(self, mention: Mention, record: Record) -> str:
        if not self.numbered:
            return self.form.format(self.label)
        value = (self.label, squeeze(mention.text))
        if value not in record.numbers:
            record.numbers[value] = sum(label == self.label for label, _ in record.numbers) + 1
        return self.form.format(f"{self.label}-{record.numbers[value]}")

    def explain(self) -> str:
        shown = self.form.format(f"{self.label}-1" if self.numbered else self.label)
        each = ", one number for each value of a document" if self.numbered else ""
        return f"replaced by the tag {shown}{each}"


@dataclass(frozen=True, slots=True)
class Redact:
    """Every visible character becomes `mask`; length and blanks stay."""

    label: str
    mask: str = "X"
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if len(self.mask) != 1:
            raise PolicyError(f"labels.{self.label}.mask: must be one character")

    def replace(self, mention: Mention, record: Record) -> str:  # noqa: ARG002 - one signature
        return _VISIBLE.sub(lambda _: self.mask, mention.text)

    def explain(self) -> str:
        return f"blacked out with {self.mask!r}, length kept"


@dataclass(frozen=True, slots=True)
class Remove:
    """Nothing stands in its place."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset()

    def replace(self, mention: Mention, record: Record) -> str:  # noqa: ARG002 - one signature
        return ""

    def explain(self) -> str:
        return "removed without a trace"


@dataclass(frozen=True, slots=True)
class Hash:
    """A keyed code: equal values of a scope get equal codes, and nobody without the key can try
    values until one fits."""

    label: str
    length: int = 12
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if not 6 <= self.length <= 48:
            raise PolicyError(f"labels.{self.label}.length: must be 6 to 48")

    def replace(self, mention: Mention, record: Record) -> str:
        def make(attempt: int) -> str:
            dice = record.scope.draws.dice(f"HASH-{self.label}", squeeze(mention.text), attempt)
            return "".join(dice.pick(_HASH_ALPHABET) for _ in range(self.length))

        return record.first_free(self.label, make)

    def explain(self) -> str:
        return f"replaced by a keyed code of {self.length} characters"


@dataclass(frozen=True, slots=True)
class Truncate:
    """Only the first `keep` letters or digits stay; the rest becomes `mask`."""

    label: str
    keep: int = 1
    mask: str = "*"
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if self.keep < 0 or len(self.mask) > 1:
            raise PolicyError(f"labels.{self.label}: keep must not be negative, mask one character")

    def replace(self, mention: Mention, record: Record) -> str:  # noqa: ARG002 - one signature
        seen = 0
        out = []
        for char in mention.text:
            if char.isalnum():
                seen += 1
                out.append(char if seen <= self.keep else self.mask)
            elif seen <= self.keep or self.mask:
                out.append(char)
        return "".join(out)

    def explain(self) -> str:
        return f"cut to its first {self.keep} characters"
