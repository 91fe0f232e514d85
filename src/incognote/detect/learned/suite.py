"""CRFsuite, which trains and runs conditional random fields; it comes with an extra."""

from __future__ import annotations

from typing import Any

from incognote.core.errors import MissingExtra


def crfsuite() -> Any:
    try:
        import pycrfsuite
    except ModuleNotFoundError:
        raise MissingExtra("the CRF detector", "crf") from None
    return pycrfsuite
