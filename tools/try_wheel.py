"""Install a wheel without extras into a new environment and de-identify a note with it.

python tools/try_wheel.py dist/incognote-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

NOTE = "Mrs. Okonkwo was seen by Dr. Brandvold on 3/11/24. K 4.1, Foley in place."


def main() -> None:
    wheel = Path(sys.argv[1]).absolute()
    with tempfile.TemporaryDirectory() as folder:
        try_wheel(wheel, Path(folder))
    print(f"{wheel.name}: installs without extras and de-identifies a note")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Raises where the wheel does not install, leaks or falsifies."""
    venv.create(folder / "env", with_pip=True)
    binaries = folder / "env" / "bin"
    pip = [str(binaries / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, cwd=folder)
    done = subprocess.run(
        [str(binaries / "incognote"), "deid", "-"],
        input=NOTE,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    if any(name in done.stdout for name in ("Okonkwo", "Brandvold", "3/11/24")):
        raise SystemExit("the wheel leaks")
    if not all(word in done.stdout for word in ("K 4.1", "Foley in place")):
        raise SystemExit("the wheel falsifies")


if __name__ == "__main__":
    main()
