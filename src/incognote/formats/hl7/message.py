"""HL7 v2 messages, one record each: fields masked by the table, narrative read as one text.

The report that a laboratory sends as forty OBX segments is one text for the detectors, so that a
name at the end of one segment has its context; what they find is written back to its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.fields import label_from_header
from incognote.core.types import Failure
from incognote.formats.base import Record, refused, unchanged
from incognote.formats.charset import decode
from incognote.formats.clinical import is_measurement
from incognote.formats.embedded import base64_slot, is_base64_file
from incognote.formats.headers import classify_value
from incognote.formats.hl7.rules import (
    AGE,
    AUTHORITIES,
    CALLED_BY,
    COMPONENTS,
    DATE,
    DEGREE,
    LABELS_OF_TESTS,
    NARRATIVE,
    NUMBERS,
    STAMP,
    WORD,
    Kinds,
    in_words,
    is_assigner,
    is_oid,
    is_type_of_id,
    kind_of_type,
    label_of_id,
    says_something,
    unlisted,
    unnumbered,
)
from incognote.formats.hl7.text import HEADERS, Element, Segment, Separators, segments
from incognote.formats.patch import (
    Piece,
    Slot,
    dated,
    dropped_slot,
    informed,
    patched_record,
    text_slot,
)
from incognote.policy import DROP, KEEP, FormatRules

_START = re.compile(rb"(?:^|[\r\n\x0b])(?=(?:MSH|FHS|BHS|BTS|FTS)[^A-Za-z0-9\s])")
_HEADER = re.compile(rb"(?:MSH|FHS|BHS)([^\w\s])[^\w\s]{1,5}\1")
_CHUNK = 1 << 16
# A longer string is a sentence, not a result.
_LONGEST_RESULT = 80
_LONGEST_CHECK_DIGIT = 2


class Hl7Format:
    name = "hl7"
    suffixes = (".hl7",)

    def sniff(self, head: bytes) -> bool:
        return _HEADER.match(head.lstrip(b"\xef\xbb\xbf\x0b \r\n")) is not None

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        marks: Separators | None = None
        kinds = Kinds(rules)
        for number, data in enumerate(_messages(stream), 1):
            where = f"{name}:{number}"
            try:
                source = decode(data)
                if not source.text.strip():
                    yield unchanged(data)
                    continue
                if marks is None or source.text.lstrip("\x0b\r\n")[:3] in HEADERS:
                    marks = Separators.declared(source.text.lstrip("\x0b\r\n"), where)
                slots = informed(_Message(source.text, marks, where, kinds).slots())
            except ReadError as error:
                yield refused(where, error, data)
                continue
            yield patched_record(source, slots, data)


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
    kinds: Kinds
    found: list[Slot] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    _place: str = ""
    _narrative: list[Piece] = field(default_factory=list)
    _narrative_of: str = ""
    _reported: Counter[str] = field(default_factory=Counter)

    def slots(self) -> list[Slot]:
        every = list(segments(self.raw, self.marks))
        self.meta = _patient(every, self.marks)
        self._reported = Counter(each.text(3) for each in every if each.name == "OBX")
        for segment in every:
            self._segment(segment)
        self._close_narrative()
        return self.found

    def _segment(self, segment: Segment) -> None:
        name = segment.name
        if not name:
            self._narrative += [element.piece(self.marks) for _, element in segment.elements()]
            return
        read = NARRATIVE.get(name, 0)
        if read and self.kinds.of(name, read) in (None, "TEXT"):
            self._tell(segment, read)
            around = (name, *segment.texts[: read - 1], *segment.texts[read:])
            if around in self.kinds.silent:
                return
            if not self._fields(segment, read):
                self.kinds.remember(around)
        else:
            self._close_narrative()
            self._fields(segment)

    def _fields(self, segment: Segment, read: int = 0) -> bool:
        """Whether any field but the one that is read already had something to say."""
        name, before = segment.name, len(self.found)
        for number, element in segment.elements():
            # Field 2 of a header declares the separators: it is no value.
            if number == read or (number == 2 and name in HEADERS):
                continue
            kind = self.kinds.kind_of(name, number, element.text)
            if kind in ("", KEEP):
                continue
            self._place = f"{name}-{number}"
            if kind == DROP:
                self.found.append(dropped_slot(element.start, element.end, ""))
                continue
            for repetition in element.split(self.marks.repetitions):
                self._value(repetition, kind)
        return len(self.found) > before

    def _tell(self, segment: Segment, number: int) -> None:
        """The field whose text goes on from segment to segment, where it is text."""
        self._place = f"{segment.name}-{number}"
        is_observation = segment.name == "OBX"
        narrative = self._observation(segment) if is_observation else segment.element(number)
        if narrative is None:
            return
        group = segment.name + (segment.text(3) if is_observation else "")
        if group != self._narrative_of:
            self._close_narrative()
        self._narrative_of = group
        self._narrative += [
            element.piece(self.marks) for element in narrative.split(self.marks.repetitions)
        ]

    def _observation(self, segment: Segment) -> Element | None:
        """OBX-5 by the type OBX-2 gives it: the part that is narrative, or nothing."""
        value, kind = segment.element(5), segment.text(2)
        if value is None or not value.text:
            return value  # a blank line parts paragraphs
        if kind in NUMBERS and not WORD.search(value.text):
            if AGE.search(segment.text(3)):
                self._single(value, "AGE")
            return None
        if kind == "ED":
            self._embedded(value)
            return None
        if is_base64_file(value.text):
            self._file(value)
            return None
        held = self._label_of_test(segment) or kind_of_type(kind)
        if held is None and (self.marks.components in value.text or self._is_result(segment)):
            held = "VALUE"
        if held in (None, "TEXT"):
            return value
        for repetition in value.split(self.marks.repetitions):
            self._value(repetition, held)
        return None

    def _label_of_test(self, segment: Segment) -> str | None:
        """The label of a result whose test is called "Medical record number" or "Home phone"."""
        for element in segment.text(3).split(self.marks.components)[:5]:
            label = (
                label_from_header(element) if " " in element or element in ("MRN", "SSN") else None
            )
            if label in LABELS_OF_TESTS and classify_value(label, segment.text(5))[0] == label:
                return label
        return None

    def _is_result(self, segment: Segment) -> bool:
        """Whether the string of an observation is a result: a report goes on from segment to
        segment, or is longer."""
        short = segment.text(2) == "ST" and len(segment.text(5)) <= _LONGEST_RESULT
        return short and (self._reported[segment.text(3)] == 1 or is_measurement(segment.text(5)))

    def _embedded(self, value: Element) -> None:
        """An encapsulated document (source^type^subtype^encoding^data), opened or refused."""
        parts = value.split(self.marks.components)
        encoding = parts[3].text.lower() if len(parts) > 3 else ""
        if encoding == "base64" and len(parts) == 5:
            self._value(parts[0], "TEXT")
            self._file(parts[4])
        elif encoding in ("", "a"):
            for element in parts:
                self._text([element])
        else:
            raise ReadError(f"{self.where}: an attachment in an encoding that cannot be read")

    def _file(self, element: Element) -> None:
        piece = Piece(element.start, element.end, element.text)
        place = f"{self.where} {self._place}"
        self.found.append(base64_slot(piece, place, self.kinds.rules, self.where, self.meta))

    def _value(self, element: Element, kind: str) -> None:
        family, _, label = kind.partition(":")
        components = element.split(self.marks.components)
        if family == "TEXT":
            self._text(unlisted(components))
            return
        if family == "VALUE":
            self._clinical(in_words(components))
            return
        if family == "ORG":
            self._single(components[0], label or "HOSPITAL")
            for component in components[1:]:
                # Its ids and network addresses; what is short is a code.
                if len(component.text) > 4 and not (
                    is_oid(component) or is_type_of_id(component.text)
                ):
                    self._single(component, "IDNUM")
            return
        for component in unnumbered(components, family):
            # Since when and until when a name or an address holds, when a person signed.
            if STAMP.match(component.text):
                self._single(component, "DATE")
            elif says_something(component.text):
                is_degree = component in components[DEGREE.get(family, slice(0))]
                self._text([component], clinical=is_degree)
        if family in ("NAME", "XCN", "NDL"):
            self._person(components, family, label or "DOCTOR")
        elif family in COMPONENTS:
            self._elements(components, family)
        elif family == "ID":
            stated = label_of_id(components) or label
            self._single(components[0], stated)
            for number in AUTHORITIES["ID"]:
                if number > len(components):
                    break
                if is_assigner(components[number - 1], number):
                    self._single(components[number - 1], "HOSPITAL")
                elif number == 2 and len(components[1].text) > _LONGEST_CHECK_DIGIT:
                    self._single(components[1], stated)  # the id once more
        elif family == "PAIR":
            for component in components[:2]:
                own, *assigner = component.split(self.marks.subcomponents)
                self._single(own, label)
                for each in assigner[:1]:
                    self._single(each, "HOSPITAL")
        elif family == "DATE":
            for component in components[:2]:
                self._single(component, family)
        else:
            self._single(components[0], family)

    def _elements(self, components: Sequence[Element], family: str) -> None:
        fax = family == "PHONE" and any(each.text == "FX" for each in components)
        for number, own in COMPONENTS[family].items():
            if number <= len(components):
                self._single(components[number - 1], "FAX" if fax and own == "PHONE" else own)

    def _single(self, element: Element, label: str) -> None:
        """One value. A composite has its name first and then an address on a network, or, of
        streets, the parts of the address."""
        if label == "TEXT":
            self._text([element])
            return
        subcomponents = element.split(self.marks.subcomponents)
        for each in subcomponents if label == "STREET" else subcomponents[:2]:
            if each.text and each.text != '""' and not (len(subcomponents) > 1 and is_oid(each)):
                self._known(each, label)

    def _known(self, element: Element, label: str) -> None:
        piece = element.piece(self.marks)
        if label == "DATE" and (found := DATE.match(element.text)):
            time = element.text[found.end() :]
            piece = Piece(element.start, element.end, found[0], lambda new: dated(new, time))
        self._add([piece], label=label)

    def _person(self, components: Sequence[Element], family: str, label: str) -> None:
        """The parts of a name as one document, "FAMILY, GIVEN MIDDLE", and the id before them."""
        if family == "NDL":
            for each in components[1:3]:
                self._single(each, "DATE")
            self._elements(components, "WHERE")
            components = components[0].split(self.marks.subcomponents)
            family = "XCN"
        if family == "XCN":
            self._single(components[0], "LICENSE" if label == "DOCTOR" else "IDNUM")
            for number in AUTHORITIES["XCN"]:
                if number <= len(components):
                    self._single(components[number - 1], "HOSPITAL")
            components = components[1:]
        elif len(components) >= CALLED_BY:
            self._single(components[CALLED_BY - 1], label)
        divided = [each.split(self.marks.subcomponents) for each in components[:3]]
        names = [first for first, *_ in divided if first.text and first.text != '""']
        if names:
            pieces = [each.piece(self.marks) for each in names]
            self._add(pieces, separators=[", ", " "], label=label)
        # Behind a family name appear its prefix, and the partner's name.
        for each in (own for _, *others in divided for own in others if own.text):
            self._add([each.piece(self.marks)], label=label)

    def _clinical(self, components: Sequence[Element]) -> None:
        """What a clinical value says in words; a date in it is one all the same."""
        words = []
        for each in (
            element for whole in components for element in whole.split(self.marks.subcomponents)
        ):
            if STAMP.match(each.text):
                self._known(each, "DATE")
            elif says_something(each.text) and not is_measurement(each.text):
                words.append(each)
        self._text(words, clinical=True)

    def _text(self, components: Sequence[Element], *, clinical: bool = False) -> None:
        """Words wherever they appear between the separators, which stay."""
        pieces = [
            each.piece(self.marks)
            for component in components
            for each in component.split(self.marks.subcomponents)
            if each.text and not is_oid(each)
        ]
        if pieces:
            self._add(pieces, separators=[" "] * len(pieces), clinical=clinical)

    def _close_narrative(self) -> None:
        if self._narrative:
            name = self._narrative_of[:3]
            self._place = f"{name}-{NARRATIVE[name]}" if name else "line"
            self._add(self._narrative, separators=["\n"] * len(self._narrative))
            self._narrative = []
        self._narrative_of = ""

    def _add(
        self,
        pieces: Sequence[Piece],
        *,
        separators: Sequence[str] = (),
        label: str | None = None,
        clinical: bool = False,
    ) -> None:
        self.found.append(
            text_slot(
                self.where,
                pieces,
                self.marks.encode,
                separators=separators,
                label=label,
                clinical=clinical,
                meta=self.meta,
                locator=f"{self.where} {self._place}",
            )
        )


def _patient(every: Sequence[Segment], marks: Separators) -> dict[str, str]:
    """The patient a message is about: PID-3, or PID-2 where that is empty."""
    for segment in every:
        if segment.name == "PID":
            for number in (3, 2):
                first = segment.text(number).partition(marks.repetitions)[0]
                if own := first.partition(marks.components)[0]:
                    return {"patient_id": own}
    return {}
