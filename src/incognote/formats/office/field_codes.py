r"""Codes of fields in a letter: ` PAGEREF _Toc482713204 \h `, ` DATE \@ "M/d/yyyy" `.

A code is an instruction to Word. Its keyword, its switches, pictures of dates and numbers and the
bookmarks that Word numbers are no words of anybody, and a letter in which they change shows errors
instead of pages. What else appears in a code is read like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from incognote.formats.xml.scan import Node

CODE_NAMES = ("instrText", "delInstrText")
_CODE_ATTRIBUTE = "instr"
# Bookmarks that Word itself sets.
AUTOMATIC_BOOKMARK = re.compile(r"_(?:Toc|Ref|Hlk|Hlt|PictureBullets)\d*|_GoBack|OLE_LINK\d+")
_KEYWORDS = frozenset(
    """
    ADDRESSBLOCK ADVANCE ASK AUTHOR AUTONUM AUTONUMLGL AUTONUMOUT AUTOTEXT AUTOTEXTLIST BARCODE
    BIBLIOGRAPHY BIDIOUTLINE CITATION COMMENTS COMPARE CREATEDATE DATABASE DATE DISPLAYBARCODE
    DOCPROPERTY DOCVARIABLE EDITTIME EMBED EQ FILENAME FILESIZE FILLIN FORMCHECKBOX FORMDROPDOWN
    FORMTEXT GOTOBUTTON GREETINGLINE HYPERLINK IF INCLUDEPICTURE INCLUDETEXT INDEX INFO KEYWORDS
    LASTSAVEDBY LINK LISTNUM MACROBUTTON MERGEBARCODE MERGEFIELD MERGEREC MERGESEQ NEXT NEXTIF
    NOTEREF NUMCHARS NUMPAGES NUMWORDS PAGE PAGEREF PRINT PRINTDATE PRIVATE QUOTE RD REF REVNUM
    SAVEDATE SECTION SECTIONPAGES SEQ SET SHAPE SKIPIF STYLEREF SUBJECT SYMBOL TA TC TEMPLATE TIME
    TITLE TOA TOC USERADDRESS USERINITIALS USERNAME XE
    """.split()
)
_FORMATS = frozenset(
    """
    alphabetic arabic arabicdash caps cardtext charformat dollartext firstcap hex lower mergeformat
    ordinal ordtext roman upper
    """.split()
)
_TOKEN = re.compile(r'\\\S|"[^"]*"?|[{}]|[^\s"{}\\]+|\\')
_SMALL_NUMBER = re.compile(r"\d{1,4}|\d-\d")
_FONTS = ("Symbol", "Webdings", "Wingdings", "Wingdings 2", "Wingdings 3")
_DATE_PICTURE = re.compile(r"[dMyhHmsap/ ,.:'-]*(?:am/pm|AM/PM)?", re.ASCII)
_NUMBER_PICTURE = re.compile(r"[#0x,.;$%+ -]*")
_ESCAPED = re.compile(r"&[^;&]{1,10};|.", re.DOTALL)


def without_codes(nodes: Sequence[Node], raw: str) -> list[Node]:
    """The nodes with those of field codes cut to what somebody wrote in them."""
    kept: list[Node] = []
    run: list[Node] = []  # the parts of one code, attributes of theirs between them aside
    for node in nodes:
        if node.kind == "attribute":
            kept += _written([node], raw) if _is_code(node) else [node]
        elif _is_code(node):
            run.append(node)
        else:
            kept += [*_written(run, raw), node]
            run = []
    return sorted([*kept, *_written(run, raw)], key=attrgetter("start"))


def _is_code(node: Node) -> bool:
    if node.kind == "attribute":
        return node.name.rpartition(":")[2] == _CODE_ATTRIBUTE
    return node.name in CODE_NAMES


def _written(codes: list[Node], raw: str) -> Iterator[Node]:
    """Word cuts a code into several runs where it likes: they are read as one."""
    text = "".join(node.text for node in codes)
    stretches = list(_arguments(text))
    at = 0
    for node in codes:
        places = _places(raw[node.start : node.end])
        for start, end in stretches:
            first, last = max(start - at, 0), min(end - at, len(node.text))
            if first >= last:
                continue
            if len(places) != len(node.text) + 1:  # escapes of a kind that is not known here
                yield node
                break
            yield replace(
                node,
                start=node.start + places[first],
                end=node.start + places[last],
                text=node.text[first:last],
            )
        at += len(node.text)


def _places(raw: str) -> list[int]:
    """Where each character of a text appears in its XML, and where it ends."""
    return [match.start() for match in _ESCAPED.finditer(raw)] + [len(raw)]


def _arguments(code: str) -> Iterator[tuple[int, int]]:
    """The stretches of a code that are words of somebody."""
    tokens = list(_TOKEN.finditer(code))
    switch = ""
    opens = True
    for token in tokens:
        word = token[0]
        if word in ("{", "}"):
            opens, switch = word == "{", ""
        elif opens and word.upper() in _KEYWORDS:
            opens = False
        elif word.startswith("\\"):
            switch = word
        else:
            opens = False
            if not _is_instruction(switch, word.strip('"')):
                yield token.span()  # with its quotes: they say where a value ends
            switch = ""


def _is_instruction(switch: str, said: str) -> bool:
    if not said or AUTOMATIC_BOOKMARK.fullmatch(said) or _SMALL_NUMBER.fullmatch(said):
        return True
    if switch == "\\@":
        return bool(_DATE_PICTURE.fullmatch(said))
    if switch == "\\#":
        return bool(_NUMBER_PICTURE.fullmatch(said))
    if switch == "\\f":
        return said in _FONTS
    return switch == "\\*" and said.lower() in _FORMATS
