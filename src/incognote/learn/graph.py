"""An encoder as a lean ONNX graph, written node by node from its weights.

A traced graph carries the traces of the tracer: masks for a batch of one, three products where one
would do, kernels that cost more than what they fuse. Written by hand it reads a seventh more pieces
a second, and its tensors keep names, so that torch runs the same file on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.detect.weights import GRAPH, INPUTS, WEIGHTS, Array, EncoderShape, quantised, stored

Named = dict[str, Array]
_FUSED = "com.microsoft"


def encoder_shape(config: Mapping[str, Any]) -> EncoderShape:
    """From the config of a Hugging Face encoder; families with other layers are refused."""
    family = config.get("model_type")
    if family not in FAMILIES:
        raise UsageError(
            f"encoders of the family {family!r} cannot be used; {', '.join(sorted(FAMILIES))} can"
        )
    activation = config.get("hidden_act", config.get("activation", "gelu"))
    if activation != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise UsageError("only encoders with gelu and with absolute positions can be used")
    return EncoderShape(
        layers=config.get("num_hidden_layers", config.get("n_layers")),
        heads=config.get("num_attention_heads", config.get("n_heads")),
        epsilon=config.get("layer_norm_eps", 1e-12),
    )


def named(state: Named, family: str, shape: EncoderShape) -> Named:
    """A trained network's weights under the names that incognote knows, matrices as (in, out)."""
    return FAMILIES[family](state, shape.layers) | {
        "shapes.weight": state["shape.weight"],
        "layouts.weight": state["layout.weight"],
        **_linear("heads", state, "heads"),
    }


def _bert(state: Named, layers: int) -> Named:
    at = "encoder.embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        # The text is all of one type, so types are part of the positions.
        "positions.weight": state[at + "position_embeddings.weight"]
        + state[at + "token_type_embeddings.weight"][0],
        **_norm("norm", state, at + "LayerNorm"),
    }
    for i in range(layers):
        here = f"encoder.encoder.layer.{i}."
        attention = here + "attention.self."
        found |= _layer(
            f"layers.{i}",
            state,
            [attention + part for part in ("query", "key", "value")],
            here + "attention.output.dense",
            here + "attention.output.LayerNorm",
            here + "intermediate.dense",
            here + "output.dense",
            here + "output.LayerNorm",
        )
    return found


def _distilbert(state: Named, layers: int) -> Named:
    at = "encoder.embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        "positions.weight": state[at + "position_embeddings.weight"],
        **_norm("norm", state, at + "LayerNorm"),
    }
    for i in range(layers):
        here = f"encoder.transformer.layer.{i}."
        found |= _layer(
            f"layers.{i}",
            state,
            [f"{here}attention.{part}_lin" for part in "qkv"],
            here + "attention.out_lin",
            here + "sa_layer_norm",
            here + "ffn.lin1",
            here + "ffn.lin2",
            here + "output_layer_norm",
        )
    return found


def _mpnet(state: Named, layers: int) -> Named:
    at = "encoder.embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        # Positions start behind the one of padding.
        "positions.weight": state[at + "position_embeddings.weight"][2:],
        **_norm("norm", state, at + "LayerNorm"),
    }
    farthest = len(found["positions.weight"]) - 1
    buckets = _buckets(np.arange(-farthest, farthest + 1))
    found["distances.weight"] = state["encoder.encoder.relative_attention_bias.weight"][buckets]
    for i in range(layers):
        here = f"encoder.encoder.layer.{i}."
        found |= _layer(
            f"layers.{i}",
            state,
            [f"{here}attention.attn.{part}" for part in "qkv"],
            here + "attention.attn.o",
            here + "attention.LayerNorm",
            here + "intermediate.dense",
            here + "output.dense",
            here + "output.LayerNorm",
        )
    return found


FAMILIES: dict[str, Callable[[Named, int], Named]] = {
    "bert": _bert,
    "distilbert": _distilbert,
    "mpnet": _mpnet,
}


def _buckets(distances: Array, count: int = 32, farthest: int = 128) -> Array:
    """MPNet's buckets of distances: each near one its own, farther ones by their logarithm."""
    half = count // 2
    exact = half // 2
    size = np.abs(distances)
    log = np.log(np.maximum(size, 1).astype(np.float32) / exact) / np.log(farthest / exact)
    far = np.minimum(exact + (log * (half - exact)).astype(np.int64), half - 1)
    return np.where(distances > 0, half, 0) + np.where(size < exact, size, far)


def _layer(
    name: str, state: Named, qkv: list[str], out: str, norm: str, up: str, down: str, last: str
) -> Named:
    return {
        f"{name}.qkv.weight": np.concatenate([state[part + ".weight"] for part in qkv]).T,
        f"{name}.qkv.bias": np.concatenate([state[part + ".bias"] for part in qkv]),
        **_linear(f"{name}.out", state, out),
        **_norm(f"{name}.norm1", state, norm),
        **_linear(f"{name}.up", state, up),
        **_linear(f"{name}.down", state, down),
        **_norm(f"{name}.norm2", state, last),
    }


def _linear(name: str, state: Named, old: str) -> Named:
    return {f"{name}.weight": state[old + ".weight"].T, f"{name}.bias": state[old + ".bias"]}


def _norm(name: str, state: Named, old: str) -> Named:
    return {f"{name}.weight": state[old + ".weight"], f"{name}.bias": state[old + ".bias"]}


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
    graph.linear(x, "heads")
    graph.nodes[-1].output[0] = "logits"
    return graph


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
