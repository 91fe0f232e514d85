"""RTF, Parquet, and the old Office formats through LibreOffice."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import SHARED
from tests.formats import test_office
from tests.formats.planted import documents, masked, read, unchanged

from incognote.core.types import Failure
from incognote.policy import FormatRules

RTF = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl\f0\fswiss Helvetica;}"
    rb"{\info{\title Letter for Quillon}{\author Brandvold}}"
    rb"\f0\fs24 Seen with {\b Quil}lon \u193?lvarez and Jos\'e9 today.\par"
    rb"\pard BP 128/76 \{stable\}\par}"
)


class TestRtf:
    def test_words_are_read_without_their_codes(self):
        (document,) = documents(RTF, "x.rtf")
        assert document.text == "Seen with Quillon Álvarez and José today.\nBP 128/76 {stable}"

    def test_nothing_planted_survives_and_formatting_does(self):
        out = masked(RTF, "x.rtf", ["Quillon Álvarez", "José"])
        for word in (b"Quil", b"lon ", b"lvarez", b"Jos", b"Brandvold", b"Letter"):
            assert word not in out
        assert rb"{\fonttbl\f0\fswiss Helvetica;}" in out
        assert rb"{\b [PATIENT]}" in out
        assert rb"\{stable\}" in out

    def test_what_changes_nothing_only_empties_the_info_group(self):
        plain = RTF.replace(rb"{\info{\title Letter for Quillon}{\author Brandvold}}", b"")
        assert unchanged(plain, "x.rtf") == plain

    @pytest.mark.parametrize(
        "data",
        [b"", b"{\\rtf1 cut off", b"{\\rtf1}}", b"{" * 900, b"{\\rtf1\\bin4 abcd}"],
        ids=["empty", "cut", "braces", "deep", "binary"],
    )
    def test_broken_files_are_refused(self, data):
        (outcome,) = read(data, "x.rtf")
        assert isinstance(outcome, Failure)

    def test_outside_file(self, shared):
        data = (shared / "fixtures/docx/simhospital-note1.rtf").read_bytes()
        assert documents(data, "x.rtf")[0].text.startswith("Cough, fever 3/7\n")


class TestParquet:
    def _table(self) -> bytes:
        table = pa.table(
            {
                "patient_id": ["7", "7"],
                "mrn": pa.array([7741902, None], pa.int64()),
                "text": ["Seen with Quillon.", None],
                "score": pa.array([1.5, 2.5]),
            }
        )
        buffer = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({"host": "Quillon"}), buffer)
        return buffer.getvalue()

    def test_columns_keep_their_types(self):
        rules = FormatRules(labels={"mrn": "MEDICALRECORD"})
        out = masked(self._table(), "x.parquet", ["Quillon"], rules)
        table = pq.read_table(io.BytesIO(out))
        assert table.column("text").to_pylist() == ["Seen with [PATIENT].", None]
        assert table.column("mrn").to_pylist() == ["[MEDICALRECORD]", None]
        assert table.column("score").to_pylist() == [1.5, 2.5]
        assert b"Quillon" not in out

    def test_a_missing_column_is_named(self):
        (outcome,) = read(self._table(), "x.parquet", FormatRules(text=("note",)))
        assert isinstance(outcome, Failure)
        assert "'note'" in outcome.message

    @pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1 nonsense PAR1"])
    def test_broken_files_are_refused(self, data):
        (outcome,) = read(data, "x.parquet")
        assert isinstance(outcome, Failure)


class TestLegacy:
    FILES = sorted(
        [*(SHARED / "fixtures/docx").glob("*.doc"), *(SHARED / "fixtures/xls").glob("*.xls")]
    )

    @pytest.mark.skipif(
        not shutil.which("soffice"), reason="LibreOffice (soffice) is not installed"
    )
    @pytest.mark.parametrize("path", FILES[:2] + FILES[-1:], ids=lambda path: path.name)
    def test_outside_files_come_back_in_their_format(self, path: Path):
        data = path.read_bytes()
        if not any(isinstance(record, Failure) for record in read(data, path.name)):
            assert unchanged(data, path.name)[:4] == b"\xd0\xcf\x11\xe0"

    @pytest.mark.skipif(
        not shutil.which("soffice"), reason="LibreOffice (soffice) is not installed"
    )
    @pytest.mark.parametrize("kind", ["doc", "xls"])
    def test_nothing_planted_survives_in_the_bytes(self, kind):
        from incognote.formats.legacy import _convert

        modern = test_office._letter() if kind == "doc" else test_office._workbook()
        data = _convert(modern, f".{kind}x", f".{kind}")

        def there(content: bytes) -> set[str]:
            forms = ("latin-1", "utf-16-le")
            return {n for n in test_office.NAMES for form in forms if n.encode(form) in content}

        assert len(there(data)) >= 4
        out = masked(data, f"x.{kind}", ["Quillon Adeyemi", *test_office.NAMES])
        assert there(out) == set()

    def test_without_libreoffice_the_file_is_refused(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda _: None)
        (outcome,) = read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "x.doc")
        assert isinstance(outcome, Failure)
        assert "LibreOffice (the program soffice)" in outcome.message

    def test_a_file_of_another_kind_is_refused(self):
        (outcome,) = read(b"plain text", "x.doc")
        assert isinstance(outcome, Failure)
