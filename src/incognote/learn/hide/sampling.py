"""Which tokens are trained on. Most are outside PHI; leaving some out trains faster and trades
precision for recall.

    random     each token outside PHI stays with some probability, and so do the `history` tokens
               before each token of PHI, which its features look at
    window     tokens within so many of PHI stay, no others
    both       the window, and of the rest a random sample, as HIDE means it
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.errors import UsageError
from incognote.detect.learned.hide.tokens import OUTSIDE

HISTORY = 4


@dataclass(frozen=True, slots=True)
class Sampling:
    """`share` of the tokens outside PHI, 1 for all; `window` around PHI, None for none."""

    share: float = 1.0
    window: int | None = None
    history: int = HISTORY

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise UsageError("the share of tokens outside PHI must be from 0 to 1")
        if self.window is not None and self.window < 0:
            raise UsageError("the window must be 0 or more")
        if self.history < 0:
            raise UsageError("the history must be 0 or more")

    def keeps(self, labels: Sequence[str], rng: random.Random) -> list[int]:
        """The numbers of the tokens that stay, in order."""
        if self.share >= 1 and self.window is None:
            return list(range(len(labels)))
        near = self._near(labels)
        # With a window alone the rest goes; with a share it is drawn from.
        share = 0.0 if self.window is not None and self.share >= 1 else self.share
        return [
            number
            for number, label in enumerate(labels)
            if label != OUTSIDE or near[number] or rng.random() < share
        ]

    def _near(self, labels: Sequence[str]) -> list[bool]:
        before, behind = (self.history, 0) if self.window is None else (self.window, self.window)
        near = [False] * len(labels)
        for number, label in enumerate(labels):
            if label != OUTSIDE:
                low, high = max(0, number - before), min(len(labels), number + behind + 1)
                near[low:high] = [True] * (high - low)
        return near
