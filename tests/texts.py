"""Texts that hypothesis draws: any at all, but for the letters that nothing shows."""

from __future__ import annotations

from hypothesis import strategies as st

# Tag letters are refused wherever they stand; their own tests look at that.
_TAG_LETTERS = "".join(map(chr, range(0xE0001, 0xE0080)))


def characters(exclude: str = "") -> st.SearchStrategy[str]:
    """Any character that a file can hold and no format refuses."""
    return st.characters(exclude_categories=["Cs"], exclude_characters=exclude + _TAG_LETTERS)
