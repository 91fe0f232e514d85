"""An encoder as a lean ONNX graph, written node by node from its weights.

A traced graph carries the traces of the tracer: masks for a batch of one, three products where one
would do, kernels that cost more than what they fuse. Written by hand it reads a seventh more pieces
a second, and its tensors keep names, so that torch runs the same file on a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incognote.detect.learned.encoder.weights import (
    GRAPH,
    INPUTS,
    LEFT,
    REACH,
    WEIGHTS,
    Array,
    EncoderShape,
    quantised,
    stored,
)

Named = dict[str, Array]
_FUSED = "com.microsoft"


def write_graph(weights: Named, shape: EncoderShape, out: Path) -> None:
    """Writes the int8 weights and the graph that refers to them."""
    from safetensors.numpy import save_file

    tensors: Named = {}
    for name, array in weights.items():
        owner = name.removesuffix(".weight")
        if owner in ("words", "positions"):
            tensors |= quantised(owner, array, axis=1)
        elif owner.endswith(("qkv", "out", "up", "down", "heads")):
            tensors |= quantised(owner, array, axis=0)
        else:
            tensors[name] = array
    save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, out / WEIGHTS)
    _save(_graph(weights, shape), out)


@dataclass(slots=True)
class _Graph:
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)

    def add(self, op: str, *inputs: str, domain: str = "", results: int = 1, **options: Any) -> Any:
        """A node and the name of its result, or names of its results."""
        from onnx import helper

        name = f"{op}_{len(self.nodes)}"
        names = [f"{name}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(op, inputs, names, name=name, domain=domain, **options))
        return names[0] if results == 1 else names

    def number(self, value: int) -> str:
        self.constants[f"number_{value}"] = np.array(value, np.int64)
        return f"number_{value}"

    def numbers(self, value: int) -> str:
        """A list of one number."""
        self.constants[f"numbers_{value}"] = np.array([value], np.int64)
        return f"numbers_{value}"

    def several(self, name: str, values: list[int]) -> str:
        self.constants[name] = np.array(values, np.int64)
        return name

    def reals(self, name: str, values: list[Any]) -> str:
        self.constants[name] = np.array(values, np.float32)
        return name

    def rows(self, table: str, at: str) -> str:
        """Rows of an int8 table."""
        from onnx import TensorProto

        whole = self.add("Gather", f"{table}.weight", at)
        scale = self.add("Gather", f"{table}.scale", at)
        found: str = self.add("Mul", self.add("Cast", whole, to=TensorProto.FLOAT), scale)
        return found

    def linear(self, x: str, name: str) -> str:
        no_shift = ""
        found: str = self.add(
            "DynamicQuantizeMatMul",
            *(x, f"{name}.weight", f"{name}.scale", no_shift, f"{name}.bias"),
            domain=_FUSED,
        )
        return found

    def norm(self, x: str, name: str, epsilon: float) -> str:
        found: str = self.add(
            "LayerNormalization", x, f"{name}.weight", f"{name}.bias", axis=-1, epsilon=epsilon
        )
        return found


def _graph(weights: Named, shape: EncoderShape) -> _Graph:
    graph = _Graph()
    size = graph.add("Shape", "ids", start=1, end=2)
    places = graph.add("Range", graph.number(0), graph.add("Squeeze", size), graph.number(1))
    seen = graph.add("Add", graph.rows("words", "ids"), graph.rows("positions", places))
    seen = graph.add("Add", seen, graph.add("Gather", "shapes.weight", "shapes"))
    seen = graph.add("Add", seen, graph.add("Gather", "layouts.weight", "layouts"))
    x = graph.norm(seen, "norm", shape.epsilon)
    bias = _distances(graph, places, weights) if "distances.weight" in weights else ""
    for i in range(shape.layers):
        if i in shape.exits:
            x, places = _leave(graph, x, places, size, i)
        name = f"layers.{i}"
        qkv = graph.linear(x, f"{name}.qkv")
        parts = graph.add("Split", qkv, results=3, axis=-1, num_outputs=3)
        found = graph.add(
            "MultiHeadAttention",
            *(*parts, "", "", bias) if bias else parts,
            domain=_FUSED,
            num_heads=shape.heads,
        )
        # Adding and normalising in two nodes is faster than in the fused one.
        x = graph.add("Add", x, graph.linear(found, f"{name}.out"))
        x = graph.norm(x, f"{name}.norm1", shape.epsilon)
        wide = graph.add("Gelu", graph.linear(x, f"{name}.up"), domain=_FUSED)
        x = graph.add("Add", x, graph.linear(wide, f"{name}.down"))
        x = graph.norm(x, f"{name}.norm2", shape.epsilon)
    found = graph.linear(x, "heads")
    if shape.exits:
        found = _spread(graph, found, places, size, weights["heads.bias"].shape[0])
    graph.nodes[-1].output[0] = "logits"
    return graph


def _leave(graph: _Graph, x: str, places: str, size: str, exit_: int) -> tuple[str, str]:
    """The pieces that stay behind an exit, and their places in the window.

    A piece stays if its score or that of a near one is above 0; the two marks at the ends always
    do. What is near is counted in the window, whoever left before.
    """
    name = f"exits.{exit_}"
    inner = graph.add("MatMul", x, f"{name}.inner.weight")
    inner = graph.add("Gelu", graph.add("Add", inner, f"{name}.inner.bias"), domain=_FUSED)
    score = graph.add("MatMul", inner, f"{name}.score.weight")
    score = graph.add("Reshape", graph.add("Add", score, f"{name}.score.bias"), graph.numbers(-1))
    between = graph.add("Slice", score, graph.numbers(1), graph.numbers(-1))
    stays, leaves = graph.reals("stays", [1.0]), graph.reals("leaves", [-1.0])
    score = graph.add("Concat", stays, between, stays, axis=0)
    nobody = graph.add("Expand", leaves, size)
    at = graph.add("Unsqueeze", places, graph.numbers(1))
    whole = graph.add("ScatterND", nobody, at, score)
    row = graph.add("Unsqueeze", whole, graph.several("row", [0, 1]))
    near = graph.add("MaxPool", row, kernel_shape=[2 * REACH + 1], pads=[REACH, REACH])
    near = graph.add("Gather", graph.add("Reshape", near, graph.numbers(-1)), places)
    kept = graph.add("Greater", near, graph.reals("zero", [0.0]))
    return graph.add("Compress", x, kept, axis=1), graph.add("Compress", places, kept, axis=0)


def _spread(graph: _Graph, found: str, places: str, size: str, labels: int) -> str:
    """Logits of all pieces, where some left."""
    rows = graph.add("Squeeze", found, graph.numbers(0))
    left = graph.reals("left", [[LEFT, *[0.0] * (labels - 1)]])
    table = graph.add("Concat", size, graph.numbers(labels), axis=0)
    nobody = graph.add("Expand", left, table)
    at = graph.add("Unsqueeze", places, graph.numbers(1))
    whole = graph.add("ScatterND", nobody, at, rows)
    answer: str = graph.add("Unsqueeze", whole, graph.numbers(0))
    return answer


def _distances(graph: _Graph, places: str, weights: Named) -> str:
    """What attention adds for the distance of two places, as (1, heads, piece, piece)."""
    farthest = len(weights["distances.weight"]) // 2
    down = graph.add("Unsqueeze", places, graph.numbers(1))
    apart = graph.add("Sub", graph.add("Unsqueeze", places, graph.numbers(0)), down)
    rows = graph.add("Gather", "distances.weight", graph.add("Add", apart, graph.number(farthest)))
    heads_first = graph.add("Transpose", rows, perm=[2, 0, 1])
    found: str = graph.add("Unsqueeze", heads_first, graph.numbers(0))
    return found


def _save(graph: _Graph, out: Path) -> None:
    from onnx import TensorProto, helper, numpy_helper, save_model

    tensors = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    types = {np.dtype("i1"): TensorProto.INT8, np.dtype("<f4"): TensorProto.FLOAT}
    labels = 0
    for one in stored(out / WEIGHTS):
        tensor = TensorProto(name=one.name, data_type=types[one.dtype], dims=one.shape)
        tensor.data_location = TensorProto.EXTERNAL
        place = {"location": WEIGHTS, "offset": str(one.offset), "length": str(one.size)}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=value)
        tensors.append(tensor)
        if one.name == "heads.bias":
            (labels,) = one.shape
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "piece"]) for name in INPUTS
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "piece", labels])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "encoder", inputs, [logits], tensors),
        producer_name="incognote",
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_FUSED, 1)],
        ir_version=9,
    )
    save_model(model, out / GRAPH)
