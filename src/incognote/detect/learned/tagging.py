"""From unit scores to spans: thresholds by label, joining, and trimming after the annotation guide.

All learned detectors end here, so that they agree on where a span starts and stops.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incognote.core.labels import SAFE, all_labels
from incognote.core.types import Span
from incognote.detect.learned.edges import SPANISH, trimmed, trimmed_spanish
from incognote.detect.word_class import CLINICAL, JOB, NAME, PLACE, word_class
from incognote.lexicon import lexicon
from incognote.lexicon.eponyms import names_thing_in_spanish
from incognote.lexicon.language import is_spanish_word

Floats = NDArray[np.float32]

# Labels of codes: letters and digits written as one word are hidden as one word.
_CODE_CATEGORIES = {"ID", "CONTACT"}
_CODE_LABELS = {"USERNAME", "ZIP", "ROOM"}
# Labels that are made of words; drugs in capitals are what models take for them most.
_WORDED = {
    *("PATIENT", "DOCTOR", "HOSPITAL", "ORGANIZATION", "CITY", "STATE", "LOCATION-OTHER"),
}
_LETTERS = re.compile(r"[^\W\d_]+")
# A class of something ("Sommer 2"), or a room that is called by a name; rooms mostly say so.
_NAME_AND_NUMBER = re.compile(r"[A-Z][a-z]{3,12} [0-9][a-c]?")
# "Kehr N° 14": the size of a thing.
_NUMBERED = re.compile(r"[ ](?:n[°ºo.]{0,2}[ ]?)?[\d.,/]+$", re.IGNORECASE)
_PEOPLE = {"PATIENT", "DOCTOR"}
_CALLED = _PEOPLE | {"USERNAME"}  # what people are called by
_DOUBTFUL = 0.75
_COMMON = 100_000  # bearers of a surname: more people than diseases are called Brown
_LONGEST_WORD = 14
_UNSURE = 0.6  # a model this unsure is not believed without a word that fits
_PAIR = re.compile(r"(\d{1,2})(?:/(\d{1,2}))?")
_MONTHS = 12
_DAY_OF_COURSE = re.compile(
    r"\b(?:ciclo|c)[ ]?\d{1,2},?[ ]d(?:ia)?[ ]?$|\bd\+[ ]?$|\bpost\w{0,12}\.?,?[ ]dia[ ]$",
    re.IGNORECASE,
)
_GOES_ON_AS_DATE = re.compile(r" (?:del?\b|a las?\b|\d{1,2}[:.]\d\d)|[/.-]\d")
_UNSURE_WORD = 0.9  # so unsure, it takes everyday words for names
_SURE = 0.97  # a model this sure is believed against the lexicon
_OPEN = 0.5  # a span opens here even if the label goes on
_OPEN_AT_CHANGE = 0.2  # and with less certainty where the label changes too


@dataclass(frozen=True, slots=True)
class Scores:
    """What a model says of each unit: probabilities over (none, *labels), and of an opening."""

    units: Sequence[tuple[int, int]]
    labels: Floats
    opens: Floats


class Decoder:
    """Turns scores into spans with one threshold for each label.

    Where `safe` thresholds are given, what stays even below those is claimed to be no PHI.
    """

    def __init__(
        self,
        labels: Sequence[str],
        thresholds: Mapping[str, float],
        source: str,
        safe: Mapping[str, float] | None = None,
        languages: Collection[str] = (),
    ) -> None:
        self._spanish = SPANISH in languages
        self._labels = tuple(labels)
        self._thresholds = np.array([thresholds.get(name, 0.5) for name in labels], np.float32)
        self._safe = np.array([(safe or {}).get(name, 0.0) for name in labels], np.float32)
        taxonomy = all_labels()
        self._category = [taxonomy[n].category if n in taxonomy else n for n in labels]
        self._is_code = [
            category in _CODE_CATEGORIES or name in _CODE_LABELS
            for name, category in zip(labels, self._category, strict=True)
        ]
        self._sources = (source,)

    def spans(self, text: str, scores: Scores) -> list[Span]:
        if not len(scores.units):
            return []
        certainty = 1.0 - scores.labels[:, 0]
        best = scores.labels[:, 1:].argmax(axis=1)
        kept = certainty >= self._thresholds[best]
        marked = np.flatnonzero(kept).tolist()
        found = self._harmless(scores, certainty, self._is_safe(text, scores, certainty, best))
        run: list[int] = []
        for unit in marked:
            if run and not self._joins(text, scores, best, run[-1], unit):
                found += self._span(text, scores, certainty, run)
                run = []
            run += range(run[-1] + 1, unit + 1) if run else [unit]
        return found + self._span(text, scores, certainty, run)

    def _is_safe(
        self, text: str, scores: Scores, certainty: Floats, best: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which units are surely no PHI. Of letters that no training note has (the view has folded
        accents away), a model knows nothing."""
        safe: NDArray[np.bool_] = certainty < self._safe[best]
        if not text.isascii():
            safe &= np.array([text[start:end].isascii() for start, end in scores.units])
        return safe

    def _harmless(self, scores: Scores, certainty: Floats, safe: NDArray[np.bool_]) -> list[Span]:
        """Each unbroken run of harmless units as one span: it argues against what it covers."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], safe, [False]])))
        # Of each run and of what lies between it and the next; the last run may end the text.
        highest = np.maximum.reduceat(np.append(certainty, np.float32(0)), edges)[::2]
        return [
            Span(scores.units[first][0], scores.units[stop - 1][1], SAFE, score, self._sources)
            for (first, stop), score in zip(
                edges.reshape(-1, 2).tolist(), (1.0 - highest).tolist(), strict=True
            )
        ]

    def _joins(
        self, text: str, scores: Scores, best: NDArray[np.int64], last: int, unit: int
    ) -> bool:
        before, after = int(best[last]), int(best[unit])
        if self._category[before] != self._category[after]:
            return False
        if unit == last + 2:
            # One mark between two halves of a number or a double name, none of them spaced.
            gap = text[scores.units[last][1] : scores.units[unit][0]]
            return len(gap) == 1 and not gap.isspace() and before == after
        if unit != last + 1 or scores.opens[unit] >= _OPEN:
            return False
        if before != after and scores.opens[unit] >= _OPEN_AT_CHANGE:
            return False
        return "\n\n" not in text[scores.units[last][1] : scores.units[unit][0]]

    def _span(self, text: str, scores: Scores, certainty: Floats, run: list[int]) -> list[Span]:
        if not run:
            return []
        units = slice(run[0], run[-1] + 1)
        label = int(scores.labels[units, 1:].sum(axis=0).argmax())
        start, end = scores.units[run[0]][0], scores.units[run[-1]][1]
        if self._is_code[label]:
            start, end = _whole_code(text, start, end)
        start, end = trimmed(text, start, end, name=self._category[label] == "NAME")
        if self._spanish:
            start, end = trimmed_spanish(text, start, end, self._labels[label])
        if start >= end or _is_unit_of_degrees(text, start, end):
            return []
        score = float(certainty[units].mean())
        if self._spanish and self._labels[label] == "DATE" and _is_course(text, start, end):
            return []
        if self._spanish and self._labels[label] in _WORDED and _is_thing(text, start, end, score):
            return []
        if score < _SURE and _is_implausible(self._labels[label], text[start:end], score):
            return []
        return [Span(start, end, self._labels[label], min(1.0, score), self._sources)]


def _is_implausible(label: str, surface: str, score: float) -> bool:
    """Whether the lexicon contradicts a model that is not sure."""
    if label in _CALLED and _is_abbreviation(surface):
        return True
    if label in _PEOPLE and _is_disease(surface, score):
        return True
    if label in _WORDED:
        return _is_clinical(surface) or (score < _UNSURE and _holds_drug(surface))
    if label == "PROFESSION":
        return score < _UNSURE and not _names_a_job(surface)
    return label == "ROOM" and score < _UNSURE and _NAME_AND_NUMBER.fullmatch(surface) is not None


def _is_thing(text: str, start: int, end: int, score: float) -> bool:
    """Whether a Spanish text speaks of a sign, a test or a device, or says it in everyday words.
    Institutions have capitals and such words, too: a surer model is believed."""
    surface = text[start:end]
    named = _NUMBERED.sub("", surface)
    if names_thing_in_spanish(text, start, start + len(named)):
        return True
    words = _LETTERS.findall(surface)
    if not words or not all(map(is_spanish_word, words)):
        return False
    if text != text.lower() and (
        all(map(str.islower, words)) or (len(words) == 1 and _begins_sentence(text, start))
    ):
        return True
    return (
        score < _UNSURE_WORD if len(words) == 1 else surface.count(" ") == 1 and words[-1].islower()
    )


def _is_course(text: str, start: int, end: int) -> bool:
    """Whether numbers in a Spanish text are the day of a course ("ciclo 3 dia 8", "D+4") or a ratio
    that no day and month can be ("20/20")."""
    pair = _PAIR.fullmatch(text, start, end)
    if pair is None:
        return False
    if _DAY_OF_COURSE.search(text, max(0, start - 24), start):
        return _GOES_ON_AS_DATE.match(text, end) is None
    if pair[2] is None:
        return False
    return min(int(pair[1]), int(pair[2])) > _MONTHS


def _begins_sentence(text: str, start: int) -> bool:
    return text[max(0, start - 4) : start].rstrip(" ")[-1:] in ("", "\n", ".", "?", "!")


def _is_unit_of_degrees(text: str, start: int, end: int) -> bool:
    """Whether a letter is the unit of a temperature: "38°C", "101° F"."""
    return text[start:end] in ("C", "F") and "°" in text[max(0, start - 2) : start]


def _is_abbreviation(surface: str) -> bool:
    """Capitals that abbreviate a clinical term and are no name: "TSH"."""
    return (
        2 < len(surface) < 5
        and surface.isalpha()
        and surface.isupper()
        and lexicon().is_abbreviation(surface)
        and not word_class(surface) & NAME
    )


def _is_disease(surface: str, score: float) -> bool:
    """An eponym with its disease ("Vincent angina"), or alone where the model is not sure at all:
    a person of that name is named again, with a title, a first name or a field."""
    words = _LETTERS.findall(surface)
    if any(word.islower() and len(word) > 4 and _is_clinical(word) for word in words):
        return True
    if len(words) != 1 or score >= _DOUBTFUL or not lexicon().is_eponym(words[0]):
        return False
    return (lexicon().surname_bearers(words[0]) or 0) < _COMMON


def _holds_drug(surface: str) -> bool:
    return any(len(word) > 4 and lexicon().is_drug(word) for word in _LETTERS.findall(surface))


def _names_a_job(surface: str) -> bool:
    """Whether a word of it is one of a job; what lost its blanks ("crossingguard") may be any."""
    words = _LETTERS.findall(surface)
    return any(len(word) > _LONGEST_WORD or word_class(word) & JOB for word in words)


def _is_clinical(surface: str) -> bool:
    """Only words of medicine that the lexicon knows neither as a name nor as a place."""
    words = _LETTERS.findall(surface)
    return bool(words) and all(
        len(word) > 3 and (known := word_class(word)) & CLINICAL and not known & (NAME | PLACE)
        for word in words
    )


def _whole_code(text: str, start: int, end: int) -> tuple[int, int]:
    if text[start].isalnum():
        while start and text[start - 1].isalnum():
            start -= 1
    if text[end - 1].isalnum():
        while end < len(text) and text[end].isalnum():
            end += 1
    return start, end
