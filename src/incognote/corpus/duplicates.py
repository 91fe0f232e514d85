"""Near-duplicate notes, found before they leak from a training part into a test part.

Notes are sets of word shingles. MinHash signatures, cut into bands, propose candidates in linear
time; each candidate is then compared exactly, so that what is reported is true.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from incognote.core.types import AnnotatedDocument

_WORD = re.compile(r"\w+")
_SHINGLE = 4
_ROWS, _BANDS = 4, 32  # finds nine in ten pairs at a similarity of 0.5, nearly all at 0.7
_PRIME = (1 << 31) - 1
_BUCKET_LIMIT = 200  # a boilerplate bucket need not be compared all against all

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two documents and the share of shingles they have in common (Jaccard)."""

    one: str
    other: str
    similarity: float


def duplicates(documents: Sequence[AnnotatedDocument], threshold: float = 0.7) -> list[Duplicate]:
    """Pairs of documents at least this similar, the most similar first."""
    shingles = [_shingles(doc.text) for doc in documents]
    found = []
    for i, j in sorted(_candidates(shingles)):
        common = np.intersect1d(shingles[i], shingles[j], assume_unique=True).size
        union = shingles[i].size + shingles[j].size - common
        similarity = common / union
        if similarity >= threshold:
            found.append(Duplicate(documents[i].id, documents[j].id, similarity))
    return sorted(found, key=lambda one: (-one.similarity, one.one, one.other))


def _shingles(text: str) -> Hashes:
    words = [word.lower().encode() for word in _WORD.findall(text)]
    last = max(1, len(words) - _SHINGLE + 1)
    hashes = {zlib.crc32(b" ".join(words[at : at + _SHINGLE])) for at in range(last)}
    return np.array(sorted(hashes), np.uint64)


def _candidates(shingles: Sequence[Hashes]) -> set[tuple[int, int]]:
    rng = np.random.default_rng(0)
    size = _ROWS * _BANDS
    a = rng.integers(1, _PRIME, size, dtype=np.uint64)[:, None]
    b = rng.integers(0, _PRIME, size, dtype=np.uint64)[:, None]
    buckets: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for number, own in enumerate(shingles):
        signature = ((a * (own % _PRIME) + b) % _PRIME).min(axis=1).reshape(_BANDS, _ROWS)
        for band in range(_BANDS):
            buckets[band, signature[band].tobytes()].append(number)
    pairs: set[tuple[int, int]] = set()
    for members in buckets.values():
        if len(members) <= _BUCKET_LIMIT:
            pairs.update(combinations(members, 2))
        else:
            # All of a huge bucket resemble its first member, if they resemble each other.
            pairs.update((members[0], other) for other in members[1:])
    return pairs


def clusters(ids: Iterable[str], pairs: Iterable[Duplicate]) -> dict[str, str]:
    """Each id's representative: what is similar to the same thing belongs together."""
    parent = {key: key for key in ids}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for pair in pairs:
        one, other = sorted((root(pair.one), root(pair.other)))
        parent[other] = one
    return {key: root(key) for key in parent}
