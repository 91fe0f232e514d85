"""Dates shuffled within the corpus: each goes to another date that is written in the same form."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
        form = format_class(mention.text)
        assert record.corpus is not None
        dates = record.corpus.dates
        ring = record.scope.memo(
            ("shuffle", form),
            lambda: _ring(sorted(d for d in dates if format_class(d) == form), record),
        )
        return ring.get(mention.text) or shifted(mention, record)

    def explain(self) -> str:
        return "replaced by another date of the corpus, written in the same form"


def format_class(text: str) -> str:
    """Digits as 9, words as A, aa or Aa: what two dates must share to trade places."""
    text = re.sub(r"\d", "9", text)
    return re.sub(
        r"[^\W\d_]+", lambda m: "A" if m[0].isupper() else "Aa" if m[0][0].isupper() else "a", text
    )


def _ring(dates: list[str], record: Record) -> dict[str, str]:
    """Everybody's successor on a ring in secret order: a permutation that leaves nobody."""
    if len(dates) < 2:
        return {}
    order = sorted(dates, key=lambda d: record.scope.draws.dice("SHUFFLE", d).below(2**64))
    return dict(zip(order, [*order[1:], order[0]], strict=True))
