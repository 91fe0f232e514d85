"""A time limit for work in this very process, as one worker does it.

A signal interrupts what hangs in Python code. It reaches the main thread only, and not every system
has it; where it is missing nothing is limited here, and a run with two workers is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# A plug-in that catches the first alarm gets another one, until it gives up.
_AGAIN = 1.0


class OutOfTime(BaseException):
    """The time is up. A BaseException, so that `except Exception` does not catch it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in the block after so many seconds; 0 is without end."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not seconds or not usable:
        yield
        return

    def ring(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
