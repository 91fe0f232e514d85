"""Dates shuffled within the corpus: each goes to another date that is written in the same form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from incognote.transform.dates import shifted
from incognote.transform.record import Mention, Record


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Another date of the corpus in the same format class; alone in its class, it is shifted.

    Intervals are lost, the distribution of dates stays. Needs a first pass over the corpus.
    """

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})
    needs_originals: ClassVar[bool] = True

    def replace(self, mention: Mention, record: Record) -> str:
        text = mention.text
        for form in (format_class, loose_class):
            new = _traded(text, form, record)
            if new is not None:
                return new
        new = shifted(mention, record)
        if not any(map(str.isdigit, text)) or loose_class(new) == loose_class(text):
            return new
        return _renumbered(text, record)  # no form that we read: another language, a bad scan

    def explain(self) -> str:
        return "replaced by another date of the corpus, written in the same form"


def format_class(text: str) -> str:
    """Digits as 9, words as A, aa or Aa: what two dates must share to trade places."""
    text = re.sub(r"\d", "9", text)
    return re.sub(
        r"[^\W\d_]+", lambda m: "A" if m[0].isupper() else "Aa" if m[0][0].isupper() else "a", text
    )


def loose_class(text: str) -> str:
    """The same for a date that is alone in its class: 9/9 and 10/10, May and MAY are alike."""
    return re.sub(r"9+", "9", format_class(text)).casefold()


def _traded(text: str, form: Callable[[str], str], record: Record) -> str | None:
    """The next date on a ring in secret order that stands in no note of this record. Where all
    others do, the next one that is not the date itself."""
    assert record.corpus is not None
    dates = _by_form(record.corpus.dates, form).get(form(text), [])
    if len(dates) < 2 or text not in dates:
        return None
    ring = record.scope.memo(
        ("shuffle", form(text)),
        lambda: sorted(dates, key=lambda d: record.scope.draws.dice("SHUFFLE", d).below(2**64)),
    )
    here = ring.index(text)
    others = [*ring[here + 1 :], *ring[:here]]
    own = record.know(_own_dates)
    return next((new for new in others if new not in own), others[0])


@lru_cache(maxsize=4)
def _by_form(dates: frozenset[str], form: Callable[[str], str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for text in sorted(dates):
        found[form(text)].append(text)
    return dict(found)


def _own_dates(record: Record) -> frozenset[str]:
    return frozenset(mention.text for mention in record.mentions if mention.label == "DATE")


def _renumbered(text: str, record: Record) -> str:
    """Other numbers, days for days and years of the same century for years."""

    def number(match: re.Match[str]) -> str:
        old, size = match[0], len(match[0])
        for attempt in range(1000):
            dice = record.scope.draws.dice("DATE NUMBER", f"{text} {match.start()}", attempt)
            new = old[:2] + f"{dice.below(100):02}" if size == 4 else str(1 + dice.below(28))
            new = new.zfill(size) if old.startswith("0") else new
            if new != old:
                return new
        return old

    return re.sub(r"\d+", number, text)
