"""Shared fixtures: where the data lies that tests may read but the project does not ship."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture.providers import Constants, HypothesisProvider

# A slow machine is no failure: no test here judges by the clock.
# CI tries the same examples each time: a change is judged by what it changed, not by luck. Everybody
# else looks for new ones.
SAME_EXAMPLES = os.environ.get("CI") == "true"
settings.register_profile(
    "incognote",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=SAME_EXAMPLES,
)
settings.load_profile("incognote")
if SAME_EXAMPLES:
    # Hypothesis also draws strings and numbers from the source of modules that are loaded, and which
    # are loaded depends on the tests that a process ran before.
    HypothesisProvider._local_constants = Constants()  # noqa: SLF001

# Tests run beside each other: threads of one that wait for a processor keep it from the others. Read
# when torch is loaded, also by the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Policies of tests name functions of tests.
os.environ.setdefault("INCOGNOTE_ALLOW_FUNCTIONS", "tests")

SHARED = Path(os.environ.get("INCOGNOTE_SHARED", Path(__file__).parents[2] / "shared"))


# Rooms whose tests start other programs, train models or unfold bombs.
SLOW = ("laws/attacks", "learn/network", "release", "spark", "web/browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        where = item.path.parent.relative_to(here).as_posix() if here in item.path.parents else ""
        if where.startswith(SLOW):
            item.add_marker("slow")


# A run leaves the process that read its files to the next run, if the environment is the same. Pytest
# writes the name of each test there, so that each test would start a process of its own.
@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, Any, Any]:
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, Any, Any]:
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    return (yield)


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return SHARED


@pytest.fixture(autouse=True)
def _allowed_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command line of one test allows is not allowed in the next."""
    monkeypatch.setenv("INCOGNOTE_ALLOW_FUNCTIONS", os.environ["INCOGNOTE_ALLOW_FUNCTIONS"])
