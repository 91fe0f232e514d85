"""Parquet: rows are records, the schema stays, and the size of a file does not matter."""

from __future__ import annotations

import datetime as dt
import io
import random
import tracemalloc
from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incognote.core.errors import TransformError
from incognote.core.types import Document, Failure, Replacement, Result
from incognote.formats.base import Record
from incognote.formats.tables import parquet, parquet_writing
from incognote.formats.tables.parquet import ParquetFormat
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged


def _data(table: pa.Table | None = None, *, group: int | None = None, **options) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, row_group_size=group, **options)
    return buffer.getvalue()


def _opened(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data))


def _answered(document: Document, new: Callable[[str], str]) -> Result:
    """A document whose given span, or whole text, became something else."""
    spans = document.given
    if not spans:
        return Result(document, (), text=document.text)
    (span,) = spans
    text = new(document.text[span.start : span.end])
    whole = document.text[: span.start] + text + document.text[span.end :]
    return Result(document, spans, (), (Replacement(span, text, "test"),), whole)


def _rewritten(data: bytes, new: Callable[[str], str], rules: FormatRules | None = None) -> bytes:
    return b"".join(
        record.render([_answered(each, new) for each in record.documents])
        for record in read(data, "x.parquet", rules)
    )


def sample_table() -> bytes:
    table = pa.table(
        {
            "patient_id": ["7", "7"],
            "mrn": pa.array([7741902, None], pa.int64()),
            "text": ["Seen with Quillon.", None],
            "score": pa.array([1.5, 2.5]),
        }
    )
    return _data(table.replace_schema_metadata({"host": "Quillon"}))


def test_a_row_is_a_record_and_another_ends_the_file() -> None:
    *rows, end = read(sample_table(), "x.parquet")
    assert [[d.locator for d in row.documents] for row in rows] == [
        ["x.parquet:1 text", "x.parquet:1 patient_id", "x.parquet:1 mrn"],
        ["x.parquet:2 patient_id"],
    ]
    assert end.documents == ()


def test_columns_that_nobody_named() -> None:
    table = pa.table(
        {
            "patient_name": ["Quillon", None],
            "seen": [dt.date(2024, 2, 11), None],
            "glucose": [4.5, 112.0],
            "phone": [6175550143, None],
            "comment": ["with Quillon", "well"],
            "vector": [[1.0, 2.0], [3.0]],
            "is_new": [True, False],
        }
    )
    data = _data(table)
    found = documents(data, "x.parquet")
    assert [(d.text, [s.label for s in d.given]) for d in found] == [
        ("Quillon", ["PATIENT"]),
        ("2024-02-11", ["DATE"]),
        ("6175550143", ["PHONE"]),
        ("comment: with Quillon", []),
        ("comment: well", []),
    ]
    out = _opened(masked(data, "x.parquet", ["Quillon"])).to_pydict()
    assert out["patient_name"] == ["[PATIENT]", None]
    assert out["comment"] == ["with [PATIENT]", "well"]
    assert out["glucose"] == [4.5, 112.0]
    assert out["vector"] == [[1.0, 2.0], [3.0]]


NOON = dt.datetime.fromisoformat("2024-02-11 12:30")
TYPES = {
    "string": (pa.string(), "Quillon"),
    "large_string": (pa.large_string(), "Quillon"),
    "string_view": (pa.string_view(), "Quillon"),
    "binary": (pa.binary(), b"Quillon"),
    "large_binary": (pa.large_binary(), b"Quillon"),
    "categories": (pa.dictionary(pa.int32(), pa.string()), "Quillon"),
    "ordered": (pa.dictionary(pa.int32(), pa.string(), ordered=True), "Quillon"),
    "int8": (pa.int8(), 12),
    "int64": (pa.int64(), 7741902),
    "uint64": (pa.uint64(), 2**63),
    "float": (pa.float32(), 1.5),
    "double": (pa.float64(), 12345678901.0),
    "decimal": (pa.decimal128(20, 2), Decimal("123.45")),
    "date32": (pa.date32(), dt.date(2024, 2, 11)),
    "date64": (pa.date64(), dt.date(2024, 2, 11)),
    "seconds": (pa.timestamp("s"), NOON),
    "microseconds": (pa.timestamp("us"), NOON),
    "nanoseconds": (pa.timestamp("ns"), NOON),
    "zoned": (pa.timestamp("us", "America/New_York"), NOON.replace(tzinfo=dt.UTC)),
    "time": (pa.time64("us"), dt.time(6, 15)),
    "duration": (pa.duration("s"), dt.timedelta(seconds=5)),
    "bool": (pa.bool_(), True),
    "null": (pa.null(), None),
    "vector": (pa.list_(pa.float32()), [1.0, None]),
    "matrix": (pa.list_(pa.list_(pa.int64())), [[1], []]),
}
KEPT = {
    "struct": (pa.struct([("by", pa.string())]), {"by": "a"}),
    "list": (pa.list_(pa.string()), ["a", None]),
    "map": (pa.map_(pa.string(), pa.int64()), [("a", 1)]),
}


@pytest.mark.parametrize("kind", [*TYPES, *KEPT])
def test_what_does_not_change_stays_as_it_is(kind: str) -> None:
    of, value = (TYPES | KEPT)[kind]
    table = pa.table({"v": pa.array([value, None, value], of)})
    rules = FormatRules(labels={"v": "keep"}) if kind in KEPT else None
    for group in (1, 2, 3):
        data = _data(table, group=group)
        out = unchanged(data, "x.parquet", rules)
        assert _opened(out).equals(_opened(data))
        assert _opened(out).schema.equals(_opened(data).schema)
        groups = [pq.ParquetFile(io.BytesIO(each)).metadata for each in (data, out)]
        rows = [[m.row_group(i).num_rows for i in range(m.num_row_groups)] for m in groups]
        assert rows[0] == rows[1]


NEW = {
    **dict.fromkeys(("string", "large_string", "string_view"), "Quillfeather-Ørsted"),
    **dict.fromkeys(("categories", "ordered"), "Quillfeather-Ørsted"),
    **dict.fromkeys(("binary", "large_binary"), "Quillfeather-Ørsted".encode()),
    "int64": 1902774,
    "uint64": 2**63 + 1,
    "double": 10987654321.0,
    "decimal": Decimal("543.21"),
    "date32": dt.date(2023, 5, 1),
    "date64": dt.date(2023, 5, 1),
    **dict.fromkeys(("seconds", "microseconds"), dt.datetime.fromisoformat("2023-05-01 12:30")),
}


@pytest.mark.parametrize("kind", NEW)
def test_a_replacement_of_the_type_takes_its_place(kind: str) -> None:
    of, value = TYPES[kind]
    new = NEW[kind].decode() if isinstance(NEW[kind], bytes) else str(NEW[kind])
    day = isinstance(value, dt.date)
    new = new[:10] if day else new.removesuffix(".0")
    data = _data(pa.table({"v": pa.array([value, None, value], of)}), group=2)
    # A column of dates says so itself.
    rules = FormatRules() if day else FormatRules(labels={"v": "IDNUM"})
    assert {d.given[0].label for d in documents(data, "x.parquet", rules)} == {
        "DATE" if day else "IDNUM"
    }
    out = _opened(_rewritten(data, lambda _: new, rules))
    assert out.schema.equals(_opened(data).schema)
    assert out.to_pydict() == {"v": [NEW[kind], None, NEW[kind]]}


@pytest.mark.parametrize("types", ["keep", "text"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=["fitting first", "fitting last"])
def test_the_schema_does_not_depend_on_the_rows(types: str, order: tuple[int, ...]) -> None:
    rows = [("2023-05-01", 5), ("[DATE]", 6), ("2024", 7)]
    table = pa.table(
        {
            "dob": [dt.date(2000 + each, 1, 1) for each in order],
            "mrn": [1000000 + each for each in order],
            "glucose": [rows[each][1] for each in order],
        }
    )
    new = {f"{2000 + each}-01-01": rows[each][0] for each in order} | {
        f"100000{each}": f"200000{each}" for each in order
    }
    data = _data(table, group=1)
    out = _opened(_rewritten(data, new.__getitem__, FormatRules(types=types)))
    kept = [rows[each][0] for each in order]
    if types == "keep":
        assert out.schema.equals(_opened(data).schema)
        dates = [dt.date(2023, 5, 1) if text == "2023-05-01" else None for text in kept]
        assert out["dob"].to_pylist() == dates
        assert out["mrn"].to_pylist() == [2000000 + each for each in order]
    else:
        assert [str(each.type) for each in out.schema] == ["string", "string", "int64"]
        assert out["dob"].to_pylist() == kept
        assert out["mrn"].to_pylist() == [f"200000{each}" for each in order]
    assert out["glucose"].to_pylist() == table["glucose"].to_pylist()


def test_text_columns_hold_what_stays_of_a_column_too() -> None:
    table = pa.table({"phone": pa.array([12345678901.0, None], pa.float64())})
    out = unchanged(_data(table), "x.parquet", FormatRules(types="text"))
    assert _opened(out).to_pydict() == {"phone": ["12345678901", None]}


def test_whole_numbers_are_read_as_they_are_written() -> None:
    table = pa.table({"v12": [12345678901.0, 0.5, None]})
    texts = [d.text for d in documents(_data(table), "x.parquet")]
    assert texts == ["v 12: 12345678901"]


def test_a_required_column_takes_no_null_and_its_row_is_refused() -> None:
    schema = pa.schema([pa.field("mrn", pa.int64(), nullable=False)])
    data = _data(pa.table({"mrn": [1000001, 1000002]}, schema=schema))
    first, second, end = read(data, "x.parquet")
    with pytest.raises(TransformError, match=r"'mrn' must hold int64") as caught:
        first.render([_answered(first.documents[0], lambda _: "[MRN]")])
    assert "1000001" not in str(caught.value)
    out = second.render([_answered(second.documents[0], lambda _: "2000002")]) + end.render([])
    assert _opened(out).to_pydict() == {"mrn": [2000002]}
    assert not _opened(out).schema.field("mrn").nullable


def test_a_dropped_column_is_empty_even_where_it_was_required() -> None:
    schema = pa.schema([pa.field("a", pa.string(), nullable=False), pa.field("b", pa.int64())])
    data = _data(pa.table({"a": ["Quillon"], "b": [1]}, schema=schema))
    out = masked(data, "x.parquet", [], FormatRules(labels={"a": "drop"}))
    assert _opened(out).to_pydict() == {"a": [None], "b": [1]}
    assert b"Quillon" not in out


def test_categories_may_become_more_than_they_were() -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    table = pa.table({"patient_name": pa.array(["Quillon"] * 300, pa.string()).cast(kind)})
    numbers = iter(range(300))
    out = _opened(_rewritten(_data(table), lambda _: f"Name-{next(numbers)}"))
    assert out["patient_name"].to_pylist() == [f"Name-{number}" for number in range(300)]
    assert pa.types.is_dictionary(out.schema.field("patient_name").type)


def test_compression_encodings_and_required_fields_stay() -> None:
    schema = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("n", pa.int64())])
    table = pa.table({"text": ["a note of Quillon"] * 5, "n": [1, 2, 3, 4, None]}, schema=schema)
    options = {"compression": {"text": "zstd", "n": "none"}, "use_dictionary": ["n"]}
    data = _data(table, group=2, version="2.4", **options)
    out = masked(data, "x.parquet", ["Quillon"])
    before, after = (pq.ParquetFile(io.BytesIO(each)).metadata for each in (data, out))
    assert after.num_row_groups == before.num_row_groups == 3
    assert after.format_version == before.format_version
    for number in range(2):
        old, new = (meta.row_group(0).column(number) for meta in (before, after))
        assert (new.compression, new.encodings) == (old.compression, old.encodings)
    assert _opened(out).schema.equals(_opened(data).schema)


def test_what_producers_say_of_a_schema_goes_but_for_numbers_of_fields() -> None:
    metadata = {"PARQUET:field_id": "7", "comment": "the note of Quillon"}
    schema = pa.schema([pa.field("n", pa.int64(), metadata=metadata)], {"host": "Quillon"})
    out = unchanged(_data(pa.table({"n": [1]}, schema=schema)), "x.parquet")
    assert b"Quillon" not in out
    assert _opened(out).schema.field("n").metadata == {b"PARQUET:field_id": b"7"}


def test_stamps_in_96_bits_stay_in_96_bits() -> None:
    data = _data(pa.table({"seen": [NOON]}), use_deprecated_int96_timestamps=True)
    out = unchanged(data, "x.parquet")
    assert pq.ParquetFile(io.BytesIO(out)).metadata.row_group(0).column(0).physical_type == "INT96"
    assert _opened(out).equals(_opened(data))


@pytest.mark.parametrize("columns", [{}, {"text": pa.array([], pa.string()), "n": []}])
def test_tables_without_rows(columns) -> None:
    data = _data(pa.table(columns))
    out = unchanged(data, "x.parquet")
    assert _opened(out).equals(_opened(data))


def test_a_missing_column_is_named() -> None:
    (outcome,) = read(sample_table(), "x.parquet", FormatRules(text=("note",)))
    assert isinstance(outcome, Failure)
    assert "'note'" in outcome.message


def test_what_cannot_be_read_is_refused_unless_the_policy_speaks() -> None:
    data = _data(pa.table({"scan": [{"by": "Quillon"}], "text": ["a"]}))
    (failure,) = read(data, "x.parquet")
    assert isinstance(failure, Failure)
    assert "'scan'" in failure.message
    out = masked(data, "x.parquet", ["Quillon"], FormatRules(labels={"scan": "drop"}))
    assert _opened(out).to_pydict() == {"scan": [None], "text": ["a"]}


def test_two_columns_of_one_name_are_refused() -> None:
    (failure,) = read(_data(pa.table([[1], [2]], ["a", "a"])), "x.parquet")
    assert isinstance(failure, Failure)
    assert "two columns are named 'a'" in failure.message


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1 nonsense PAR1", sample_table()[:-9]])
def test_broken_files_are_refused(data: bytes) -> None:
    (outcome,) = read(data, "x.parquet")
    assert isinstance(outcome, Failure)


def test_a_broken_row_group_costs_its_rows_only() -> None:
    table = pa.table({"text": [f"note {number} " + "ab" * 40 for number in range(6)]})
    data = bytearray(_data(table, group=2, compression="zstd", use_dictionary=False))
    meta = pq.ParquetFile(io.BytesIO(bytes(data))).metadata
    start = meta.row_group(1).column(0).data_page_offset
    data[start : start + 40] = b"\xff" * 40
    found = read(bytes(data), "x.parquet")
    (failure,) = [each for each in found if isinstance(each, Failure)]
    assert failure.message.startswith("x.parquet row group 2: ")
    records = [each for each in found if isinstance(each, Record)]
    locators = [d.locator for record in records for d in record.documents]
    assert locators == [f"x.parquet:{number} text" for number in (1, 2, 5, 6)]
    results = [[Result(d, (), text=d.text) for d in record.documents] for record in records]
    out = b"".join(r.render(own) for r, own in zip(records, results, strict=True))
    assert _opened(out).equals(table.take([0, 1, 4, 5]))


@pytest.mark.parametrize(
    ("bad", "reason"), [(b"caf\xe9", "not UTF-8"), (b"a\0b", "NUL")], ids=["latin-1", "nul"]
)
def test_a_row_that_holds_no_text_is_refused_with_its_bytes(bad: bytes, reason: str) -> None:
    table = pa.table({"id": ["a", "b", "c"], "text": pa.array([b"one", bad, b"three"])})
    first, failure, third, end = read(_data(table), "x.parquet")
    assert failure.message.startswith("x.parquet:2: ")
    assert reason in failure.message
    assert _opened(failure.raw).to_pydict() == {"id": ["b"], "text": [bad]}
    out = b"".join(
        record.render([Result(d, (), text=d.text) for d in record.documents])
        for record in (first, third, end)
    )
    assert _opened(out).to_pydict() == {"id": ["a", "c"], "text": [b"one", b"three"]}


def test_rows_that_went_to_quarantine_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever they are: the first or last of a piece, of a row group, or a whole one."""
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 3)
    table = pa.table({"text": [f"note {number}" for number in range(20)]})
    data = _data(table, group=7)
    for lost in ({0}, {2, 3}, {6}, {7, 8, 9, 10, 11, 12, 13}, {19}, set(range(20))):
        *rows, end = read(data, "x.parquet")
        kept = [(n, row) for n, row in enumerate(rows) if n not in lost]
        out = b"".join(
            row.render([Result(d, (), text=d.text) for d in row.documents]) for _, row in kept
        )
        assert _opened(out + end.render([])).equals(
            table.take(pa.array([n for n, _ in kept], pa.int64()))
        )


def test_raw_bytes_of_a_row_are_a_table_of_one_row() -> None:
    _, second, _ = read(sample_table(), "x.parquet")
    assert _opened(second.raw()).to_pydict() == {
        "patient_id": ["7"], "mrn": [None], "text": [None], "score": [2.5],
    }  # fmt: skip


def _notes(megabytes: int) -> bytes:
    """A table of one row group whose notes pack badly."""
    dice = random.Random(7)
    notes = [dice.randbytes(5000).hex() for _ in range(megabytes * 100)]
    ids = [str(number) for number in range(len(notes))]
    return _data(pa.table({"id": ids, "text": notes}))


def _most_memory(data: bytes) -> tuple[int, int]:
    """The most that Arrow and Python held at a time, beyond the file itself."""
    before, arrow = pa.total_allocated_bytes(), 0
    tracemalloc.start()
    try:
        for record in ParquetFormat().read(io.BytesIO(data), "x.parquet", FormatRules()):
            assert isinstance(record, Record)
            record.render([Result(d, (), text=d.text) for d in record.documents])
            arrow = max(arrow, pa.total_allocated_bytes() - before)
        return arrow, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_PIECE_BYTES", 1 << 19)
    monkeypatch.setattr(parquet_writing, "_GROUP_BYTES", 1 << 20)
    small, large = _most_memory(_notes(10)), _most_memory(_notes(100))
    assert large[0] < 1.2 * small[0]
    assert large[1] < 1.2 * small[1]


def test_one_row_group_of_any_size_is_written_as_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_writing, "_GROUP_BYTES", 1 << 20)
    monkeypatch.setattr(parquet, "_PIECE_BYTES", 1 << 18)
    data = _notes(4)
    out = unchanged(data, "x.parquet")
    assert pq.ParquetFile(io.BytesIO(data)).num_row_groups == 1
    assert pq.ParquetFile(io.BytesIO(out)).num_row_groups > 2
    assert _opened(out).equals(_opened(data))


class _Pipe(io.BytesIO):
    def seekable(self) -> bool:
        return False


def test_a_pipe() -> None:
    records = ParquetFormat().read(_Pipe(sample_table()), "stdin", FormatRules())
    assert len(list(records)) == 3
