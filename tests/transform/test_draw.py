from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.transform.draw import Draws
from incognote.transform.permutation import Permutation

keys = st.binary(min_size=16, max_size=32)


@given(keys, st.text(), st.text(), st.integers(1, 10**30))
def test_the_same_question_has_the_same_answer(key, scope, form, n):
    first = Draws(key, scope).dice("X", form).below(n)
    assert first == Draws(key, scope).dice("X", form).below(n)
    assert 0 <= first < n


def test_key_scope_label_form_and_attempt_all_count():
    base = (b"k" * 16, "s", "L", "f", 0)
    others = [
        (b"j" * 16, "s", "L", "f", 0),
        (b"k" * 16, "t", "L", "f", 0),
        (b"k" * 16, "s", "M", "f", 0),
        (b"k" * 16, "s", "L", "g", 0),
        (b"k" * 16, "s", "L", "f", 1),
    ]
    answers = {
        Draws(key, scope).dice(label, form, attempt).below(2**60)
        for key, scope, label, form, attempt in [base, *others]
    }
    assert len(answers) == 6


def test_parts_of_a_question_do_not_run_together():
    draws = Draws(b"k" * 16, "s")
    assert draws.dice("A", "1:x").below(2**60) != draws.dice("A", "x", 1).below(2**60)


def test_a_long_stream_stays_uniform():
    dice = Draws(b"k" * 16, "s").dice("X", "f")
    counts = [0] * 10
    for _ in range(20_000):
        counts[dice.below(10)] += 1
    assert min(counts) > 1800
    assert max(counts) < 2200


@pytest.mark.parametrize("size", [7, 300, 5_000, 2**24])
def test_a_permutation_can_be_sent_to_a_worker(size):
    order = Permutation(b"a key", size)
    sent = pickle.loads(pickle.dumps(order))
    assert [sent(value) for value in range(5)] == [order(value) for value in range(5)]
    assert all(sent.source(order(value)) == value for value in range(5))
