"""Where every text, attribute and comment of an XML file appears.

expat reports byte positions as it parses, so that a file can be patched instead of written anew.
Declarations within the file are refused (a few lines of entities can expand to gigabytes, or name
files of this machine), and nothing external is ever opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5
from typing import Literal
from xml.parsers import expat

from incognote.core.errors import ReadError

_ATTRIBUTE = re.compile(r"""\s+([^\s=<>"']+)\s*=\s*("[^"]*"|'[^']*')""")
_PRIVATE_PATH = re.compile(r"\b[A-Za-z]:[\\/](?!/)|\bfile:|\\\\|(?<![\w/])/(?:home|[Uu]sers)/")
_MAX_DEPTH = 500
# All of a file is held at once, and an element takes some hundred bytes.
_MOST_ELEMENTS = 2_000_000

Kind = Literal["text", "cdata", "attribute", "comment", "instruction"]


@dataclass(frozen=True, slots=True)
class Node:
    """A stretch [start, end) of the file that holds characters someone may have written.

    `path` are the local names of the elements around it and `elements` their running numbers, so
    that what appears in one element can be distinguished from what appears in its brother; `name`
    is the attribute's, or the element's own for text.
    """

    kind: Kind
    path: tuple[str, ...]
    name: str
    start: int
    end: int
    text: str = field(repr=False)
    elements: tuple[int, ...] = ()


def scan(raw: str, where: str, *, html: bool = False) -> list[Node]:
    """The nodes of an XML text in order; a ReadError names line and column of what is wrong.

    `html` is for XHTML within another file, where `&nbsp;` and the like need no declaration.
    """
    return _Scanner(raw, where, html=html).run()


class _Scanner:
    def __init__(self, raw: str, where: str, *, html: bool) -> None:
        self._raw = raw
        self._html = html
        self._data = raw.encode("utf-8", "surrogatepass")
        self._where = where
        self._nodes: list[Node] = []
        self._path: list[str] = []
        self._elements: list[int] = []
        self._count = 0
        self._texts: list[str] = []
        self._text_start = 0
        self._cdata = False
        self._byte = self._char = 0
        # The text is Unicode already, whatever encoding the declaration names.
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._open
        parser.EndElementHandler = self._close
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = lambda text: self._aside("comment", "<!--", "-->", text)
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartCdataSectionHandler = lambda: self._switch_cdata(True)
        parser.EndCdataSectionHandler = lambda: self._switch_cdata(False)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._refuse
        parser.SkippedEntityHandler = self._named if html else self._refuse
        parser.UseForeignDTD(html)
        self._parser = parser

    def run(self) -> list[Node]:
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            raise ReadError(
                f"{self._where}: not XML: line {error.lineno} column {error.offset}"
            ) from None
        return self._nodes

    def _here(self) -> int:
        """The current position in characters; expat counts bytes, and only ever forwards."""
        at = self._parser.CurrentByteIndex
        self._char += len(self._data[self._byte : at].decode("utf-8", "surrogatepass"))
        self._byte = at
        return self._char

    def _doctype(self, _name: str, system: str | None, _public: object, has_subset: bool) -> None:
        if has_subset or is_private_path(system or ""):
            self._refuse()

    def _refuse(self, *_: object) -> None:
        raise ReadError(f"{self._where}: entity and other declarations within a file are refused")

    def _named(self, name: str, *_: object) -> None:
        """A character of HTML by its name."""
        character = html5.get(f"{name};")
        if character is None:
            self._refuse()
        else:
            self._characters(character)

    def _flush(self, end: int) -> None:
        """Ends a run of characters; entities and references in it are part of one stretch."""
        if not self._texts:
            return
        self._add("cdata" if self._cdata else "text", self._name, self._text_start, end)
        self._texts = []

    @property
    def _name(self) -> str:
        return self._path[-1] if self._path else ""

    def _add(self, kind: Kind, name: str, start: int, end: int, text: str | None = None) -> None:
        text = "".join(self._texts) if text is None else text
        path, elements = tuple(self._path), tuple(self._elements)
        self._nodes.append(Node(kind, path, name, start, end, text, elements))

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        at = self._here()
        self._flush(at)
        self._path.append(_local(tag))
        self._count += 1
        self._elements.append(self._count)
        if self._count > _MOST_ELEMENTS:
            raise ReadError(f"{self._where}: more than {_MOST_ELEMENTS:,} elements")
        if len(self._path) > _MAX_DEPTH:
            raise ReadError(f"{self._where}: XML nested too deeply")
        if not attributes:
            return
        place = at + 1 + len(tag)
        for name, value in attributes.items():
            found = _ATTRIBUTE.match(self._raw, place)
            if found is None or found[1] != name:
                raise ReadError(f"{self._where}: attributes out of order")
            start, end = found.start(2) + 1, found.end(2) - 1
            # The parser leaves out of attributes what it has no declaration of.
            read = unescape(self._raw[start:end]) if self._html else value
            self._add("attribute", name, start, end, read)
            place = found.end()

    def _close(self, _: str) -> None:
        self._flush(self._here())
        self._path.pop()
        self._elements.pop()

    def _characters(self, text: str) -> None:
        if not self._texts:
            self._text_start = self._here()
        self._texts.append(text)

    def _switch_cdata(self, opens: bool) -> None:
        self._flush(self._here())
        self._cdata = opens

    def _aside(self, kind: Kind, before: str, after: str, text: str) -> None:
        at = self._here()
        self._flush(at)
        start = at + len(before)
        self._add(kind, self._name, start, self._raw.index(after, start), text)

    def _instruction(self, target: str, text: str) -> None:
        at = self._here()
        self._flush(at)
        if text:
            start = self._raw.index(text, at + 2 + len(target))
            self._add("instruction", target, start, start + len(text), text)


def is_private_path(text: str) -> bool:
    """Whether an address is a place on somebody's machine, which often has their name."""
    return _PRIVATE_PATH.search(text) is not None


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


def write_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_attribute(text: str) -> str:
    escaped = write_text(text).replace('"', "&quot;").replace("'", "&apos;")
    return escaped.replace("\n", "&#10;")


def write_cdata(text: str) -> str:
    return text.replace("]]>", "]]]]><![CDATA[>")


def write_comment(text: str) -> str:
    return text.replace("--", "- -")


def write_instruction(text: str) -> str:
    return text.replace("?>", "? >")


WRITERS: Mapping[Kind, Callable[[str], str]] = {
    "text": write_text,
    "cdata": write_cdata,
    "attribute": write_attribute,
    "comment": write_comment,
    "instruction": write_instruction,
}
