"""Words incognote knows: names, places, jobs and clinical vocabulary, compiled from public lists.

    from incognote.lexicon import lexicon

    lexicon().first_name("Grace").common_word      # True: also an ordinary word
    lexicon().city("Springfield")                  # all of them, largest first
    lexicon().is_eponym("Parkinson")               # True

Lookups take any letter case, with or without accents. NOTICE lists the sources;
tools/build_lexicon compiles them.
"""

from incognote.lexicon.fold import fold, fold_place
from incognote.lexicon.lexicon import Lexicon, lexicon
from incognote.lexicon.origins import ORIGINS
from incognote.lexicon.people import ETHNICITIES, Ethnicity, Name, Sex
from incognote.lexicon.places import City, State

__all__ = [
    "ETHNICITIES",
    "ORIGINS",
    "City",
    "Ethnicity",
    "Lexicon",
    "Name",
    "Sex",
    "State",
    "fold",
    "fold_place",
    "lexicon",
]
