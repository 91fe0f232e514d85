"""What a rule hands over."""

from __future__ import annotations

from typing import NamedTuple

CERTAIN, LIKELY, POSSIBLE = 0.95, 0.85, 0.65


class Finding(NamedTuple):
    """Tokens [first, end) with a label; `rule` names who found them."""

    first: int
    end: int
    label: str
    rule: str
    score: float
