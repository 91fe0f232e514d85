"""Planted PHI is in no log, repr, error, manifest, quarantine list, progress or message."""

from __future__ import annotations

import json
import logging
import traceback
from pathlib import Path

import pytest

from incognote.cli import main
from incognote.core.errors import IncognoteError
from incognote.core.types import Document, Dropped, Failure, Replacement, Result, Span, View
from incognote.detect.places import PlaceDetector
from incognote.engine.settings import Settings
from incognote.formats.base import Record, Unreadable
from incognote.formats.charset import Text
from incognote.formats.fields import Row
from incognote.pipeline import Pipeline
from incognote.policy import load_policy
from incognote.prepare import prepare

# A name no list holds, so that finding it anywhere means that the text itself got there.
CANARY = "Zyxqvara"
NOTE = f"Patient {CANARY} Kwyjibo, MRN 5550{CANARY}, seen 3/4/2020 by Dr. {CANARY}."


def bad_inputs(folder: Path) -> None:
    """Every kind of input that fails, each with the canary in it."""
    text = NOTE.encode()
    files = {
        "binary.txt": b"\x00\x01" + text,
        "mixed.txt": "é ".encode() + b"\xe9 " + text,
        "scan.bin": b"\x00\xff\xfe" + text,
        "bad.jsonl": b"\n".join(
            [
                b'{"id": "open", "text": "' + text,
                b'["' + text + b'"]',
                json.dumps({"id": "n", "text": 5, "x": NOTE}).encode(),
                json.dumps({"id": "nul", "text": NOTE + "\0"}).encode(),
                json.dumps({"id": "half", "text": NOTE + "\ud800"}).encode(),
                json.dumps({"id": "none", "body": NOTE}).encode(),
                json.dumps({"id": "good", "text": NOTE}).encode(),
            ]
        ),
        "quotes.csv": b'id,text\n1,fine\n2,"' + text + b'" more\n3,a,b,' + text + b"\n4,ok\n",
        "open.csv": b'id,text\n1,"' + text + b"\n" + text + b"\n",
        "columns.csv": text + b",b\n" + text + b",c\n",
        "bad.json": b'{"text": "' + text,
        "bad.xml": b"<note><b>" + text + b"</note>",
        "bad.hl7": b"MSH" + text,
        "bad.docx": text,
        "bad.pdf": b"%PDF-1.4 " + text,
        "bad.zip": b"PK\x03\x04" + text,
        "good.txt": text,
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("verb", ["detect", "deid"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_runs_say_nothing_of_what_they_read(
    verb: str,
    workers: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    given, out = tmp_path / "in", tmp_path / "out"
    given.mkdir()
    out.mkdir()
    bad_inputs(given)
    target = out / "spans.jsonl" if verb == "detect" else out
    assert main([verb, str(given), "-o", str(target), "--workers", workers]) == 3
    shown = capfd.readouterr()
    assert shown.err.count("quarantined:") >= 10
    for said in (shown.out, shown.err, caplog.text):
        assert CANARY not in said
    for name in ("manifest.jsonl", "quarantine.jsonl", "spans.jsonl"):
        if (out / name).exists():
            assert CANARY not in (out / name).read_text()
    assert (out / "quarantine.jsonl").exists()
    # Nothing is passed through unprocessed: what could not be read was not written.
    for path in out.rglob("*"):
        assert path.is_dir() or f"Patient {CANARY}".encode() not in path.read_bytes()


def test_no_value_shows_its_text() -> None:
    document = Document("1", NOTE, {"name": CANARY}, locator="file:1", given=(Span(0, 3, "DATE"),))
    span = Span(0, 7, "PATIENT")
    views = prepare(document, load_policy().prepare)
    policy = load_policy()
    values = [
        document,
        span,
        *views,
        Dropped(span, "overlap"),
        Replacement(span, CANARY, "surrogate"),
        Result(document, (span,), (), (Replacement(span, CANARY),), NOTE),
        Failure("1", "read", "ReadError"),
        Record((document,), lambda _: NOTE.encode(), NOTE.encode()),
        Unreadable("1", "read", "ReadError", "", NOTE.encode()),
        Text(NOTE),
        Row("file", 1, {"text": NOTE}),
        Settings(policy, key=CANARY.encode() * 4),
    ]
    for value in values:
        assert CANARY not in repr(value), type(value)
        assert CANARY not in str(value), type(value)


def test_errors_of_others_lose_their_words() -> None:
    """A detector of somebody else may put the text into its exception; it stays inside."""
    policy = load_policy()
    pipeline = Pipeline(policy)

    class Loud:
        name = "loud"
        labels = frozenset({"PATIENT"})
        languages = frozenset({"*"})

        def detect(self, views):
            raise ValueError(views[0].text)

    pipeline.detectors = (*pipeline.detectors, Loud())
    (failure,) = pipeline.deid([Document("1", NOTE)])
    assert isinstance(failure, Failure)
    assert CANARY not in repr(failure)


def test_errors_do_not_quote_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the traceback a user would post."""
    from incognote import Deidentifier

    deidentifier = Deidentifier(key="a sheet of brass, hammered thin")

    def loud(_: object, views: list[View]) -> None:
        raise RuntimeError(views[0].text)

    monkeypatch.setattr(PlaceDetector, "detect", loud)
    with pytest.raises(IncognoteError) as caught:
        deidentifier.deid(NOTE)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
