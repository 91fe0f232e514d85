"""onnxruntime on the CPU, and what turns its logits into probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from incognote.detect.learned.tagging import Floats


def open_session(graph: Path) -> Any:
    """A session with one thread for each call: cores work on calls side by side."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def softmax(logits: Floats) -> Floats:
    exps = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Floats = exps / exps.sum(axis=1, keepdims=True)
    return result


def sigmoid(logits: Floats) -> Floats:
    result: Floats = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
    return result
