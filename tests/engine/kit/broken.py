"""A detector that fails on some notes, and says more than it should when it does."""

from __future__ import annotations

from collections.abc import Sequence

from incognote.core.types import Span, View


class BrokenDetector:
    name = "broken"
    labels = frozenset({"PATIENT"})
    languages = frozenset({"*"})

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        for view in views:
            if "break" in view.text:
                raise ValueError(view.text)
        return [[] for _ in views]
