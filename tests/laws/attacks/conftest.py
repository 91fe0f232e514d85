"""Runs of the command as an attacker's victim makes them, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KEY = "a sheet of brass, hammered thin"
TINY = """
name = "tiny"
[detectors.find]
use = "regex"
options = { label = "PATIENT", patterns = ['<(?P<phi>[^<>]+)>'] }
[labels]
default = { action = "tag", because = "a test" }
IDNUM = { action = "surrogate", because = "a test" }
"""


@dataclass(frozen=True)
class Done:
    code: int
    said: str
    peak_mb: int


Deid = Callable[..., Done]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policy") / "tiny.toml"
    path.write_text(TINY)
    return path


# A process counts what its parent held when it was made, and a test runner may hold much: so the
# command is watched by a small process of its own.
_WATCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as out:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss >> 10, file=out)
"""


@pytest.fixture(scope="session")
def deid(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Deid:
    report = tmp_path_factory.mktemp("watched") / "report"

    def run(*arguments: object, verb: str = "deid", **environment: str) -> Done:
        """Exit code, all that was said, and the most memory that any process of the run took."""
        watched = [sys.executable, "-c", _WATCHER, str(report)]
        process = start(verb, tiny, *arguments, before=watched, **environment)
        said, _ = process.communicate()
        code, peak_mb = map(int, report.read_text().split())
        return Done(code, said, peak_mb)

    return run


@pytest.fixture
def deid_here(
    tiny: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Deid:
    """The command in this process, for what can do this one no harm: it starts at once."""
    from incognote.cli import main

    monkeypatch.setenv("INCOGNOTE_KEY", KEY)

    def run(*arguments: object, verb: str = "deid") -> Done:
        capfd.readouterr()
        code = main([verb, *_policy_for(verb, tiny), *map(str, arguments)])
        return Done(code, "".join(capfd.readouterr()), 0)

    return run


def _policy_for(verb: str, policy: Path) -> list[str]:
    return [] if verb == "verify" else ["--policy", str(policy)]


def start(
    verb: str, policy: Path, *arguments: object, before: Sequence[str] = (), **environment: str
) -> subprocess.Popen[str]:
    known = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "INCOGNOTE_KEY": KEY}
    return subprocess.Popen(
        [
            *before,
            sys.executable,
            "-m",
            "incognote",
            verb,
            *_policy_for(verb, policy),
            *map(str, arguments),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **known, **environment},
    )
