"""Output files appear whole or not at all, and devices stay devices."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from incognote.core.errors import UsageError
from incognote.engine.output.files import AtomicFile


def test_a_file_appears_at_commit(tmp_path):
    path = tmp_path / "folder" / "out.txt"
    with AtomicFile(path) as file:
        file.write(b"whole")
        assert not path.exists()
        file.commit()
    assert path.read_bytes() == b"whole"
    assert [each.name for each in path.parent.iterdir()] == ["out.txt"]


def test_without_commit_nothing_remains(tmp_path):
    path = tmp_path / "out.txt"
    path.write_bytes(b"before")
    with AtomicFile(path) as file:
        file.write(b"half")
    assert path.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk to offer")
def test_a_full_disk_is_named():
    with AtomicFile(Path("/dev/full")) as file:
        file.write(b"x")
        with pytest.raises(UsageError, match="/dev/full: cannot be written: No space left"):
            file.commit()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with AtomicFile(pipe) as file:
            file.write(b"spans")
            file.commit()
        assert os.read(reader, 10) == b"spans"
        assert pipe.is_fifo()
    finally:
        os.close(reader)


def test_an_interrupt_while_the_file_is_opened_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(descriptor, *_):
        os.close(descriptor)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fdopen", interrupted)
    with pytest.raises(KeyboardInterrupt), AtomicFile(tmp_path / "out.txt") as file:
        file.write(b"text")
    assert not list(tmp_path.iterdir())
