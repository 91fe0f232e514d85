"""Families of encoders: where each keeps its weights, and the names that incognote gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from incognote.core.errors import UsageError
from incognote.detect.learned.encoder.weights import Array, EncoderShape

Named = dict[str, Array]


class LayerNames(NamedTuple):
    """What a family calls the parts of a layer."""

    qkv: tuple[str, str, str]
    out: str
    norm1: str
    up: str
    down: str
    norm2: str


_BERT_LAYER = LayerNames(
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_MPNET_LAYER = _BERT_LAYER._replace(
    qkv=("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    out="attention.attn.o",
    norm1="attention.LayerNorm",
)
_DISTILBERT_LAYER = LayerNames(
    ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
)


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


def encoder_weights(state: Mapping[str, Array], family: str, shape: EncoderShape) -> Named:
    """The weights of an encoder under the names that incognote knows, matrices as (in, out).

    They become float32: a base in half precision would train to numbers that are none.
    """
    plain = {_plain_name(name, family): array for name, array in state.items()}
    try:
        found = FAMILIES[family](plain, shape.layers)
    except KeyError as error:
        raise UsageError(f"the weights of this encoder are incomplete: no {error}") from None
    return {name: array.astype(np.float32) for name, array in found.items()}


def _plain_name(name: str, family: str) -> str:
    """Without the prefix of a model with a head, and with today's names for a norm's two parts."""
    name = name.removeprefix(f"{_PREFIXES.get(family, family)}.")
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias"
    )


def _bert(state: Named, layers: int) -> Named:
    at = "embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        # The text is all of one type, so types are part of the positions.
        "positions.weight": state[at + "position_embeddings.weight"]
        + state[at + "token_type_embeddings.weight"][0],
        **_norm("norm", state, at + "LayerNorm"),
    }
    return found | _layers(state, layers, "encoder.layer", _BERT_LAYER)


def _distilbert(state: Named, layers: int) -> Named:
    at = "embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        "positions.weight": state[at + "position_embeddings.weight"],
        **_norm("norm", state, at + "LayerNorm"),
    }
    return found | _layers(state, layers, "transformer.layer", _DISTILBERT_LAYER)


def _mpnet(state: Named, layers: int) -> Named:
    at = "embeddings."
    found = {
        "words.weight": state[at + "word_embeddings.weight"],
        # Positions start behind the one of padding.
        "positions.weight": state[at + "position_embeddings.weight"][2:],
        **_norm("norm", state, at + "LayerNorm"),
    }
    farthest = len(found["positions.weight"]) - 1
    buckets = _buckets(np.arange(-farthest, farthest + 1))
    found["distances.weight"] = state["encoder.relative_attention_bias.weight"][buckets]
    return found | _layers(state, layers, "encoder.layer", _MPNET_LAYER)


def _roberta(state: Named, layers: int) -> Named:
    found = _bert(state, layers)
    # Positions start behind the one of padding.
    found["positions.weight"] = found["positions.weight"][2:]
    return found


FAMILIES: dict[str, Callable[[Named, int], Named]] = {
    "bert": _bert,
    "camembert": _roberta,
    "distilbert": _distilbert,
    "mpnet": _mpnet,
    "roberta": _roberta,
    "xlm-roberta": _roberta,
}
_PREFIXES = {"camembert": "roberta", "xlm-roberta": "roberta"}


def _buckets(distances: Array, count: int = 32, farthest: int = 128) -> Array:
    """MPNet's buckets of distances: each near one its own, farther ones by their logarithm."""
    half = count // 2
    exact = half // 2
    size = np.abs(distances)
    log = np.log(np.maximum(size, 1).astype(np.float32) / exact) / np.log(farthest / exact)
    far = np.minimum(exact + (log * (half - exact)).astype(np.int64), half - 1)
    return np.where(distances > 0, half, 0) + np.where(size < exact, size, far)


def _layers(state: Named, layers: int, stack: str, names: LayerNames) -> Named:
    found: Named = {}
    for i in range(layers):
        name, here = f"layers.{i}", f"{stack}.{i}."
        qkv = [here + part for part in names.qkv]
        found |= {
            f"{name}.qkv.weight": np.concatenate([state[part + ".weight"] for part in qkv]).T,
            f"{name}.qkv.bias": np.concatenate([state[part + ".bias"] for part in qkv]),
            **_linear(f"{name}.out", state, here + names.out),
            **_norm(f"{name}.norm1", state, here + names.norm1),
            **_linear(f"{name}.up", state, here + names.up),
            **_linear(f"{name}.down", state, here + names.down),
            **_norm(f"{name}.norm2", state, here + names.norm2),
        }
    return found


def _linear(name: str, state: Named, old: str) -> Named:
    return {f"{name}.weight": state[old + ".weight"].T, f"{name}.bias": state[old + ".bias"]}


def _norm(name: str, state: Named, old: str) -> Named:
    return {f"{name}.weight": state[old + ".weight"], f"{name}.bias": state[old + ".bias"]}
