"""Every error incognote raises, drawn as one tree:

    IncognoteError
    ├── PolicyError          the policy file is wrong (exit 1, before the first document)
    ├── UsageError           the call is wrong: options, paths, columns (exit 1)
    │   └── MissingExtra     an optional dependency is not installed; names the extra
    └── DocumentError        one document cannot be processed (quarantine, the run goes on)
        ├── ReadError        its file or row cannot be read
        ├── LanguageError    nothing in the policy serves its language
        ├── DetectError      a detector failed on it
        ├── OffsetError      a span does not map back to the source
        ├── TransformError   no acceptable replacement was found
        └── LeakError        an original value survived replacement

Messages name files, rows, labels and policy paths. They never carry clinical text.
"""

from __future__ import annotations

import os


class IncognoteError(Exception):
    """The root: catch this to catch everything incognote raises on purpose."""


class PolicyError(IncognoteError):
    pass


class UsageError(IncognoteError):
    pass


class MissingExtra(UsageError):  # noqa: N818 - reads as what happened
    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional dependency: pip install 'incognote[{extra}]'")
        self.extra = extra


class DocumentError(IncognoteError):
    stage = "document"


class ReadError(DocumentError):
    stage = "read"


class LanguageError(DocumentError):
    stage = "language"


class DetectError(DocumentError):
    stage = "detect"


class OffsetError(DocumentError):
    stage = "offsets"


class TransformError(DocumentError):
    stage = "transform"


class LeakError(DocumentError):
    stage = "leak-check"


def wording(error: Exception) -> str:
    """What may be said of an error. Our own messages and those of the operating system hold no
    clinical text, others' might: of those, only the type and the line of code that raised it."""
    if isinstance(error, IncognoteError):
        return str(error)
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    module = trace.tb_frame.f_globals.get("__name__", "?")
    return f"{type(error).__name__} in {module}, line {trace.tb_lineno}"
