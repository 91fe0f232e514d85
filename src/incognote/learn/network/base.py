"""What training starts from: an encoder folder in Hugging Face form, one of the hub, or a model.

The weights come out under incognote's names and in float32, whatever the base has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from incognote.core.errors import MissingExtra, UsageError
from incognote.detect.learned.encoder.subwords import (
    TOKENIZER,
    VOCABULARY,
    Subwords,
    Tokenizer,
    open_tokenizer,
)
from incognote.detect.learned.encoder.weights import WEIGHTS, Array, EncoderShape, read_weights
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.model_folder import MANIFEST, open_model, shipped
from incognote.learn.network.families import Named, encoder_shape, encoder_weights

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_FETCHED = ["config.json", "tokenizer_config.json", VOCABULARY, TOKENIZER, "*.safetensors"]


@dataclass(frozen=True, slots=True)
class Base:
    """An encoder ready to be trained on. `labels` are those it knows, where it is a model already;
    `files` are what a model folder needs to split words as this base does."""

    name: str
    weights: Named = field(repr=False)
    shape: EncoderShape
    pieces: Tokenizer = field(repr=False)
    files: dict[str, bytes] = field(repr=False)
    labels: tuple[str, ...] = ()

    @property
    def lower(self) -> bool:
        return isinstance(self.pieces, WordPiece) and self.pieces.lower

    @property
    def width(self) -> int:
        return int(self.weights["words.weight"].shape[1])

    @property
    def longest(self) -> int:
        """Pieces in a window at the most."""
        return len(self.weights["positions.weight"])


def find_base(name: str) -> Path:
    """An encoder folder, a model that ships, or the local copy of an encoder of the hub.

    Of a hub repository only what training reads is fetched: no code, no pickled weights.
    """
    if name in shipped():
        return shipped()[name]
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


def open_base(folder: Path) -> Base:
    """Everything that training needs of a folder; folders that cannot be used are refused."""
    if (folder / MANIFEST).is_file():
        return _from_model(folder)
    config = _read_config(folder)
    pieces, files = _read_vocabulary(folder)
    shape = encoder_shape(config)
    return Base(
        folder.name,
        encoder_weights(_read_weights(folder), config["model_type"], shape),
        shape,
        pieces,
        files,
    )


def _from_model(folder: Path) -> Base:
    model = open_model(str(folder), "transformer")
    name = TOKENIZER if TOKENIZER in model.hashes else VOCABULARY
    return Base(
        model.name,
        read_weights(model.file(WEIGHTS)),
        EncoderShape(**model.settings["encoder"]),
        open_tokenizer(model),
        {name: model.file(name).read_bytes()},
        model.labels,
    )


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise UsageError(f"{folder} is no encoder folder: it has no config.json")
    config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "auto_map" in config:
        raise UsageError(f"{folder} asks to run its own code; that is never done")
    if not list(folder.glob("*.safetensors")):
        raise UsageError(f"{folder} has no safetensors weights; pickled weights are never loaded")
    return config


def _read_vocabulary(folder: Path) -> tuple[Tokenizer, dict[str, bytes]]:
    path = folder / VOCABULARY
    if path.is_file():
        lower = True
        settings = folder / "tokenizer_config.json"
        if settings.is_file():
            row = json.loads(settings.read_text(encoding="utf-8"))
            lower = bool(row.get("do_lower_case", True))
        words = path.read_text(encoding="utf-8").splitlines()
        return WordPiece(words, lower=lower), {VOCABULARY: path.read_bytes()}
    path = folder / TOKENIZER
    if path.is_file():
        return Subwords(path.read_text(encoding="utf-8")), {TOKENIZER: path.read_bytes()}
    raise UsageError(f"{folder} has neither {VOCABULARY} (WordPiece) nor {TOKENIZER}")


def _read_weights(folder: Path) -> dict[str, Array]:
    """Through torch: numpy has no bfloat16."""
    from safetensors.torch import load_file

    return {
        name: tensor.float().numpy()
        for path in sorted(folder.glob("*.safetensors"))
        for name, tensor in load_file(path).items()
        if tensor.is_floating_point()
    }


def with_exits(base: Base, exits: Sequence[int]) -> Base:
    """The base with exits after so many layers, which are still to be taught."""
    if "distances.weight" in base.weights:
        raise UsageError("a base whose heads know distances cannot have exits")
    if not all(0 < i < base.shape.layers for i in exits):
        raise UsageError(f"exits lie between the {base.shape.layers} layers of {base.name}")
    return replace(base, shape=replace(base.shape, exits=tuple(sorted(set(exits)))))


def with_words(base: Base, words: Iterable[str]) -> Base:
    """The base with another WordPiece vocabulary, smaller or of another language. A new piece
    starts as the mean of the old pieces it is made of."""
    old = base.pieces
    if not isinstance(old, WordPiece):
        raise UsageError(f"{base.name} has no WordPiece vocabulary that could be replaced")
    specials = {"[PAD]": old.pad, "[UNK]": old.unknown, "[CLS]": old.first, "[SEP]": old.last}
    rows: dict[str, tuple[int, ...]] = {name: (index,) for name, index in specials.items()}
    for word in words:
        if word not in rows:
            continues = word.startswith("##")
            parts = old.split(word.removeprefix("##"), continues=continues)
            rows[word] = parts or (old.unknown,)
    table = base.weights["words.weight"]
    means = np.stack([table[list(parts)].mean(axis=0) for parts in rows.values()])
    return replace(
        base,
        weights=base.weights | {"words.weight": means},
        pieces=WordPiece(rows, lower=old.lower),
        files={VOCABULARY: ("\n".join(rows) + "\n").encode()},
    )
