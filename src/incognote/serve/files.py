"""A whole file, in memory: read by its format, de-identified, written back in kind."""

from __future__ import annotations

import io

from incognote.core.errors import IncognoteError, ReadError, wording
from incognote.core.types import Failure, Result
from incognote.formats import HEAD, format_of
from incognote.formats.base import Record
from incognote.pipeline import Pipeline


def deidentified(pipeline: Pipeline, name: str, data: bytes) -> bytes | Failure:
    """The file with its PHI replaced, or why it is not given out: all of it or nothing."""
    written: list[bytes] = []
    try:
        form = format_of(name, data[:HEAD])
        for record in form.read(io.BytesIO(data), name, pipeline.policy.formats):
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
