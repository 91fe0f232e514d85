from __future__ import annotations

import re

import pytest

from incognote.core.errors import DetectError, PolicyError
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


@pytest.mark.parametrize("target", ["tests.nowhere:f", f"{HERE}:nothing", f"{HERE}:HERE"])
def test_not_a_function(target):
    with pytest.raises(PolicyError, match="function detector"):
        FunctionDetector(target)


@pytest.mark.parametrize(
    "target",
    ["builtins:exec", "os:system", "testsuite.x:f", "subprocess:run", "plain", "", ":", "tests"],
)
def test_a_policy_may_not_name_any_function_there_is(target):
    with pytest.raises(PolicyError, match=r"neither registered nor allowed|cannot import"):
        FunctionDetector(target)


def test_a_prefix_is_a_whole_name(monkeypatch):
    monkeypatch.setenv("INCOGNOTE_ALLOW_FUNCTIONS", "o,builtin,tests.detect")
    with pytest.raises(PolicyError, match="neither registered nor allowed"):
        FunctionDetector("os:system")
    FunctionDetector(f"{HERE}:cities")


def unmapped(text):
    return [(0, 1, "BADGE")]


def outside(text):
    return [(0, 10_000, "CITY")]


def no_score(text):
    return [(0, 1, "CITY", float("nan"))]


@pytest.mark.parametrize("function", ["unmapped", "outside", "no_score"])
def test_an_answer_that_makes_no_sense_is_an_error(function, marked):
    with pytest.raises(DetectError):
        marked(FunctionDetector(f"{HERE}:{function}"), "text")
