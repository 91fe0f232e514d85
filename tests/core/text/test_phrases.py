from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.text.phrases import Misspellings, Phrases, one_error


def found(text, *phrases, **options):
    entries = [(phrase, phrase) for phrase in phrases]
    return [(text[m.start : m.end], m.value) for m in Phrases(entries, **options).find(text)]


def test_longest_phrase_wins():
    assert found("at Saint Mary Hospital", "Saint", "Saint Mary") == [("Saint Mary", "Saint Mary")]


def test_any_blanks_between_words():
    assert found("at Saint\n  Mary", "Saint Mary") == [("Saint\n  Mary", "Saint Mary")]


def test_whole_words_only():
    assert found("Annabel and Ann's", "Ann") == [("Ann", "Ann")]


def test_letter_case():
    assert found("SMITH smith", "Smith") == [("SMITH", "Smith"), ("smith", "Smith")]
    assert found("SMITH Smith", "Smith", ignore_case=False) == [("Smith", "Smith")]


def test_punctuation_is_part_of_a_phrase():
    assert found("O'Brien, OBrien", "O'Brien") == [("O'Brien", "O'Brien")]


@given(st.lists(st.text("ab ", max_size=5), max_size=6), st.text("ab ", max_size=30))
def test_matches_are_disjoint_and_read_as_their_phrase(phrases, text):
    at = 0
    for match in Phrases([(p, p) for p in phrases]).find(text):
        assert at <= match.start < match.end
        at = match.end
        assert text[match.start : match.end].split() == match.value.split()


words = st.text("abc", min_size=1, max_size=6)


@given(words, st.data())
def test_one_error_knows_every_edit(word, data):
    at = data.draw(st.integers(0, len(word) - 1))
    edit = data.draw(st.sampled_from(["change", "add", "drop", "swap"]))
    changed = {
        "change": word[:at] + "x" + word[at + 1 :],
        "add": word[:at] + "x" + word[at:],
        "drop": word[:at] + word[at + 1 :],
        "swap": word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    }[edit]
    assert one_error(word, changed) == one_error(changed, word) == (word != changed)
    known = Misspellings([(word, 1)])
    assert known.intended(changed) == (1 if word != changed else None)


TWO_ERRORS = [("kowalski", "kovalsky"), ("smith", "smi"), ("abcd", "badc"), ("ab", "ba c")]


@pytest.mark.parametrize(("one", "other"), TWO_ERRORS)
def test_two_errors_are_too_many(one, other):
    assert not one_error(one, other)
    assert Misspellings([(one, 1)]).intended(other) is None


def test_a_string_of_any_length_takes_no_time_squared():
    assert len(Misspellings([("b" * 1_000_000, 1)])) == 0
    assert Misspellings([("kowalski", 1)]).intended("ko" + "w" * 1_000_000) is None
