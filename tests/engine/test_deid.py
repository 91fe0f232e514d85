"""`deid`: same files, same shape, a manifest, and nothing half-written or half-read."""

from __future__ import annotations

import json
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import KEY, documents, rows, tree

from incognote.core.errors import UsageError
from incognote.engine.local import deid
from incognote.engine.settings import Settings
from incognote.policy import DetectorRules, FormatRules, policy_from


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of every kind of input, good and bad."""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"Seen: <Ann>.\r\n")
    (folder / "b.jsonl").write_text(
        '{"id": "b1", "patient_id": "p", "text": "<Bo>", "x": 1.50}\n'
        "{broken <Cy>\n"
        '{"id": "b3", "text": "none"}\n'
    )
    (folder / "c.csv").write_text('id,text\n1,"<Di>, ""fine"""\n2,none\n3,"<Ed>\n')
    (folder / "empty.txt").write_bytes(b"")
    (folder / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00<Fay>\xff")
    (folder / "sub" / "d.txt").write_bytes("Señor <Gus>".encode("latin-1"))
    return folder


def test_a_folder(notes: Path, tmp_path: Path, settings: Settings) -> None:
    summary = deid(str(notes), str(tmp_path / "out"), settings)
    out = tree(tmp_path / "out")
    assert out.pop("a.txt") == b"Seen: <[PATIENT]>.\r\n"
    assert out.pop("b.jsonl").decode() == (
        '{"id": "b1", "patient_id": "p", "text": "<[PATIENT]>", "x": 1.50}\n'
        '{"id": "b3", "text": "none"}\n'
    )
    assert out.pop("c.csv").decode() == 'id,text\n1,"<[PATIENT]>, ""fine"""\n2,none\n'
    assert out.pop("sub/d.txt") == "Señor <[PATIENT]>".encode("latin-1")
    assert out.pop("empty.txt") == b""
    assert set(out) == {"manifest.jsonl", "quarantine.jsonl"}
    assert (summary.documents, summary.quarantined) == (10, 3)


def test_manifest_and_quarantine_list(notes: Path, tmp_path: Path, settings: Settings) -> None:
    deid(str(notes), str(tmp_path / "out"), settings)
    manifest = documents(tmp_path / "out" / "manifest.jsonl")
    assert [(row["id"], row["status"]) for row in manifest] == [
        ("a.txt", "done"),
        ("b1", "done"),
        ("b.jsonl:2", "quarantined"),
        ("b3", "done"),
        ("1", "done"),
        ("2", "done"),
        ("c.csv:4", "quarantined"),
        ("empty.txt", "done"),
        ("scan.png", "quarantined"),
        ("sub/d.txt", "done"),
    ]
    assert manifest[0]["labels"] == {"PATIENT": 1}
    assert manifest[3]["labels"] == {}
    assert {row["policy"] for row in manifest} == {settings.policy.hash}
    assert {row["file"] for row in manifest} >= {"a.txt", "sub/d.txt"}
    listed = rows(tmp_path / "out" / "quarantine.jsonl")
    assert [row["file"] for row in listed] == ["b.jsonl", "c.csv", "scan.png"]
    assert all(row["message"] and "raw" not in row for row in listed)


def test_hashes_tell_documents_apart_and_need_the_key(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    for name, key in (("one", KEY), ("again", KEY), ("other", KEY[::-1])):
        deid(str(notes), str(tmp_path / name), replace(settings, key=key))
    one, again, other = (
        [row.get("input") for row in documents(tmp_path / name / "manifest.jsonl")]
        for name in ("one", "again", "other")
    )
    assert one == again
    assert len({tag for tag in one if tag}) == 6  # "none" stands in two of seven documents
    assert not {tag for tag in one if tag} & set(other)


@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (1, 2), (2, 1), (2, 100), (3, 2)])
def test_workers_and_batches_do_not_change_a_byte(
    notes: Path, tmp_path: Path, settings: Settings, workers: int, batch: int
) -> None:
    deid(str(notes), str(tmp_path / "plain"), settings)
    deid(str(notes), str(tmp_path / "other"), replace(settings, workers=workers, batch=batch))
    assert tree(tmp_path / "other") == tree(tmp_path / "plain")


def test_a_note_file_cannot_take_the_name_of_the_manifest(
    tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "manifest.jsonl").write_text('{"id": "1", "text": "<Ann>"}\n')
    (tmp_path / "in" / "note.txt").write_text("<Ann>")
    summary = deid(str(tmp_path / "in"), str(tmp_path / "out"), settings)
    assert summary.quarantined == 1
    assert [row["id"] for row in documents(tmp_path / "out" / "manifest.jsonl")] == [
        "manifest.jsonl",
        "note.txt",
    ]


def test_raw_bytes_are_kept_only_where_asked_for(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    kept = tmp_path / "kept"
    deid(str(notes), str(tmp_path / "out"), replace(settings, quarantine=kept))
    assert "quarantine.jsonl" not in tree(tmp_path / "out")
    files = tree(kept)
    listed = {row["file"]: row["raw"] for row in rows(kept / "quarantine.jsonl")}
    assert files[listed["b.jsonl"]] == b"{broken <Cy>\n"
    assert files[listed["c.csv"]] == b'3,"<Ed>\n'
    assert files[listed["scan.png"]] == (notes / "scan.png").read_bytes()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_a_clean_run_removes_the_list_of_the_run_before(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    out = tmp_path / "out"
    deid(str(notes), str(out), settings)
    assert (out / "quarantine.jsonl").exists()
    deid(str(notes / "sub"), str(out), settings)
    assert not (out / "quarantine.jsonl").exists()


def test_one_file_to_one_file(notes: Path, tmp_path: Path, settings: Settings) -> None:
    deid(str(notes / "a.txt"), str(tmp_path / "o" / "new.txt"), settings)
    assert set(tree(tmp_path / "o")) == {"new.txt", "manifest.jsonl"}


def test_one_file_into_a_folder(notes: Path, tmp_path: Path, settings: Settings) -> None:
    deid(str(notes / "a.txt"), str(tmp_path / "o") + "/", settings)
    assert set(tree(tmp_path / "o")) == {"a.txt", "manifest.jsonl"}


def test_output_below_the_input_is_not_read_again(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    for _ in range(2):
        summary = deid(str(notes), str(notes / "out"), settings)
        assert summary.documents == 10


@pytest.mark.parametrize(
    ("given", "out"),
    [
        ("in", "in"),
        ("in/a.txt", "in/a.txt"),
        ("in/a.txt", "in"),
        ("in", "in/a.txt"),
        ("in", "-"),
        ("in/sub", "in"),
        ("in", "."),
    ],
)
def test_outputs_that_make_no_sense(
    notes: Path, tmp_path: Path, settings: Settings, given: str, out: str
) -> None:
    before = tree(tmp_path)
    with pytest.raises(UsageError):
        deid(str(tmp_path / given), out if out == "-" else str(tmp_path / out), settings)
    assert tree(tmp_path) == before


def test_no_input(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="no such file"):
        deid(str(tmp_path / "nothing"), str(tmp_path / "out"), settings)
    assert tree(tmp_path) == {}


def test_what_is_no_file_is_refused_and_never_waited_for(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    os.mkfifo(notes / "pipe.txt")
    (notes / "up").symlink_to("..")
    (notes / "self.txt").symlink_to("self.txt")
    (notes / "gone.txt").symlink_to("nowhere")
    summary = deid(str(notes), str(tmp_path / "out"), settings)
    listed = {row["file"]: row["message"] for row in rows(tmp_path / "out" / "quarantine.jsonl")}
    assert "neither a file nor a folder" in listed["pipe.txt"]
    assert "link, which is not followed" in listed["up"]
    assert {"self.txt", "gone.txt"} <= set(listed)
    assert summary.documents - summary.quarantined == 7


def test_a_folder_that_cannot_be_listed_is_not_passed_over(
    notes: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = os.scandir

    def scandir(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    deid(str(notes), str(tmp_path / "out"), settings)
    listed = {row["file"]: row["message"] for row in rows(tmp_path / "out" / "quarantine.jsonl")}
    assert listed["sub"] == "sub: a folder: unreadable"


class _Stop:
    """A progress bar that presses Ctrl-C after so many documents."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, _bytes: int, documents: int) -> None:
        self.left -= documents
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_leaves_whole_files_and_their_rows(
    notes: Path, tmp_path: Path, settings: Settings, workers: int
) -> None:
    stop = replace(settings, progress=_Stop(after=1), workers=workers, batch=1)
    with pytest.raises(KeyboardInterrupt):
        deid(str(notes), str(tmp_path / "out"), stop)
    assert set(tree(tmp_path / "out")) == {"a.txt", "manifest.jsonl"}
    assert [row["id"] for row in documents(tmp_path / "out" / "manifest.jsonl")] == ["a.txt"]


def test_an_interruption_in_the_first_file_leaves_nothing(
    tmp_path: Path, settings: Settings
) -> None:
    lines = (json.dumps({"id": str(i), "text": "<Ann>"}) for i in range(10))
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    stop = replace(settings, progress=_Stop(after=4), batch=1)
    with pytest.raises(KeyboardInterrupt):
        deid(str(tmp_path / "in.jsonl"), str(tmp_path / "out" / "out.jsonl"), stop)
    assert tree(tmp_path / "out") == {}


def test_an_interrupted_rewrite_leaves_the_old_file(tmp_path: Path, settings: Settings) -> None:
    lines = (json.dumps({"id": str(i), "text": "<Ann>"}) for i in range(10))
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "out.jsonl").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        deid(
            str(tmp_path / "in.jsonl"),
            str(tmp_path / "out" / "out.jsonl"),
            replace(settings, progress=_Stop(after=4), batch=1),
        )
    assert tree(tmp_path / "out") == {"out.jsonl": b"old"}


@pytest.fixture
def interrupted(notes: Path, tmp_path: Path, settings: Settings) -> Path:
    """An output folder with its first file and no other."""
    stop = replace(settings, progress=_Stop(after=1), batch=1)
    with pytest.raises(KeyboardInterrupt):
        deid(str(notes), str(tmp_path / "out"), stop)
    return tmp_path / "out"


def test_a_resumed_run_ends_as_one_that_was_never_interrupted(
    notes: Path, interrupted: Path, tmp_path: Path, settings: Settings
) -> None:
    done = (interrupted / "a.txt").stat().st_mtime_ns
    summary = deid(str(notes), str(interrupted), replace(settings, resume=True))
    assert (summary.carried, summary.documents) == (1, 9)
    assert (interrupted / "a.txt").stat().st_mtime_ns == done
    deid(str(notes), str(tmp_path / "whole"), settings)
    assert tree(interrupted) == tree(tmp_path / "whole")


def _older(path: Path) -> None:
    """Another note takes the place of one that was done, with a date long before."""
    path.write_text("<Bo>")
    os.utime(path, (1e9, 1e9))


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


REDONE = {
    "another key": lambda notes, out, settings: replace(settings, key=KEY[::-1]),
    "another policy": lambda notes, out, settings: replace(
        settings, policy=replace(settings.policy, description="changed")
    ),
    "another input": lambda notes, out, settings: (notes / "a.txt").write_text("<Bo>") and None,
    "an older input": lambda notes, out, settings: _older(notes / "a.txt"),
    "an input that is gone": lambda notes, out, settings: _dangling(notes / "a.txt"),
    "an emptied output": lambda notes, out, settings: (out / "a.txt").write_bytes(b"") and None,
    "the raw note": lambda notes, out, settings: shutil.copy(notes / "a.txt", out) and None,
    "a lost output": lambda notes, out, settings: (out / "a.txt").unlink(),
    "a lost manifest": lambda notes, out, settings: (out / "manifest.jsonl").unlink(),
}


@pytest.mark.parametrize("change", REDONE.values(), ids=REDONE)
def test_what_changed_is_done_again(change, notes, interrupted, settings) -> None:
    settings = change(notes, interrupted, settings) or settings
    summary = deid(str(notes), str(interrupted), replace(settings, resume=True))
    assert (summary.carried, summary.documents) == (0, 10)


def test_a_run_that_was_killed_can_be_resumed(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    deid(str(notes), str(tmp_path / "whole"), settings)
    deid(str(notes), str(tmp_path / "out"), settings)
    # As if killed while the second file was written: no manifest, but the beginning of one.
    written = (tmp_path / "out" / "manifest.jsonl").read_bytes().splitlines(keepends=True)
    begun = b"".join(written[:3]) + written[3][:20]
    assert {row["file"] for row in map(json.loads, written[:3])} == {"a.txt", "b.jsonl"}
    (tmp_path / "out" / ".manifest.jsonl.1.partial").write_bytes(begun)
    (tmp_path / "out" / "sub" / ".d.txt.1.partial").write_bytes(b"beg")
    (tmp_path / "out" / "manifest.jsonl").unlink()
    summary = deid(str(notes), str(tmp_path / "out"), replace(settings, resume=True))
    assert (summary.carried, summary.documents) == (1, 9)
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


def test_rows_of_finished_files_are_on_disk_at_once(notes, tmp_path, settings) -> None:
    seen: list[str] = []

    def look(*_: object) -> None:
        begun = (tmp_path / "out").glob(".manifest.jsonl.*.partial")
        seen.extend(left.read_text() for left in begun)

    deid(str(notes), str(tmp_path / "out"), replace(settings, progress=look, batch=1))
    assert '"file": "a.txt"' in seen[-1]


def test_files_with_failures_are_tried_again(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    deid(str(notes), str(tmp_path / "out"), settings)
    (notes / "b.jsonl").write_text('{"id": "b1", "text": "<Bo>"}\n')
    os.utime(notes / "b.jsonl", (1e9, 1e9))
    summary = deid(str(notes), str(tmp_path / "out"), replace(settings, resume=True))
    assert summary.carried == 3  # a.txt, empty.txt and sub/d.txt had no failure
    assert summary.quarantined == 2


def test_a_foreign_manifest_is_not_trusted(notes, interrupted, settings) -> None:
    (interrupted / "manifest.jsonl").write_text("[]\n")
    with pytest.raises(UsageError, match="not a manifest"):
        deid(str(notes), str(interrupted), replace(settings, resume=True))


SHUFFLED = {
    "name": "shuffled",
    "detectors": {
        "dates": {"use": "regex", "options": {"label": "DATE", "patterns": [r"\d+/\d+/\d{4}"]}}
    },
    "labels": {"default": {"action": "off", "because": "a test"}, "DATE": "shuffle"},
}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_policy_that_needs_the_whole_corpus_gets_a_first_pass(
    tmp_path: Path, workers: int
) -> None:
    dates = [f"{day}/3/2020" for day in range(1, 21)]
    (tmp_path / "in.jsonl").write_text(
        "".join(json.dumps({"id": date, "text": f"seen {date}"}) + "\n" for date in dates)
    )
    settings = Settings(policy_from(SHUFFLED), KEY, workers=workers, batch=3)
    deid(str(tmp_path / "in.jsonl"), str(tmp_path / "out" / "out.jsonl"), settings)
    new = [row["text"].removeprefix("seen ") for row in rows(tmp_path / "out" / "out.jsonl")]
    assert set(new) <= set(dates)
    assert all(old != date for old, date in zip(new, dates, strict=True))
    with pytest.raises(UsageError, match="twice"):
        deid("-", str(tmp_path / "out.jsonl"), settings)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "mrn,text\n7741902,none\n7741903,none\n"),
        ("a.jsonl", '{"mrn": "7741902", "text": "none"}\n{"mrn": "7741903", "text": 5}\n'),
    ],
)
def test_an_id_that_is_masked_stands_in_no_list(name, content, tmp_path, settings) -> None:
    """Beside the surrogates, in the same order, the old numbers would be the way back."""
    (tmp_path / name).write_text(content)
    formats = replace(settings.policy.formats, id="mrn")
    named = replace(settings, policy=replace(settings.policy, formats=formats))
    deid(str(tmp_path / name), f"{tmp_path}/out/", named)
    out = tree(tmp_path / "out")
    assert "manifest.jsonl" in out
    assert b"774190" not in b"".join(out.values())


def test_a_table_whose_header_fails_is_not_written(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,odd text\n1,none\n2,none\n")
    (tmp_path / "in" / "b.txt").write_text("<Bo>")
    throw = DetectorRules(use="function", options={"function": "tests.engine.test_away:throw"})
    policy = replace(
        settings.policy,
        detectors={**settings.policy.detectors, "throw": throw},
        formats=FormatRules(keys=True, labels={"odd text": "text"}),
    )
    settings = replace(settings, policy=policy, batch=1)
    summary = deid(str(tmp_path / "in"), str(tmp_path / "out"), settings)
    assert (summary.documents, summary.quarantined) == (2, 1)
    assert set(tree(tmp_path / "out")) == {"b.txt", "manifest.jsonl", "quarantine.jsonl"}
    (row,) = rows(tmp_path / "out" / "quarantine.jsonl")
    assert row["message"] == "a.csv: a part that all others need could not be written"
    listed = [(row["id"], row["status"]) for row in documents(tmp_path / "out" / "manifest.jsonl")]
    assert listed == [("a.csv", "quarantined"), ("b.txt", "done")]
