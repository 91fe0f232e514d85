"""Counting letters: the fast way says what asking each character says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from incognote.core.text.letters import count_letters


@given(st.text(max_size=60) | st.text(st.characters(max_codepoint=127), max_size=60))
def test_counts_capitals_and_letters(text: str) -> None:
    letters = [c for c in text if c.isalpha()]
    assert count_letters(text) == (sum(c.isupper() for c in letters), len(letters))
