"""What we would release: a wheel that holds the package and works without extras."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (built,) = folder.glob("*.whl")
    assert list(folder.glob("*.tar.gz")), "no sdist was built"
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    there = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "src/incognote"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    wanted = {name.removeprefix("src/") for name in tracked.stdout.split()}
    assert wanted <= there
    assert not [name for name in there if name.startswith(("tests/", "tools/", "bench/"))]


def test_links_of_the_readme_work_on_a_package_index(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        targets = re.findall(r"\]\(([^)]+)\)", archive.read(metadata).decode())
    assert targets
    assert all(target.startswith(("https://", "#")) for target in targets)


def test_the_wheel_works_without_extras(wheel: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "try_wheel.py"), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
