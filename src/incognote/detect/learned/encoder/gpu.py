"""Whether this machine has a GPU to use, found out without loading torch where it has none."""

from __future__ import annotations

import ctypes
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from incognote.core.caches import once
from incognote.core.errors import MissingExtra, UsageError
from incognote.detect.learned.encoder.weights import WEIGHTS, EncoderShape
from incognote.detect.learned.model_folder import ModelFolder

if TYPE_CHECKING:
    from incognote.detect.learned.encoder.torch_encoder import TorchEncoder


@once
def _has_driver() -> bool:
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def require() -> None:
    """Says what is missing where a policy insists on a GPU."""
    if find_spec("torch") is None:
        raise MissingExtra('device = "cuda"', "gpu")
    if not _has_driver():
        raise UsageError('device = "cuda": this machine has no NVIDIA driver')


def is_there() -> bool:
    if find_spec("torch") is None or not _has_driver():
        return False
    import torch

    return bool(torch.cuda.is_available())


def encoder(folder: ModelFolder, device: str = "cuda") -> TorchEncoder:
    from incognote.detect.learned.encoder.torch_encoder import TorchEncoder

    return TorchEncoder(folder.file(WEIGHTS), EncoderShape(**folder.settings["encoder"]), device)
