"""Which patients are set aside for measuring: drawn at random, the same draw every time.

The draw is keyed, so that whoever names the patients cannot choose who is drawn.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

LEARN, MEASURE = "learn", "measure"
ENOUGH = 299  # notes without a leak that show "fewer than 1 % leak" with 95 % confidence
LARGEST_SHARE = 5  # at most one note in five measures


def draw(key: bytes, what: str) -> float:
    """A number in [0, 1) for a patient or a note."""
    digest = hmac.new(key, what.encode("utf-8", "surrogatepass"), "sha256").digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def measuring(
    notes_of: Mapping[str, int], key: bytes, already: int = 0, total: int | None = None
) -> frozenset[str]:
    """The patients whose notes measure, of those that are new; `already` notes measure so far,
    `total` counts all notes of the project."""
    everything = sum(notes_of.values()) if total is None else total
    wanted = min(ENOUGH, everything // LARGEST_SHARE)
    chosen = set()
    held = already
    for patient in sorted(notes_of, key=lambda each: draw(key, f"patient:{each}")):
        if held >= wanted:
            break
        # A patient with very many notes would fill the set alone.
        if held + notes_of[patient] <= wanted + max(1, wanted // 10):
            chosen.add(patient)
            held += notes_of[patient]
    return frozenset(chosen)
