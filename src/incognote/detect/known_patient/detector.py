"""Matches the facts about a document's patient in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from incognote.core.caches import BoundedDict
from incognote.core.errors import PolicyError
from incognote.core.labels import all_labels
from incognote.core.labels import label as label_named
from incognote.core.text.phrases import Misspellings, Phrases
from incognote.core.types import Span, View
from incognote.detect.known_patient.facts import Fact, Facts, read_facts
from incognote.detect.known_patient.forms import (
    date_forms,
    name_parts,
    nicknames,
    number_pattern,
    street_forms,
)
from incognote.lexicon import lexicon
from incognote.lexicon.words import is_word

_NAMES = frozenset({"PATIENT", "DOCTOR"})
_MISSPELT = 0.8
_SHORTEST_WITH_ERROR = 5
_PLACES = frozenset({"CITY", "HOSPITAL", "ORGANIZATION", "LOCATION-OTHER"})
_SHORTEST_PLACE_WITH_ERROR = 6
_FEWEST_CHARACTERS = 5
_PATIENTS_IN_MEMORY = 256

# O'Brien is one word, "Ann's" is not.
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]{2,})?")
_INITIAL_BEFORE = re.compile(r"\b([A-Z])\.? $")
_GAP = re.compile(r"(?:,? {1,3}|-|, {0,2}| [A-Z]\.? )\Z")
_SENTENCE_START = re.compile(r"(?:^|[.:;!?\n])[\s\"'(]*$")


class KnownPatientDetector:
    languages = frozenset({"*"})
    reads_record = True  # whose text it is decides what is found in it
    only_stated = True  # it finds nothing of people whom the record does not state

    def __init__(
        self, file: str, id_column: str = "patient_id", columns: Mapping[str, str] | None = None
    ) -> None:
        self.name = "known_patient"
        self.labels = frozenset(all_labels())
        self._file = Path(file)
        self._id = id_column
        self._columns = dict(columns or {})
        self._patients: BoundedDict[str, _Patient] = BoundedDict(
            f"{__name__}.patients", _PATIENTS_IN_MEMORY
        )
        if not self._file.is_file():
            raise PolicyError(f"known patients: there is no file {file}")
        for column, label in self._columns.items():
            if label not in all_labels():
                raise PolicyError(f"known patients: column {column}: no label named {label!r}")

    @cached_property
    def _facts(self) -> Facts:
        return read_facts(self._file, self._id, self._columns)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [self._detect(view) for view in views]

    def _detect(self, view: View) -> list[Span]:
        patient_id = view.document.patient_id
        if patient_id is None or patient_id not in self._facts:
            return []
        return [
            Span(start, end, label, score, (self.name,))
            for start, end, label, score in self._patient(patient_id).find(view)
        ]

    def _patient(self, patient_id: str) -> _Patient:
        """Notes of one patient usually come together: build the forms once, keep some."""
        if patient_id not in self._patients:
            self._patients[patient_id] = _Patient(self._facts[patient_id])
        return self._patients[patient_id]


_Find = tuple[int, int, str, float]


class _Patient:
    """All written forms of the facts about one patient."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        phrases: list[tuple[str, str]] = []
        names: dict[str, str] = {}
        places: dict[str, str] = {}
        self._numbers: list[tuple[re.Pattern[str], str]] = []
        for fact in sorted(facts):
            category = label_named(fact.label).category
            if fact.label in _NAMES:
                for part in name_parts(fact.value):
                    for form in (part, *sorted(nicknames(part))):
                        names.setdefault(_key(form), fact.label)
            elif fact.label == "DATE":
                phrases += [(form, fact.label) for form in date_forms(fact.value)]
            elif fact.label == "STREET":
                phrases += [(form, fact.label) for form in street_forms(fact.value)]
            elif (category == "ID" or fact.label in ("PHONE", "FAX")) and _has_digit(fact.value):
                if sum(map(str.isalnum, fact.value)) >= _FEWEST_CHARACTERS:
                    pattern = re.compile(number_pattern(fact.value), re.IGNORECASE)
                    self._numbers.append((pattern, fact.label))
            elif len(fact.value) > 2:
                phrases.append((fact.value, fact.label))
                if fact.label in _PLACES and fact.value.isalpha():
                    places.setdefault(_key(fact.value), fact.label)
        self._phrases = Phrases(phrases)
        self._names = names
        self._initials = {(name[0].upper(), label) for name, label in names.items()}
        self._misspelt = _misspellings(names, _SHORTEST_WITH_ERROR)
        self._misspelt_places = _misspellings(places, _SHORTEST_PLACE_WITH_ERROR)

    def find(self, view: View) -> Iterator[_Find]:
        text = view.text
        for match in self._phrases.find(text):
            if _has_digit(text[match.start : match.end]) or not _is_plain(
                view, match.start, match.end
            ):
                yield match.start, match.end, match.value, 1.0
        for pattern, label in self._numbers:
            for number in pattern.finditer(text):
                yield number.start(), number.end(), label, 1.0
        yield from _intended(self._misspelt_places, view.text)
        yield from self._find_names(view)

    def _find_names(self, view: View) -> Iterator[_Find]:
        """Words of names, joined where they appear together; ordinary words only as part of one."""
        run: list[_Find] = []
        for find in self._name_words(view.text):
            if run and not self._joins(run[-1], find, view.text):
                yield from self._joined(run, view)
                run = []
            run.append(find)
        yield from self._joined(run, view)

    def _name_words(self, text: str) -> Iterator[_Find]:
        for word in _WORD.finditer(text):
            written = _key(word[0])
            label = self._names.get(written)
            if label is not None:
                yield word.start(), word.end(), label, 1.0
            elif label := _meant(self._misspelt, written):
                yield word.start(), word.end(), label, _MISSPELT

    @staticmethod
    def _joins(left: _Find, right: _Find, text: str) -> bool:
        return left[2] == right[2] and _GAP.match(text[left[1] : right[0]]) is not None

    def _joined(self, run: list[_Find], view: View) -> Iterator[_Find]:
        if not run:
            return
        start, end, label = run[0][0], run[-1][1], run[0][2]
        if len(run) > 1 or not _is_plain(view, start, end):
            before = _INITIAL_BEFORE.search(view.text, max(0, start - 4), start)
            if before and (before[1], label) in self._initials:
                start = before.start()
            yield start, end, label, min(find[3] for find in run)


def _key(name: str) -> str:
    """What two ways to write a name share: O'Brien, O'BRIEN, Obrien."""
    return name.lower().replace("'", "")


def _misspellings(words: Mapping[str, str], shortest: int) -> Misspellings[str]:
    return Misspellings(
        (word, label)
        for word, label in words.items()
        if len(word) >= shortest and not is_word(word)
    )


def _meant(known: Misspellings[str], written: str) -> str | None:
    """The label of the word that was meant, unless what is written is a word of its own."""
    if len(written) < _SHORTEST_WITH_ERROR:
        return None
    label = known.intended(written)
    return label if label is None or lexicon().word_rank(written) is None else None


def _intended(known: Misspellings[str], text: str) -> Iterator[_Find]:
    if not known:
        return
    for word in _WORD.finditer(text):
        if word[0][0].isupper() and (label := _meant(known, _key(word[0]))):
            yield word.start(), word.end(), label, _MISSPELT


def _is_plain(view: View, start: int, end: int) -> bool:
    """Whether a find reads as an ordinary word here rather than as a name."""
    found = view.cased[start:end]
    if " " in found or not is_word(found):
        # Two letters are a name only if they look like one: "Ed", not "ed" or "ED".
        return len(found) < 3 and not found.istitle()
    at_start = _SENTENCE_START.search(view.cased, max(0, start - 8), start)
    return not found[0].isupper() or at_start is not None


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
