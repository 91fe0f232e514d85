"""A clinical table set of ours, in every format for tables: laboratory, drugs, vitals,
microbiology, genomics, problems, procedures, imaging, pathology, scores, vaccines, function tests.

Columns that hold PHI have a "!" before their name in `tables/`; all other values must come back as
they were. Public workbooks hold Lorem, Foo and telephone numbers: they say little about medicine.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.harm.rate import Harm, changed, deidentified
from bench.harm.values import Value
from incognote.core.types import Failure
from incognote.pipeline import Pipeline

FOLDER = Path(__file__).with_name("tables")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,8}[1-9])?")


class Table(NamedTuple):
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    phi: frozenset[str]


def tables() -> Iterator[Table]:
    for path in sorted(FOLDER.glob("*.csv")):
        header, *rows = csv.reader(io.StringIO(path.read_text("utf-8")))
        names = tuple(name.removeprefix("!") for name in header)
        phi = frozenset(name.removeprefix("!") for name in header if name.startswith("!"))
        yield Table(path.stem, names, tuple(map(tuple, rows)), phi)


def table_rates(pipeline: Pipeline) -> dict[str, Harm]:
    """The harm done to the clinical tables, by the format they are written in."""
    found: dict[str, Harm] = {}
    for kind, (write, read) in FORMATS.items():
        harm = found.setdefault(f"tables {kind}", Harm())
        for table in tables():
            file, data = f"{table.name}.{kind}", write(table)
            outcome = deidentified(data, file, pipeline)
            if isinstance(outcome, Failure):
                harm.refused.append(f"{file}: {outcome.stage}: {outcome.error}")
                continue
            harmless = [value for value in read(data) if value.field not in table.phi]
            harm.values += len(harmless)
            harm.changes += changed(harmless, read(outcome), file)
    return found


def _delimited(table: Table, delimiter: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([table.columns, *table.rows])
    return out.getvalue().encode()


def _xlsx(table: Table) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(table.columns))
    for row in table.rows:
        sheet.append([_typed(value) for value in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _parquet(table: Table) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    columns = {
        name: [row[at] or None for row in table.rows] for at, name in enumerate(table.columns)
    }
    out = io.BytesIO()
    parquet.write_table(
        pa.table({key: pa.array(of, pa.string()) for key, of in columns.items()}), out
    )
    return out.getvalue()


def _json_lines(table: Table) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in _objects(table)).encode()


def _json(table: Table) -> bytes:
    return json.dumps(list(_objects(table)), indent=1).encode()


def _objects(table: Table) -> Iterator[Mapping[str, object]]:
    for row in table.rows:
        yield {name: _typed(value) for name, value in zip(table.columns, row, strict=True) if value}


def _typed(value: str) -> object:
    """A number as a number, where it stays what it is."""
    return float(value) if _NUMBER.fullmatch(value) else value or None


def _values(rows: Sequence[Mapping[str, object]]) -> Iterator[Value]:
    for number, row in enumerate(rows):
        for name, value in row.items():
            if value not in (None, ""):
                yield Value(f"{number}.{name}", name, str(value))


def _read_delimited(data: bytes, delimiter: str) -> Iterator[Value]:
    return _values(list(csv.DictReader(io.StringIO(data.decode()), delimiter=delimiter)))


def _read_xlsx(data: bytes) -> Iterator[Value]:
    import openpyxl

    header, *rows = openpyxl.load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)
    return _values([dict(zip(map(str, header), row, strict=True)) for row in rows])


def _read_parquet(data: bytes) -> Iterator[Value]:
    from pyarrow import parquet

    return _values(parquet.read_table(io.BytesIO(data)).to_pylist())


FORMATS: dict[str, tuple[Callable[[Table], bytes], Callable[[bytes], Iterator[Value]]]] = {
    "csv": (lambda table: _delimited(table, ","), lambda data: _read_delimited(data, ",")),
    "tsv": (lambda table: _delimited(table, "\t"), lambda data: _read_delimited(data, "\t")),
    "xlsx": (_xlsx, _read_xlsx),
    "parquet": (_parquet, _read_parquet),
    "jsonl": (_json_lines, lambda data: _values([json.loads(x) for x in data.splitlines()])),
    "json": (_json, lambda data: _values(json.loads(data))),
}
