"""Names of files and folders: what is PHI in them is replaced, and nothing beside the outputs tells."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import documents, rows, tree

from incognote.engine.local import deid, restore
from incognote.engine.settings import Settings
from incognote.policy import Policy, policy_from


def _policy(names: str, **labels: object) -> Policy:
    """Finds Quillon and long numbers."""
    find = {"use": "regex", "options": {"label": "PATIENT", "patterns": ["Quillon", "[0-9]{6,}"]}}
    return policy_from(
        {
            "name": "names",
            "detectors": {"find": find},
            "labels": {"default": {"action": "tag", "because": "a test"}, **labels},
            "formats": {"names": names},
        }
    )


@pytest.fixture
def replacing(settings: Settings) -> Settings:
    return replace(settings, policy=_policy("replace"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for name in ("Quillon/visit_7741902.txt", "Quillon/plan.txt", "7741903/plan.txt", "plan.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"Seen: Quillon. {name}\n")
    return folder


def test_folders_and_files_get_new_names(notes: Path, tmp_path: Path, replacing: Settings) -> None:
    deid(str(notes), str(tmp_path / "out"), replacing)
    out = tree(tmp_path / "out")
    assert set(out) == {
        "[PATIENT]/plan.txt", "[PATIENT]-2/visit_[PATIENT].txt", "[PATIENT]-2/plan.txt", "plan.txt",
        "manifest.jsonl",
    }  # fmt: skip
    everything = b"".join(out.values()) + "".join(out).encode()
    assert b"Quillon" not in everything
    assert b"774190" not in everything


def test_the_manifest_links_old_and_new_names_by_key(
    notes: Path, tmp_path: Path, replacing: Settings
) -> None:
    deid(str(notes), str(tmp_path / "out"), replacing)
    manifest = documents(tmp_path / "out" / "manifest.jsonl")
    assert [row["file"] for row in manifest if "source" not in row] == ["plan.txt"]
    assert [row["id"] for row in manifest] == [row["file"] for row in manifest]
    assert len({row["source"] for row in manifest if "source" in row}) == 3
    deid(str(notes), str(tmp_path / "again"), replace(replacing, key=b"another key of this run"))
    again = documents(tmp_path / "again" / "manifest.jsonl")
    assert manifest[-1]["source"] != again[-1]["source"]


def test_kept_names(notes: Path, tmp_path: Path, settings: Settings) -> None:
    deid(str(notes), str(tmp_path / "out"), replace(settings, policy=_policy("keep")))
    assert "Quillon/visit_7741902.txt" in tree(tmp_path / "out")


def test_numbered_names(notes: Path, tmp_path: Path, settings: Settings) -> None:
    deid(str(notes), str(tmp_path / "out"), replace(settings, policy=_policy("number")))
    names = {f"00000{number}.txt" for number in (1, 2, 3, 4)}
    assert set(tree(tmp_path / "out")) == {*names, "manifest.jsonl"}
    assert b"Quillon" not in tree(tmp_path / "out")["manifest.jsonl"]


@pytest.mark.parametrize("names", ["replace", "number"])
def test_resumed_runs_use_the_same_names(
    notes: Path, tmp_path: Path, settings: Settings, names: str
) -> None:
    once = replace(settings, policy=_policy(names))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    deid(str(notes), str(whole), once)
    deid(str(notes), str(parts), once)
    gone = parts / ("[PATIENT]-2/plan.txt" if names == "replace" else "000002.txt")
    gone.unlink()
    (notes / "7741903" / "new.txt").write_text("none")
    summary = deid(str(notes), str(parts), replace(once, resume=True))
    assert summary.carried == 3
    new = "[PATIENT]/new.txt" if names == "replace" else "000005.txt"
    finished = {name for name in tree(parts) if name != "manifest.jsonl"}
    assert new in finished
    if names == "replace":
        assert finished == {name for name in tree(whole) if name != "manifest.jsonl"} | {new}


def test_a_new_name_does_not_push_aside_an_old_one(tmp_path: Path, replacing: Settings) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("7741902.txt", "Quillon.txt", "[PATIENT].txt", "[patient]-2.txt"):
        (folder / name).write_text(name)
    deid(str(folder), str(tmp_path / "out"), replacing)
    out = tree(tmp_path / "out")
    assert out["[PATIENT].txt"] == b"[PATIENT].txt"
    assert len(out) == 5


def test_what_fails_is_listed_under_its_new_name(tmp_path: Path, replacing: Settings) -> None:
    folder, told = tmp_path / "in", []
    folder.mkdir()
    (folder / "Quillon.pdf").write_bytes(b"%PDF-1.7 broken")
    deid(str(folder), str(tmp_path / "out"), replace(replacing, report=told.append))
    assert b"Quillon" not in b"".join(tree(tmp_path / "out").values())
    assert rows(tmp_path / "out" / "quarantine.jsonl")[0]["file"] == "[PATIENT].pdf"
    assert told[0].startswith("Quillon.pdf: ")


def test_beside_its_raw_bytes_a_file_keeps_its_name(tmp_path: Path, replacing: Settings) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "Quillon.pdf").write_bytes(b"%PDF-1.7 broken")
    deid(str(folder), str(tmp_path / "out"), replace(replacing, quarantine=tmp_path / "raw"))
    assert rows(tmp_path / "raw" / "quarantine.jsonl")[0]["file"] == "Quillon.pdf"


def test_a_name_and_its_note_share_surrogates(
    notes: Path, tmp_path: Path, settings: Settings
) -> None:
    policy = _policy("replace", PATIENT="surrogate")
    deid(str(notes), str(tmp_path / "out"), replace(settings, policy=policy))
    note = next(path for path in (tmp_path / "out").rglob("*") if path.name.startswith("visit_"))
    inside = note.read_text().rpartition("_")[2].removesuffix(".txt\n")
    assert note.stem == f"visit_{inside}"


def test_the_user_may_name_the_output(notes: Path, tmp_path: Path, replacing: Settings) -> None:
    deid(str(notes / "Quillon/visit_7741902.txt"), str(tmp_path / "o" / "new.txt"), replacing)
    assert set(tree(tmp_path / "o")) == {"new.txt", "manifest.jsonl"}
    assert b"7741902" not in tree(tmp_path / "o")["manifest.jsonl"]


def test_the_way_back_starts_at_the_new_name(tmp_path: Path, replacing: Settings) -> None:
    vaults = pytest.importorskip("incognote.transform.vault.file")
    pytest.importorskip("cryptography", reason="the vault extra is not installed")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "Quillon.txt").write_text("Seen: Quillon.")
    key = b"the key of the vault, kept apart"
    with vaults.VaultWriter(tmp_path / "v", key) as vault:
        deid(str(tmp_path / "in"), str(tmp_path / "out"), replace(replacing, vault=vault))
    opened = vaults.Vault(tmp_path / "v", key)
    restore(str(tmp_path / "out"), str(tmp_path / "back"), opened, "a test", replacing)
    assert tree(tmp_path / "back") == {"Quillon.txt": b"Seen: Quillon."}
    assert stat.S_IMODE((tmp_path / "back" / "Quillon.txt").stat().st_mode) == 0o600


def _zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("Quillon/", b"")
        archive.writestr("Quillon/7741902.txt", "Seen: Quillon.")
        archive.writestr("Quillon/broken.json" if folder.name == "bad" else "plan.txt", "{")


def _tar(folder: Path, *, packed: bool) -> None:
    with tarfile.open(
        folder / ("x.tar.gz" if packed else "x.tar"), "w:gz" if packed else "w:"
    ) as tar:
        for name, data in (
            ("Quillon", None),
            ("Quillon/7741902.txt", b"Seen."),
            ("plan.txt", b"none"),
        ):
            info = tarfile.TarInfo(name)
            info.type = tarfile.REGTYPE if data else tarfile.DIRTYPE
            info.size = len(data or b"")
            tar.addfile(info, io.BytesIO(data or b""))


EXPECTED = ["[PATIENT]", "[PATIENT]/[PATIENT].txt", "plan.txt"]


class TestArchives:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "in").mkdir()
        return tmp_path / "in"

    def test_members_of_a_zip(self, folder: Path, tmp_path: Path, replacing: Settings) -> None:
        _zip(folder)
        deid(str(folder), str(tmp_path / "out"), replacing)
        with zipfile.ZipFile(tmp_path / "out" / "x.zip") as archive:
            assert [name.rstrip("/") for name in archive.namelist()] == EXPECTED
        assert b"774190" not in b"".join(tree(tmp_path / "out").values())
        assert b"Quillon" not in b"".join(tree(tmp_path / "out").values())

    @pytest.mark.parametrize("packed", [False, True])
    def test_members_of_a_tar(
        self, folder: Path, tmp_path: Path, replacing: Settings, packed: bool
    ) -> None:
        _tar(folder, packed=packed)
        deid(str(folder), str(tmp_path / "out"), replacing)
        data = (tmp_path / "out" / ("x.tar.gz" if packed else "x.tar")).read_bytes()
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data) if packed else data)) as tar:
            assert tar.getnames() == EXPECTED

    def test_numbered_members(self, folder: Path, tmp_path: Path, settings: Settings) -> None:
        _zip(folder)
        deid(str(folder), str(tmp_path / "out"), replace(settings, policy=_policy("number")))
        with zipfile.ZipFile(tmp_path / "out" / "000001.zip") as archive:
            assert archive.namelist() == ["000001.txt", "000002.txt"]

    def test_a_member_that_fails_is_not_named(self, tmp_path: Path, replacing: Settings) -> None:
        (tmp_path / "bad").mkdir()
        _zip(tmp_path / "bad")
        told: list[str] = []
        deid(str(tmp_path / "bad"), str(tmp_path / "out"), replace(replacing, report=told.append))
        assert b"Quillon" not in b"".join(tree(tmp_path / "out").values())
        assert told[0].startswith("x.zip > 3.json")


def test_what_a_packed_file_holds_does_not_go_by_its_old_name(
    tmp_path: Path, replacing: Settings
) -> None:
    packed = tmp_path / "Quillon.txt.gz"
    packed.write_bytes(gzip.compress(b"Seen: Quillon."))
    deid(str(packed), f"{tmp_path}/out/", replacing)
    assert [row["id"] for row in documents(tmp_path / "out/manifest.jsonl")] == [
        "[PATIENT].txt.gz > 1.txt"
    ]


def test_names_that_are_not_utf_8(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (b"caf\xe9.txt", b"na\xefve.txt", "naïve.txt".encode()):
        (folder / os.fsdecode(name)).write_text("Seen: <Ann>")
    summary = deid(str(folder), str(tmp_path / "out"), settings)
    assert (summary.documents, summary.quarantined) == (3, 0)
    written = tree(tmp_path / "out")
    written.pop("manifest.jsonl")
    assert set(written) == {"café.txt", "naïve.txt", r"na\xefve.txt"}
    assert set(written.values()) == {b"Seen: <[PATIENT]>"}
