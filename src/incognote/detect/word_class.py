"""What the lexicon knows of a single word, as one small number a model can learn from."""

from __future__ import annotations

from functools import lru_cache

from incognote.lexicon import fold_place, lexicon

CLASSES = 128  # seven yes-or-no facts
NAME, CLINICAL, PLACE = 0b11, 0b1000, 0b100000


@lru_cache(maxsize=200_000)
def word_class(word: str) -> int:
    """Bits: first name, surname, ordinary, clinical or drug, eponym, place, job or institution."""
    if len(word) < 2 or not word[0].isalpha():
        return 0
    words = lexicon()
    low = word.lower()
    facts = (
        words.first_name(word) is not None,
        words.surname(word) is not None,
        words.is_ordinary(word),
        words.is_clinical(word) or words.is_drug(word),
        words.is_eponym(word),
        bool(words.city(word))
        or fold_place(word) in words.countries
        or fold_place(word) in words.nationalities
        or (len(word) > 2 and words.state(word) is not None),
        low in words.profession_heads
        or low in words.facility_heads
        or low in words.organization_heads,
    )
    return sum(fact << bit for bit, fact in enumerate(facts))
