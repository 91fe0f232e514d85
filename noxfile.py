"""The tests on every Python we promise, where the interpreter exists: `nox`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

nox.options.error_on_missing_interpreters = False  # a missing one is skipped with a reason

PROJECT = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = [
    line.rpartition(" ")[2]
    for line in PROJECT["classifiers"]
    if line.startswith("Programming Language :: Python :: 3.")
]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The whole suite."""
    session.install("--editable", ".[dev]")
    session.run("python", "-m", "pytest", "-q", "-n", "2", *session.posargs)
