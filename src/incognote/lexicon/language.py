"""Which language a document is written in.

Clinical English looks foreign to a language model trained on prose: capitals, abbreviations,
tables. So its small words are asked first, which also costs nothing; only a text without them is
worth loading the model for. Where the text is too short to decide, it is the policy's first
language.
"""

from __future__ import annotations

from typing import Any

from incognote.core.caches import once
from incognote.core.text.language import languages_in, words_of

_SMALL_ENGLISH = frozenset(
    "the of and with was is are has have had for this that from been were will not which she he her"
    " his they to at on in by".split()
)
# English tables reach 3 % of such words. So do other languages, which have "in", "was" or "is" too:
# more of their own small words say that it is one of them.
_ENGLISH_SHARE = 0.03
_SMALL_FOREIGN = frozenset(
    "der das und mit wurde wird ist nicht eine einer dem von für auch het een geen niet bij hij"
    " las del que por una les une dans avec pour sur della che nel uma não dos och inte med för"
    " som ikke aan naar".split()
)
_FEWEST_WORDS = 20
_SURE = 0.6
_ENOUGH = 6000


def language_of(text: str, languages: tuple[str, ...]) -> str:
    """The ISO 639-1 code of the language; `languages` are those expected, the usual one first."""
    words = words_of(text[:_ENOUGH].lower())
    if len(words) < _FEWEST_WORDS:
        return languages[0]
    small = sum(map(_SMALL_ENGLISH.__contains__, words))
    foreign = sum(map(_SMALL_FOREIGN.__contains__, words))
    if "en" in languages and small >= _ENGLISH_SHARE * len(words) and small > foreign:
        return "en"
    # The model is case-sensitive and knows capitals badly; digits and marks say nothing to it.
    language, confidence = _model().classify(" ".join(words))
    return language if confidence >= _SURE and len(language) == 2 else languages[0]


def is_spanish(text: str, languages: tuple[str, ...] = ("en",)) -> bool:
    """Whether a text is in Spanish and no paragraph of it in English, which would make it a chart
    in English, or in both. A terse Spanish form counts: the detectors are chosen so, too."""
    return language_of(text, languages) == "es" and "en" not in languages_in(text)


@once
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
