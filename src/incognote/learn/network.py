"""The network of the transformer detector: an encoder that also sees shape and layout.

The encoder comes from a folder in Hugging Face form (BERT family, `vocab.txt`). Two heads read the
first piece of each unit: which label, and whether a new span opens.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.core.errors import MissingExtra, UsageError
from incognote.detect.units import LAYOUTS, SHAPES
from incognote.detect.wordpiece import WordPiece
from incognote.learn.graph import encoder_shape

if TYPE_CHECKING:
    import torch

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_FETCHED = ["config.json", "tokenizer_config.json", "vocab.txt", "*.safetensors"]


def find_base(name: str) -> Path:
    """An encoder folder, or the local copy of an encoder of the Hugging Face hub.

    Of a hub repository only what training reads is fetched: no code, no pickled weights.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if not _HUB_NAME.fullmatch(name):
        raise UsageError(f"{name} is neither a folder nor a name of an encoder on the hub")
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError:
        raise MissingExtra("an encoder of the hub", "train") from None
    try:
        return Path(snapshot_download(name, allow_patterns=_FETCHED))
    except (OSError, ValueError) as error:
        # Also what the hub's own errors derive from: no such name, no access, no network.
        raise UsageError(
            f"{name} is no folder, and could not be fetched from the hub "
            f"({type(error).__name__}); without a network, name a folder"
        ) from None


def read_vocabulary(base: Path) -> WordPiece:
    """The vocabulary of an encoder folder; folders that cannot be used are refused here."""
    config = read_config(base)
    if "auto_map" in config:
        raise UsageError(f"{base} asks to run its own code; that is never done")
    if not list(base.glob("*.safetensors")):
        raise UsageError(f"{base} has no safetensors weights; pickled weights are never loaded")
    path = base / "vocab.txt"
    if not path.is_file():
        raise UsageError(
            f"{base} has no vocab.txt: only encoders with a WordPiece vocabulary can be used"
        )
    encoder_shape(config)
    lower = True
    settings = base / "tokenizer_config.json"
    if settings.is_file():
        lower = bool(json.loads(settings.read_text(encoding="utf-8")).get("do_lower_case", True))
    return WordPiece(path.read_text(encoding="utf-8").splitlines(), lower=lower)


def read_config(base: Path) -> dict[str, Any]:
    path = base / "config.json"
    if not path.is_file():
        raise UsageError(f"{base} is no encoder folder: it has no config.json")
    config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return config


def build(base: Path, labels: int) -> Any:
    """The network: encoder, shape and layout embeddings, two heads."""
    import torch
    from transformers import AutoConfig, AutoModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    config = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout"):
        if hasattr(config, name):
            setattr(config, name, 0.0)

    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            # Eager attention: on CPUs its backward pass is far faster than the fused one.
            attention = {} if torch.cuda.is_available() else {"attn_implementation": "eager"}
            self.encoder = AutoModel.from_pretrained(
                base,
                config=config,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                **attention,
            )
            self.encoder.get_input_embeddings().weight.requires_grad_(requires_grad=False)
            if getattr(self.encoder, "pooler", None) is not None:
                self.encoder.pooler = None
            width = config.hidden_size
            self.shape = torch.nn.Embedding(SHAPES, width)
            self.layout = torch.nn.Embedding(LAYOUTS, width)
            torch.nn.init.normal_(self.shape.weight, std=0.02)
            torch.nn.init.normal_(self.layout.weight, std=0.02)
            self.heads = torch.nn.Linear(width, 1 + labels + 1)

        def forward(
            self,
            ids: torch.Tensor,
            shapes: torch.Tensor,
            layouts: torch.Tensor,
            mask: torch.Tensor,
        ) -> torch.Tensor:
            words = self.encoder.get_input_embeddings()(ids)
            found = self.encoder(
                inputs_embeds=words + self.shape(shapes) + self.layout(layouts),
                attention_mask=mask,
            )
            out: torch.Tensor = self.heads(found.last_hidden_state)
            return out

    return Tagger()
