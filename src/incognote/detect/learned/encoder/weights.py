"""The weights of an encoder: one file that onnxruntime and torch read alike.

The file is in safetensors form: a JSON header with names, types, shapes and offsets, then bytes.
The ONNX graph beside it refers to those bytes, so that a model needs neither its weights twice nor
a converter. Matrices are int8 with one scale for each output (`layers.0.up.weight`, `.scale`,
`.bias`), tables int8 with one scale for each row (`words.weight`, `.scale`), all else float32, so
also what decides at an exit (`exits.3.inner`, `exits.3.score`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.core.errors import UsageError

Array = NDArray[Any]
GRAPH, WEIGHTS = "model.onnx", "weights.safetensors"
INPUTS = ("ids", "shapes", "layouts")  # of the graph, one number a piece each
REACH = 2  # pieces on either side of one that stays behind an exit stay with it
LEFT = 16.0  # the logit of "no PHI" for a piece that left at an exit, where all others are 0
_TYPES: dict[str, np.dtype[Any]] = {"I8": np.dtype("i1"), "F32": np.dtype("<f4")}


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What the weights do not say of the network; appears in the settings of a model folder.

    At an exit, a number of layers, pieces that are surely no PHI leave the network: the layers
    above read the others alone. So most of a note costs half, and what may be PHI all of it.
    """

    layers: int
    heads: int
    epsilon: float
    exits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "exits", tuple(self.exits))  # a list, where it was stored


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in a file: its type, its shape, and where its bytes are."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


def stored(path: Path) -> list[Stored]:
    """What a weight file holds. Nothing in it is trusted further than its own length."""
    length = path.stat().st_size
    with path.open("rb") as file:
        begin = 8 + int.from_bytes(file.read(8), "little")
        header = file.read(begin - 8) if begin <= length else b""
    try:
        rows = [(k, row) for k, row in json.loads(header).items() if k != "__metadata__"]
        found = [
            Stored(k, _TYPES[row["dtype"]], tuple(row["shape"]), begin + row["data_offsets"][0])
            for k, row in rows
        ]
        whole = all(begin <= one.offset <= length - one.size for one in found)
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise UsageError(f"{path.name} is no weight file of incognote, or cut off")
    return found


def read_weights(path: Path) -> dict[str, Array]:
    """All tensors as float32: what is stored as int8 is multiplied by its scales."""
    data = path.read_bytes()
    raw = {
        one.name: np.frombuffer(data, one.dtype, prod(one.shape), one.offset).reshape(one.shape)
        for one in stored(path)
    }
    scales = {name.removesuffix("scale"): raw.pop(name) for name in [*raw] if _is_scale(name)}
    return {
        name: array * scales[name.removesuffix("weight")] if array.dtype == np.int8 else array
        for name, array in raw.items()
    }


def _is_scale(name: str) -> bool:
    return name.endswith(".scale")


def quantised(name: str, weight: Array, *, axis: int) -> dict[str, Array]:
    """A matrix or table as int8; along `axis` all numbers share a scale."""
    scale = np.maximum(np.abs(weight).max(axis=axis, keepdims=True) / 127, 1e-12)
    whole = np.round(weight / scale).astype(np.int8)
    stored_scale = scale[0] if axis == 0 else scale
    return {f"{name}.weight": whole, f"{name}.scale": stored_scale.astype(np.float32)}
