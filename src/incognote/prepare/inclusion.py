"""Sentences known to be harmless: they are left out of the view, so that no detector reads them.

A third of a hospital's sentences are the same few: "Denies chest pain." A person has read the list
(see `incognote templates inclusion`) and signed it, sentence by sentence. Only white space may
differ between a listed sentence and one in a note: no letter, no case, no accent, no digit, so that
nothing unread is ever left out. It is the document that is compared, not the view, in
which "Malé" and "Male" are the same.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from incognote.core.caches import cached
from incognote.core.errors import PolicyError
from incognote.core.text.offsets import Alignment, OffsetMap
from incognote.policy.signing import SIGNED

COLUMNS = ("keep", "kind", "count", "documents", "claims", "sentence")

_Ranges = tuple[tuple[int, int], ...]


def normal(sentence: str) -> str:
    return " ".join(sentence.split())


@cached(8)
def inclusion_list(path: str) -> frozenset[str]:
    """The sentences that a person has signed: rows of a CSV file whose `keep` says yes."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:  # noqa: PTH123
            rows = csv.DictReader(lines)
            if not {"keep", "sentence"} <= set(rows.fieldnames or ()):
                raise PolicyError(f"prepare.inclusion: {path} needs columns 'keep' and 'sentence'")
            return frozenset(
                normal(row["sentence"] or "")
                for row in rows
                if (row["keep"] or "").strip().lower() in SIGNED
            ) - {""}
    except OSError as error:
        raise PolicyError(f"prepare.inclusion: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"prepare.inclusion: {path}: not UTF-8 text") from None


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a text: itself, its map to the document, its sentences, and where in the
    document the sentences appear that are gone."""

    text: str = field(repr=False)
    offsets: OffsetMap = field(repr=False)
    sentences: _Ranges = field(repr=False)
    unread: _Ranges = ()


def leave_out(
    text: str, offsets: OffsetMap, sentences: _Ranges, source: str, listed: frozenset[str]
) -> Rest:
    """The text without the listed sentences; `source` is the document's."""
    gone: list[tuple[int, int]] = []
    kept: list[tuple[int, int]] = []
    shift = 0
    for start, end in sentences:
        harmless = normal(source[slice(*offsets.to_source(start, end))]) in listed
        if harmless and _is_parallel(offsets, start, end):
            gone.append((start, end))
            shift += end - start
        else:
            kept.append((start - shift, end - shift))
    if not gone:
        return Rest(text, offsets, sentences)
    left = list(_left(len(text), gone))
    return Rest(
        "".join(text[start:end] for start, end in left),
        _cut(offsets, left),
        tuple(kept),
        tuple(offsets.to_source(start, end) for start, end in gone),
    )


def _is_parallel(offsets: OffsetMap, start: int, end: int) -> bool:
    """Whether a stretch can be cut out: a ligature or the like cannot be halved."""
    return all(
        alignment.parallel or alignment.view + alignment.length <= start or alignment.view >= end
        for alignment in offsets.alignments
    )


def _left(length: int, gone: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in gone:
        if at < start:
            yield at, start
        at = end
    if at < length:
        yield at, length


def _cut(offsets: OffsetMap, left: Sequence[tuple[int, int]]) -> OffsetMap:
    alignments: list[Alignment] = []
    view = 0
    for start, end in left:
        for alignment in offsets.alignments:
            first, last = max(start, alignment.view), min(end, alignment.view + alignment.length)
            if first >= last:
                continue
            length = last - first
            if alignment.parallel:
                alignments.append(
                    Alignment(view, alignment.source + first - alignment.view, length, length)
                )
            else:
                alignments.append(
                    Alignment(view, alignment.source, alignment.length, alignment.source_length)
                )
            view += length
    return OffsetMap(tuple(alignments) or (Alignment(0, offsets.alignments[-1].source, 0, 0),))
