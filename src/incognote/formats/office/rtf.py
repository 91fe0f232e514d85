"""RTF: the words between control codes, read as one text and written back in place.

Fonts are passed over; names of styles and lists are a text of their own. The info group (title,
author, company), the names of reviewers and files, and stored data are emptied. Pictures and
embedded objects are emptied too, unless the policy keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused
from incognote.formats.patch import Change, Piece, Slot, dropped_slot, patched, text_slot
from incognote.policy import KEEP, FormatRules

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?"  # a control word
    r"|\\'([0-9a-fA-F]{2})"  # a character by its code
    r"|\\([^a-zA-Z'])"  # a control symbol
    r"|([{}])"
    r"|[\r\n]+"
    r"|([^\\{}\r\n]+)"  # plain text
)
# Names of fonts and of built-in styles: a detector would take Georgia for a state.
_SILENT = frozenset(("fonttbl", "latentstyles"))
# Tables in which whoever makes styles and lists names them, and little else is ever written.
_NAMES = frozenset(
    """stylesheet listtable listoverridetable rsidtbl colortbl generator xmlnstbl pgptbl
    mmathPr""".split()
)
_EMPTIED = frozenset(
    "info userprops docvar revtbl filetbl datastore themedata colorschememapping".split()
)
_PICTURES = frozenset("pict object objdata shppict nonshppict".split())
_BREAKS = {
    **dict.fromkeys(("par", "line", "sect", "page", "row"), "\n"),
    **dict.fromkeys(("cell", "tab"), "\t"),
    **dict.fromkeys(("emspace", "enspace"), " "),
    "emdash": "-", "endash": "-", "lquote": "'", "rquote": "'", "ldblquote": '"',
    "rdblquote": '"', "bullet": "*",
}  # fmt: skip
_MAX_DEPTH = 200
_LONGEST_STAND_IN = 2
# Code pages in which one character takes two codes.
_WIDE_PAGES = frozenset(("932", "936", "949", "950", "1361"))


class RtfFormat:
    name = "rtf"
    suffixes = (".rtf",)

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"{\\rtf")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        # RTF is seven-bit by design; Latin-1 keeps stray bytes as they are.
        raw = stream.read().decode("latin-1")
        try:
            slots = _Scanner(raw, name, keep_pictures=rules.images == KEEP).slots()
        except ReadError as error:
            yield refused(name, error)
            return
        yield Record(
            tuple(document for slot in slots for document in slot.documents),
            lambda results: patched(raw, slots, results).encode("latin-1"),
        )


class _Scanner:
    def __init__(self, raw: str, where: str, *, keep_pictures: bool) -> None:
        if not raw.startswith("{\\rtf"):
            raise ReadError("not an RTF file")
        self._raw = raw
        self._where = where
        self._emptied_words = _EMPTIED if keep_pictures else _EMPTIED | _PICTURES
        self._silent_words = _SILENT | _PICTURES if keep_pictures else _SILENT
        self._pieces: list[Piece] = []
        self._names: list[Piece] = []
        self._separators: list[str] = []
        self._gap = ""
        self._cuts: list[Slot] = []
        # Each open group: what is done with its text, where it starts, and \uc's count.
        self._groups: list[tuple[str, int, int]] = []
        self._skip = 0
        page = re.search(r"\\ansicpg(\d{1,5})", raw[:1000])
        self._page = page[1] if page else "1252"

    def slots(self) -> list[Slot]:
        for token in _TOKEN.finditer(self._raw):
            word, number, code, symbol, brace, text = token.groups()
            if brace:
                self._brace(brace, token.end())
            elif word:
                self._control(word, number, token.start(), token.end())
            elif code:
                self._add(token.start(), token.end(), self._character(code))
            elif symbol:
                self._symbol(symbol, token.start(), token.end())
            elif text:
                if not self._groups and text.strip(" \t\0"):
                    raise ReadError("text behind the end of the document")
                self._text(text, token.start())
        if self._groups:
            raise ReadError("a truncated RTF file")
        found = [
            text_slot(self._where, pieces, _write, separators=separators, locator=self._where)
            for pieces, separators in (
                (self._pieces, self._separators),
                (self._names, ["\n"] * len(self._names)),
            )
            if any(re.search(r"\w", piece.text) for piece in pieces)
        ]
        return [*self._cuts, *found]

    def _character(self, code: str) -> str:
        """A character by its number in the code page that the document declares."""
        if self._page in _WIDE_PAGES:
            raise ReadError(f"written in code page {self._page}, which cannot be read")
        try:
            return bytes.fromhex(code).decode(f"cp{self._page}", "replace")
        except LookupError:
            raise ReadError(f"written in code page {self._page}, which nobody knows") from None

    @property
    def _mode(self) -> str:
        return self._groups[-1][0] if self._groups else "silent"

    def _brace(self, brace: str, end: int) -> None:
        self._skip = 0  # the fallback of a character ends with its group
        if brace == "{":
            count = self._groups[-1][2] if self._groups else 1
            self._groups.append((self._mode if self._groups else "text", end, count))
            if len(self._groups) > _MAX_DEPTH:
                raise ReadError("groups nested too deeply")
            return
        if not self._groups:
            raise ReadError("braces that do not match")
        mode, start, _ = self._groups.pop()
        if mode == "emptied" and self._mode != "emptied":
            self._cuts.append(_emptied(self._raw, start, end - 1))

    def _control(self, word: str, number: str | None, start: int, end: int) -> None:
        if not self._groups:
            raise ReadError("control words outside of groups")
        if self._skip and word != "u":
            self._skip -= 1  # counts as a character
        mode, at, count = self._groups[-1]
        if word in self._silent_words:
            self._groups[-1] = ("silent", at, count)
        elif word in self._emptied_words:
            self._groups[-1] = ("emptied", at, count)
        elif word in _NAMES:
            self._groups[-1] = ("names", at, count)
        elif word == "uc":
            self._groups[-1] = (mode, at, int(number or 1))
        elif word == "u" and number:
            self._add(start, end, chr(int(number) % 0x10000))
            self._skip = count
        elif word == "bin":
            raise ReadError("holds binary data, which cannot be read")
        elif word in _BREAKS:
            self._gap += _BREAKS[word]

    def _symbol(self, symbol: str, start: int, end: int) -> None:
        if symbol in "\\{}":
            self._add(start, end, symbol)
        elif symbol == "~":
            self._add(start, end, " ")
        elif symbol in "\r\n":
            self._gap += "\n"
        elif symbol == "*" and self._mode == "text":
            # A group that readers may ignore: what is not known to be harmless is emptied.
            _, at, count = self._groups[-1]
            self._groups[-1] = ("emptied", at, count)

    def _text(self, text: str, start: int) -> None:
        skipped = min(self._skip, len(text))
        self._skip -= skipped
        if skipped:
            self._fall_back(start, start + skipped)
        if text[skipped:]:
            self._add(start + skipped, start + len(text), text[skipped:])

    def _fall_back(self, start: int, end: int) -> None:
        """The fallback of a character, for readers without Unicode. One or two characters go
        together with it. A longer text would be skipped here and read by other programs: it
        is overwritten, in as many characters as its readers count."""
        if end - start <= _LONGEST_STAND_IN and self._pieces and self._pieces[-1].end == start:
            last = self._pieces[-1]
            self._pieces[-1] = Piece(last.start, end, last.text)
        elif self._mode != "emptied":
            self._cuts.append(dropped_slot(start, end, "?" * (end - start)))

    def _add(self, start: int, end: int, text: str) -> None:
        if self._skip and len(text) == 1 and self._raw[start] == "\\":
            self._skip -= 1
            # The fallback for a reader without Unicode goes together with its character.
            last = self._pieces[-1]
            self._pieces[-1] = Piece(last.start, end, last.text)
            return
        if self._mode == "names":
            self._names.append(Piece(start, end, text))
        if self._mode != "text":
            return
        if self._pieces:
            self._separators.append(self._gap)
        self._gap = ""
        self._pieces.append(Piece(start, end, text))


def _emptied(raw: str, start: int, end: int) -> Slot:
    """A group whose content goes, whatever it is; its control word stays for readers."""
    word = re.match(r"(?:\\\*)?\\[a-zA-Z]+", raw[start:end])
    keep = start + word.end() if word else start

    def cut(_: Sequence[Result]) -> list[Change]:
        return [Change(keep, end, "")]

    return Slot((), cut)


def _write(text: str) -> str:
    written = []
    for character in text:
        if character in "\\{}":
            written.append("\\" + character)
        elif character == "\n":
            written.append("\\line ")
        elif ord(character) < 128:
            written.append(character)
        else:
            code = ord(character)
            written.append(
                f"\\u{code if code < 0x8000 else code - 0x10000}?" if code < 0x10000 else "?"
            )
    return "".join(written)
