from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Finds what stands in angle brackets and puts a tag in its place.
TINY = """
name = "tiny"
[detectors.find]
use = "regex"
options = { label = "PATIENT", patterns = ['<(?P<phi>[^<>]+)>'] }
[labels]
default = { action = "tag", because = "a test" }
[formats.labels]
id = "keep"
patient_id = "keep"
"""


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return str(path)


def incognote(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command as a user runs it."""
    command = [sys.executable, "-m", "incognote", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)
