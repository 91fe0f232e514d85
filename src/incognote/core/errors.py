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

Messages name files, rows, labels and policy paths. They never carry clinical text. Only code of
incognote is trusted with that: a message of any other code is never quoted, whatever its class.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import TracebackType

_HERE = str(Path(__file__).parents[1]) + os.sep
# What steers a terminal or turns the direction of writing, and the ends of lines.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_CONTROLS_IN_TEXT = re.compile(rf"(?![\n\t]){_CONTROLS.pattern}")


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


def wording(error: BaseException) -> str:
    """What may be said of an error. Our own messages and those of the operating system hold no
    clinical text, others' might: of those, only the type and the line of code that raised it."""
    if isinstance(error, IncognoteError) and is_ours(error):
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


def is_ours(error: BaseException) -> bool:
    """Whether an error was raised by incognote itself, with no code of others in between.

    A plug-in may raise our classes, and put a note into the message.
    """
    trace = error.__traceback__
    while trace:
        if not _is_own(trace) and not _is_standard(trace):
            return False
        trace = trace.tb_next
    return True


def _is_own(trace: TracebackType) -> bool:
    frame = trace.tb_frame
    # A dataclass has an __init__ that no file holds; it belongs to the module of its class.
    is_generated = frame.f_code.co_filename == "<string>"
    file = frame.f_globals.get("__file__") if is_generated else frame.f_code.co_filename
    return str(file).startswith(_HERE)


def _is_standard(trace: TracebackType) -> bool:
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    # The interpreter's own C code has no module: the XML parser calls back through such a frame.
    is_interpreter = not module and trace.tb_frame.f_code.co_filename.endswith(".c")
    return is_interpreter or module.partition(".")[0] in sys.stdlib_module_names


def printable(text: str, *, lines: bool = False) -> str:
    """A text as a terminal may show it: file names and notes may hold sequences that move the
    cursor, change the title or hide what follows. `lines` keeps line ends and tabs."""
    pattern = _CONTROLS_IN_TEXT if lines else _CONTROLS
    return pattern.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
