"""HL7 v2 messages, one record each: fields masked by the table, narrative read as one text.

The report that a laboratory sends as forty OBX segments is one text for the detectors, so that a
name at the end of one segment has its context; what they find is written back where it stood.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure
from incognote.formats.base import Record, Unreadable
from incognote.formats.charset import decode
from incognote.formats.embedded import base64_slot, is_base64_file
from incognote.formats.hl7_text import HEADERS, Part, Segment, Separators, segments
from incognote.formats.patch import Piece, Slot, dropped_slot, informed, patched, text_slot
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_START = re.compile(rb"(?:^|[\r\n\x0b])(?=(?:MSH|FHS|BHS|BTS|FTS)[^A-Za-z0-9\s])")
_CHUNK = 1 << 16
_NUMBERS = frozenset({"NM", "SN", "SI", "ID", "IS", "TM", "DR", "NA"})
_VALUE_KINDS = {
    "DT": "DATE", "TS": "DATE", "DTM": "DATE", "XPN": "NAME:PATIENT", "PN": "NAME:PATIENT",
    "XCN": "XCN:DOCTOR", "CN": "XCN:DOCTOR", "XAD": "ADDRESS", "AD": "ADDRESS", "XTN": "PHONE",
    "TN": "PHONE", "CX": "ID:IDNUM", "EI": "ID:IDNUM", "CK": "ID:IDNUM", "XON": "ORG", "HD": "ORG",
    "PL": "PLACE",
}  # fmt: skip
# Component number -> label, for types whose components are values of their own.
_COMPONENTS: dict[str, dict[int, str]] = {
    "ADDRESS": {1: "STREET", 2: "STREET", 3: "CITY", 4: "STATE", 5: "ZIP", 6: "COUNTRY",
                8: "LOCATION-OTHER", 9: "LOCATION-OTHER", 10: "LOCATION-OTHER", 19: "PATIENT"},
    "PHONE": {1: "PHONE", 4: "EMAIL", 6: "PHONE", 7: "PHONE", 8: "PHONE", 9: "TEXT", 12: "PHONE"},
    "PLACE": {1: "ROOM", 2: "ROOM", 3: "ROOM", 4: "HOSPITAL", 7: "LOCATION-OTHER",
              8: "ROOM", 9: "LOCATION-OTHER"},
    "TIMING": {4: "DATE", 5: "DATE"},
    "TIMES": {1: "DATE", 2: "DATE"},
}  # fmt: skip
# Components that say since when and until when a name, a number or an address holds.
_VALIDITY = {"ADDRESS": (12, 13, 14), "ID": (7, 8), "NAME": (10, 12, 13), "XCN": (17, 19, 20)}
_CALLED_BY = 15
# Fields whose text goes on in the next segment of the same name.
_NARRATIVE = {"OBX": 5, "NTE": 3}
_DATE = re.compile(r"\d{8}|\d{6}$|\d{4}$")
_STAMP = re.compile(
    r"(?:18|19|20|21)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:\d{2,6}(?!\d)|(?!\d))"
)
_OID = re.compile(r"[0-2](?:\.\d+)+")
_WORD = re.compile(r"[^\W\d_]{2}")
_WORDS = re.compile(r"[^\W\d_]{2} \S*[^\W\d_]{2}")
# Nothing shorter is a stamp or two words.
_SHORTEST_GUESS = 5
# HL7 table 0396: catalogues of the world, whose names of things name nobody. Local ones may.
_CATALOGUE = re.compile(
    r"LN|SCT2?|SNM3?|SNT|I9CP?|I9|I10[CP]?|ICD\w*|C4|CPT\w*|CVX|MVX|UCUM|RXNORM|NDC|ATC|"
    r"HL7\d{4}|ISO\w*|PHINQUESTION|CDCREC"
)


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("incognote.formats").joinpath("hl7_fields.toml").read_text("utf-8"))


@dataclass(slots=True)
class _Kinds:
    """What the fields of segments hold, asked for each field of each message of a file."""

    rules: FormatRules
    _named: dict[tuple[str, int], str | None] = field(default_factory=dict)

    def of(self, segment: str, number: int) -> str | None:
        """As the policy says, else as the table says; None where neither names the field."""
        try:
            return self._named[segment, number]
        except KeyError:
            chosen = self.rules.choice(f"{segment}-{number}", segment)
            named = _table().get(segment, {}).get(str(number)) if chosen is None else chosen
            self._named[segment, number] = found = "TEXT" if named == TEXT else named
            return found

    def knows(self, segment: str) -> bool:
        return segment in _table()


class Hl7Format:
    name = "hl7"
    suffixes = (".hl7",)

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf\x0b \r\n")[:3] in (b"MSH", b"FHS", b"BHS")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        marks: Separators | None = None
        kinds = _Kinds(rules)
        for number, data in enumerate(_messages(stream), 1):
            where = f"{name}:{number}"
            try:
                source = decode(data)
                if not source.text.strip():
                    yield Record((), lambda _, data=data: data)  # type: ignore[misc]
                    continue
                if marks is None or source.text.lstrip("\x0b\r\n")[:3] in HEADERS:
                    marks = Separators.declared(source.text.lstrip("\x0b\r\n"), where)
                slots = informed(_Message(source.text, marks, where, kinds).slots())
            except ReadError as error:
                yield Unreadable(where, error.stage, type(error).__name__, str(error), data)
                continue
            yield Record(
                tuple(document for slot in slots for document in slot.documents),
                lambda results, source=source, slots=slots: source.encode(  # type: ignore[misc]
                    patched(source.text, slots, results)
                ),
                raw=data,
            )


def _messages(stream: BinaryIO) -> Iterator[bytes]:
    """Messages one by one, however many the file holds, in memory for one of them."""
    held = b""
    # A message longer than a chunk is looked through again with each: they grow with it.
    while chunk := stream.read(max(_CHUNK, len(held))):
        held += chunk
        # The last start may be cut off or its message unfinished: it waits for more.
        starts = [match.end() for match in _START.finditer(held)][1:]
        at = 0
        for start in starts:
            yield held[at:start]
            at = start
        held = held[at:]
    if held:
        yield held


@dataclass(slots=True)
class _Message:
    """Collects the slots of one message."""

    raw: str
    marks: Separators
    where: str
    kinds: _Kinds
    found: list[Slot] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    _place: str = ""
    _narrative: list[Piece] = field(default_factory=list)
    _narrative_of: str = ""

    def slots(self) -> list[Slot]:
        every = list(segments(self.raw, self.marks))
        self.meta = _patient(every, self.marks)
        for segment in every:
            self._segment(segment)
        self._close_narrative()
        return self.found

    def _segment(self, segment: Segment) -> None:
        if not segment.name:
            self._narrative.append(segment.fields[0].piece(self.marks))
            return
        self._place = f"{segment.name}-5"
        number = _NARRATIVE.get(segment.name)
        told = self.kinds.of(segment.name, number) if number else None
        narrative = None
        if segment.name == "OBX" and told in (None, "TEXT"):
            narrative = self._observation(segment)
        elif segment.name == "NTE" and told in (None, "TEXT"):
            narrative = segment.fields.get(3)
        if narrative is not None:
            group = segment.name + (
                segment.fields[3].text if segment.name == "OBX" and 3 in segment.fields else ""
            )
            if group != self._narrative_of:
                self._close_narrative()
            self._narrative_of = group
            for part in narrative.split(self.marks.repetitions):
                self._narrative.append(part.piece(self.marks))
        elif segment.name not in ("OBX", "NTE"):
            self._close_narrative()
        for number, part in segment.fields.items():
            # Field 2 of a header declares the separators: it is no value.
            if part is narrative or (number == 2 and segment.name in HEADERS):
                continue
            if segment.name == "OBX" and number == _NARRATIVE["OBX"] and told in (None, "TEXT"):
                continue
            kind = self._kind(segment.name, number, part)
            if kind in ("", KEEP):
                continue
            self._place = f"{segment.name}-{number}"
            if kind == DROP:
                self.found.append(dropped_slot(part.start, part.end, ""))
                continue
            for repetition in part.split(self.marks.repetitions):
                self._value(repetition, kind)

    def _observation(self, segment: Segment) -> Part | None:
        """OBX-5 by the type OBX-2 gives it: the part that is narrative, or nothing."""
        value = segment.fields.get(5)
        kind = segment.fields[2].text if 2 in segment.fields else ""
        if value is None:
            return None
        if kind in _NUMBERS and not _WORD.search(value.text):
            return None
        if kind == "ED":
            self._embedded(value)
            return None
        if kind in _VALUE_KINDS:
            for repetition in value.split(self.marks.repetitions):
                self._value(repetition, _VALUE_KINDS[kind])
            return None
        if is_base64_file(value.text):
            self._file(value)
            return None
        if self.marks.components in value.text:
            for repetition in value.split(self.marks.repetitions):
                self._value(repetition, "TEXT")
            return None
        return value

    def _embedded(self, value: Part) -> None:
        """An encapsulated document (source^type^subtype^encoding^data), opened or refused."""
        parts = value.split(self.marks.components)
        encoding = parts[3].text.lower() if len(parts) > 3 else ""
        if encoding == "base64" and len(parts) == 5:
            self._value(parts[0], "TEXT")
            self._file(parts[4])
        elif encoding in ("", "a"):
            self._value(value, "TEXT")
        else:
            raise ReadError(f"{self.where}: an attachment in an encoding that cannot be read")

    def _file(self, part: Part) -> None:
        piece = Piece(part.start, part.end, part.text)
        self.found.append(base64_slot(piece, f"{self.where} {self._place}", self.kinds.rules))

    def _kind(self, segment: str, number: int, part: Part) -> str:
        """What a field holds: as the policy says, else as the table says, else by its looks."""
        named = self.kinds.of(segment, number)
        if named is not None:
            return named
        if len(part.text) < _SHORTEST_GUESS:
            return "" if self.kinds.knows(segment) else "TEXT"
        # Of fields the table does not name, codes stay and whatever reads like words is read.
        if _STAMP.match(part.text):
            return "TIMES"
        return "TEXT" if not self.kinds.knows(segment) or _WORDS.search(part.text) else ""

    def _value(self, part: Part, kind: str) -> None:
        family, _, label = kind.partition(":")
        components = part.split(self.marks.components)
        for number in _VALIDITY.get(family, ()):
            if number <= len(components):
                self._single(components[number - 1], "DATE")
        if family in ("NAME", "XCN", "NDL"):
            self._person(components, family, label or "DOCTOR")
        elif family in _COMPONENTS:
            fax = family == "PHONE" and any(each.text == "FX" for each in components)
            for number, own in _COMPONENTS[family].items():
                if number <= len(components):
                    self._single(components[number - 1], "FAX" if fax and own == "PHONE" else own)
        elif family == "ID":
            self._single(components[0], label)
            for number in (4, 6, 9):
                if number <= len(components):
                    self._single(components[number - 1], "HOSPITAL")
        elif family == "ORG":
            self._single(components[0], label or "HOSPITAL")
            for component in components[1:]:
                # Its ids and network addresses; what is short is a code.
                if len(component.text) > 4 and not _is_oid(component):
                    self._single(component, "IDNUM")
        elif family == "TEXT":
            self._text(components)
        else:
            self._single(components[0], family)

    def _single(self, part: Part, label: str) -> None:
        """One value. A composite has its name first and then an address on a network, or, of
        streets, the parts of the address."""
        if label == "TEXT":
            self._text([part])
            return
        subcomponents = part.split(self.marks.subcomponents)
        for each in subcomponents if label == "STREET" else subcomponents[:2]:
            if each.text and each.text != '""' and not (len(subcomponents) > 1 and _is_oid(each)):
                self._known(each, label)

    def _known(self, part: Part, label: str) -> None:
        if label == "DATE":
            found = _DATE.match(part.text)
            if found is None:
                self._add([part.piece(self.marks)])
                return
            part = Part(part.start, found[0])
        self._add([part.piece(self.marks)], label=label)

    def _person(self, components: Sequence[Part], family: str, label: str) -> None:
        """The parts of a name as one document, "FAMILY, GIVEN MIDDLE", and the id before them."""
        if family == "NDL":
            for each in components[1:3]:
                self._single(each, "DATE")
            components = components[0].split(self.marks.subcomponents)
            family = "XCN"
        if family == "XCN":
            self._single(components[0], "LICENSE" if label == "DOCTOR" else "IDNUM")
            for number in (9, 14):
                if number <= len(components):
                    self._single(components[number - 1], "HOSPITAL")
            components = components[1:]
        elif len(components) >= _CALLED_BY:
            self._single(components[_CALLED_BY - 1], label)
        divided = [each.split(self.marks.subcomponents) for each in components[:3]]
        names = [first for first, *_ in divided if first.text and first.text != '""']
        if names:
            pieces = [each.piece(self.marks) for each in names]
            self._add(pieces, separators=[", ", " "], label=label)
        # Behind a family name stand its prefix, and the partner's name.
        for each in (own for _, *others in divided for own in others if own.text):
            self._add([each.piece(self.marks)], label=label)

    def _text(self, components: Sequence[Part]) -> None:
        """Words wherever they stand between the separators, which stay."""
        pieces = [
            each.piece(self.marks)
            for component in _unlisted(components)
            for each in component.split(self.marks.subcomponents)
            if each.text
        ]
        if pieces:
            self._add(pieces, separators=[" "] * len(pieces))

    def _close_narrative(self) -> None:
        if self._narrative:
            name = self._narrative_of[:3]
            self._place = f"{name}-{_NARRATIVE[name]}" if name else "line"
            self._add(self._narrative, separators=["\n"] * len(self._narrative))
            self._narrative = []
        self._narrative_of = ""

    def _add(
        self,
        pieces: Sequence[Piece],
        *,
        separators: Sequence[str] = (),
        label: str | None = None,
    ) -> None:
        self.found.append(
            text_slot(
                self.where,
                pieces,
                self.marks.encode,
                separators=separators,
                label=label,
                meta=self.meta,
                locator=f"{self.where} {self._place}",
            )
        )


def _unlisted(components: Sequence[Part]) -> list[Part]:
    """The components without codes and names from a catalogue: code^name^catalogue, twice."""
    rest = list(components)
    for first in (3, 0):
        if len(rest) > first + 2 and _CATALOGUE.fullmatch(rest[first + 2].text):
            del rest[first : first + 3]
    return rest


def _is_oid(part: Part) -> bool:
    return _OID.fullmatch(part.text) is not None


def _patient(every: Sequence[Segment], marks: Separators) -> dict[str, str]:
    """The patient a message is about: PID-3, or PID-2 where that is empty."""
    for segment in every:
        if segment.name == "PID":
            for number in (3, 2):
                part = segment.fields.get(number)
                first = (
                    part.split(marks.repetitions)[0].split(marks.components)[0] if part else None
                )
                if first is not None and first.text:
                    return {"patient_id": first.text}
    return {}
