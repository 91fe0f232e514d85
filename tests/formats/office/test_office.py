"""What Office packages have in common: members, relations, and files that are broken."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.conftest import SHARED
from tests.formats.kit.made import letter, with_members, workbook

from incognote.core.types import Failure
from incognote.policy import FormatRules
from incognote.testing.formats import read, unchanged


def _fixtures() -> list[Path]:
    folder = SHARED / "fixtures"
    return sorted([*folder.glob("docx/*.docx"), *folder.glob("xls/*.xlsx")])


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
def test_outside_files_keep_every_member(path):
    data = path.read_bytes()
    out = unchanged(data, path.name, FormatRules(images="keep"))
    before, after = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(out))
    with before, after:
        assert before.namelist() == after.namelist()
        for name in before.namelist():
            if "printerSettings" not in name and "thumbnail" not in name:
                assert before.read(name) == after.read(name)


PICTURES = {
    "jpeg": (b"\xff\xd8", b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", b"\xff\xe0\0\x0bJFXX\0Quil",
             b"\xff\xff\xe1\0\x0bExif\0Quil", b"\xff\xe2\0\x10ICC_PROFILE\0\1\1", b"\xff\xe2\0\x0aMPF\0Quil",
             b"\xff\xfe\0\x09Quillon", b"\xff\xda\0\x04ab\x12", b"\xff\xfe\0\x09Quillon",
             b"\xff\xda\0\x04ab\x12", b"\xff\xd9", b"Quillon"),
    "png": (b"\x89PNG\r\n\x1a\n", b"\0\0\0\1IHDRxcrc!", b"\0\0\0\7tEXtQuilloncrc!", b"\0\0\0\4eXIfQuilcrc!",
            b"\0\0\0\0IENDcrc!", b"Quillon"),
}  # fmt: skip


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_that_are_kept_lose_what_describes_them(kind):
    segments = PICTURES[kind]
    data = with_members(letter(), {f"word/media/image1.{kind}": b"".join(segments)})
    out = unchanged(data, "x.docx", FormatRules(images="keep"))
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        kept = archive.read(f"word/media/image1.{kind}")
    assert kept == b"".join(each for each in segments if b"Quil" not in each)


@pytest.mark.parametrize("images", ["blank", "keep"])
def test_no_picture_of_the_first_page_stays(images):
    data = with_members(letter(), {"docProps/thumbnail.jpeg": b"\xff\xd8\xff of Quillon"})
    out = unchanged(data, "x.docx", FormatRules(images=images))
    assert b"of Quillon" not in out


def test_nothing_says_when_a_program_packed_the_parts():
    with zipfile.ZipFile(io.BytesIO(unchanged(letter(), "x.docx"))) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip at all"])
def test_broken_packages_are_refused(name, data):
    (outcome,) = read(data, name)
    assert isinstance(outcome, Failure)


def test_a_truncated_package_is_refused():
    (outcome,) = read(letter()[:-200], "letter.docx")
    assert isinstance(outcome, Failure)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "password"),
        ("a.xlsx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "password"),
        ("a.docx", workbook(), "no letter"),
        ("a.xlsx", letter(), "no workbook"),
    ],
    ids=["locked letter", "locked workbook", "a workbook", "a letter"],
)
def test_a_file_of_another_kind_is_refused_with_the_reason(name, data, reason):
    (outcome,) = read(data, name)
    assert isinstance(outcome, Failure)
    assert reason in outcome.message
