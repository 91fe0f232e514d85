"""Replaces what was found: surrogates that stay consistent, masks, the leak check, the vault."""

from incognote.transform.apply import (
    Transform,
    Transformer,
    build_transforms,
    moved_spans,
    needs_originals,
    new_spans,
)
from incognote.transform.leaks.originals import Originals
from incognote.transform.numbers.identifiers import Identifiers

__all__ = [
    "Identifiers",
    "Originals",
    "Transform",
    "Transformer",
    "build_transforms",
    "moved_spans",
    "needs_originals",
    "new_spans",
]
