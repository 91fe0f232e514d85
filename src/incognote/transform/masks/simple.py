"""Transforms that need no lists: tag, redact, remove, hash, truncate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from incognote.core.errors import PolicyError
from incognote.transform.record import Mention, TransformRecord

_HASH_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
# So many numbers that the few dozen people of a record rarely meet in one.
_NUMBERS = 99_998
_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Tag:
    """The label in brackets. `numbered` distinguishes people and values: [PATIENT-2].

    In a document that is on its own numbers count from 1. Where documents share surrogates, a
    number is drawn with the key, the same in all of them, and the patient of a record is number 1.
    """

    label: str
    numbered: bool = False
    form: str = "[{}]"
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if self.form.count("{}") != 1:
            raise PolicyError(f"labels.{self.label}.form: must hold {{}} once")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        if not self.numbered:
            return self.form.format(self.label)
        return self.form.format(f"{self.label}-{self._number(mention, record)}")

    def _number(self, mention: Mention, record: TransformRecord) -> int:
        identity = record.identity(mention)
        if record.shares_scope:
            if (
                identity == f"patient:{record.document.patient_id}"
                and record.rules.scope != "corpus"
            ):
                return 1
            return 2 + record.scope.draws.dice(f"TAG-{self.label}", identity).below(_NUMBERS)
        value = (self.label, identity)
        if value not in record.numbers:
            record.numbers[value] = sum(label == self.label for label, _ in record.numbers) + 1
        return record.numbers[value]

    def explain(self) -> str:
        shown = self.form.format(f"{self.label}-1" if self.numbered else self.label)
        each = ", one number for each person or value" if self.numbered else ""
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

    def replace(self, mention: Mention, record: TransformRecord) -> str:  # noqa: ARG002 - one signature
        return _VISIBLE.sub(lambda _: self.mask, mention.text)

    def explain(self) -> str:
        return f"blacked out with {self.mask!r}, length kept"


@dataclass(frozen=True, slots=True)
class Remove:
    """Nothing appears in its place."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset()

    def replace(self, mention: Mention, record: TransformRecord) -> str:  # noqa: ARG002 - one signature
        return ""

    def explain(self) -> str:
        return "removed without a trace"


@dataclass(frozen=True, slots=True)
class Hash:
    """A keyed code: a person or value of a scope gets one code, and without the key nobody can try
    values until one fits."""

    label: str
    length: int = 12
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if not 6 <= self.length <= 48:
            raise PolicyError(f"labels.{self.label}.length: must be 6 to 48")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        identity = record.identity(mention)

        def make(attempt: int) -> str:
            dice = record.scope.draws.dice(f"HASH-{self.label}", identity, attempt)
            return "".join(dice.pick(_HASH_ALPHABET) for _ in range(self.length))

        return record.first_free(self.label, make)

    def explain(self) -> str:
        return f"replaced by a keyed code of {self.length} characters"


@dataclass(frozen=True, slots=True)
class Truncate:
    """The first `keep` and the last `keep_end` letters or digits stay, the rest becomes `mask`; all
    of it does where the ends would leave nothing to mask.

    With `parts` the runs of letters or digits count instead: the subnet of 203.0.113.77, the area
    code of 937-555-0142, the category of M32.14.
    """

    label: str
    keep: int = 1
    keep_end: int = 0
    mask: str = "*"
    parts: bool = False
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if min(self.keep, self.keep_end) < 0 or len(self.mask) > 1:
            raise PolicyError(
                f"labels.{self.label}: keep and keep_end must not be negative, mask one character"
            )

    def replace(self, mention: Mention, record: TransformRecord) -> str:  # noqa: ARG002 - one signature
        text = mention.text
        units = [found.span() for found in (_PART if self.parts else _SIGN).finditer(text)]
        first, last = self.keep, len(units) - self.keep_end
        if first >= last:
            first, last = 0, len(units)
        head = units[first - 1][1] if first else 0
        tail = units[last][0] if last < len(units) else len(text)
        hidden = _SIGN.sub(lambda _: self.mask, text[head:tail]) if self.mask else ""
        return text[:head] + hidden + text[tail:]

    def explain(self) -> str:
        ends = f" and its last {self.keep_end}" if self.keep_end else ""
        return f"cut to its first {self.keep}{ends} {'parts' if self.parts else 'characters'}"


_SIGN = re.compile(r"[^\W_]")
_PART = re.compile(r"[^\W_]+")
