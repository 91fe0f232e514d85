"""No odd file ends a run, keeps the others from being processed, or speaks to the terminal."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from tests.laws.attacks.conftest import Deid

CANARY = "CANARYZEBU"


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _to_a_folder(path: Path) -> None:
    path.symlink_to(path.parent.parent)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


ODD = {
    "a dangling link": ("gone.txt", _dangling),
    "a link to itself": ("self.txt", _to_itself),
    "a link to a folder": ("up", _to_a_folder),
    "a pipe": ("pipe.txt", os.mkfifo),
    "a socket": ("s.txt", _socket),
    "a device": ("null.txt", lambda path: path.symlink_to("/dev/zero")),
    "250 bytes": ("x" * 246 + ".txt", lambda path: path.write_text("<Ann>")),
    "250 bytes of two": ("é" * 123 + ".txt", lambda path: path.write_text("<Ann>")),
    "a long suffix": ("a." + "x" * 250, lambda path: path.write_text(CANARY + "\0")),
    "only a suffix": ("a.jsonl", lambda path: path.write_bytes(b"\xff\xfe\0" + CANARY.encode())),
}


@pytest.mark.parametrize("kept", [False, True], ids=["", "quarantine folder"])
def test_odd_files_are_one_row_each_at_most(kept: bool, tmp_path: Path, deid_here: Deid) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, make in ODD.values():
        make(folder / name)
    (folder / "zz.txt").write_text("Seen: <Ann>.")
    extra = ["--quarantine", tmp_path / "kept"] if kept else []
    for again in ([], ["--resume"]):
        done = deid_here(folder, "-o", tmp_path / "out", "--time-limit", "60", *extra, *again)
        assert done.code == 3, done.said
        assert (tmp_path / "out" / "zz.txt").read_text() == "Seen: <[PATIENT]>."
        assert CANARY not in done.said
        listed = tmp_path / ("kept" if kept else "out") / "quarantine.jsonl"
        rows = listed.read_text().splitlines()
        names = [json.loads(row)["file"] for row in rows]
        assert len(names) == len(set(names))


def test_an_input_that_becomes_a_dangling_link_is_no_end_of_a_resumed_run(
    tmp_path: Path, deid_here: Deid
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("<Ann>")
    assert deid_here(folder, "-o", tmp_path / "out").code == 0
    (folder / "a.txt").unlink()
    _dangling(folder / "a.txt")
    (folder / "c.txt").write_text("<Cy>")
    assert deid_here(folder, "-o", tmp_path / "out", "--resume").code == 3
    assert (tmp_path / "out" / "c.txt").exists()


@pytest.mark.parametrize(
    "escape", ["\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u202egpj", "a\nb", "\r\x7f"]
)
def test_file_names_cannot_steer_the_terminal(escape: str, tmp_path: Path, deid_here: Deid) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / f"x{escape}y.txt").write_bytes(b"\0broken")
    (folder / f"x{escape}y.bin").write_bytes(b"\0broken")
    done = deid_here(folder, "-o", tmp_path / "out")
    lines = [line for line in done.said.splitlines() if line.startswith("quarantined")]
    assert len(lines) == 2
    assert all(line.isprintable() for line in done.said.splitlines())


def test_one_file_that_needs_a_missing_extra_costs_itself(tmp_path: Path, deid: Deid) -> None:
    folder, shadow = tmp_path / "in", tmp_path / "shadow"
    folder.mkdir()
    shadow.mkdir()
    (folder / "a.parquet").write_bytes(b"PAR1")
    (folder / "zz.txt").write_text("<Ann>")
    (shadow / "sitecustomize.py").write_text("import sys; sys.modules['pyarrow'] = None")
    root = Path(__file__).parents[3]
    paths = os.pathsep.join(map(str, (shadow, root / "src")))
    done = deid(folder, "-o", tmp_path / "out", PYTHONPATH=paths)
    assert done.code == 3
    (row,) = map(json.loads, (tmp_path / "out" / "quarantine.jsonl").read_text().splitlines())
    assert (row["file"], row["error"]) == ("a.parquet", "MissingExtra")
    assert (tmp_path / "out" / "zz.txt").exists()
