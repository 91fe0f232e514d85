"""Shared fixtures: where the data lies that tests may read but the project does not ship."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A slow machine is no failure: no test here judges by the clock.
settings.register_profile("incognote", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("incognote")

SHARED = Path(os.environ.get("INCOGNOTE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return SHARED
