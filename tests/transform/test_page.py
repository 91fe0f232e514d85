"""The page of examples is what the code makes."""

from __future__ import annotations

import pytest
from tools.surrogates_page import EXAMPLES, PAGE, page

from incognote.core.labels import all_labels

pytest.importorskip("cryptography")


def test_the_page_is_current():
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_every_label_has_an_example():
    assert set(EXAMPLES) == {name for name, row in all_labels().items() if not row.optional}
