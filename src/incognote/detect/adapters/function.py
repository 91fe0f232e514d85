"""A plain Python function as a detector.

    [detectors.ours]
    use = "function"
    options = { function = "our_package.finders:find_badges" }

The function takes a text and returns (start, end, label) or (start, end, label, score) for each
find. The module must be importable where incognote runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from incognote.core.errors import PolicyError
from incognote.core.labels import all_labels
from incognote.core.types import Span, View
from incognote.detect.adapters.labels import LabelMap

Find = tuple[int, int, str] | tuple[int, int, str, float]


class FunctionDetector:
    def __init__(
        self,
        function: str,
        labels: Mapping[str, str] | None = None,
        languages: Sequence[str] = ("*",),
    ) -> None:
        self.name = "function"
        self.languages = frozenset(languages)
        self._labels = LabelMap("", labels, who="function detector")
        self.labels = self._labels.labels or frozenset(all_labels())
        self._target = function
        self._function  # noqa: B018 - a function that is not there is an error now, not later

    @cached_property
    def _function(self) -> Callable[[str], Iterable[Find]]:
        module, _, name = self._target.partition(":")
        try:
            found: Any = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            raise PolicyError(f"function detector: cannot import {self._target!r}") from None
        if not callable(found):
            raise PolicyError(f"function detector: {self._target!r} is no function")
        return found  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        # A function travels to another process by its name.
        return {key: value for key, value in self.__dict__.items() if key != "_function"}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [
            [self._span(find) for find in self._function(view.text) if self._labels[find[2]]]
            for view in views
        ]

    def _span(self, find: Find) -> Span:
        score = find[3] if len(find) == 4 else 1.0
        return Span(find[0], find[1], self._labels[find[2]], score, (self.name,))
