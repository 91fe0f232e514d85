from __future__ import annotations

import re

import pytest

from incognote.core.errors import PolicyError
from incognote.detect.adapters.function import FunctionDetector

HERE = "tests.detect.adapters.test_function"


def badges(text):
    return [(m.start(), m.end(), "BADGE", 0.5) for m in re.finditer(r"Q\d+", text)]


def cities(text):
    at = text.find("Quilby")
    return [(at, at + 6, "CITY")] if at >= 0 else []


def test_own_labels(marked):
    detector = FunctionDetector(f"{HERE}:cities")
    assert marked(detector, "in Quilby", "no") == ["in [[Quilby|CITY]]", "no"]


def test_mapped_labels(marked):
    detector = FunctionDetector(f"{HERE}:badges", labels={"BADGE": "IDNUM"})
    assert marked(detector, "badge Q12") == ["badge [[Q12|IDNUM]]"]
    assert detector.labels == {"IDNUM"}


@pytest.mark.parametrize("target", ["nowhere.at_all:f", f"{HERE}:nothing", "plain", f"{HERE}:HERE"])
def test_not_a_function(target):
    with pytest.raises(PolicyError, match="function detector"):
        FunctionDetector(target)
