"""Damaged files: every reader answers with records or failures, and never with anything else."""

from __future__ import annotations

import contextlib
import gzip
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.archives import test_archives
from tests.formats.kit import dicoms
from tests.formats.kit.made import letter, pdf_file, workbook
from tests.formats.office import test_rtf
from tests.formats.tables import test_parquet, test_vcf

from incognote.core.types import Failure, Result
from incognote.formats.base import Record
from incognote.policy import FormatRules
from incognote.testing.formats import read

SAMPLES = Path(__file__).parents[2] / "samples" / "formats"

FILES = {
    **{path.name: path.read_bytes() for path in sorted(SAMPLES.iterdir())},
    "note.txt": b"Seen with Quillon, \xc3\x89mile.\r\nBP 128/76\n",
    "rows.csv": b'id,text\n1,"a ""b"" c"\n2,d\n',
    "rows.jsonl": b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n',
    "letter.rtf": test_rtf.RTF,
    "letter.docx": letter(),
    "visits.xlsx": workbook(),
    "x.zip": test_archives.zip_of(**{"a.txt": b"note"}),
    "x.tar": test_archives.tar_of(),
    "x.txt.gz": gzip.compress(b"note"),
    "x.vcf": test_vcf.HEADER,
    "x.pdf": pdf_file(),
    "x.dcm": dicoms.study(),
    "x.parquet": test_parquet.sample_table(),
}

_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["cut", "drop", "flip", "insert", "repeat"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 255),
    ),
    min_size=1,
    max_size=4,
)


def _damaged(data: bytes, edits) -> bytes:
    for kind, where, value in edits:
        at = int(where * len(data))
        if kind == "cut":
            data = data[:at]
        elif kind == "drop":
            data = data[:at] + data[at + value :]
        elif kind == "flip":
            data = data[:at] + bytes([value]) + data[at + 1 :]
        elif kind == "insert":
            data = data[:at] + bytes([value]) * 3 + data[at:]
        else:
            data = data[:at] + data[at : at + value] * 2 + data[at + value :]
    return data


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25)
@given(edits=_EDITS)
def test_damage_is_contained(name, edits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for record in read(_damaged(FILES[name], edits), name, FormatRules(images="keep")):
            assert isinstance(record, Record | Failure)
            if isinstance(record, Record):
                unchanged = [Result(d, (), text=d.text) for d in record.documents]
                # What fails in writing goes to quarantine as well; that is the engine's part.
                with contextlib.suppress(Exception):
                    assert isinstance(record.render(unchanged), bytes)


@pytest.mark.parametrize("name", FILES)
def test_the_whole_file_is_read(name):
    assert all(
        isinstance(record, Record) for record in read(FILES[name], name, FormatRules(images="keep"))
    )


def test_an_empty_stream_is_never_a_surprise():
    for name in FILES:
        for record in read(b"", name):
            assert isinstance(record, Record | Failure)
