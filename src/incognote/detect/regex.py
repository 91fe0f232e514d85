r"""A site's own patterns as a detector, on a regular-expression engine that cannot hang.

    [detectors.badge]
    use = "regex"
    weight = 20
    options = { label = "IDNUM", patterns = ['badge (?P<phi>[A-Z]{2}\d{4})'] }

A find is the group named `phi`, or the whole match where there is none. With the label SAFE a
pattern says what is no PHI.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from incognote.core.errors import PolicyError
from incognote.core.labels import SAFE, all_labels
from incognote.core.types import Span, View
from incognote.policy.patterns import compile_pattern

GROUP = "phi"


class RegexDetector:
    def __init__(
        self,
        label: str,
        patterns: Sequence[str],
        *,
        ignore_case: bool = False,
        languages: Sequence[str] = ("*",),
    ) -> None:
        self.name = "regex"
        self.languages = frozenset(languages)
        if label not in all_labels() and label != SAFE:
            raise PolicyError(f"regex detector: no label named {label!r}")
        self.labels = frozenset({label})
        self._label = label
        self._patterns = tuple(patterns)
        self._ignore_case = ignore_case
        for pattern in patterns:
            self._compile(pattern)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [list(self._find(view.text)) for view in views]

    def _find(self, text: str) -> Iterator[Span]:
        # Compiled patterns do not pickle; the cache behind `compile_pattern` makes them cheap.
        for i, pattern in enumerate(map(self._compile, self._patterns)):
            group = pattern.groupindex.get(GROUP, 0)
            for match in pattern.finditer(text):
                start, end = match.span(group)
                if start < end:
                    yield Span(start, end, self._label, sources=(f"{self.name}/{i}",))

    def _compile(self, pattern: str) -> Any:
        return compile_pattern(pattern, f"regex detector {self._label}", self._ignore_case)
