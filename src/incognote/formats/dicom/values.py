"""Values of a DICOM header as documents, and their results as values again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.core.errors import TransformError
from incognote.core.fields import words_of
from incognote.core.types import Document, Result, Span
from incognote.formats.base import SHARED, new_text
from incognote.formats.clinical import READ, VALUE, is_measurement
from incognote.formats.dicom.rules import UID
from incognote.formats.fields import new_value

DATE = "DATE"
# How many characters a value may have; a surrogate may be longer than its original.
_LONGEST = {"AE": 16, "CS": 16, "LO": 64, "PN": 64, "SH": 16}
# The time of day behind a date, with its zone. A second date (of a range) may appear there, too.
_TIME = re.compile(r"\d{0,6}(?:\.\d{1,6})?(?:[+-]\d{4})?\s*")
# The standard's own UIDs name no one.
_STANDARD = "1.2.840.10008."
_VALID_UID = re.compile(r"[0-9.]{1,64}")


@dataclass(slots=True)
class Value:
    """One value of an element: `index` is its place among several, or -1."""

    dataset: Any = field(repr=False)
    tag: Any
    index: int
    kind: str
    document: Document
    new: str = field(default="", repr=False)

    @property
    def old(self) -> str:
        return self.document.text

    def put(self, result: Result) -> None:
        element = self.dataset[self.tag]
        old = element.value[self.index] if self.index >= 0 else element.value
        longest = _LONGEST.get(element.VR)
        new = self._written(result, str(old), element.VR)
        self.new = new[: max(longest, len(str(old)))] if longest else new
        if self.index >= 0:
            element.value[self.index] = self.new
        else:
            element.value = self.new

    def _written(self, result: Result, old: str, vr: str) -> str:
        new = new_text(result)
        if self.kind == UID:
            if not _VALID_UID.fullmatch(new):
                raise TransformError("UIDs need a policy with surrogates for IDNUM")
            return new
        if self.kind in READ:
            return new_value(result)
        if self.kind == DATE:
            # A tag or a bare year is no date of DICOM: better none.
            if not (new.isdigit() and len(new) == 8):
                return ""
            return new + old[8:] if vr == "DT" and _TIME.fullmatch(old[8:]) else new
        if vr == "PN":
            return parts_of_person(new, old)
        return new


def values_of(
    dataset: Any, element: Any, kind: str, where: str, meta: Mapping[str, str]
) -> Iterator[Value]:
    """The values of an element that are to be replaced (`kind` is a label), or read."""
    many = element.VM > 1
    place = f"{where} {element.keyword or element.tag}"
    for index, value in enumerate(element.value if many else [element.value]):
        text = str(value or "").strip(" \0^=")
        if not text or (kind == UID and text.startswith(_STANDARD)):
            continue
        if kind == UID:
            document = _known(text, "IDNUM", where, SHARED, place)
        elif kind in READ:
            if kind == VALUE and is_measurement(text):
                continue
            lead = f"{words_of(element.keyword)}: " if element.keyword else ""
            clinical = kind == VALUE
            document = Document(where, lead + text, meta, place, lead=len(lead), clinical=clinical)
        elif kind == DATE:
            document = _known(text[:8], kind, where, meta, place)
        elif element.VR == "PN":
            document = _known(_person(text), kind, where, meta, place)
        else:
            document = _known(text, kind, where, meta, place)
        yield Value(dataset, element.tag, index if many else -1, kind, document)


def _known(text: str, label: str, doc_id: str, meta: Mapping[str, str], where: str) -> Document:
    return Document(doc_id, text, meta, where, (Span(0, len(text), label),), free_text=False)


def _person(name: str) -> str:
    """`FAMILY^GIVEN^MIDDLE` as it would be written, "FAMILY, GIVEN MIDDLE"."""
    family, *given = _parts(name)
    return ", ".join(part for part in (family, " ".join(given)) if part)


def _parts(name: str) -> list[str]:
    """The components of a name that say something, the family name first, which may be missing.

    A name may come in three scripts, separated by "="; the first that is there is used for all.
    """
    written = next((group for group in name.split("=") if group.strip("^ ")), "")
    family, *others = (" ".join(part.split()) for part in written.split("^"))
    return [family, *filter(None, others)]


def parts_of_person(new: str, old: str) -> str:
    """A new name in the components of the old one: a double name ("MARIA JOSE") stays one."""
    was, *given_before = _parts(old)
    family, comma, given = new.partition(", ")
    if not comma and not was:
        family, given = "", new
    words = given.split()
    parts = [family]
    for number, part in enumerate(given_before):
        is_last = number == len(given_before) - 1
        count = len(words) if is_last else min(len(words), len(part.split()))
        parts.append(" ".join(words[:count]))
        del words[:count]
    # What is left where the old name had no given name at all.
    return "^".join([*parts, *words]).rstrip("^")
