"""Rows with the same codes, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from incognote.anonymize.table import Bools, Ints


def pack(columns: Sequence[Any], sizes: Sequence[int]) -> Ints:
    """One number for each row, the same for the same codes. Where they would not fit into 63 bits,
    what is packed so far is numbered anew."""
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    room = 1
    for column, size in zip(columns, sizes, strict=True):
        if room * size >= 1 << 62:
            _, packed = np.unique(packed, return_inverse=True)
            room = int(packed.max()) + 1
        packed *= size
        packed += column
        room *= size
    return packed


def packed(columns: Sequence[Any]) -> Ints:
    """The same for columns of codes from -1 (missing) on."""
    shifted = [column.astype(np.int64) + 1 for column in columns]
    return pack(shifted, [int(column.max()) + 1 for column in shifted])


def class_sizes(columns: Sequence[Any]) -> Ints:
    """How many rows share their codes, for each class; faster than numbering them."""
    shifted = [column.astype(np.int64) + 1 for column in columns]
    sizes = [int(column.max()) + 1 for column in shifted]
    keys = pack(shifted, sizes)
    if prod(sizes) <= 4 * len(keys):
        counts = np.bincount(keys)
        return counts[counts > 0]
    keys.sort()
    edges = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1], [True]]))
    return np.diff(edges)


def alone_in_class(columns: Sequence[Any]) -> Bools:
    """Which rows share their codes with no other."""
    keys = packed(columns)
    order = np.argsort(keys)
    apart = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    found = np.zeros(len(keys), np.bool_)
    found[order[apart[:-1][np.diff(apart) == 1]]] = True
    return found


def group(columns: Sequence[Any]) -> Ints:
    """The class of each row: rows with equal codes share a number."""
    inverse: Ints = np.unique(packed(columns), return_inverse=True)[1]
    return inverse
