"""Words in another script inside a note are names: "the patient (Иван Петров)".

No list knows them and no model has learned them, but in an English note they are rarely
anything else than a name: all are claimed, with a label that the words before them suggest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from incognote.core.types import Span, View

# Letters of the Latin script, and what is made of them: phonetic and letter-like signs, ligatures,
# full-width forms. All other letters belong to another script.
_LATIN = (
    r"\u0000-\u036f\u1d00-\u1dbf\u1e00-\u1eff\u2070-\u218f\u2c60-\u2c7f\ua720-\ua7ff"
    r"\uab30-\uab6f\ufb00-\ufb06\uff00-\uff5e"
)
# Marks and symbols that end a word in any script; vowel signs, which do not, are no letters either.
_MARKS = r"\s\u2000-\u2bff\u3000-\u3004\u3008-\u3020\U0001f000-\U0001faff"
_WORD = rf"[^\W\d_{_LATIN}][^{_LATIN}{_MARKS}]*"
_RUN = re.compile(rf"{_WORD}(?:(?:[-'.] {{0,2}}| {{1,2}}){_WORD})*")

# One letter is a sign: α-blocker, β2, μg, ΔF508; two Greek ones may be, too: γδ T cells.
_GREEK = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")
_ONE_IS_A_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_SHORTEST, _SHORTEST_GREEK = 2, 3

_REACH = 40
_STAFF = re.compile(
    r"\b(?:dr|drs|prof|doctor|professor|surgeon|physician|attending|consultant|resident|nurse|rn|np|"
    r"provider|pcp|(?:signed|seen|examined|dictated|reviewed|ordered|referred) by)\b\W*$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:address|city|town|village|street|lives in|living in|born in|from|visiting)\W*$",
    re.IGNORECASE,
)
_SCORE = 0.8


class ForeignScriptDetector:
    """Words that are not written in Latin letters, as names of people or places."""

    labels = frozenset({"PATIENT", "DOCTOR", "LOCATION-OTHER"})
    languages = frozenset({"*"})

    def __init__(self) -> None:
        self.name = "foreign_script"

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [list(self._find(view.text)) for view in views]

    def _find(self, text: str) -> Iterator[Span]:
        if text.isascii():
            return
        done = 0
        for run in _RUN.finditer(text):
            if run.start() < done or not _is_word(run[0]):
                continue
            start, done = _whole_words(text, *run.span())
            label = _label(text[max(0, start - _REACH) : start])
            yield Span(start, done, label, _SCORE, (self.name,))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """With the Latin letters that a word has, too: half a name would stay behind."""
    while start and text[start - 1].isalpha():
        start -= 1
    while end < len(text) and text[end].isalpha():
        end += 1
    return start, end


def _is_word(run: str) -> bool:
    letters = sum(map(str.isalpha, run))
    if _ONE_IS_A_WORD.search(run):
        return True
    return letters >= (_SHORTEST_GREEK if _GREEK.match(run) else _SHORTEST)


def _label(before: str) -> str:
    if _STAFF.search(before):
        return "DOCTOR"
    return "LOCATION-OTHER" if _PLACE.search(before) else "PATIENT"
