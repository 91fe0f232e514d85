"""Which languages a document is written in.

Clinical notes look foreign to a language model trained on prose: capitals, abbreviations, tables,
no function words. So the words of the languages that incognote ships detectors for are weighed by
a table (tools/train_language.py), which reads a bed list of ten words as well as a letter. Names
weigh nothing: a roster of people called Garcia is no Spanish text. Other languages are told by a
general model, which is only asked where the table is in doubt. Where nothing decides, it is the
policy's first language.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, NamedTuple

from incognote.core.caches import once

_WORD = re.compile(r"[^\W\d_]{2,}")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalpha()}
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
    " som ikke aan naar los con para paciente su dice sin tiene muy pero cuando hoy hija"
    " hijo".split()
)
_FEW_FOREIGN, _TIMES_FOREIGN = 3, 2
# Weights are logarithms of odds, three at most for a word: three words that are surely of a
# language decide for it.
_MOST = 3.0  # no word weighs more
_LEAST = 7.0
# A language besides the main one needs more, and a share of what speaks for that, unless whole
# sentences are in it.
_BESIDES, _BESIDES_SHARE, _BESIDES_SURELY = 12.0, 0.2, 30.0
_SURE_OF_ENGLISH = 0.5  # of its weight, for each different word of the text
# The general model is no judge of terse notes, and takes Spanish that names Galician places for
# Galician.
_FEWEST_WORDS = 20
_SURE, _SURE_OF_NEIGHBOUR = 0.6, 0.9
_ENOUGH = 6000  # characters that the general model reads


class Languages(NamedTuple):
    """The main language of a text as ISO 639-1, and others that parts of it are written in."""

    main: str
    besides: frozenset[str] = frozenset()


def words_of(text: str) -> list[str]:
    """Every run of two letters or more."""
    if text.isascii():  # several times as fast as the expression, which says the same
        return [word for word in text.translate(_BLANKS).split() if len(word) > 1]
    return _WORD.findall(text)


def languages_in(text: str, expected: tuple[str, ...] = ("en",)) -> Languages:
    """`expected` are the languages of the policy, the usual one first."""
    text = text.lower()
    words = words_of(text)
    small = sum(map(_SMALL_ENGLISH.__contains__, words))
    foreign = sum(map(_SMALL_FOREIGN.__contains__, words))
    if (
        "en" in expected
        and foreign < _FEW_FOREIGN
        and small > foreign
        and small >= _ENGLISH_SHARE * len(words) > 0
    ):
        return Languages("en")
    weights = _weigh(text, words)
    other, main = sorted(weights, key=lambda name: weights[name])
    if weights[main] < _LEAST:
        return Languages(_told_by_model(words, _SURE) or expected[0])
    english = main == "en"
    if (
        not english
        or weights[main] < _SURE_OF_ENGLISH * len(set(words))
        or small < _TIMES_FOREIGN * foreign
    ):
        told = _told_by_model(words, _SURE if english else _SURE_OF_NEIGHBOUR)
        if told and told not in weights:
            return Languages(told)
    needed = min(max(_BESIDES, _BESIDES_SHARE * weights[main]), _BESIDES_SURELY)
    return Languages(main, frozenset({other} if weights[other] >= needed else ()))


def is_spanish(text: str, languages: tuple[str, ...] = ("en",)) -> bool:
    """Whether a text is in Spanish and no part of it in English, which would make it a chart in
    English, or in both. A terse Spanish form counts: the detectors are chosen so, too."""
    return languages_in(text, languages) == Languages("es")


def is_spanish_word(word: str) -> bool:
    """Whether a word is surely Spanish and no name: "alta", "consulta"."""
    return _tables()["es"].get(_without_accents(word).lower(), 0.0) >= _MOST


def _weigh(text: str, words: list[str]) -> dict[str, float]:
    """What the different words of a text say for each language of the table."""
    if not text.isascii():
        words = words_of(_without_accents(text))
    found = set(words)
    return {
        name: sum(table[word] for word in found & table.keys()) for name, table in _tables().items()
    }


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@once
def _tables() -> Mapping[str, Mapping[str, float]]:
    packed = files("incognote.lexicon").joinpath("language.json.gz").read_bytes()
    rows = json.loads(gzip.decompress(packed))
    return {
        name: {word: tenths / 10 for word, tenths in table.items()} for name, table in rows.items()
    }


def _told_by_model(words: list[str], sure: float) -> str:
    """What the general model says, or nothing. It is case-sensitive and knows capitals badly;
    digits and marks say nothing to it."""
    if len(words) < _FEWEST_WORDS:
        return ""
    language, confidence = _model().classify(" ".join(words)[:_ENOUGH])
    return language if confidence >= sure and len(language) == 2 else ""


@once
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
