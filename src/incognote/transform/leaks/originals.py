"""What the first of two passes collects: the originals of a whole corpus, to be avoided in it.

With corpus scope no surrogate last name is anybody's last name in the corpus, no street appears
with its kind ("Elm St") as it did in an original, and no ZIP code does; with the ZIP, no city and
state appear together with theirs again. Cities of the corpus are avoided as far as others are left.
This value holds identifiers: it lives in memory, for the length of one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from incognote.core import name_forms as nameforms
from incognote.core.types import Document, Span
from incognote.transform.dates.days import is_birth_at, is_real
from incognote.transform.spelling import fold, squeeze

_WORD = re.compile(r"[^\W\d_]{2,}")
_PEOPLE = frozenset({"PATIENT", "DOCTOR"})


@dataclass(frozen=True, slots=True)
class Originals:
    """Folded values by kind; dates as they are written, without births and what is no date."""

    first_names: frozenset[str] = field(default=frozenset(), repr=False)
    last_names: frozenset[str] = field(default=frozenset(), repr=False)
    streets: frozenset[str] = field(default=frozenset(), repr=False)
    cities: frozenset[str] = field(default=frozenset(), repr=False)
    zips: frozenset[str] = field(default=frozenset(), repr=False)
    dates: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, marked: Iterable[tuple[Document, Iterable[Span]]]) -> Originals:
        """From documents with their resolved spans."""
        found: dict[str, set[str]] = {each.name: set() for each in fields(cls)}
        for document, spans in marked:
            for span in spans:
                text = document.text[span.start : span.end]
                if span.label in _PEOPLE:
                    for word in nameforms.read(text).words:
                        if word.role in ("first", "one"):
                            found["first_names"].add(fold(word.text))
                        if word.role in ("last", "one"):
                            found["last_names"].add(fold(word.text))
                elif span.label == "STREET":
                    found["streets"].add(street_core(text))
                elif span.label == "CITY":
                    found["cities"].add(text.casefold())
                elif span.label == "ZIP":
                    found["zips"].add(squeeze(text))
                elif span.label == "DATE" and _may_be_anybodys(text, span.start, document.text):
                    found["dates"].add(text)
        return cls(**{name: frozenset(values) for name, values in found.items()})

    def __or__(self, other: Originals) -> Originals:
        """Workers collect their parts; the parts join."""
        names = [each.name for each in fields(self)]
        return Originals(*(getattr(self, name) | getattr(other, name) for name in names))


def _may_be_anybodys(date: str, start: int, text: str) -> bool:
    """A visit on somebody's birthday of long ago would be before the patient's own birth."""
    return not is_birth_at(start, text) and is_real(date)


def street_core(text: str) -> str:
    """A street's words without its numbers: "12 Elm St" and "40 Elm St." are one street."""
    return " ".join(word.casefold() for word in _WORD.findall(text))
