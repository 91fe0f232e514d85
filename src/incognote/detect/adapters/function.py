"""A plain Python function as a detector.

    [detectors.ours]
    use = "function"
    options = { function = "our_package.finders:find_badges" }

The function takes a text and returns (start, end, label) or (start, end, label, score) for each
find. A policy may come from others, and naming a function runs it: the function must be
registered (entry point `incognote.functions`) or lie under a prefix that the user of incognote
allows (`--allow-functions our_package`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from incognote.core.errors import DetectError, PolicyError, UsageError
from incognote.core.labels import all_labels
from incognote.core.registry import load_function
from incognote.core.types import Detector, Span, View
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
        found = load_function(self._target, "function detector")
        if not callable(found):
            raise PolicyError(f"function detector: {self._target!r} is no function")
        return found  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        # A function travels to another process by its name.
        return {key: value for key, value in self.__dict__.items() if key != "_function"}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [
            spans_of(self._function(view.text), view, self.name, self._labels) for view in views
        ]


class CallableDetector:
    """A function that a program hands over, as a detector."""

    def __init__(self, name: str, function: Callable[[str], Iterable[Find]]) -> None:
        self.name = name
        self.labels = frozenset(all_labels())
        self.languages = frozenset({"*"})
        self._function = function
        self._labels = LabelMap("", None, who=name)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [spans_of(self._function(v.text), v, self.name, self._labels) for v in views]


def as_detector(name: str, given: Detector | Callable[[str], Iterable[Find]]) -> Detector:
    """A detector of a program, under its name: one as it is, or made of a function."""
    if isinstance(given, Detector):
        given.name = name
        return given
    if callable(given):
        return CallableDetector(name, given)
    raise UsageError(f"detectors: {name} is neither a Detector nor a function")


def spans_of(finds: Iterable[Find], view: View, name: str, labels: LabelMap) -> list[Span]:
    """What a function found, as spans; a DetectError where it makes no sense."""
    spans: list[Span] = []
    for find in finds:
        score = find[3] if len(find) == 4 else 1.0
        if not 0 <= find[0] < find[1] <= len(view.text) or not 0 <= score <= 1:
            raise DetectError("the function's spans or scores are out of range")
        if label := labels.required(find[2]):
            spans.append(Span(find[0], find[1], label, score, (name,)))
    return spans
