"""DOC and XLS, which LibreOffice reads and writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import SHARED
from tests.formats.kit.made import NAMES, letter, workbook

from incognote.core.types import Failure
from incognote.testing.formats import masked, read, unchanged

FILES = sorted(
    [*(SHARED / "fixtures/docx").glob("*.doc"), *(SHARED / "fixtures/xls").glob("*.xls")]
)


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice (soffice) is not installed")
@pytest.mark.parametrize("path", FILES[:2] + FILES[-1:], ids=lambda path: path.name)
def test_outside_files_come_back_in_their_format(path: Path):
    data = path.read_bytes()
    if not any(isinstance(record, Failure) for record in read(data, path.name)):
        assert unchanged(data, path.name)[:4] == b"\xd0\xcf\x11\xe0"


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice (soffice) is not installed")
@pytest.mark.parametrize("kind", ["doc", "xls"])
def test_nothing_planted_survives_in_the_bytes(kind):
    from incognote.formats.office.legacy import _convert

    modern = letter() if kind == "doc" else workbook()
    data = _convert(modern, f".{kind}x", f".{kind}")

    def there(content: bytes) -> set[str]:
        forms = ("latin-1", "utf-16-le")
        return {n for n in NAMES for form in forms if n.encode(form) in content}

    assert len(there(data)) >= 4
    out = masked(data, f"x.{kind}", ["Quillon Adeyemi", *NAMES])
    assert there(out) == set()


def test_without_libreoffice_the_file_is_refused(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (outcome,) = read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "x.doc")
    assert isinstance(outcome, Failure)
    assert "LibreOffice (the program soffice)" in outcome.message


def test_a_file_of_another_kind_is_refused():
    (outcome,) = read(b"plain text", "x.doc")
    assert isinstance(outcome, Failure)
