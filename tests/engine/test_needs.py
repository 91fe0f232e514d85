"""A file that needs what is not installed goes to quarantine with that reason; the others go on."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import rows

from incognote.core.errors import MissingExtra
from incognote.engine.local import deid, detect
from incognote.engine.settings import Settings
from incognote.policy import FormatRules

FILES = {
    "pdf": ("pikepdf", "x.pdf", b"%PDF-1.7"),
    "parquet": ("pyarrow", "x.parquet", b"PAR1"),
    "dicom": ("pydicom", "scan", b"\0" * 128 + b"DICM"),
    "ocr": ("rapidocr_onnxruntime", "x.png", b"\x89PNG"),
}


@pytest.fixture
def here(settings: Settings) -> Settings:
    """Files are read in this process, where a test can take a module away."""
    return replace(settings, isolate=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "z.txt").write_text("none")
    return tmp_path / "in"


@pytest.mark.parametrize("extra", FILES)
@pytest.mark.parametrize("verb", [deid, detect])
def test_a_missing_extra(extra, verb, folder: Path, tmp_path: Path, here: Settings, monkeypatch):
    module, name, data = FILES[extra]
    (folder / name).write_bytes(data)
    monkeypatch.setitem(sys.modules, module, None)
    out = tmp_path / "out"
    summary = verb(str(folder), str(out if verb is deid else out / "spans.jsonl"), here)
    assert (summary.documents, summary.quarantined) == (2, 1)
    (row,) = rows(out / "quarantine.jsonl")
    assert (row["file"], row["error"]) == (name, "MissingExtra")
    assert f"incognote[{extra}]" in row["message"]


def _zipped(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("first.txt", "none")
        archive.writestr(name, data)
    return buffer.getvalue()


def _tarred(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        info = tarfile.TarInfo(f"sub/{name}")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


ARCHIVES = {
    "x.zip": _zipped,
    "x.tgz": lambda name, data: gzip.compress(_tarred(name, data)),
    "outer.zip": lambda name, data: _zipped("inner.zip", _zipped(name, data)),
    "x.pdf.gz": lambda name, data: gzip.compress(data),
}


@pytest.mark.parametrize("archive", ARCHIVES)
@pytest.mark.parametrize("extra", FILES)
def test_what_lies_in_archives_is_named_too(
    archive, extra, folder: Path, tmp_path: Path, here: Settings, monkeypatch
):
    module, name, data = FILES[extra]
    called = archive if archive != "x.pdf.gz" else f"{name}.gz"
    (folder / called).write_bytes(ARCHIVES[archive](name, data))
    monkeypatch.setitem(sys.modules, module, None)
    summary = deid(str(folder), str(tmp_path / "out"), here)
    assert (summary.documents, summary.quarantined) == (2, 1)
    (row,) = rows(tmp_path / "out" / "quarantine.jsonl")
    assert f"incognote[{extra}]" in row["message"]


def test_a_format_that_is_forced(folder: Path, tmp_path: Path, settings: Settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    with pytest.raises(MissingExtra, match=r"incognote\[pdf\]"):
        deid(str(folder), str(tmp_path / "out"), replace(settings, format="pdf"))
    assert not (tmp_path / "out").exists()


def test_ocr_is_needed_only_where_pictures_are_read(
    folder: Path, tmp_path: Path, here: Settings, monkeypatch
):
    from PIL import Image

    Image.new("L", (8, 8)).save(folder / "x.png")
    monkeypatch.setitem(sys.modules, "rapidocr_onnxruntime", None)
    policy = replace(here.policy, formats=FormatRules(images="keep"))
    assert deid(str(folder), str(tmp_path / "out"), replace(here, policy=policy)).quarantined == 0
