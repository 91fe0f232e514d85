"""The surrogates of mentions that are numbers or codes."""

from __future__ import annotations

from incognote.transform.record import Mention, TransformRecord


def identifier(mention: Mention, record: TransformRecord) -> str:
    """The surrogate of any number or code that identifies."""
    return remapped(mention.text, record)


def remapped(text: str, record: TransformRecord) -> str:
    return record.chose(record.scope.identifiers(text))


def ssn(mention: Mention, record: TransformRecord) -> str:
    return record.chose(record.scope.identifiers.ssn(mention.text))
