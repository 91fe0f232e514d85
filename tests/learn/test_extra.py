"""Without the training extra, the verb says which extra is missing."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from incognote.core.errors import MissingExtra
from incognote.learn.recipe import require_training


@pytest.mark.skipif(find_spec("torch") is not None, reason="the training extra is installed")
def test_the_missing_extra_is_named():
    with pytest.raises(MissingExtra, match=r"incognote\[train\]"):
        require_training()
