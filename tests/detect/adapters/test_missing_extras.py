from __future__ import annotations

import pytest

from incognote.core.errors import MissingExtra
from incognote.core.registry import load

OPTIONS = {"spacy": {}, "presidio": {}, "huggingface": {"model": "folder"}}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_missing_extra_is_named_before_the_first_document(name, monkeypatch):
    kind = load("detector", name)
    monkeypatch.setattr(f"{kind.__module__}.find_spec", lambda module: None)
    with pytest.raises(MissingExtra, match=rf"incognote\[{name}\]"):
        kind(**OPTIONS[name])
