"""An encoder with random weights, small enough to train in a test. Needs the training extra."""

from __future__ import annotations

from pathlib import Path

import pytest

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.:/,%-"


def write_toy_encoder(folder: Path) -> Path:
    pytest.importorskip("torch", reason="needs incognote[train]")
    transformers = pytest.importorskip("transformers", reason="needs incognote[train]")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{c}" for c in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    return folder
