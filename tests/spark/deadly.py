"""A function for the `function` detector that kills the process it runs in."""

from __future__ import annotations

import os


def find(text: str) -> list[tuple[int, int, str]]:
    """Nobody survives "poison"."""
    if "poison" in text:
        os._exit(9)
    return []
