"""The tokenisers a score can be counted in.

A number without the name of its tokeniser means little, so every score carries that name.
"""

from __future__ import annotations

import re
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from incognote.core.errors import UsageError

Ints = npt.NDArray[np.int64]

TOKENISERS = MappingProxyType(
    {
        "word": re.compile(r"\w+"),  # letters, digits and underscores of any script
        "whitespace": re.compile(r"\S+"),  # what the PhysioNet counts are made of
        "ascii": re.compile(r"[a-zA-Z0-9]+"),  # what the i2b2 2014 scorer uses
    }
)
DEFAULT = "word"


def token_bounds(text: str, tokeniser: str = DEFAULT) -> tuple[Ints, Ints]:
    """Starts and ends of every token of a text."""
    pattern = TOKENISERS.get(tokeniser)
    if pattern is None:
        raise UsageError(f"no tokeniser named {tokeniser!r}; there are: {', '.join(TOKENISERS)}")
    bounds = np.array([token.span() for token in pattern.finditer(text)], dtype=np.int64)
    if not len(bounds):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return bounds[:, 0].copy(), bounds[:, 1].copy()
