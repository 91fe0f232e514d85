from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tests.transform.conftest import surrogate

FORMS = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))
ROWS = [(label, old, form) for label, rows in FORMS.items() for old, form in rows.items()]


@pytest.mark.parametrize(("label", "old", "form"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_the_form_stays_and_the_value_goes(label, old, form):
    for patient in range(20):
        new = surrogate(old, label, f"p{patient}")
        assert re.fullmatch(form, new), new
        assert new != old
