from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Span
from incognote.detect import cache
from incognote.detect.cache import SentenceCache
from incognote.policy import PrepareRules
from incognote.prepare import prepare

ASKED: list[str] = []  # of the last one that was made


class Slow:
    """Finds every "Fox" and remembers what it was asked."""

    labels = frozenset({"PATIENT"})
    languages = frozenset({"en"})

    def __init__(self, label="PATIENT"):
        self.name = "slow"
        self.label = label
        ASKED.clear()

    def detect(self, views):
        ASKED.extend(view.text for view in views)
        return [
            [
                Span(s, e, self.label, 0.5, ("slow/rule",))
                for s, e in zip(view.tokens.starts, view.tokens.ends, strict=True)
                if view.text[s:e] == "Fox"
            ]
            for view in views
        ]


@pytest.fixture(autouse=True)
def _registry(monkeypatch):
    monkeypatch.setattr(cache, "load", lambda kind, name: Slow)


def views(*texts):
    return [prepare(Document("d", text), PrepareRules())[0] for text in texts]


def places(found):
    return [[(s.start, s.end) for s in spans] for spans in found]


def test_repeated_sentences_are_asked_once():
    cached = SentenceCache("slow")
    found = cached.detect(views("Mr. Fox came. He left.", "He left. Mr. Fox came."))
    assert places(found) == [[(4, 7)], [(13, 16)]]
    cached.detect(views("He left."))
    assert ASKED == ["Mr. Fox came.", "He left."]


def test_sources_carry_the_name_of_the_policy():
    cached = SentenceCache("slow")
    cached.name = "ours"
    [[span]] = cached.detect(views("Mr. Fox came."))
    assert span.sources == ("ours/rule",)


def test_letter_case_matters():
    cached = SentenceCache("slow")
    cached.detect(views("HE LEFT.", "He left."))
    assert ASKED == ["HE LEFT.", "He left."]


def test_memory_is_bounded_and_keeps_what_was_used_last():
    cached = SentenceCache("slow", size=2)
    for text in ("A b.", "C d.", "A b.", "E f.", "A b.", "C d."):
        cached.detect(views(text))
    assert ASKED == ["A b.", "C d.", "E f.", "C d."]


def test_sentences_do_not_travel_to_other_processes():
    cached = SentenceCache("slow")
    cached.detect(views("Mr. Fox came."))
    assert b"Fox" not in pickle.dumps({**cached.__getstate__(), "_inner": None})


def test_bad_options():
    with pytest.raises(PolicyError, match="not understood"):
        SentenceCache("slow", options={"nope": 1})
    with pytest.raises(PolicyError, match="positive"):
        SentenceCache("slow", size=0)


texts = st.lists(
    st.lists(st.sampled_from(["Mr. Fox came.", "He left.", "Fox."]), min_size=1, max_size=4).map(
        " ".join
    ),
    max_size=6,
)


@given(texts, st.integers(1, 3), st.integers(1, 3))
def test_answers_do_not_depend_on_memory_or_batches(texts, size, batch):
    plain = places(SentenceCache("slow").detect(views(*texts)))
    small = SentenceCache("slow", size=size)
    found = []
    for at in range(0, len(texts), batch):
        found += places(small.detect(views(*texts[at : at + batch])))
    assert found == plain
