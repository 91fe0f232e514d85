"""The columns of an Arrow table: which are read, and what type they have afterwards.

Told by the policy and the schema alone, before the first row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from incognote.core.errors import ReadError
from incognote.formats.fields import Columns, require
from incognote.policy import DROP, KEEP, TEXT, FormatRules


def read_columns(schema: Any, rules: FormatRules) -> tuple[Columns, tuple[str, ...]]:
    """What each column is, and the names of those whose values are looked at. A ReadError where a
    column is missing, appears there twice, or is of a type that cannot be read."""
    import pyarrow as pa

    names = schema.names
    require(names, rules)
    if twice := next((each for each in names if names.count(each) > 1), None):
        raise ReadError(f"two columns are named {twice!r}")
    columns = Columns(names, rules)
    for each in schema:
        if pa.types.is_date(each.type) or pa.types.is_timestamp(each.type):
            columns.set_label(each.name, "DATE")
    return columns, tuple(each.name for each in schema if _is_read(each, columns))


def new_field(old: Any, columns: Columns, read: Sequence[str]) -> Any:
    """A column of the output."""
    import pyarrow as pa

    new, kind = old, old.type
    if columns.choice(old.name) == DROP:
        return new.with_nullable(True)
    if old.name not in read or columns.choice(old.name) == KEEP:
        return new
    if pa.types.is_dictionary(kind):
        # Replacements may be longer than the values were.
        return new.with_type(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))
    as_text = columns.rules.types == TEXT and columns.is_label(old.name)
    return new.with_type(pa.string()) if as_text and not _holds_text(kind) else new


def _is_read(each: Any, columns: Columns) -> bool:
    """Whether the values of a column are to be looked at; a ReadError where that is impossible."""
    import pyarrow as pa
    from pyarrow import types

    kind, choice = each.type, columns.choice(each.name)
    if choice == DROP or (choice == KEEP and each.name not in columns.keys):
        return False
    if types.is_boolean(kind) or types.is_null(kind) or _numbers_within(kind):
        return False
    if types.is_time(kind) or types.is_duration(kind):
        return False
    try:
        pa.array([], kind).cast(pa.string())
    except pa.ArrowException:
        raise ReadError(
            f"column {each.name!r} holds {kind}, which cannot be read: say keep or drop"
        ) from None
    return True


def _holds_text(kind: Any) -> bool:
    import pyarrow as pa

    texts = pa.string(), pa.large_string(), pa.string_view()
    return kind in (*texts, pa.binary(), pa.large_binary(), pa.binary_view())


def _numbers_within(kind: Any) -> bool:
    """Whether a type is a list of numbers, however deep: a waveform, a vector."""
    from pyarrow import types

    deep = False
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind, deep = kind.value_type, True
    return deep and (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))
