"""requirements-dev.txt has every package that development needs, in a version that is allowed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCK = (ROOT / "requirements-dev.txt").read_text("utf-8")
_NAME = r"(?m)^([\w.-]+)(?:\[[^]]*\])?=="
_PINNED = re.compile(_NAME + r"([^\s;]+).*(?:\n +--hash=sha256:[0-9a-f]{64}.*)+")


def wanted(lines: list[str]) -> Iterator[Requirement]:
    """The requirements, with those of our own extras in place of the extras."""
    for line in lines:
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            for extra in requirement.extras:
                yield from wanted(PROJECT["optional-dependencies"][extra])
        else:
            yield requirement


def test_the_lock_has_what_development_needs() -> None:
    pinned = {canonicalize_name(name): version for name, version in _PINNED.findall(LOCK)}
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    for requirement in wanted(asked):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is missing: make lock"
        assert requirement.specifier.contains(version), f"{requirement} is not {version}: make lock"


def test_every_package_has_hashes_and_none_says_where_it_comes_from() -> None:
    assert len(re.findall(_NAME, LOCK)) == len(_PINNED.findall(LOCK))
    assert "://" not in LOCK
    assert not re.search(r"(?m)^-", LOCK)
