"""Clinical vocabulary: what looks like a name or a place and is none."""

from __future__ import annotations

import re

from pack import lines
from sources import Sources, curated

from incognote.lexicon.fold import fold

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# External causes and contacts with services mention boats, horses and sporting events.
NOT_CLINICAL_CHAPTERS = frozenset("VWXYZ")


def clinical_tables(sources: Sources) -> dict[str, bytes]:
    surnames = {fold(name) for name in sources.census_names("2020")["name"]}
    clinical, proper = _icd_words(sources, surnames)
    eponyms = _curated_words("eponyms")
    eponyms |= proper & surnames
    clinical |= proper - surnames
    abbreviations = sources.abbreviations()
    for readings in abbreviations.values():
        clinical |= {word for reading in readings for word in _words(reading) if word.islower()}
    drugs = {
        word
        for variant in sources.drug_variants()
        if re.fullmatch(r"[a-z]{4,}(?:-[a-z]+)?", word := variant.lower()) and len(word) <= 24
    } | _curated_words("brands")
    people = _curated_words("not_clinical")
    return {
        "drugs": lines(sorted(drugs - people)),
        "clinical": lines(sorted({fold(w) for w in clinical if len(w) > 2} - eponyms - people)),
        "eponyms": lines(sorted(eponyms)),
        "abbreviations": lines(
            sorted(a for a in abbreviations if re.fullmatch(r"[A-Za-z]{2,6}", a))
        ),
    }


def _curated_words(name: str) -> set[str]:
    return {fold(word) for row in curated(name) for word in row.split()}


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def _icd_words(sources: Sources, surnames: set[str]) -> tuple[set[str], set[str]]:
    """Lower-case words, and those only ever written with a capital: eponyms and genera."""
    lower: set[str] = set()
    first: set[str] = set()
    capital: set[str] = set()
    webster = sources.webster()
    for code, phrase in sources.icd_phrases():
        if code[:1] in NOT_CLINICAL_CHAPTERS:
            continue
        words = _words(phrase)
        lower.update(word for word in words if word.islower())
        first.update(word.lower() for word in words[:1])
        for word in words[1:]:
            stem = word.removesuffix("'s").removesuffix("’s")
            if stem[:1].isupper() and stem[1:].islower() and len(stem) > 3:
                capital.add(fold(stem))
    # The first word of a phrase has a capital in any case: a surname there may be an eponym.
    lower |= {word for word in first if word in webster or fold(word) not in surnames}
    return lower, {word for word in capital if word not in lower and word not in webster}
