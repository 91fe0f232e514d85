"""A small policy with detectors that need no data, so that these tests are about the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from incognote.engine.settings import Settings
from incognote.policy import Policy, policy_from

KEY = b"a key for tests, and nothing else"


@pytest.fixture(scope="session")
def tiny() -> Policy:
    """Finds what stands in angle brackets and puts a tag in its place."""
    find = {"use": "regex", "options": {"label": "PATIENT", "patterns": ["<(?P<phi>[^<>]+)>"]}}
    return policy_from(
        {
            "name": "tiny",
            "detectors": {"find": find},
            "labels": {"default": {"action": "tag", "because": "a test"}},
            "formats": {"labels": {"id": "keep", "patient_id": "keep"}},
        }
    )


@pytest.fixture
def settings(tiny: Policy) -> Settings:
    return Settings(tiny, KEY)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def documents(manifest: Path) -> list[dict[str, Any]]:
    """The rows of a manifest that are about documents."""
    return [row for row in rows(manifest) if row["status"] != "written"]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
