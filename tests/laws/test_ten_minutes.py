"""The newcomer's page, followed step by step on a copy of the source."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "ten-minutes.md").read_text("utf-8")
STEPS = re.findall(r"```\w+\n# (append to|write|insert into) (\S+)\n(.*?)```", PAGE, re.DOTALL)
# Where a row of a table or an import goes: before the first line that begins like this.
ANCHORS = {
    '    ("detector"': '    ("detector", "patterns")',
    '    ("format"': '    ("format", "csv")',
    '    "DEVICE"': '    "PATIENT": ',
    "from ": "from incognote.transform.dates import",
}


def follow(folder: Path) -> None:
    for how, name, code in STEPS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if how == "write":
            path.write_text(code, "utf-8")
        elif how == "append to":
            path.write_text(f"{path.read_text('utf-8').rstrip()}\n\n{code}", "utf-8")
        else:
            (anchor,) = [there for begin, there in ANCHORS.items() if code.startswith(begin)]
            text = path.read_text("utf-8")
            assert anchor in text, f"{name} has no line that begins with {anchor!r}"
            path.write_text(text.replace(anchor, code.rstrip("\n") + "\n" + anchor, 1), "utf-8")


def test_the_page_works_as_written(tmp_path: Path) -> None:
    assert len(STEPS) == 11
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    follow(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    lint = _python(tmp_path, dict(os.environ), "ruff", "check", "--no-cache", ".")
    assert lint.returncode == 0, lint.stdout
    (tmp_path / "note.txt").write_text("spun in centrifuge 20417/B\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    pytest = ["pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "tests"]
    done = _python(tmp_path, env, *pytest)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    found = _python(
        tmp_path, env, "incognote", "explain", "note.txt", "--policy", "i2b2-2014+rules"
    )
    assert "centrifuge.run" in found.stdout, found.stdout + found.stderr


def _python(folder: Path, env: dict[str, str], *module: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *module]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
    )
