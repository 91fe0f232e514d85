"""An encoder with random weights, small enough to train in a test. Needs the training extra."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.:/,%-"
WIDTH, WIDE, PLACES = 32, 64, 512


def write_toy_encoder(folder: Path) -> Path:
    """One layer of a BERT, in the form in which the hub has them."""
    pytest.importorskip("torch", reason="needs incognote[train]")
    from safetensors.numpy import save_file

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{c}" for c in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = {
        "model_type": "bert",
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings": (len(words), WIDTH),
        "embeddings.position_embeddings": (PLACES, WIDTH),
        "embeddings.token_type_embeddings": (2, WIDTH),
        **{
            f"encoder.layer.0.attention.self.{part}": (WIDTH, WIDTH)
            for part in ("query", "key", "value")
        },
        "encoder.layer.0.attention.output.dense": (WIDTH, WIDTH),
        "encoder.layer.0.intermediate.dense": (WIDE, WIDTH),
        "encoder.layer.0.output.dense": (WIDTH, WIDE),
    }
    tensors = {
        f"{k}.weight": (rng.standard_normal(v) * 0.02).astype("f4") for k, v in shapes.items()
    }
    tensors |= {f"{k}.bias": np.zeros(v[0], "f4") for k, v in shapes.items() if "encoder" in k}
    for norm in ("embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"):
        tensors[f"{norm}.LayerNorm.weight"] = np.ones(WIDTH, "f4")
        tensors[f"{norm}.LayerNorm.bias"] = np.zeros(WIDTH, "f4")
    save_file(tensors, folder / "model.safetensors")
    return folder
