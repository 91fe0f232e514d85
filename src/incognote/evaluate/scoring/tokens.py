"""The tokenisers a score can be counted in.

A number without the name of its tokeniser means little, so every score carries that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from incognote.core.caches import cached
from incognote.core.errors import UsageError

Ints = npt.NDArray[np.int64]

# A token is a run of such characters, as long as it goes.
TOKENISERS = MappingProxyType(
    {
        "word": re.compile(r"\w"),  # letters, digits and underscores of any script
        "whitespace": re.compile(r"\S"),  # what the PhysioNet counts are made of
        "ascii": re.compile(r"[a-zA-Z0-9]"),  # what the i2b2 2014 scorer uses
    }
)
DEFAULT = "word"
_ASCII = 128


def token_bounds(text: str, tokeniser: str = DEFAULT) -> tuple[Ints, Ints]:
    """Starts and ends of every token of a text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    inside = np.zeros(len(codes) + 2, bool)
    inside[1:-1] = _ascii_members(tokeniser)[np.minimum(codes, _ASCII)]
    if not text.isascii():
        # Few distinct characters lie beyond ASCII: each is classified once, not at each place.
        others, where = np.unique(codes[codes >= _ASCII], return_inverse=True)
        inside[1:-1][codes >= _ASCII] = _members(map(chr, others.tolist()), tokeniser)[where]
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2].copy(), edges[1::2].copy()


def tokens_of(text: str, tokeniser: str = DEFAULT) -> list[str]:
    """The tokens themselves, in the order of their bounds."""
    return re.findall(_character(tokeniser).pattern + "+", text)


@cached(8)
def _ascii_members(tokeniser: str) -> npt.NDArray[np.bool_]:
    """One more than ASCII has: all other characters, which are classified elsewhere."""
    return np.append(_members(map(chr, range(_ASCII)), tokeniser), False)


def _members(characters: Iterable[str], tokeniser: str) -> npt.NDArray[np.bool_]:
    belongs = _character(tokeniser).match
    return np.array([belongs(char) is not None for char in characters], bool)


def _character(tokeniser: str) -> re.Pattern[str]:
    pattern = TOKENISERS.get(tokeniser)
    if pattern is None:
        raise UsageError(f"no tokeniser named {tokeniser!r}; there are: {', '.join(TOKENISERS)}")
    return pattern
