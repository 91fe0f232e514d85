"""Work grows with the length of a document, not with its square: counted, not timed."""

from __future__ import annotations

import re
import sys
from itertools import product

import pytest
from tests.transform.conftest import KEY, policy

from incognote.core.people import NOBODY
from incognote.core.types import Document
from incognote.testing import parse_markup
from incognote.transform import Transformer
from incognote.transform.leaks import check as leaks
from incognote.transform.leaks.needles import needles

SYLLABLES = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]


def invented(number: int) -> str:
    """A name that nobody else in the text has."""
    out = ""
    for _ in range(4):
        number, at = divmod(number, len(SYLLABLES))
        out += SYLLABLES[at]
    return out.capitalize()


def note(people: int) -> str:
    """In every sentence another person, date, number and place; every third name stands again
    unmarked, and one more is broken by a line end."""
    sentences = []
    for i in range(people):
        name, town = invented(7919 * i + 1), invented(7919 * i + 350_000)
        again = f"Spoke with {name}. " if i % 3 == 0 else ""
        broken = f"Then {name[:3]}-\n{name[3:]} left. " if i == people // 2 else ""
        sentences.append(
            f"Dr. [[Lee {name}|DOCTOR]] of [[{town} Clinic|HOSPITAL]] called on"
            f" [[{1 + i % 12}/{1 + i % 28}/{1950 + i % 70}|DATE]] about [[{41_000_000 + 37 * i}|IDNUM]]"
            f" ([[{name.lower()}{i % 90}@{town.lower()}.org|EMAIL]]). {again}{broken}"
        )
    return "".join(sentences)


class Work:
    """Counts calls of functions, and characters that a whole text is searched through."""

    def __init__(self) -> None:
        self.calls = self.characters = 0

    def __enter__(self):
        sys.setprofile(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _event(self, frame, event, arg) -> None:
        self.calls += event in ("call", "c_call")


class CountedText(str):
    """A text that counts how much of it is searched, in lower case too."""

    __slots__ = ("work",)

    def lower(self) -> CountedText:
        text = CountedText(super().lower())
        text.work = self.work
        return text

    def __contains__(self, part: str) -> bool:
        self.work.characters += len(self)
        return super().__contains__(part)

    def find(self, *args) -> int:
        self.work.characters += len(self)
        return super().find(*args)


class CountedPattern:
    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self._pattern, self._work = pattern, work

    def __getattr__(self, method: str):
        def counted(text, start=0, end=None):
            end = len(text) if end is None else end
            if method != "match":
                self._work.characters += end - start
            return getattr(self._pattern, method)(text, start, end)

        return counted


def searching(people: int, monkeypatch: pytest.MonkeyPatch) -> Work:
    text, spans = parse_markup(note(people))
    document = Document("d", text)
    tags = Transformer(policy({"default": "tag"}), KEY)._replace(document, spans, NOBODY)
    wanted = needles(tags[2])
    work = Work()
    output = CountedText(tags[0].text)
    output.work = work
    with monkeypatch.context() as patch:
        for name, value in list(vars(leaks).items()):
            if isinstance(value, re.Pattern):
                patch.setattr(leaks, name, CountedPattern(value, work))
        patch.delattr(leaks, "re")  # patterns made on the way would not be counted
        with work:
            found = leaks.find(output, wanted)
    assert len(found) >= people / 3
    return work


def test_the_search_for_leaks_is_linear_in_text_and_needles(monkeypatch):
    searching(10, monkeypatch)  # loads the word lists
    few, many = searching(100, monkeypatch), searching(800, monkeypatch)
    assert many.characters < 8.8 * few.characters
    assert many.calls < 8.8 * few.calls


def test_replacing_is_linear_in_the_number_of_mentions():
    def replacing(people: int) -> int:
        text, spans = parse_markup(note(people))
        transformer = Transformer(policy(), KEY)
        with Work() as work:
            transformer.apply(Document("d", text), spans)
        return work.calls

    replacing(10)
    # In a long record a surrogate is an original by chance, and is looked at twice.
    assert replacing(800) < 16 * replacing(100)
