"""A bomb of each container costs one row in quarantine, and the run goes on in little memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.laws.attacks.bombs import BOMBS, CANARY
from tests.laws.attacks.conftest import Deid, Done

pytest.importorskip("pyarrow")

# These are no bombs by themselves: what is large in them is never unfolded.
HARMLESS = {"rle.dcm"}


pytestmark = pytest.mark.skipif(
    not hasattr(os, "wait4"), reason="this system does not say what a run took"
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def done(out: Path, tmp_path_factory: pytest.TempPathFactory, deid: Deid) -> Done:
    """One run over all bombs, and a note behind them."""
    folder = tmp_path_factory.mktemp("in")
    for name, make in BOMBS.items():
        (folder / name).write_bytes(make())
    (folder / "zz.txt").write_text("Seen: <Ann>.")
    return deid(folder, "-o", out, "--quiet", "--time-limit", "30")


def test_the_run_goes_on_in_little_memory_and_says_nothing(done: Done, out: Path) -> None:
    assert done.code == 3
    assert (out / "zz.txt").read_text() == "Seen: <[PATIENT]>."
    assert done.peak_mb < 1500
    written = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert CANARY.encode() not in written
    assert CANARY not in done.said


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_one_row(name: str, done: Done, out: Path) -> None:
    rows = map(json.loads, (out / "quarantine.jsonl").read_text().splitlines())
    found = [row for row in rows if row["file"] == name]
    assert len(found) == 1 or (name in HARMLESS and not found)
