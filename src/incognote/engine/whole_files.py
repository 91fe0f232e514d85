"""A whole file, in memory: read by its format, de-identified, written back in kind."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Protocol

from incognote.core.errors import IncognoteError, ReadError, wording
from incognote.core.types import Document, Failure, Result
from incognote.formats import HEAD, format_named, format_of
from incognote.formats.base import Record, with_records
from incognote.policy import FormatRules


class Deidentifying(Protocol):
    """A pipeline, wherever it runs."""

    def deid(self, documents: Sequence[Document], /) -> list[Result | Failure]: ...


def deidentified(
    pipeline: Deidentifying, rules: FormatRules, name: str, data: bytes, *, form: str = ""
) -> bytes | Failure:
    """The file with its PHI replaced, or why it is not given out: all of it or nothing. `form` is
    the name of its format, where the name of the file does not show it."""
    written: list[bytes] = []
    try:
        reader = format_named(form) if form else format_of(name, data[:HEAD])
        contents = reader.read(io.BytesIO(data), name, rules)
        for record in with_records(contents, name):
            if isinstance(record, Failure):
                return _without_name(record)
            outcomes = pipeline.deid(record.documents)
            if failed := next((each for each in outcomes if isinstance(each, Failure)), None):
                return _without_name(failed)
            written.append(_rendered(record, outcomes))
    except IncognoteError as error:
        stage = error.stage if isinstance(error, ReadError) else "file"
        return Failure("file", stage, type(error).__name__, wording(error))
    except Exception as error:  # noqa: BLE001 - fail closed; foreign messages may quote the file
        return Failure("file", "read", type(error).__name__)
    return b"".join(written)


def _rendered(record: Record, outcomes: list[Result | Failure]) -> bytes:
    return record.render([each for each in outcomes if isinstance(each, Result)])


def _without_name(failure: Failure) -> Failure:
    """The name of an uploaded file may hold PHI, and messages repeat it."""
    return Failure("file", failure.stage, failure.error)
