"""incognote: de-identifies clinical text.

    import incognote

    result = incognote.Deidentifier().deid("Seen by Dr. Smith on 3/4/2020.")
    print(result.text)

Names are imported when they are first used, so that `import incognote` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incognote.api import Deidentifier, TableResult, deid_files, detect_files
    from incognote.core.errors import DocumentError, IncognoteError, PolicyError, UsageError
    from incognote.core.types import Document, Failure, Replacement, Result, Span
    from incognote.policy import Policy, load_policy

__version__ = "0.1.0"

_HOME = {
    "Deidentifier": "incognote.api",
    "Document": "incognote.core.types",
    "DocumentError": "incognote.core.errors",
    "Failure": "incognote.core.types",
    "IncognoteError": "incognote.core.errors",
    "Policy": "incognote.policy",
    "PolicyError": "incognote.core.errors",
    "Replacement": "incognote.core.types",
    "Result": "incognote.core.types",
    "Span": "incognote.core.types",
    "TableResult": "incognote.api",
    "UsageError": "incognote.core.errors",
    "deid_files": "incognote.api",
    "detect_files": "incognote.api",
    "load_policy": "incognote.policy",
}

__all__ = [
    "Deidentifier",
    "Document",
    "DocumentError",
    "Failure",
    "IncognoteError",
    "Policy",
    "PolicyError",
    "Replacement",
    "Result",
    "Span",
    "TableResult",
    "UsageError",
    "__version__",
    "deid_files",
    "detect_files",
    "load_policy",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
