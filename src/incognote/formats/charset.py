"""Bytes to text and exactly back: encodings, byte order marks, and what is refused.

A text read in the wrong encoding looks fine to a program and hides names from every detector, so
nothing is guessed that bytes can disprove: UTF-8 if it is UTF-8; UTF-16 or UTF-32 with a byte order
mark; else Windows-1252 (the superset of Latin-1 that hospitals mean), unless the same bytes also
hold UTF-8 sequences, bytes that Windows-1252 does not have, or impossible words ("M„ller",
"Èâàíîâ", "cafÃ"), as text of another code page or a UTF-8 character cut in two would give.
Everything else is a ReadError.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO

from incognote.core.errors import ReadError, TransformError
from incognote.core.text.letters import hides_text

# UTF-32's little-endian mark begins with UTF-16's: longest first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A well-formed UTF-8 sequence, or a surrogate written as if it were one.
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
# Windows-1252 that is none: marks within a word, where DOS has its accents; capitals within one, as
# on a Mac or where half a UTF-8 character appears; and words of nothing but accents, as Cyrillic,
# Greek and the scripts of Asia come out.
_OTHER_CODE_PAGE = re.compile(
    r"[^\W\d_][‚„”ƒ‡ˆ‰‹›˜¢£¤¥§¦¨¬¯´¶¸÷][^\W\d_]"
    r"|[A-Za-z][ŠŒŽŸ][a-z]|[a-z]{2}[ŠŒŽŸ](?![A-Z])|[a-zß-öø-ÿ]{2}[À-ÖØ-Þ](?![A-ZÀ-ÖØ-Þ])"
    r"|[À-ÖØ-öø-ÿ]{4}"
)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENDS = re.compile(rb"[\r\n]")
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text with all it takes to write another text the same way."""

    text: str = field(repr=False)
    encoding: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError:
            raise TransformError(f"a replacement cannot be written in {self.encoding}") from None


def decode(data: bytes) -> Text:
    """The text of `data`; a ReadError where bytes and every allowed encoding disagree."""
    mark, encoding = split_mark(data)
    if encoding is not None:
        try:
            return Text(check(data[len(mark) :].decode(encoding)), encoding, mark)
        except UnicodeDecodeError:
            raise ReadError(f"begins as {encoding} but is not {encoding} throughout") from None
    try:
        return Text(check(data.decode("utf-8")))
    except UnicodeDecodeError:
        pass
    if _BINARY.search(data):
        raise ReadError("not text: binary data")
    if _MULTIBYTE.search(data):
        raise ReadError("mixed encodings: partly UTF-8, partly not")
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise ReadError("neither UTF-8 nor Windows-1252 nor marked as UTF-16") from None
    if _OTHER_CODE_PAGE.search(text):
        raise ReadError(
            "not UTF-8, and as Windows-1252 it makes no words: convert it to UTF-8 first, "
            "for example with iconv"
        )
    return Text(text, "cp1252")


def check(text: str) -> str:
    """The text, unless it holds what no text should: NULs, lone surrogates, tag letters."""
    if "\0" in text:
        raise ReadError("holds NUL characters: binary data, or UTF-16 without a byte order mark")
    if _SURROGATE.search(text):
        raise ReadError("holds lone surrogates")
    if hides_text(text):
        raise ReadError("holds tag letters, which are invisible text")
    return text


def split_mark(data: bytes) -> tuple[bytes, str | None]:
    """The byte order mark at the head of `data` and the encoding it names."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return mark, encoding
    return b"", None


def looks_like_text(head: bytes) -> bool:
    """Whether a file that begins with `head` may be text. The head may end within a character."""
    try:
        decode(head)
    except ReadError:
        # A cut can only spoil the last few bytes; the rest must be valid by itself.
        return any(_decodes(head[:-cut]) for cut in (1, 2, 3) if len(head) > cut)
    return True


def _decodes(head: bytes) -> bool:
    try:
        decode(head)
    except ReadError:
        return False
    return True


class Lines:
    """The lines of a stream as bytes in which ASCII is ASCII, line ends kept, and the way back.

    UTF-16 and UTF-32 are handed on as UTF-8; `restore` turns what is written into the encoding of
    the stream again. Other streams pass through as they are: their lines may even differ in
    encoding, and each is decoded on its own.
    """

    def __init__(self, stream: BinaryIO) -> None:
        head = stream.read(4)
        self.mark, encoding = split_mark(head)
        self.encoding = encoding or "utf-8"
        self._rest = head[len(self.mark) :]
        self._stream = stream
        self._wide = self.encoding.startswith(("utf-16", "utf-32"))

    def __iter__(self) -> Iterator[bytes]:
        """Lines end in LF, CR LF or a lone CR, or with the stream."""
        pieces: list[bytes] = []  # a line may be longer than a chunk; joining once keeps it linear
        for chunk in self._chunks():
            pieces.append(chunk)
            if _ENDS.search(chunk) or (len(pieces) > 1 and pieces[-2].endswith(b"\r")):
                *lines, rest = _split(b"".join(pieces))
                yield from lines
                pieces = [rest]
        if last := b"".join(pieces):
            yield last

    def restore(self, data: bytes) -> bytes:
        return data.decode("utf-8").encode(self.encoding) if self._wide else data

    def _chunks(self) -> Iterator[bytes]:
        # From a pipe, take what is there: a row must not wait until so many more have come.
        read = getattr(self._stream, "read1", self._stream.read)
        chunks = chain([self._rest], iter(lambda: read(_CHUNK), b""))
        if not self._wide:
            yield from chunks
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            for chunk in chunks:
                yield decoder.decode(chunk).encode("utf-8")
            decoder.decode(b"", final=True)
        except UnicodeError:
            raise ReadError(
                f"begins as {self.encoding} but is not {self.encoding} throughout"
            ) from None


def _split(data: bytes) -> list[bytes]:
    """Whole lines, and last what may go on: after a CR at the very end, an LF may follow."""
    lines = data.splitlines(keepends=True)
    return [*lines, b""] if data.endswith(b"\n") or not lines else lines
