"""The language of a text from its function words, paragraph by paragraph.

That is enough to see Spanish instructions in an English chart, costs next to nothing, and needs no
model. Which language a whole document is in, `lexicon.language` says.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{2,}")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalpha()}
# Words that hardly any other language shares.
_SMALL_WORDS = {
    "en": frozenset("the of and with was is are this that from been were which she they".split()),
    "es": frozenset(
        "el los las que con por para una uno del se su sus este esta como pero muy cada usted donde"
        " cuando hasta sin sobre tiene paciente anos".split()
    ),
}
_FEWEST, _SHARE = 5, 0.15
_SHORTEST = 3 * _FEWEST - 1  # characters that so many words of two letters take


def words_of(text: str) -> list[str]:
    """Every run of two letters or more."""
    if text.isascii():  # several times as fast as the expression, which says the same
        return [word for word in text.translate(_BLANKS).split() if len(word) > 1]
    return _WORD.findall(text)


def languages_in(text: str, besides: str = "") -> frozenset[str]:
    """The languages, other than `besides`, that at least one paragraph is surely written in."""
    text = text.lower()
    words = words_of(text)
    # A text with fewer small words than a paragraph needs has no such paragraph: most have not.
    wanted = {
        name: small
        for name, small in _SMALL_WORDS.items()
        if name != besides and sum(map(small.__contains__, words)) >= _FEWEST
    }
    found: set[str] = set()
    for paragraph in text.split("\n\n") if wanted else ():
        if len(paragraph) < _SHORTEST:
            continue
        words = words_of(paragraph)
        for name, small in wanted.items():
            # Most paragraphs hold no word of the other language: one call says so.
            if name not in found and not small.isdisjoint(words):
                count = sum(map(small.__contains__, words))
                if count >= _FEWEST and count >= _SHARE * len(words):
                    found.add(name)
    return frozenset(found)
