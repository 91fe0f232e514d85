"""ZIP codes as Safe Harbor wants them: three digits, or none where too few people live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from incognote.core.zips import RESTRICTED_ZIP3
from incognote.transform.places.geography import state_of_zip
from incognote.transform.record import Mention, TransformRecord

# Three digits, five, or nine. "2650" is Australian (or has lost a zero), "600040" Indian.
_LENGTHS = (3, 5, 9)


@dataclass(frozen=True, slots=True)
class Zip3:
    """The first three digits stay; areas of 20,000 people or fewer, unknown ones and those of
    other countries, which the rule does not cover, become 000.

    With `fill` the code keeps five digits ("02139" -> "02100").
    """

    label: str
    fill: bool = False
    labels: ClassVar[frozenset[str]] = frozenset({"ZIP"})

    def replace(self, mention: Mention, record: TransformRecord) -> str:  # noqa: ARG002 - one signature
        prefix = mention.text.strip()[:3]
        american = sum(map(str.isdigit, mention.text)) in _LENGTHS and prefix.isdigit()
        if not american or prefix in RESTRICTED_ZIP3 or state_of_zip(prefix) is None:
            prefix = "000"
        return prefix + ("00" if self.fill else "")

    def explain(self) -> str:
        return "cut to its first three digits; 000 where 20,000 people or fewer live"
