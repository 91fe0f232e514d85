"""The package of the guide to plug-ins, installed as its readers install it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "plugins.md").read_text("utf-8")
FILES = {
    name: code
    for code in re.findall(r"```\w+\n(.*?)```", GUIDE, re.DOTALL)
    for name in re.findall(r"\A# (\S+)\n", code)
}

KITS = ("pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "project/tests")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to work in, with the package in `site` and its project beside it."""
    folder = tmp_path_factory.mktemp("example")
    project = folder / "project"
    (project / "incognote_example").mkdir(parents=True)
    for name, code in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(code, "utf-8")
    (project / "incognote_example" / "__init__.py").touch()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    pip += ["--disable-pip-version-check", "--no-index", "--target", "site", "./project"]
    done = subprocess.run(pip, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    paths = [str(installed / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=installed,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_absolute(paths))},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def _absolute(paths: list[str]) -> list[str]:
    return [str(Path(path).absolute()) for joined in paths for path in joined.split(os.pathsep)]


def test_the_guide_has_every_kind_of_component() -> None:
    kinds = set(re.findall(r'entry-points\."incognote\.(\w+)s"', FILES["pyproject.toml"]))
    from incognote.core.registry import KINDS

    assert kinds == set(KINDS)


def test_the_kits_pass(installed: Path) -> None:
    done = run(installed, *KITS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_the_command_line_uses_the_package(installed: Path) -> None:
    (installed / "in").mkdir()
    (installed / "in" / "a.slip").write_text("NAME: Ann Quill\nAnn Quill is in W-12B.\n")
    (installed / "key").write_text("a key for tests, 32 characters..")
    done = run(
        installed, "incognote", "deid", "in", "-o", "out", "--policy", "project/policy.toml+rules",
        "--key-file", "key",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (written,) = (installed / "out").glob("*.slip")
    assert written.read_text().startswith("NAME: ")
    assert not re.search(r"Ann|Quill|W-12B", written.read_text())


def test_options_of_the_package_are_checked(installed: Path) -> None:
    rules = 'extends = "i2b2-2014"\n[labels]\nPATIENT = { action = "stars", count = "many" }\n'
    (installed / "bad.toml").write_text(rules)
    done = run(installed, "incognote", "policy", "check", "bad.toml")
    assert done.returncode == 1
    assert "labels.PATIENT.count" in done.stderr


@pytest.mark.parametrize(
    ("case", "broken"),
    [
        ("emits labels it does not declare", 'labels = frozenset({"ROOM"})=>labels = frozenset()'),
        (
            "nothing was found has changed",
            "Document(name, rest, known=>Document(name, rest[:4], known",
        ),
        ("comes back as it was", 'return "*" * self.count=>return mention.text'),
        ("have changed", "[span.start, span.end,=>[span.start, span.start + 1,"),
    ],
)
def test_the_kits_catch_what_is_wrong(installed: Path, case: str, broken: str) -> None:
    """A kit that cannot fail would be no kit."""
    old, new = broken.split("=>")
    (module,) = [path for path in (installed / "site").rglob("*.py") if old in path.read_text()]
    good = module.read_text()
    module.write_text(good.replace(old, new))
    try:
        done = run(installed, *KITS)
    finally:
        module.write_text(good)
    assert done.returncode == 1
    assert case in done.stdout
