"""What a report claims, line by line: met, not met or not measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

MET, NOT_MET, NOT_MEASURED = "met", "not met", "not measured"


@dataclass(frozen=True, slots=True)
class Line:
    """`name` is what was asked, `value` what came out, `limit` what it may be at most (or, with
    `at_least`, at least). Without a value it was not measured; `why` says why."""

    name: str
    attacker: str = ""
    value: float | None = None
    limit: float | None = None
    at_least: bool = False
    why: str = ""

    @property
    def status(self) -> str:
        if self.value is None or self.limit is None:
            return NOT_MEASURED
        good = self.value >= self.limit if self.at_least else self.value <= self.limit
        return MET if good else NOT_MET

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Line:
        """A line of a report. Its status follows from value and limit, whatever the report says."""
        known = {each.name for each in fields(cls)}
        line = cls(**{name: value for name, value in row.items() if name in known})
        for number in (line.value, line.limit):
            if number is not None and not isfinite(number):
                raise ValueError("a value of a report is a finite number")
        return line

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status}


def overall(lines: Iterable[Mapping[str, Any]]) -> str:
    """Met only if every line is; what is not measured is not met."""
    found = [line["status"] for line in lines]
    if not found or NOT_MEASURED in found:
        return NOT_MET if NOT_MET in found else NOT_MEASURED
    return NOT_MET if NOT_MET in found else MET
