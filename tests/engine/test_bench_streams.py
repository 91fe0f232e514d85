"""The bench of streams: every format carries the same notes, so that speeds can be compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.streams import FORMATS, size, write

from incognote.engine.events import read_documents
from incognote.engine.settings import Settings
from incognote.policy import load_policy

NOTES = ['Seen by Dr. A|B & C^D~E \\ F.\nBP 120/80, "fine"\n', "Zweite, Señor\n\nend"]


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_notes_in_every_format(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"notes.{kind}"
    write(kind, path, NOTES, 2000)
    texts = [
        d.text for d in read_documents(str(path), Settings(load_policy("rules"))) if d.free_text
    ]
    # HL7 tells lines by segments, and does not end the last one.
    wanted = [note.rstrip() for note in NOTES] if kind == "hl7" else NOTES
    assert texts[:2] == wanted
    assert path.stat().st_size >= 2000


def test_a_measured_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.streams.notes", lambda _: [type("Note", (), {"text": NOTES[0]})])
    keep = Path(__file__).parents[2] / "bench" / "keep.toml"
    found = size("csv", 0, str(keep), 2, tmp_path)
    assert found["exit"] == 0
    assert found["written"] == found["megabytes"] > 0
    assert found["peak_mb"] > 10
