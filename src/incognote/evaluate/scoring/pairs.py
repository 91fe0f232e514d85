"""Gold and prediction belong together document by document, or nothing is measured.

A silently skipped document makes every score after it a lie; the official i2b2 2014 scorer does
that. Here a missing or doubled id, or another text, stops the evaluation and is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span

_NAMED = 5  # how many ids a message lists before it only counts


@dataclass(frozen=True, slots=True)
class Pair:
    """One document with what is true of it and what was said of it."""

    document: Document
    gold: tuple[Span, ...]
    pred: tuple[Span, ...]


def pair(
    gold: Sequence[AnnotatedDocument],
    pred: Sequence[AnnotatedDocument],
    sides: tuple[str, str] = ("the gold", "the prediction"),
) -> list[Pair]:
    """Gold and prediction joined by id, in the order of the gold. `sides` are their names in
    messages.

    A prediction whose text is empty (a system that only writes offsets) is trusted to be of the
    gold's text, as long as its spans fit into it.
    """
    one, other = sides
    wanted, by_id = _by_id(gold, one), _by_id(pred, other)
    _no_rest(f"{other} lacks", [key for key in wanted if key not in by_id])
    _no_rest(f"{one} lacks", [key for key in by_id if key not in wanted])
    other_text = [
        key for key, doc in wanted.items() if by_id[key].text and by_id[key].text != doc.text
    ]
    _no_rest(f"{one} and {other} have different texts for", other_text)
    textless = [key for key, doc in wanted.items() if doc.spans and not doc.text]
    _no_rest(f"{one} needs texts (`incognote detect --with-text`) and has none for", textless)
    outside = [
        key
        for key, doc in wanted.items()
        for spans in (doc.spans, by_id[key].spans)
        if any(span.end > len(doc.text) for span in spans)
    ]
    _no_rest("spans lie outside the text of", sorted(set(outside)))
    return [Pair(doc.document, doc.spans, by_id[key].spans) for key, doc in wanted.items()]


def _by_id(docs: Iterable[AnnotatedDocument], side: str) -> dict[str, AnnotatedDocument]:
    docs = list(docs)
    doubled = [key for key, count in Counter(doc.id for doc in docs).items() if count > 1]
    _no_rest(f"{side} has more than one", doubled)
    if not docs:
        raise UsageError(f"{side} has no documents")
    return {doc.id: doc for doc in docs}


def _no_rest(what: str, ids: Sequence[str]) -> None:
    if ids:
        named = ", ".join(repr(key) for key in ids[:_NAMED])
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        raise UsageError(f"{what} document {named}{more}")
