"""What the lexicon knows of a single word, as one small number a model can learn from."""

from __future__ import annotations

from incognote.core.caches import cached
from incognote.lexicon import fold_place, lexicon
from incognote.lexicon.words import is_medical

CLASSES = 128  # seven yes-or-no facts
NAME, CLINICAL, PLACE, JOB = 0b11, 0b1000, 0b100000, 0b1000000


@cached(200_000)
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
        is_medical(word),
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
