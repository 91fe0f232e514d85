"""Plug-ins that raise, quit, hang or die with the note in their mouth: nothing of it gets out."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.laws.attacks.conftest import Deid

from incognote.core import errors

CANARY = "CANARYZEBU"


def _raising(kind: str):
    def find(text: str) -> list[tuple[int, int, str]]:
        if CANARY in text:
            raise getattr(errors, kind)(text)
        return []

    return find


raise_policy = _raising("PolicyError")
raise_usage = _raising("UsageError")
raise_read = _raising("ReadError")
raise_leak = _raising("LeakError")
raise_root = _raising("IncognoteError")


def raise_os(text: str) -> list[tuple[int, int, str]]:
    if CANARY in text:
        raise OSError(text)
    return []


def raise_os_named(text: str) -> list[tuple[int, int, str]]:
    if CANARY in text:
        raise FileNotFoundError(2, text, text)
    return []


def leave(text: str) -> list[tuple[int, int, str]]:
    if CANARY in text:
        raise SystemExit(text)
    return []


def recurse(text: str) -> list[tuple[int, int, str]]:
    return recurse(text) if CANARY in text else []


def name_itself(text: str) -> list[tuple[int, int, str]]:
    if CANARY in text:
        raise type(CANARY, (Exception,), {})(text)
    return []


def no_list(text: str) -> list[tuple[int, int, str]]:
    return [(text,)] if CANARY in text else []  # type: ignore[list-item]


def odd_label(text: str) -> list[tuple[int, int, str]]:
    return [(0, 3, text)] if CANARY in text else []


def warn(text: str) -> list[tuple[int, int, str]]:
    import logging
    import warnings

    warnings.warn(text, stacklevel=1)
    logging.getLogger("hostile").error(text)
    raise ValueError(text)


def die(text: str) -> list[tuple[int, int, str]]:
    if CANARY in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    return []


def hang(text: str) -> list[tuple[int, int, str]]:
    while CANARY in text:
        time.sleep(1)
    return []


def cling(text: str) -> list[tuple[int, int, str]]:
    """Hangs, and does not let go when it is interrupted once."""
    for _ in range(2):
        with suppress(BaseException):
            while CANARY in text:
                time.sleep(1)
    return hang(text)


def _policy(tmp_path: Path, function: str) -> Path:
    path = tmp_path / "hostile.toml"
    path.write_text(
        f"""
name = "hostile"
[detectors.find]
use = "regex"
options = {{ label = "PATIENT", patterns = ['<(?P<phi>[^<>]+)>'] }}
[detectors.hostile]
use = "function"
options = {{ function = "{__name__}:{function}" }}
[labels]
default = {{ action = "tag", because = "a test" }}
"""
    )
    return path


RAISING = [
    "raise_policy", "raise_usage", "raise_read", "raise_leak", "raise_root", "raise_os",
    "raise_os_named", "leave", "recurse", "no_list", "odd_label",
]  # fmt: skip


def _run(deid: Deid, tmp_path: Path, function: str, *options: str) -> str:
    (tmp_path / "in.jsonl").write_text(
        "".join(
            json.dumps({"id": str(n), "text": text}) + "\n"
            for n, text in enumerate(["<Ann>", f"note of {CANARY}", "<Cy>"])
        )
    )
    policy = _policy(tmp_path, function)
    allowed = ["--allow-functions", "tests"]
    out = tmp_path / "out"
    done = deid(tmp_path / "in.jsonl", "-o", f"{out}/", *allowed, *options, "--policy", policy)
    assert done.code == 3, done.said
    written = b"".join(p.read_bytes() for p in out.rglob("*") if p.is_file())
    assert CANARY.encode() not in written
    assert CANARY not in done.said
    kept = [json.loads(line)["text"] for line in (out / "in.jsonl").read_text().splitlines()]
    assert kept == ["<[PATIENT]>", "<[PATIENT]>"]
    return done.said


@pytest.mark.parametrize("function", RAISING)
def test_what_a_plug_in_says_is_never_quoted(
    function: str, tmp_path: Path, deid_here: Deid
) -> None:
    _run(deid_here, tmp_path, function)


@pytest.mark.parametrize("function", ["raise_usage", "leave", "die"])
def test_nor_in_a_worker(function: str, tmp_path: Path, deid_here: Deid) -> None:
    _run(deid_here, tmp_path, function, "--workers", "2")


@pytest.mark.parametrize(("function", "workers"), [("hang", "2"), ("hang", "1"), ("cling", "1")])
def test_a_plug_in_that_hangs_costs_its_document(
    function: str, workers: str, tmp_path: Path, deid: Deid
) -> None:
    said = _run(deid, tmp_path, function, "--workers", workers, "--time-limit", "4")
    assert (
        "TimeLimit" in (tmp_path / "out" / "quarantine.jsonl").read_text() or "took longer" in said
    )


def test_warnings_and_logs_of_others_stay_inside(tmp_path: Path, deid: Deid) -> None:
    (tmp_path / "note.txt").write_text(CANARY)
    policy = _policy(tmp_path, "warn")
    done = deid(tmp_path / "note.txt", "--allow-functions", "tests", "--policy", policy)
    assert done.code == 3
    assert CANARY not in done.said


@pytest.mark.parametrize(
    "target", ["builtins:exec", "os:system", "subprocess:getoutput", "shutil:rmtree"]
)
@pytest.mark.parametrize("verb", ["deid", "detect", "policy"])
def test_a_policy_cannot_name_any_function(
    target: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from incognote.cli import main

    policy = _policy(tmp_path, "x")
    policy.write_text(policy.read_text().replace(f"{__name__}:x", target))
    (tmp_path / "note.txt").write_text(f"touch {tmp_path / 'owned'}")
    where = (
        ["check", str(policy)]
        if verb == "policy"
        else [str(tmp_path / "note.txt"), "--policy", str(policy)]
    )
    assert main([verb, *where]) == 1
    assert "neither registered nor allowed" in capsys.readouterr().err
    assert not (tmp_path / "owned").exists()
