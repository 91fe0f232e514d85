"""The transform that the guide shows, through the door that other packages use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.transform.conftest import KEY, policy

from incognote.core import registry
from incognote.core.errors import PolicyError
from incognote.core.types import Document, Span
from incognote.policy import explain_policy
from incognote.transform import Transformer

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "surrogates.md"


@pytest.fixture
def _stars(monkeypatch, tmp_path):
    (code,) = [
        c for c in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL) if "Stars" in c
    ]
    (tmp_path / "stars_plugin.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    table = {**registry._table("transform"), "stars": "stars_plugin:Stars"}
    monkeypatch.setattr(registry, "_table", lambda kind: table)


@pytest.mark.usefixtures("_stars")
def test_the_transform_of_the_guide_works():
    rules = policy({"PATIENT": {"action": "stars", "count": 5}})
    result = Transformer(rules, KEY).apply(Document("d", "Ann Lee"), [Span(0, 7, "PATIENT")])
    assert result.text == "*****"
    assert "5 stars" in explain_policy(rules)["PATIENT"]
    with pytest.raises(PolicyError, match=r"labels\.PATIENT\.count"):
        Transformer(policy({"PATIENT": {"action": "stars", "count": "many"}}), KEY)
