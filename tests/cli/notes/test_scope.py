"""A run in the scope of the whole corpus says what that gives up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import TINY, incognote

GIVES_UP = b"one known date decodes every note"


def run(tmp_path: Path, scope: str, *options: str) -> bytes:
    policy = tmp_path / "site.toml"
    policy.write_text(f'{TINY}[transform]\nscope = "{scope}"\n')
    note = tmp_path / "note.txt"
    note.write_text("Seen: <Smith>.")
    out = str(tmp_path / "out.txt")
    done = incognote("deid", str(note), "-o", out, "--policy", str(policy), *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize(("scope", "told"), [("corpus", True), ("patient", False)])
def test_corpus_scope_is_announced(tmp_path: Path, scope: str, told: bool) -> None:
    assert (GIVES_UP in run(tmp_path, scope)) == told


def test_quiet_is_quiet(tmp_path: Path) -> None:
    assert GIVES_UP not in run(tmp_path, "corpus", "--quiet")
