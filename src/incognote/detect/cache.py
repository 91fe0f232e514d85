"""Repeated sentences are annotated once.

    [detectors.slow]
    use = "sentence_cache"
    options = { use = "http", options = { url = "http://127.0.0.1:8700/annotate" } }

Only for a detector whose answer depends on nothing but the sentence: it is shown one sentence at a
time, with nothing of the document around it. The answers are then the same in whatever order and
batches the documents come, whether remembered or not.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incognote.core.caches import BoundedDict
from incognote.core.errors import PolicyError
from incognote.core.registry import load
from incognote.core.text.offsets import OffsetMap
from incognote.core.types import Detector, Document, Learned, Span, Tokens, View, Waiting

_Key = tuple[str, str, str]
_Place = tuple[int, int]
_Finds = tuple[Span, ...]


class SentenceCache:
    """Remembers the answers for the `size` sentences that were used last."""

    def __init__(
        self, use: str, options: Mapping[str, Any] | None = None, size: int = 50_000
    ) -> None:
        try:
            self._inner: Detector = load("detector", use)(**(options or {}))
        except TypeError:
            raise PolicyError(f"sentence cache: options of {use!r} are not understood") from None
        if size < 1:
            raise PolicyError("sentence cache: size must be positive")
        self.name = "sentence_cache"
        self.labels = self._inner.labels
        self.languages = self._inner.languages
        self.waits = isinstance(self._inner, Waiting) and self._inner.waits
        self.learned = isinstance(self._inner, Learned) and self._inner.learned
        self._known: BoundedDict[_Key, _Finds] = BoundedDict(f"{__name__}.sentences", size)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        asked = [(view, list(_sentences(view))) for view in views]
        answers = self._answers(
            {key: (view, place) for view, sentences in asked for key, place in sentences}
        )
        return [
            [
                span.moved(start + span.start, start + span.end)
                for key, (start, _) in sentences
                for span in answers[key]
            ]
            for _, sentences in asked
        ]

    def _answers(self, asked: Mapping[_Key, tuple[View, _Place]]) -> Mapping[_Key, _Finds]:
        fresh = {key: where for key, where in asked.items() if key not in self._known}
        found = self._inner.detect([_alone(*where) for where in fresh.values()]) if fresh else []
        new = {key: self._named(spans) for key, spans in zip(fresh, found, strict=True)}
        answers = {key: new[key] if key in new else self._known[key] for key in asked}
        for key, spans in answers.items():
            self._known[key] = spans
            self._known.move_to_end(key)
        return answers

    def _named(self, spans: Sequence[Span]) -> _Finds:
        """The finds under this detector's name, which is the one the policy weighs."""
        return tuple(
            Span(s.start, s.end, s.label, s.score, tuple(map(self._source, s.sources)))
            for s in spans
        )

    def _source(self, source: str) -> str:
        rule = source.partition("/")[2]
        return f"{self.name}/{rule}" if rule else self.name


def _sentences(view: View) -> Iterator[tuple[_Key, _Place]]:
    """The sentences of a view: all that an answer may depend on, and where each appears."""
    for start, end in view.sentences:
        yield (view.text[start:end], view.cased[start:end], view.language), (start, end)


def _alone(view: View, place: _Place) -> View:
    """A sentence as a view of its own, with nothing of the document around it."""
    start, end = place
    tokens, text = view.tokens, view.text[start:end]
    first, last = bisect_left(tokens.starts, start), bisect_left(tokens.starts, end)
    return View(
        document=Document("", text),
        text=text,
        cased=view.cased[start:end],
        offsets=OffsetMap.identity(len(text)),
        tokens=Tokens.cut(
            text,
            starts=array("l", (at - start for at in tokens.starts[first:last])),
            ends=array("l", (at - start for at in tokens.ends[first:last])),
        ),
        sentences=((0, len(text)),),
        language=view.language,
    )
