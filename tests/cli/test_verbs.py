"""The verbs as a user types them: outputs, exit codes and messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from tests.cli.conftest import incognote

from incognote import __version__
from incognote.cli import VERBS, main

KEY = "a sheet of brass, hammered thin"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("Seen: <Ann>.\n")
    return path


@pytest.fixture(autouse=True)
def _no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCOGNOTE_KEY", raising=False)


def run(*arguments: object) -> int:
    try:
        return main([str(each) for each in arguments])
    except SystemExit as leave:
        return int(leave.code or 0)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.strip() == f"incognote {__version__}"


def test_a_bug_shows_no_message_of_a_library(
    note: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(note.read_text())

    monkeypatch.setattr("incognote.engine.local.deid", fail)
    assert run("deid", note) == 1
    shown = capsys.readouterr().err
    assert "ValueError in tests.cli.test_verbs" in shown
    assert "Ann" not in shown


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert all(f"  {verb}" in shown for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(verb, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: incognote {verb}")


WRONG = {
    "nothing": [],
    "unknown verb": ["frobnicate"],
    "no input": ["detect"],
    "unknown option": ["detect", "x", "--nope"],
    "input that is not there": ["detect", "no-such-file"],
    "unknown policy": ["detect", "NOTE", "--policy", "nope"],
    "policy that is not there": ["detect", "NOTE", "--policy", "nope.toml"],
    "no workers": ["detect", "NOTE", "--workers", "0"],
    "workers in words": ["detect", "NOTE", "--workers", "two"],
    "unknown format": ["detect", "NOTE", "--format", "nope"],
    "key file that is not there": ["deid", "NOTE", "--key-file", "nope"],
    "input as output": ["deid", "NOTE", "-o", "NOTE"],
    "policy without action": ["policy"],
    "policy check of an unknown one": ["policy", "check", "nope"],
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_usage_errors_leave_with_1_and_a_message(
    arguments: list[str], note: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(note) if each == "NOTE" else each for each in arguments]
    if arguments[:1] in (["detect"], ["deid"]) and "--policy" not in arguments:
        arguments += ["--policy", tiny]
    assert run(*arguments) == 1
    shown = capsys.readouterr()
    assert "incognote" in shown.err + shown.out
    assert "Traceback" not in shown.err


def test_a_missing_key_file_is_told_with_the_command_that_makes_one(
    note: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("deid", note, "--policy", tiny, "--key-file", "nope") == 1
    assert "incognote key new nope" in capsys.readouterr().err


def test_a_wrong_policy_is_all_that_is_told(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("deid", note, "--policy", "nope") == 1
    assert "fresh" not in capsys.readouterr().err


def test_detect_to_standard_output(
    note: Path, tiny: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run("detect", note, "--policy", tiny) == 0
    row = json.loads(capfdbinary.readouterr().out)
    assert row["id"] == "note.txt"
    assert [(span["start"], span["end"]) for span in row["spans"]] == [(7, 10)]


def test_detect_from_standard_input(tiny: str) -> None:
    done = incognote("detect", "-", "--policy", tiny, stdin=b'{"id": "x", "text": "<Ann>"}\n')
    assert done.returncode == 0
    assert json.loads(done.stdout)["id"] == "x"
    assert done.stderr == b"1 document, 1 span\n"


def test_deid_in_a_pipe_keeps_the_format_and_shows_no_bar(tiny: str) -> None:
    done = incognote("deid", "-", "--policy", tiny, stdin=b"id,text\n1,<Ann>\n")
    assert done.stdout == b"id,text\n1,<[PATIENT]>\n"
    assert b"fresh" in done.stderr
    assert b"\x1b" not in done.stderr + done.stdout


def test_quarantine_leaves_with_3(
    tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "1", "text": "<Ann>"}\n{"text": "<Bo>\n')
    out = tmp_path / "out" / "o.jsonl"
    assert run("deid", tmp_path / "in.jsonl", "-o", out, "--policy", tiny) == 3
    assert out.read_text() == '{"id": "1", "text": "<[PATIENT]>"}\n'
    shown = capsys.readouterr().err
    assert "in.jsonl:2: not valid JSON" in shown
    assert "2 documents, 1 span, 1 quarantined" in shown


def test_many_failures_do_not_flood_the_terminal(
    tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.jsonl").write_text("{\n" * 50)
    assert run("detect", tmp_path / "in.jsonl", "-o", tmp_path / "o", "--policy", tiny) == 3
    shown = capsys.readouterr().err
    assert shown.count("not valid JSON") == 20
    assert "30 more" in shown
    assert len((tmp_path / "quarantine.jsonl").read_text().splitlines()) == 50


def test_columns_by_name(tmp_path: Path, tiny: str) -> None:
    (tmp_path / "in.csv").write_text("key,who,body\nk1,p1,<Ann>\n")
    out = tmp_path / "o" / "out.csv"
    columns = ["--text-column", "body", "--id-column", "key", "--patient-column", "who"]
    assert run("deid", tmp_path / "in.csv", "-o", out, "--policy", tiny, *columns) == 0
    # Naming a column asks for consistency, not for its values to stay.
    assert out.read_text() == "key,who,body\n[IDNUM],[IDNUM],<[PATIENT]>\n"
    first = (tmp_path / "o" / "manifest.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["id"] == "out.csv:2"


@pytest.mark.parametrize("source", ["file", "variable"])
def test_the_key_comes_from_a_file_or_the_environment(
    source: str,
    note: Path,
    tiny: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options: list[object] = []
    if source == "file":
        (tmp_path / "key").write_text(KEY + "\n")
        options = ["--key-file", tmp_path / "key"]
    else:
        monkeypatch.setenv("INCOGNOTE_KEY", KEY)
    for out in ("one", "two"):
        assert run("deid", note, "-o", tmp_path / out / "n", "--policy", tiny, *options) == 0
    first, second = (
        json.loads((tmp_path / out / "manifest.jsonl").read_text().splitlines()[0])
        for out in ("one", "two")
    )
    assert first == second
    shown = capsys.readouterr().err
    assert "fresh" not in shown
    assert KEY not in shown


def test_a_weak_key_is_refused(note: Path, tiny: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hunter2")
    out = tmp_path / "o" / "n"
    assert run("deid", note, "-o", out, "--policy", tiny, "--key-file", tmp_path / "key") == 1
    assert not out.parent.exists()


def test_quiet_is_quiet(note: Path, tiny: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("detect", note, "-o", os.devnull, "--policy", tiny, "--quiet") == 0


def test_explain_shows_text_label_and_source(
    note: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", note, "--policy", tiny) == 0
    shown = capsys.readouterr().out
    assert "<Ann[PATIENT]>" in shown
    assert "find/0" in shown
    assert "\x1b" not in shown


def test_explain_one_row_of_many(
    tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"id": "a", "text": "<Ann>"}\n{"id": "b", "text": "<Bo>"}\n'
    )
    assert run("explain", tmp_path / "in.jsonl", "--id", "b", "--policy", tiny) == 0
    shown = capsys.readouterr().out
    assert "Bo[PATIENT]" in shown
    assert "Ann" not in shown


def test_explain_says_when_no_document_has_the_id(
    note: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("explain", note, "--id", "nobody", "--policy", tiny) == 1
    assert "no document has the id 'nobody'" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_in_one_line(
    note: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("deid", note, "-o", "/dev/full", "--policy", tiny) == 1
    assert "No space left on device" in capsys.readouterr().err.splitlines()[-1]


def test_a_link_to_nowhere_is_quarantined_with_the_reason(
    note: Path, tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "a.txt").symlink_to(tmp_path / "nowhere.txt")
    assert run("deid", folder, "-o", tmp_path / "out", "--policy", tiny) == 3
    assert "a.txt: No such file or directory (read)" in capsys.readouterr().err


def test_policy_show_is_toml_that_loads_the_same(
    tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("policy", "show", tiny) == 0
    shown = capsys.readouterr().out
    assert tomllib.loads(shown)["name"] == "tiny"
    (tmp_path / "again.toml").write_text(shown)
    assert run("policy", "show", tmp_path / "again.toml") == 0
    assert capsys.readouterr().out == shown


def test_policy_check(tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("policy", "check", tiny) == 0
    assert "good" in capsys.readouterr().out
    (tmp_path / "bad.toml").write_text("[labels]\nDAET = 'tag'\n")
    assert run("policy", "check", tmp_path / "bad.toml") == 1
    assert "labels.DAET" in capsys.readouterr().err


def test_policy_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("policy", "list") == 0
    assert "i2b2-2014" in capsys.readouterr().out


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_leaves_no_file_behind(
    stop: signal.Signals, workers: str, tmp_path: Path, tiny: str
) -> None:
    folder = tmp_path / "out"
    command = [sys.executable, "-m", "incognote", "deid", "-", "-o", str(folder / "o.jsonl")]
    options = ["--policy", tiny, "--batch", "1", "--workers", workers]
    with subprocess.Popen(
        [*command, *options], stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 - it takes no lock
    ) as process:  # fmt: skip
        assert process.stdin
        process.stdin.write(b'{"id": "1", "text": "<Ann>"}\n' * 20)
        process.stdin.flush()
        # The pipe stays open, so the run cannot end; it is under way once its file is begun.
        for _ in range(300):
            if list(folder.glob(".o.jsonl.*.partial")):
                break
            time.sleep(0.1)
        process.send_signal(stop)
        process.wait(timeout=60)
        assert process.stderr
        message = process.stderr.read()
    assert process.returncode == 130
    assert b"interrupted" in message
    assert b"Traceback" not in message
    assert list(folder.glob("*")) == []


def _heed_interrupts() -> None:
    """A job that a shell runs in the background ignores interrupts, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_workers_leave_when_the_run_is_killed(tiny: str) -> None:
    command = [sys.executable, "-m", "incognote", "detect", "-", "--format", "jsonl"]
    options = ["--policy", tiny, "--batch", "1", "--workers", "2"]
    with subprocess.Popen(
        [*command, *options], stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"id": "1", "text": "<Ann>"}\n' * 2000)
        process.stdin.flush()
        assert process.stdout.read(1)  # a worker has answered
        process.kill()
        # The workers hold the other end of the pipes: there is an end only when all are gone.
        process.communicate(timeout=60)


@pytest.mark.parametrize("verb", ["deid", "detect"])
def test_running_twice_works_and_is_told(
    verb: str, note: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.txt"
    for number in (1, 2):
        assert run(verb, note, "-o", out, "--policy", tiny) == 0
        told = f"note: {out} is there already and is written anew" in capsys.readouterr().err
        assert told == (number == 2)


def test_a_folder_of_an_earlier_run_is_told(
    note: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for number in (1, 2):
        assert run("deid", note, "-o", f"{out}/", "--policy", tiny) == 0
        assert ("holds an earlier run" in capsys.readouterr().err) == (number == 2)


def test_a_run_gives_an_account_of_itself(
    note: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "summary.json"
    given = ["--policy", tiny, "--summary", told, "--profile"]
    assert run("deid", note, "-o", tmp_path / "out.txt", *given) == 0
    row = json.loads(told.read_text())
    assert (row["documents"], row["spans"], row["engine"]) == (1, {"PATIENT": 1}, "local")
    shown = capsys.readouterr().err
    assert "transform" in shown
    assert "characters a second" in shown
    assert "Ann" not in shown + told.read_text()


def test_a_summary_that_cannot_be_written_is_said_before_the_run(
    note: Path, tiny: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.txt"
    missing = tmp_path / "none" / "summary.json"
    assert run("deid", note, "-o", out, "--policy", tiny, "--summary", missing) == 1
    assert "no such folder" in capsys.readouterr().err
    assert not out.exists()
