"""HL7 v2 as text: separators, escapes, and where each field, repetition and component appears."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from incognote.core.errors import ReadError
from incognote.formats.patch import Piece

_ESCAPE = re.compile(r"\\([^\\\r\n]{1,2000})\\")
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
# No segment of any version has a tenth of these.
_MOST_FIELDS = 1000
_LINE = re.compile(r"[^\r\n\x0b\x1c]+")
# Segments that declare the separators in their fields 1 and 2.
HEADERS = ("MSH", "BHS", "FHS")


@dataclass(frozen=True, slots=True)
class Separators:
    """The characters that MSH-1 and MSH-2 declare; files do choose others."""

    fields: str = "|"
    components: str = "^"
    repetitions: str = "~"
    escape: str = "\\"
    subcomponents: str = "&"

    @classmethod
    def declared(cls, header: str, where: str) -> Separators:
        if len(header) < 8 or header[:3] not in HEADERS:
            raise ReadError(f"{where}: does not begin with an MSH segment")
        # Some systems write the escape character twice.
        encoding = "".join(dict.fromkeys(header[4:].split(header[3], 1)[0]))
        marks = [*encoding, *"^~\\&"[len(encoding) :]][:4]
        chosen = [header[3], *marks]
        if len(set(chosen)) != 5 or any(mark.isalnum() or mark.isspace() for mark in chosen):
            raise ReadError(f"{where}: MSH declares separators that cannot be told apart")
        return cls(header[3], *marks)

    def decode(self, text: str) -> str:
        if self.escape not in text:
            return text
        plain = {
            "F": self.fields,
            "S": self.components,
            "T": self.subcomponents,
            "R": self.repetitions,
            "E": self.escape,
            ".br": "\n",
        }

        def undo(match: re.Match[str]) -> str:
            code = match[1]
            if code[0] == "X":
                return _from_hex(code[1:])
            if code[0] == "Z":
                return code[1:]  # a local escape may say anything
            # Highlighting and formatting commands say how text looks, not what it says.
            return plain.get(code, "\n" if code.startswith(".") else "")

        if self.escape != "\\":
            text = text.replace("\\", "/").replace(self.escape, "\\")
        return _ESCAPE.sub(undo, text)

    def encode(self, text: str) -> str:
        escaped = text.replace(self.escape, f"{self.escape}E{self.escape}")
        for mark, code in (
            (self.fields, "F"),
            (self.components, "S"),
            (self.subcomponents, "T"),
            (self.repetitions, "R"),
        ):
            escaped = escaped.replace(mark, f"{self.escape}{code}{self.escape}")
        escaped = escaped.replace("\n", f"{self.escape}.br{self.escape}")
        # A segment would end here.
        return escaped.replace("\r", f"{self.escape}X0D{self.escape}")


def _from_hex(digits: str) -> str:
    """Characters by their codes: UTF-8 where it is that, else Latin-1."""
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        return " "
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Element(NamedTuple):
    """A field of a message, or a repetition, component or subcomponent of one."""

    start: int
    text: str

    def split(self, mark: str) -> list[Element]:
        if mark not in self.text:
            return [self]
        elements = []
        at = self.start
        for text in self.text.split(mark):
            elements.append(Element(at, text))
            at += len(text) + 1
        return elements

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def piece(self, marks: Separators) -> Piece:
        return Piece(self.start, self.end, marks.decode(self.text))


class Segment(NamedTuple):
    """A segment's name and its fields, which begin at `start` with the number `first`.

    A line that is no segment is field 0 of "".
    """

    name: str
    start: int
    first: int
    texts: list[str]

    def elements(self) -> Iterator[tuple[int, Element]]:
        """The fields that say something, by number."""
        at = self.start
        for number, text in enumerate(self.texts, self.first):
            if text:
                yield number, Element(at, text)
            at += len(text) + 1

    def text(self, number: int) -> str:
        at = number - self.first
        return self.texts[at] if 0 <= at < len(self.texts) else ""

    def element(self, number: int) -> Element | None:
        """A field, which may be empty; None where the segment ends before it."""
        before = self.texts[: number - self.first]
        if len(before) == len(self.texts):
            return None
        return Element(self.start + sum(map(len, before)) + len(before), self.text(number))


def segments(raw: str, marks: Separators) -> Iterator[Segment]:
    """The segments of a message, whatever ends them: CR, LF or both."""
    for line in _LINE.finditer(raw):
        name, *texts = line[0].split(marks.fields, _MOST_FIELDS + 1)
        if len(texts) > _MOST_FIELDS:
            raise ReadError(f"a segment of more than {_MOST_FIELDS:,} fields")
        if not texts or not _NAME.fullmatch(name):
            # The line of a report whose sender did not escape its line breaks.
            yield Segment("", line.start(), 0, [line[0]])
        else:
            # In a header the first separator is itself field 1, so that numbers run one higher.
            yield Segment(name, line.start() + len(name) + 1, 2 if name in HEADERS else 1, texts)
