"""Completion scripts know every verb and option, and the shells accept them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from incognote.cli import VERBS
from incognote.cli.setup.completion import SHELLS, script


def complete(*words: str) -> set[str]:
    """What bash offers at the end of a line."""
    line = " ".join(f'"{word}"' for word in words)
    asked = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _incognote"
    program = f'{script("bash")}\n{asked}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, check=True, timeout=30
    )
    return set(done.stdout.split())


def test_verbs_are_offered_first() -> None:
    assert complete("incognote", "") == set(VERBS)
    assert complete("incognote", "det") == {"detect"}


def test_options_of_the_verb_are_offered() -> None:
    assert complete("incognote", "deid", "--pol") == {"--policy"}
    assert "--key-file" not in complete("incognote", "evaluate", "--")


def test_inner_verbs_and_their_options_are_offered() -> None:
    assert complete("incognote", "corpus", "conv") == {"convert"}
    assert complete("incognote", "corpus", "convert", "--fr") == {"--from"}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_its_script(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = [shell, "--no-execute" if shell == "fish" else "-n"]
    subprocess.run(command, input=script(shell), text=True, check=True, timeout=30)
