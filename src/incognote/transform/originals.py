"""What the first of two passes collects: the originals of a whole corpus, to be avoided in it.

With corpus scope no surrogate last name may be anybody's last name in the corpus, and no street
with its suffix, or city with its state and ZIP, may stand together as it did in an original.
This value holds identifiers: it lives in memory, for the length of one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from incognote.core.types import Document, Span

_WORD = re.compile(r"[^\W\d_]{2,}")
_PEOPLE = frozenset({"PATIENT", "DOCTOR"})


@dataclass(frozen=True, slots=True)
class Originals:
    names: frozenset[str] = field(default=frozenset(), repr=False)
    streets: frozenset[str] = field(default=frozenset(), repr=False)
    cities: frozenset[str] = field(default=frozenset(), repr=False)
    dates: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, marked: Iterable[tuple[Document, Iterable[Span]]]) -> Originals:
        """From documents with their resolved spans."""
        names: set[str] = set()
        streets: set[str] = set()
        cities: set[str] = set()
        dates: set[str] = set()
        for document, spans in marked:
            for span in spans:
                text = document.text[span.start : span.end]
                if span.label in _PEOPLE:
                    names.update(word.casefold() for word in _WORD.findall(text))
                elif span.label == "STREET":
                    streets.add(street_core(text))
                elif span.label == "CITY":
                    cities.add(text.casefold())
                elif span.label == "DATE":
                    dates.add(text)
        return cls(frozenset(names), frozenset(streets), frozenset(cities), tuple(sorted(dates)))

    def __or__(self, other: Originals) -> Originals:
        """Workers collect their parts; the parts join."""
        return Originals(
            self.names | other.names,
            self.streets | other.streets,
            self.cities | other.cities,
            tuple(sorted({*self.dates, *other.dates})),
        )


def street_core(text: str) -> str:
    """A street's words without its numbers: "12 Elm St" and "40 Elm St." are one street."""
    return " ".join(word.casefold() for word in _WORD.findall(text))
