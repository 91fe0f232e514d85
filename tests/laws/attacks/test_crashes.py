"""Killed at any moment, out of disk, two at once: what is there is whole, and a resumed run ends as
one that was never disturbed."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.laws.attacks.conftest import ROOT, Deid, start

CANARY = "CANARYZEBU"
FILES = 12


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("in")
    for number in range(FILES):
        (folder / f"n{number:03}.txt").write_text(f"<{CANARY}> was seen. " * (1 + 40 * number))
    return folder


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.fixture(scope="module")
def undisturbed(notes: Path, tmp_path_factory: pytest.TempPathFactory, deid: Deid) -> Path:
    """What a run writes that nothing disturbs."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert deid(notes, "-o", out, "--quiet").code == 0
    return out


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_a_random_moment(
    seed: int,
    workers: str,
    notes: Path,
    undisturbed: Path,
    tmp_path: Path,
    tiny: Path,
    deid_here: Deid,
) -> None:
    out = tmp_path / "out"
    options = [notes, "-o", out, "--quiet"]
    running = start("deid", tiny, *options, "--workers", workers, "--batch", "1")
    wait = random.Random(seed).uniform(0.3, 3)
    time.sleep(wait)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    for name, data in _tree(out).items() if out.exists() else ():
        if not Path(name).name.startswith("."):
            assert CANARY.encode() not in data, name
    assert deid_here(*options, "--resume").code == 0
    assert _tree(out) == _tree(undisturbed)
    assert deid_here(out, verb="verify").code == 0


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from incognote.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("room", [0, 50, 500, 3000, 9000])
def test_a_full_disk_leaves_whole_files_or_none(
    room: int, notes: Path, tmp_path: Path, tiny: Path
) -> None:
    """A limit on the size of files stands in for a disk that is full."""
    out = tmp_path / "out"
    command = [sys.executable, "-c", FULL, str(room), "deid", str(notes), "-o", str(out)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "INCOGNOTE_KEY": "a sheet of brass, thin",
    }
    done = subprocess.run(
        [*command, "--policy", str(tiny)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert CANARY not in done.stderr + done.stdout
    for name, data in _tree(out).items():
        assert CANARY.encode() not in data
        if name.endswith(".txt") and not name.startswith("."):
            number = int(name[1:4])
            assert data == b"<[PATIENT]> was seen. " * (1 + 40 * number)


MOUNT = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift && '
SMALL_DISK = MOUNT + 'cd "$1" && shift && "$@"; code=$?; cp -r . "$COPY"; exit $code'
CAN_MOUNT = (
    shutil.which("unshare")
    and subprocess.run(
        ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"],
        capture_output=True,
        check=False,
    ).returncode
    == 0
)


@pytest.mark.skipif(not CAN_MOUNT, reason="this system lets nobody mount a small disk")
@pytest.mark.parametrize("size", ["4k", "16k", "40k"])
def test_a_disk_that_is_full_indeed(size: str, notes: Path, tmp_path: Path, tiny: Path) -> None:
    """Twelve notes of 57 kB do not fit: whole files or none, and the reason is given."""
    disk, copy = tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    command = [sys.executable, "-m", "incognote", "deid", str(notes), "-o", "out"]
    done = subprocess.run(
        [
            *("unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", size, str(disk)),
            *command,
            *("--policy", str(tiny), "--quiet"),
        ],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "INCOGNOTE_KEY": "a sheet of brass, thin",
            "COPY": str(copy),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert CANARY not in done.stderr + done.stdout
    for name, data in _tree(copy).items():
        assert CANARY.encode() not in data
        place = Path(name).name
        if place.startswith("n") and place.endswith(".txt"):
            assert data == b"<[PATIENT]> was seen. " * (1 + 40 * int(place[1:4]))


def test_two_runs_into_one_folder_are_refused(
    notes: Path, tmp_path: Path, tiny: Path, deid_here: Deid
) -> None:
    out = tmp_path / "out"
    big = tmp_path / "big"
    big.mkdir()
    (big / "x.txt").write_text("<Ann> " * 40_000)
    first = start("deid", tiny, big, "-o", out, "--quiet")
    try:
        while not out.exists():
            time.sleep(0.01)
        time.sleep(0.2)
        second = deid_here(notes, "-o", out)
        still = first.poll() is None
        if still:
            assert (second.code, "another run is writing here" in second.said) == (1, True)
    finally:
        first.communicate()
    assert first.returncode == 0
    assert deid_here(notes, "-o", out).code == 0


TORN = {
    "a zeroed block": lambda data: data[:200] + b"\0" * 300 + data[500:],
    "a cut end": lambda data: data[:-30],
    "noise between": lambda data: data[: len(data) // 2] + b"\xff{[\n" + data[len(data) // 2 :],
    "an empty file": lambda data: b"",
    "one line lost": lambda data: b"".join(data.splitlines(keepends=True)[1:]),
}


@pytest.mark.parametrize("place", ["manifest.jsonl", ".manifest.jsonl.77.partial"])
@pytest.mark.parametrize("harm", TORN)
def test_a_torn_manifest_is_no_reason_to_refuse(
    harm: str, place: str, notes: Path, undisturbed: Path, tmp_path: Path, deid_here: Deid
) -> None:
    out = tmp_path / "out"
    shutil.copytree(undisturbed, out)
    whole = _tree(out)
    (out / place).write_bytes(TORN[harm](whole["manifest.jsonl"]))
    if place != "manifest.jsonl":
        (out / "manifest.jsonl").unlink()
    assert deid_here(notes, "-o", out, "--resume").code == 0
    assert _tree(out) == whole


CHANGES = {
    "changed": lambda out: (out / "n001.txt").write_text("other"),
    "the raw note": lambda out: (out / "n001.txt").write_text(f"<{CANARY}>"),
    "emptied": lambda out: (out / "n001.txt").write_text(""),
    "missing": lambda out: (out / "n001.txt").unlink(),
    "unknown": lambda out: (out / "new.txt").write_text("x"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_verify_finds_what_was_done_to_outputs(
    change: str, notes: Path, tmp_path: Path, deid_here: Deid
) -> None:
    out = tmp_path / "out"
    assert deid_here(notes, "-o", out, "--quiet").code == 0
    assert deid_here(out, verb="verify").code == 0
    CHANGES[change](out)
    assert deid_here(out, verb="verify").code == 1
    rows = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    assert sum(row["status"] == "written" for row in rows) == FILES


@pytest.mark.parametrize("verb", ["deid", "detect"])
def test_a_reader_that_leaves_is_an_error(verb: str, tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "1", "text": "<Ann>"}\n' * 20_000)
    command = (
        f"{sys.executable} -m incognote {verb} {tmp_path / 'in.jsonl'} --policy {tiny} --quiet"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "INCOGNOTE_KEY": "a sheet of brass, thin",
    }
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | false"],
        env=environment,
        check=False,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert b"nobody read the output" in done.stderr


def test_core_files_are_off(tmp_path: Path) -> None:
    from incognote.engine.reading.process import _limit_core

    pid = os.fork()
    if pid == 0:
        _limit_core()
        os._exit(0 if resource.getrlimit(resource.RLIMIT_CORE) == (0, 0) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
