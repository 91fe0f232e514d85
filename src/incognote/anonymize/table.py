"""A table as the algorithms read it: each column as whole numbers into its sorted distinct values.

Any mapping of columns will do: a dict of lists, an Arrow table, a pandas or Polars data frame.
Messages name the attribute and the row, never the value.
"""

from __future__ import annotations

import csv
import datetime as dt
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from incognote.core.errors import MissingExtra, UsageError

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

MISSING = -1  # the code of a cell without a value
NUMBER, DATE, TEXT = "number", "date", "text"


@dataclass(frozen=True, slots=True)
class Column:
    """`codes[row]` is the place of the row's value in `values`, which are distinct and sorted."""

    name: str
    codes: Codes = field(repr=False)
    values: tuple[Any, ...] = field(repr=False)
    kind: str = TEXT

    @property
    def positions(self) -> Floats:
        """Where each value lies on a line: numbers and days as they are, texts by their rank."""
        if self.kind == NUMBER:
            return np.array(self.values, dtype=np.float64)
        if self.kind == DATE:
            return np.array([value.toordinal() for value in self.values], dtype=np.float64)
        return np.arange(len(self.values), dtype=np.float64)

    def text(self, code: int) -> str:
        return "" if code == MISSING else as_text(self.values[code])


@dataclass(frozen=True, slots=True)
class Table:
    rows: int
    columns: Mapping[str, Column] = field(repr=False)

    @classmethod
    def of(cls, data: Any, names: Sequence[str] | None = None) -> Table:
        """The named columns of any column mapping (default: all)."""
        if isinstance(data, Table):
            return data
        present = column_names(data)
        for name in names or ():
            if name not in present:
                raise UsageError(f"the table has no column {name!r}; it has {', '.join(present)}")
        columns = {name: encode(name, column_cells(data, name)) for name in names or present}
        sizes = {len(column.codes) for column in columns.values()}
        if len(sizes) > 1:
            raise UsageError("the columns of the table are not of one length")
        rows = sizes.pop() if sizes else 0
        if rows == 0:
            raise UsageError("the table is empty")
        return cls(rows, columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise UsageError(f"the table has no column {name!r}; it has {', '.join(self.columns)}")
        return self.columns[name]


def column_names(data: Any) -> list[str]:
    names = getattr(data, "column_names", None)  # an Arrow table
    if names is None:
        names = getattr(data, "columns", None)  # pandas, Polars
    if names is None:
        try:
            names = data.keys()
        except AttributeError:
            raise UsageError("a table is a mapping of column names to columns") from None
    return [str(name) for name in names]


def column_cells(data: Any, name: str) -> Any:
    column = data.column(name) if hasattr(data, "column_names") else data[name]
    for method in ("to_pylist", "to_list", "tolist"):
        if not isinstance(column, np.ndarray) and hasattr(column, method):
            return getattr(column, method)()
    return column


def encode(name: str, cells: Any) -> Column:
    """A column from its cells. Empty cells are missing; NaN is an error: it is never meant."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        values, inverse = np.unique(cells, return_inverse=True)
        return Column(name, inverse.astype(np.int32), tuple(values.tolist()), NUMBER)
    if isinstance(cells, np.ndarray):
        cells = cells.tolist()
    first: dict[Any, int] = {}
    try:
        codes: Codes = np.fromiter(
            (
                MISSING if cell is None or cell == "" else first.setdefault(cell, len(first))
                for cell in cells
            ),
            dtype=np.int32,
            count=len(cells),
        )
    except TypeError:  # lists and the like; the message would not help anybody
        raise _unreadable(name) from None
    _refuse_nan(name, cells, first)
    kind = _kind(name, first)
    if kind is None:  # texts and numbers in one column: all are texts
        renamed: dict[str, int] = {}
        into = np.array([renamed.setdefault(as_text(value), len(renamed)) for value in first])
        codes, first, kind = _recoded(codes, into), dict(renamed), TEXT
    ordered = sorted(first)
    rank = np.empty(len(ordered), dtype=np.int32)
    rank[[first[value] for value in ordered]] = np.arange(len(ordered), dtype=np.int32)
    return Column(name, _recoded(codes, rank), tuple(ordered), kind)


def as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _recoded(codes: Codes, into: Ints | Codes) -> Codes:
    if not len(into):
        return codes
    return np.where(codes == MISSING, MISSING, into[codes]).astype(np.int32)


def _refuse_nan(name: str, cells: Sequence[Any], values: Iterable[Any]) -> None:
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        row = next(
            number
            for number, cell in enumerate(cells, 1)
            if isinstance(cell, float) and not math.isfinite(cell)
        )
        raise not_a_number(name, row)


def not_a_number(name: str, row: int) -> UsageError:
    return UsageError(f"{name}, row {row}: not a number; leave a cell empty if nothing is known")


def _unreadable(name: str) -> UsageError:
    return UsageError(f"{name}: holds values that are neither text, number nor date")


def _kind(name: str, values: Iterable[Any]) -> str | None:
    kinds = set()
    for value in values:
        if isinstance(value, bool | str):
            kinds.add(TEXT)
        elif isinstance(value, int | float | np.integer | np.floating):
            kinds.add(NUMBER)
        elif isinstance(value, dt.date):
            kinds.add(DATE)
        else:
            raise _unreadable(name)
    if len(kinds) > 1:
        return None
    return kinds.pop() if kinds else TEXT


PERSON = "person"


def check_persons(data: Any, column: str = "", most: int = 1) -> None:
    """Refuses a table in which a person has more than `most` rows: who is there eleven times would
    be a class alone. `column` names the persons; by default it is "person", if there is one."""
    if not column and PERSON not in column_names(data):
        return
    name = column or PERSON
    codes = Table.of(data, [name])[name].codes
    rows = np.bincount(codes[codes != MISSING])
    if not (rows > most).any():
        return
    own = np.flatnonzero(codes == int(np.argmax(rows > most)))
    raise UsageError(
        f"{name}, row {own[most] + 1}: a person has more than {most} row{'s' * (most > 1)}"
    )


# ---------------------------------------------------------------------------------------- files


def read_table(path: Path, separator: str = "") -> dict[str, list[Any]]:
    """The columns of a CSV or Parquet file. In a CSV, a column of whole numbers is one of numbers,
    unless some number starts with a zero, as ZIP codes do."""
    if path.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            columns = _csv_columns(path, file, separator)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file in UTF-8") from None
    except csv.Error:  # its message may quote a cell
        raise UsageError(f"{path}: not a CSV file, as a quote that is never closed") from None
    return {head: _typed(head, cells) for head, cells in columns.items()}


def _csv_columns(path: Path, file: TextIO, separator: str) -> dict[str, list[str]]:
    first = file.readline()
    if not first.strip():
        raise UsageError(f"{path}: the table is empty")
    file.seek(0)
    rows = csv.reader(file, delimiter=separator or _separator(first), strict=True)
    heads = [head.strip() for head in next(rows)]
    if len(set(heads)) < len(heads):
        raise UsageError(f"{path}: two columns have the same name")
    columns: list[list[str]] = [[] for _ in heads]
    for number, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) != len(heads):
            raise UsageError(f"{path}, row {number}: {len(row)} cells under {len(heads)} heads")
        for column, cell in zip(columns, row, strict=True):
            column.append(cell.strip())
    return dict(zip(heads, columns, strict=True))


def read_parquet(path: Path) -> dict[str, list[Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("reading Parquet", "parquet") from None
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError):
        raise UsageError(f"{path}: not a Parquet file, or damaged") from None
    return {name: table.column(name).to_pylist() for name in table.column_names}


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("writing Parquet", "parquet") from None
    pq.write_table(pa.table({name: list(cells) for name, cells in columns.items()}), path)


def _separator(line: str) -> str:
    return max(",;\t|", key=line.count)


def _typed(name: str, cells: list[str]) -> list[Any]:
    filled = {cell for cell in cells if cell}
    numbers = {cell for cell in filled if _is_number(cell)}
    if numbers and filled - numbers and all(map(_is_no_number, filled - numbers)):
        row = next(row for row, cell in enumerate(cells, 1) if cell and cell not in numbers)
        raise not_a_number(name, row)
    if filled and filled == numbers:
        return [_number(cell) if cell else None for cell in cells]
    if filled and all(map(_is_day, filled)):
        return [dt.date.fromisoformat(cell) if cell else None for cell in cells]
    return list(cells)


def _is_number(cell: str) -> bool:
    body = cell.removeprefix("-")
    whole, _, rest = body.partition(".")
    leading_zero = len(whole) > 1 and whole.startswith("0")
    return whole.isdecimal() and (not rest or rest.isdecimal()) and not leading_zero


def _is_no_number(cell: str) -> bool:
    """NaN and infinities, as other programs write them."""
    return cell.lstrip("+-").casefold() in ("nan", "inf", "infinity")


def _number(cell: str) -> int | float:
    return float(cell) if "." in cell else int(cell)


def _is_day(cell: str) -> bool:
    try:
        dt.date.fromisoformat(cell)
    except ValueError:
        return False
    return len(cell) == 10


def cells_of(columns: Mapping[str, Sequence[Any]]) -> Iterator[list[str]]:
    """The rows of a table as texts, for a CSV."""
    for row in zip(*columns.values(), strict=True):
        yield ["" if cell is None else as_text(cell) for cell in row]
