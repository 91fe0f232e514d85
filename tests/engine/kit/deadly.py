"""A function for the `function` detector that kills the process it runs in."""

from __future__ import annotations

import os
import signal
from pathlib import Path

MARKER = "INCOGNOTE_TEST_MARKER"


def find(text: str) -> list[tuple[int, int, str]]:
    """Nobody survives "poison"; only the first dies of "unlucky", and two of "twice"."""
    marker = Path(os.environ[MARKER])
    unlucky = "unlucky" in text and not marker.exists()
    if unlucky:
        marker.touch()
    if "twice" in text:
        with marker.open("a") as deaths:
            deaths.write("x")
        unlucky = len(marker.read_text()) <= 2
    if unlucky or "poison" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return []
