"""What every detector owes: the spans of its cases, and the same answer in any batch."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence

from incognote.core.labels import SAFE
from incognote.core.text.markup import parse_markup, render_markup
from incognote.core.types import Detector, Document, Span
from incognote.policy import load_policy
from incognote.prepare import prepare


def found_by(detector: Detector, text: str) -> list[Span]:
    """What a detector finds in a text, in the text's own offsets, votes against PHI left out."""
    (spans,) = _asked(detector, [text])
    return spans


def check_detector(detector: Detector, cases: Iterable[str]) -> None:
    """A detector on cases with inline markup: it finds what is marked and nothing else, emits only
    the labels it declares, answers each view alone, and can travel to a worker process."""
    cases = list(cases)
    assert cases, "there are no cases"
    texts, gold = zip(*map(parse_markup, cases), strict=True)
    together = _asked(detector, texts)
    for text, expected, spans in zip(texts, gold, together, strict=True):
        assert _shown(text, spans) == _shown(text, expected)
        unknown = {span.label for span in spans} - detector.labels
        assert not unknown, f"emits labels it does not declare: {', '.join(sorted(unknown))}"
        assert spans == found_by(detector, text), "the answer depends on the batch"
    copy = pickle.loads(pickle.dumps(detector))  # noqa: S301 - our own object
    assert _asked(copy, texts) == together, "a copy in another process answers otherwise"


def _asked(detector: Detector, texts: Sequence[str]) -> list[list[Span]]:
    rules = load_policy().prepare
    views = [prepare(Document(str(number), text), rules) for number, text in enumerate(texts)]
    answers = detector.detect([view for of_text in views for view in of_text])
    assert len(answers) == sum(map(len, views)), "there must be one answer for each view"
    each = iter(answers)
    return [
        sorted(
            view.to_source(span) for view in of_text for span in next(each) if span.label != SAFE
        )
        for of_text in views
    ]


def _shown(text: str, spans: Iterable[Span]) -> str:
    return render_markup(text, [Span(span.start, span.end, span.label) for span in spans])
