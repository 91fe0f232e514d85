"""Plain text: a file is one document. Encoding, byte order mark and line ends stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure
from incognote.formats.base import Record, new_text, refused
from incognote.formats.charset import Text, decode, looks_like_text
from incognote.formats.embedded import holds_packed_file
from incognote.policy import FormatRules


class TextFormat:
    name = "text"
    suffixes = (".txt", ".text", ".md", ".markdown")

    def sniff(self, head: bytes) -> bool:
        return looks_like_text(head)

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        del rules  # a text file has no fields
        try:
            source = _readable(stream.read())
        except ReadError as error:
            yield refused(name, error)
            return
        yield Record(
            (Document(name, source.text, locator=name),),
            lambda results: source.encode(new_text(results[0])),
        )


def _readable(data: bytes) -> Text:
    source = decode(data)
    if holds_packed_file(source.text):
        raise ReadError("holds a packed file or body, which no detector can read")
    return source
