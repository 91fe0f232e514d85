"""What a run needs and does not find is named before its first document."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.core.errors import MissingExtra, UsageError
from incognote.engine.local import deid, detect
from incognote.engine.stream import Settings
from incognote.policy import FormatRules

FILES = {
    "pdf": ("pikepdf", "x.pdf", b"%PDF-1.7"),
    "parquet": ("pyarrow", "x.parquet", b"PAR1"),
    "dicom": ("pydicom", "scan", b"\0" * 128 + b"DICM"),
    "ocr": ("rapidocr_onnxruntime", "x.png", b"\x89PNG"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("none")
    return tmp_path / "in"


@pytest.mark.parametrize("extra", FILES)
@pytest.mark.parametrize("verb", [deid, detect])
def test_a_missing_extra(
    extra, verb, folder: Path, tmp_path: Path, settings: Settings, monkeypatch
):
    module, name, data = FILES[extra]
    (folder / name).write_bytes(data)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"incognote\[{extra}\]"):
        verb(str(folder), str(tmp_path / "out"), settings)
    assert not (tmp_path / "out").exists()


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
    "zip without a name": _zipped,
    "x.tar": _tarred,
    "x.tgz": lambda name, data: gzip.compress(_tarred(name, data)),
    "x.tar.gz": lambda name, data: gzip.compress(_tarred(name, data)),
    "outer.zip": lambda name, data: _zipped("inner.zip", _zipped(name, data)),
    "x.pdf.gz": lambda name, data: gzip.compress(data),
}


@pytest.mark.parametrize("archive", ARCHIVES)
@pytest.mark.parametrize("extra", FILES)
def test_what_lies_in_archives_is_named_too(
    archive, extra, folder: Path, tmp_path: Path, settings: Settings, monkeypatch
):
    module, name, data = FILES[extra]
    called = archive if archive != "x.pdf.gz" else f"{name}.gz"
    (folder / called).write_bytes(ARCHIVES[archive](name, data))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"incognote\[{extra}\]"):
        deid(str(folder), str(tmp_path / "out"), settings)
    assert not (tmp_path / "out").exists()


BROKEN = {
    "cut.zip": _zipped("a.txt", b"none")[:-30],
    "cut.tar": _tarred("x.txt", b"none" * 400)[:700],
    "cut.tgz": gzip.compress(_tarred("x.txt", b"none" * 400))[:40],
    "empty.zip": b"",
    "within.zip": _zipped("inner.zip", b"PK no zip"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_archives_that_cannot_be_opened_are_for_their_reader_to_refuse(
    name, folder: Path, tmp_path: Path, settings: Settings
):
    (folder / name).write_bytes(BROKEN[name])
    summary = deid(str(folder), str(tmp_path / "out"), settings)
    assert summary.quarantined == (name != "empty.zip")


def test_all_are_named_at_once(folder: Path, tmp_path: Path, settings: Settings, monkeypatch):
    for extra in ("pdf", "parquet"):
        module, name, data = FILES[extra]
        (folder / name).write_bytes(data)
        monkeypatch.setitem(sys.modules, module, None)
    (folder / "x.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UsageError, match=r"LibreOffice.*incognote\[parquet,pdf\]"):
        deid(str(folder), str(tmp_path / "out"), settings)


def test_a_format_that_is_forced(folder: Path, tmp_path: Path, settings: Settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    with pytest.raises(MissingExtra, match=r"incognote\[pdf\]"):
        deid(str(folder), str(tmp_path / "out"), replace(settings, format="pdf"))


def test_ocr_is_needed_only_where_pictures_are_read(
    folder: Path, tmp_path: Path, settings: Settings, monkeypatch
):
    from PIL import Image

    Image.new("L", (8, 8)).save(folder / "x.png")
    monkeypatch.setitem(sys.modules, "rapidocr_onnxruntime", None)
    policy = replace(settings.policy, formats=FormatRules(images="keep"))
    assert (
        deid(str(folder), str(tmp_path / "out"), replace(settings, policy=policy)).quarantined == 0
    )
