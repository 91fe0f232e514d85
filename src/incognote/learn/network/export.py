"""From trained weights to a model folder: ONNX, int8."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from incognote.detect.learned.encoder.weights import GRAPH, WEIGHTS
from incognote.detect.learned.fast import COLUMNS, FastScorer
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.transformer import TransformerScorer
from incognote.learn import fast
from incognote.learn.data import Note
from incognote.learn.folder import write_folder
from incognote.learn.network.base import Base
from incognote.learn.network.checkpoint import load_weights, read_state
from incognote.learn.network.graph import write_graph
from incognote.learn.transformer import OVERLAP


def export_transformer(
    trained: Path, base: Base, held: Sequence[Note], out: Path, card: Mapping[str, Any]
) -> ModelFolder:
    """Writes `out` from the weights in `trained`; `held` are the notes to calibrate on."""
    from safetensors.numpy import load_file

    state = read_state(trained)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in base.files.items():
        (out / name).write_bytes(content)
    write_graph(load_file(trained / "weights.safetensors"), base.shape, out)
    settings = {
        "window": state["training"]["window"],
        "overlap": state["training"].get("overlap", OVERLAP),
        "lower": base.lower,
        "encoder": asdict(base.shape),
    }
    return write_folder(
        "transformer",
        out,
        (GRAPH, WEIGHTS, *base.files),
        state["labels"],
        settings,
        held,
        {**_history(state), **card},
        TransformerScorer,
    )


def export_fast(
    trained: Path, held: Sequence[Note], out: Path, card: Mapping[str, Any]
) -> ModelFolder:
    """Writes `out` from the weights in `trained`; `held` are the notes to calibrate on."""
    import torch

    state = read_state(trained)
    model = fast.build(len(state["labels"]), fast.FastTraining(**state["training"]))
    load_weights(model, trained)
    model.eval()
    out.mkdir(parents=True, exist_ok=True)
    _to_onnx(
        model,
        (torch.ones((64, COLUMNS + 1), dtype=torch.int64),),
        ("features",),
        {"features": {0: "unit"}, "logits": {0: "unit"}},
        out / "model.onnx",
    )
    card = {**_history(state), **card}
    return write_folder("fast", out, ("model.onnx",), state["labels"], {}, held, card, FastScorer)


def _history(state: Mapping[str, Any]) -> dict[str, Any]:
    wanted = ("base", "epoch", "held_out_error", "training", "augmentation")
    return {key: state[key] for key in wanted if key in state}


def _to_onnx(
    model: Any,
    example: tuple[Any, ...],
    inputs: tuple[str, ...],
    axes: Mapping[str, Mapping[int, str]],
    path: Path,
) -> None:
    """Matrix products and embeddings become int8, one scale for each column."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns about its own age
        logging.getLogger().setLevel(logging.ERROR)  # and the quantiser about preprocessing
        full = Path(folder) / "full.onnx"
        torch.onnx.export(
            model,
            example,
            str(full),
            input_names=list(inputs),
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(
            full,
            path,
            op_types_to_quantize=["MatMul", "Gather"],
            weight_type=QuantType.QInt8,
            per_channel=True,
        )
