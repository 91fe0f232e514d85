"""The recogniser of letters, in one thread."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest


@pytest.fixture(scope="session")
def ocr() -> Iterator[None]:
    """Threads that wait for each other while other tests run take twice the processor time."""
    module = pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
    one = partial(module.RapidOCR, intra_op_num_threads=1, inter_op_num_threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RapidOCR", one)
        yield
