"""What Office packages have in common: members, relations, and files that are broken."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.conftest import SHARED
from tests.formats.made import letter
from tests.formats.planted import read, unchanged

from incognote.core.types import Failure
from incognote.policy import FormatRules


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
            if "printerSettings" not in name:
                assert before.read(name) == after.read(name)


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip at all"])
def test_broken_packages_are_refused(name, data):
    (outcome,) = read(data, name)
    assert isinstance(outcome, Failure)


def test_a_truncated_package_is_refused():
    (outcome,) = read(letter()[:-200], "letter.docx")
    assert isinstance(outcome, Failure)
