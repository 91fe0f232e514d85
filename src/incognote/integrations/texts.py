"""What all integrations share: texts in, new texts out, or an error that names no text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from incognote.api import Deidentifier
from incognote.core.errors import DocumentError
from incognote.core.types import Document, Failure, Result


def deidentified(
    deidentifier: Deidentifier, texts: Sequence[str], patients: Iterable[str | None] = ()
) -> list[str]:
    """The texts without their PHI, in order. The first that fails raises: a library that maps over
    texts has no place for a failure, and an empty text would pass for a note."""
    given = [*patients]
    owners = [*given, *[None] * (len(texts) - len(given))]
    documents = [
        Document(str(number), text, {"patient_id": owner} if owner else {})
        for number, (text, owner) in enumerate(zip(texts, owners, strict=True))
    ]
    return [_text(outcome) for outcome in deidentifier.deid(documents)]


def _text(outcome: Result | Failure) -> str:
    if isinstance(outcome, Failure):
        where = f"text {outcome.document_id}"
        raise DocumentError(f"{where}: {outcome.stage}: {outcome.message or outcome.error}")
    assert outcome.text is not None
    return outcome.text
