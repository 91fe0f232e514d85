"""Replaces what was found: surrogates that stay consistent, masks, the leak check, the vault."""

from incognote.transform.apply import (
    Transform,
    Transformer,
    build_transforms,
    needs_originals,
    new_spans,
)
from incognote.transform.originals import Originals

__all__ = [
    "Originals",
    "Transform",
    "Transformer",
    "build_transforms",
    "needs_originals",
    "new_spans",
]
