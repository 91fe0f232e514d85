"""What authors of plug-ins import: protocols, values and helpers, from one stable place.

A package adds components through entry points (`docs/guides/plugins.md`):

    incognote.detectors        a class that fits `Detector`
    incognote.formats          a class that fits `Format`
    incognote.transforms       a class that fits `Transform`
    incognote.corpus_formats   a `CorpusFormat`

Everything listed here follows the deprecation policy; every other module is private.
"""

from incognote.core.errors import (
    DetectError,
    DocumentError,
    MissingExtra,
    PolicyError,
    ReadError,
    TransformError,
    UsageError,
)
from incognote.core.labels import all_labels
from incognote.core.types import (
    AnnotatedDocument,
    Detector,
    Document,
    Failure,
    Replacement,
    Result,
    Span,
    Tokens,
    View,
)
from incognote.corpus.formats.base import CorpusFormat
from incognote.formats.base import (
    Format,
    Record,
    new_text,
    refused,
    require_modules,
    unchanged,
    whole,
)
from incognote.policy import FormatRules
from incognote.transform.apply import Transform
from incognote.transform.record import Mention, TransformRecord

__all__ = [
    "AnnotatedDocument",
    "CorpusFormat",
    "DetectError",
    "Detector",
    "Document",
    "DocumentError",
    "Failure",
    "Format",
    "FormatRules",
    "Mention",
    "MissingExtra",
    "PolicyError",
    "ReadError",
    "Record",
    "Replacement",
    "Result",
    "Span",
    "Tokens",
    "Transform",
    "TransformError",
    "TransformRecord",
    "UsageError",
    "View",
    "all_labels",
    "new_text",
    "refused",
    "require_modules",
    "unchanged",
    "whole",
]
