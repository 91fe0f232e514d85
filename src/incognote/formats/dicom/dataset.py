"""DICOM: the header by PS3.15, its texts through the detectors, burned-in text painted over."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from incognote.core.errors import ReadError, TransformError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import SHARED, Record, require_modules, whole
from incognote.formats.dicom.pixels import PIXELS, Pictures, check_no_face
from incognote.formats.dicom.rules import (
    DUMMY,
    EMBEDDED,
    EMPTY,
    RECURSE,
    RECURSE_CLEAN,
    RECURSE_DUMMY,
    REMOVE,
    UID,
    Profile,
    dummy,
    fits,
)
from incognote.formats.dicom.stamp import stamp
from incognote.formats.dicom.values import Value, values_of
from incognote.formats.embedded import records_of
from incognote.formats.patch import facts
from incognote.formats.pictures.ocr import require_ocr
from incognote.policy import DROP, KEEP, TEXT, FormatRules

Facts = tuple[tuple[str, str], ...]

# The length field of an element with an end mark.
_OPEN_LENGTH = 0xFFFFFFFF
_MAX_DEPTH = 100
# Where representations are not written down, they show when an element is parsed.
_MAYBE_SEQUENCE = ("SQ", "UN", None)
# What may name a patient, in a code, too.
_WORD = re.compile(r"\w{4,}")
_KEPT_TEXT = ("AS", "CS", "LO", "SH", "TM", "UC")
# How many of an age's units are 90 years.
_VERY_OLD = {"Y": 90, "M": 1080, "W": 4696, "D": 32872}
_VOICES = ("1.2.840.10008.5.1.4.1.1.9.4.1", "1.2.840.10008.5.1.4.1.1.9.4.2")
_SEQUENCES = (RECURSE, RECURSE_CLEAN, RECURSE_DUMMY)


class DicomFormat:
    name = "dicom"
    suffixes = (".dcm", ".dicom")

    def sniff(self, head: bytes) -> bool:
        return head[128:132] == b"DICM"

    def require(self, rules: FormatRules) -> None:
        require_modules("the format 'dicom'", "dicom", "pydicom")
        if rules.images != KEEP:
            require_ocr()

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> _File:
            self.require(rules)
            with _without_warnings():
                return _File.opened(stream.read(), name, rules)

        yield whole(name, opened)


@dataclass(slots=True)
class _File:
    """A data set held open between reading and writing."""

    dataset: Any = field(repr=False)
    where: str
    rules: FormatRules
    profile: Profile
    meta: dict[str, str] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    values: list[Value] = field(default_factory=list)
    embedded: list[tuple[Any, Any, list[Record]]] = field(default_factory=list, repr=False)
    pictures: Pictures = field(init=False)

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        dataset = _parsed(data)
        _check(dataset, rules)
        try:
            patient = str(dataset.get("PatientID") or "")
            meta = {"patient_id": patient} if patient else {}
            names = frozenset(_WORD.findall(f"{dataset.get('PatientName') or ''} {patient}"))
            file = cls(dataset, name, rules, Profile(rules.dicom), meta, names)
            file._walk(dataset)
        except ReadError:
            raise
        except Exception:  # noqa: BLE001
            raise ReadError("holds a value that does not fit its attribute") from None
        known = file._inform()
        file.pictures = Pictures(dataset, name, rules, meta, known)
        return file

    def _inform(self) -> Facts:
        """Tells the texts, and the files within the file, what the header states of the patient."""
        known = facts(value.document for value in self.values if value.kind != UID)
        for value in self.values:
            value.document = _informed(value.document, known, self.meta)
        for _, _, records in self.embedded:
            records[:] = [
                replace(
                    record,
                    documents=tuple(_informed(d, known, self.meta) for d in record.documents),
                )
                for record in records
            ]
        return known

    @property
    def documents(self) -> tuple[Document, ...]:
        inner = [d for _, _, records in self.embedded for r in records for d in r.documents]
        return (*(value.document for value in self.values), *inner, *self.pictures.documents)

    def _walk(self, dataset: Any, inside: str = "") -> None:
        """Removes and empties at once; what needs a replacement is noted for later."""
        for element in list(dataset):
            decision = self.profile.decide(dataset, element, inside)
            kind = self.rules.choice(element.keyword) or decision
            is_icon = dataset is not self.dataset and element.keyword in PIXELS
            if kind in (REMOVE, DROP) or is_icon:
                del dataset[element.tag]
            elif kind == EMPTY:
                element.value = [] if element.VR == "SQ" else ""
            elif kind == DUMMY:
                element.value = dummy(element.VR)
            elif kind == EMBEDDED:
                data = bytes(element.value).rstrip(b"\0")
                self.embedded.append(
                    (dataset, element.tag, records_of(data, self.where, self.rules))
                )
            elif kind in _SEQUENCES:
                for item in element.value or ():
                    self._walk(item, inside if kind == RECURSE else kind)
            elif kind == KEEP:
                self._keep(dataset, element)
            else:
                self.values += values_of(dataset, element, kind, self.where, self.meta)

    def _keep(self, dataset: Any, element: Any) -> None:
        """What stays, if it is what it should be: a code that is none, or a name, is read."""
        if element.VR not in _KEPT_TEXT:
            return
        values = element.value if element.VM > 1 else [element.value]
        texts = [str(value or "") for value in values]
        if not all(self.names.isdisjoint(_WORD.findall(text)) for text in texts):
            self.values += values_of(dataset, element, TEXT, self.where, self.meta)
        elif not all(fits(element.VR, text) for text in texts if text):
            if element.VR == "CS":
                self.values += values_of(dataset, element, TEXT, self.where, self.meta)
            else:
                element.value = ""
        elif element.VR == "AS" and any(map(_is_very_old, texts)):
            element.value = "090Y"  # ages above 89 become one

    def render(self, results: Sequence[Result]) -> bytes:
        with _without_warnings():
            return self._rendered(results)

    def _rendered(self, results: Sequence[Result]) -> bytes:
        rest = list(results)
        for value in self.values:
            value.put(rest.pop(0))
        for dataset, tag, records in self.embedded:
            data = b""
            for record in records:
                own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
                data += record.render(own)
            dataset[tag].value = data + b"\0" * (len(data) % 2)
            if "EncapsulatedDocumentLength" in dataset:
                dataset.EncapsulatedDocumentLength = len(data)
        cleaned = self.pictures.clean(rest)
        stamp(self.dataset, self.rules.dicom, self.values, cleaned_pixels=cleaned)
        buffer = io.BytesIO()
        try:
            self.dataset.save_as(buffer, enforce_file_format=True)
        except Exception:  # noqa: BLE001 - what the library could read it need not know to write
            raise TransformError("holds values that cannot be written again") from None
        return buffer.getvalue()


def _parsed(data: bytes) -> Any:
    import pydicom

    try:
        dataset = pydicom.dcmread(io.BytesIO(data))
        syntax = dataset.file_meta.get("TransferSyntaxUID")
        _check_whole(dataset)
        # Elements are parsed when they are touched: what is broken shall show now.
        dataset.decode()
        known = syntax is not None and not syntax.is_private and syntax.is_transfer_syntax
    except ReadError:
        raise
    except Exception:  # noqa: BLE001 - the library raises whatever its parser meets
        raise ReadError("broken, truncated or not a DICOM file") from None
    if not known:
        raise ReadError("written in a transfer syntax that is not of the standard")
    return dataset


def _check_whole(dataset: Any) -> None:
    """A ReadError where a value ends before its length says (the library takes what there is), or
    where sequences lie in each other without end: its messages double with each of them."""
    level = [dataset]
    for _ in range(_MAX_DEPTH):
        inner: list[Any] = []
        for each in level:
            _check_charset(each)
            for tag in list(each.keys()):
                element = each.get_item(tag)
                if element.is_raw and element.length not in (
                    len(element.value or b""),
                    _OPEN_LENGTH,
                ):
                    raise ReadError("truncated: a value is shorter than it should be")
                if element.VR in _MAYBE_SEQUENCE and each[tag].VR == "SQ":
                    inner += each[tag].value
        if not inner:
            return
        level = inner
    raise ReadError("sequences nested too deeply")


def _check_charset(dataset: Any) -> None:
    """A ReadError where the letters of a data set are declared in a way that the standard does not
    have: the library would guess, and detectors would read something else than people do."""
    from pydicom.charset import python_encoding

    declared = dataset.get("SpecificCharacterSet")
    terms = [declared] if declared is None or isinstance(declared, str) else list(declared)
    known = {str(term).strip() for term in python_encoding}
    if any(str(term or "").strip() not in known | {""} for term in terms):
        raise ReadError("declares a character set that is not of the standard")


def _check(dataset: Any, rules: FormatRules) -> None:
    """A ReadError for what is no object, or not a whole one, or one that cannot be cleaned."""
    if "DirectoryRecordSequence" in dataset:
        raise ReadError("a DICOMDIR, which names files and patients; leave it out")
    if "SOPInstanceUID" not in dataset:
        raise ReadError("holds no DICOM object")
    if "Rows" in dataset and not any(dataset.get(keyword) for keyword in PIXELS):
        raise ReadError("describes a picture, but its pixels are missing")
    if dataset.get("SOPClassUID") in _VOICES:
        raise ReadError("holds a voice, and what it says cannot be read")
    if "clean-visual-features" in rules.dicom.options:
        check_no_face(dataset)


def _is_very_old(age: str) -> bool:
    age = age.strip()
    return int(age[:-1]) >= _VERY_OLD[age[-1]] if age else False


def _informed(document: Document, known: Facts, meta: Mapping[str, str]) -> Document:
    """A document with the patient it is about and what is known of them."""
    told = tuple(dict.fromkeys([*document.known, *known])) if document.free_text else ()
    return replace(document, meta=_owned(document, meta), known=told)


def _owned(document: Document, meta: Mapping[str, str]) -> Mapping[str, str]:
    """A file within the file belongs to its patient, whatever it says of itself."""
    return document.meta if document.meta == SHARED else {**document.meta, **meta}


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Mutes the library: its warnings quote values."""
    logger = logging.getLogger("pydicom")
    was = logger.disabled
    logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.disabled = was
