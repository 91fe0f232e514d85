"""Folders with clinical text in them do not outlive the run that made them."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from incognote.engine.local import detect
from incognote.engine.settings import Settings
from incognote.formats.scratch import scratch_folder, sweep
from incognote.policy import load_policy

KILLED = """
import os, signal
from incognote.formats.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "file.doc").write_text("Quillon")
    os.kill(os.getpid(), signal.SIGKILL)
"""

KILLED_WHILE_REMOVING = """
import os, signal
from incognote.formats.scratch import scratch_folder
unlink = os.unlink
def killed(path, **how):
    unlink(path, **how)
    if os.path.basename(path) == "lock":
        os.kill(os.getpid(), signal.SIGKILL)
os.unlink = killed
with scratch_folder() as folder:
    for number in range(20):
        (folder / f"{number}.doc").write_text("Quillon")
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def _killed(temporary: Path, program: str = KILLED) -> None:
    env = {**os.environ, "TMPDIR": str(temporary)}
    run = subprocess.run([sys.executable, "-c", program], env=env, check=False)
    assert run.returncode == -signal.SIGKILL


def test_a_folder_is_private_and_goes(temporary: Path) -> None:
    with scratch_folder() as folder:
        (folder / "file.doc").write_text("Quillon")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(temporary.iterdir()) == []


def test_a_folder_goes_after_an_error(temporary: Path) -> None:
    with pytest.raises(RuntimeError), scratch_folder():
        raise RuntimeError
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_goes_and_what_is_in_use_stays(temporary: Path) -> None:
    _killed(temporary)
    (left,) = temporary.glob("*/file.doc")
    (temporary / "incognote-of-somebody").mkdir()
    with scratch_folder() as folder:
        sweep()
        assert not left.exists()
        assert folder.exists()
    assert [path.name for path in temporary.iterdir()] == ["incognote-of-somebody"]


def test_what_a_run_left_that_was_killed_while_it_removed_goes(temporary: Path) -> None:
    _killed(temporary, KILLED_WHILE_REMOVING)
    sweep()
    assert list(temporary.glob("*/*")) == []


def test_any_run_removes_it(temporary: Path, tmp_path: Path) -> None:
    _killed(temporary)
    (tmp_path / "note.txt").write_text("none")
    settings = Settings(load_policy("rules"))
    detect(str(tmp_path / "note.txt"), str(tmp_path / "out.jsonl"), settings)
    assert list(temporary.iterdir()) == []
