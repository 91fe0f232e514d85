"""Other vocabularies than WordPiece: byte-level BPE (RoBERTa) and SentencePiece (XLM-R).

They are read from a `tokenizer.json` by the package `tokenizers`. A unit is asked for as a word of
its own, in training and in use alike; what comes before it, the layout says.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

from incognote.core.caches import cached
from incognote.core.errors import MissingExtra, UsageError
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.model_folder import ModelFolder

VOCABULARY, TOKENIZER = "vocab.txt", "tokenizer.json"


class Tokenizer(Protocol):
    """Splits units into ids of a vocabulary."""

    unknown: int
    pad: int
    first: int
    last: int

    @property
    def size(self) -> int: ...

    def pieces(self, unit: str, /) -> tuple[int, ...]: ...


class Subwords:
    """A tokenizer of the package `tokenizers`, over units."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokenizer = _opened(source)
        self.unknown = self._special("<unk>", "[UNK]")
        self.pad = self._special("<pad>", "[PAD]")
        self.first = self._special("<s>", "[CLS]")
        self.last = self._special("</s>", "[SEP]")
        self.pieces = cached(131_072)(self._pieces)

    def __reduce__(self) -> tuple[object, ...]:
        return (Subwords, (self._source,))

    @property
    def size(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def _special(self, *names: str) -> int:
        for name in names:
            found = self._tokenizer.token_to_id(name)
            if found is not None:
                return int(found)
        raise UsageError(f"the tokenizer has none of {', '.join(names)}")

    def _pieces(self, unit: str) -> tuple[int, ...]:
        if unit[0] == unit[-1] and not unit[0].isalnum():
            unit = unit[0]  # a ruler of dashes reads as one dash
        found = self._tokenizer.encode(f" {unit}", add_special_tokens=False).ids
        return tuple(found) or (self.unknown,)


def open_tokenizer(folder: ModelFolder) -> Tokenizer:
    """The vocabulary of a model folder, of either kind."""
    if TOKENIZER in folder.hashes:
        return Subwords(folder.file(TOKENIZER).read_text(encoding="utf-8"))
    words = folder.file(VOCABULARY).read_text(encoding="utf-8").splitlines()
    return WordPiece(words, lower=folder.settings["lower"])


def _opened(source: str) -> Any:
    try:
        import tokenizers
    except ModuleNotFoundError:
        raise MissingExtra(
            "an encoder with another vocabulary than WordPiece", "subwords"
        ) from None
    try:
        json.loads(source)
        return tokenizers.Tokenizer.from_str(source)
    except Exception:  # noqa: BLE001  # the package raises nothing narrower
        raise UsageError(f"{TOKENIZER} cannot be read as a tokenizer") from None
