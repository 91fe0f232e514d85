"""Whoever asks whether a word is more than a name gets the same answer, or a reason why not."""

from __future__ import annotations

import pytest

from incognote.detect.names.facts import AMBIGUOUS, ORDINARY, Facts
from incognote.detect.places.words import COMMON, PERSON, Vocabulary
from incognote.lexicon import lexicon
from incognote.lexicon.words import (
    NO_TOWN,
    SHORT,
    UNCUED,
    WEIGHED,
    Rank,
    has_meaning,
    is_among,
    is_borne,
    is_medical,
    is_word,
    may_be_no_name,
)

NAMES = sorted({*lexicon().surnames()[:4_000], *lexicon().first_names()[:4_000]})


def test_the_table_of_names_agrees():
    for name in NAMES:
        known = lexicon().first_name(name) or lexicon().surname(name)
        assert known is not None
        assert known.common_word == is_word(name), name


def test_the_name_detector_agrees():
    facts = Facts()
    differing = {
        name
        for name in NAMES
        if bool(facts[name.title()] & (AMBIGUOUS | ORDINARY)) != is_word(name)
    }
    assert differing == set()


def test_the_place_detector_differs_in_abbreviations_alone():
    words = Vocabulary()
    for name in NAMES:
        written = name.title()
        if bool(words[written] & COMMON) != is_word(name):
            assert lexicon().is_abbreviation(written if written.istitle() else written.upper())


def test_a_search_without_cue_is_also_wary_of_short_names_and_abbreviations():
    for name in NAMES:
        if may_be_no_name(name) != is_word(name):
            assert len(name) <= SHORT or lexicon().is_abbreviation(name.upper())


@pytest.mark.parametrize(
    ("word", "facts"),
    [
        # a word, maybe no name, a meaning of its own, somebody for the places
        ("Ray", (False, True, True, True)),  # short
        ("Mai", (False, True, True, True)),  # short, and in capitals an abbreviation
        ("Fogarty", (False, False, True, True)),  # a catheter is called so
        ("Grace", (True, True, True, False)),
        ("Warfarin", (True, True, True, False)),
        ("Kowalczyk", (False, False, False, True)),
    ],
)
def test_what_is_said_of_words(word, facts):
    person = bool(Vocabulary()[word] & PERSON)
    assert (is_word(word), may_be_no_name(word), has_meaning(word), person) == facts


def test_thresholds():
    assert is_medical("Warfarin")
    assert not is_medical("Grace")
    assert is_among("about", Rank.CONSTANT)
    assert not is_among("Fogarty", Rank.UNUSUAL)
    assert all(is_borne("Smith", by) for by in (NO_TOWN, UNCUED, WEIGHED))
    assert not is_borne("Zyxqvara", NO_TOWN)
