"""DICOM: the header by PS3.15, its texts through the detectors, burned-in text painted over."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, refused, require_modules
from incognote.formats.dicom_pixels import PIXELS, Pictures, check_no_face
from incognote.formats.dicom_rules import (
    DUMMY,
    EMBEDDED,
    EMPTY,
    RECURSE,
    RECURSE_CLEAN,
    RECURSE_DUMMY,
    REMOVE,
    Profile,
    dummy,
)
from incognote.formats.dicom_stamp import stamp
from incognote.formats.dicom_values import Value, values_of
from incognote.formats.embedded import records_of
from incognote.formats.ocr import require_ocr
from incognote.policy import DROP, KEEP, FormatRules

# What stands for the length of an element that says itself where it ends.
_OPEN_LENGTH = 0xFFFFFFFF
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
        try:
            self.require(rules)
            with _unheard():
                file = _File.opened(stream.read(), name, rules)
        except (ReadError, MissingExtra) as error:
            yield refused(name, error)
            return
        yield Record(file.documents, file.render)


@dataclass(slots=True)
class _File:
    """A data set held open between reading and writing."""

    dataset: Any = field(repr=False)
    where: str
    rules: FormatRules
    profile: Profile
    meta: dict[str, str] = field(repr=False)
    values: list[Value] = field(default_factory=list)
    embedded: list[tuple[Any, Any, list[Record]]] = field(default_factory=list, repr=False)
    pictures: Pictures = field(init=False)

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        dataset = _parsed(data)
        _check(dataset, rules)
        patient = str(dataset.get("PatientID") or "")
        meta = {"patient_id": patient} if patient else {}
        file = cls(dataset, name, rules, Profile(rules.dicom), meta)
        try:
            file._walk(dataset)
        except ReadError:
            raise
        except Exception:  # noqa: BLE001
            raise ReadError("holds a value that does not fit its attribute") from None
        file.pictures = Pictures(dataset, name, rules, meta)
        return file

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
                if element.VR == "AS" and str(element.value or "") > "089Y":
                    element.value = "090Y"  # ages above 89 are told apart by nobody
            else:
                self.values += values_of(dataset, element, kind, self.where, self.meta)

    def render(self, results: Sequence[Result]) -> bytes:
        with _unheard():
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
        cleaned = self.pictures.clean(rest)
        stamp(self.dataset, self.rules.dicom, self.values, cleaned_pixels=cleaned)
        buffer = io.BytesIO()
        self.dataset.save_as(buffer, enforce_file_format=True)
        return buffer.getvalue()


def _parsed(data: bytes) -> Any:
    import pydicom

    try:
        dataset = pydicom.dcmread(io.BytesIO(data))
        syntax = dataset.file_meta.get("TransferSyntaxUID")
        cut_off = _is_cut_off(dataset)
        # Elements are parsed when they are touched: what is broken shall show now.
        dataset.decode()
    except Exception:  # noqa: BLE001 - the library raises whatever its parser meets
        raise ReadError("broken, truncated or not a DICOM file") from None
    if cut_off:
        raise ReadError("truncated: a value is shorter than it should be")
    if syntax is None or syntax.is_private or not syntax.is_transfer_syntax:
        raise ReadError("written in a transfer syntax that is not of the standard")
    return dataset


def _is_cut_off(dataset: Any) -> bool:
    """Whether a value ends before its length says; the library takes what there is."""
    elements = [dataset.get_item(tag) for tag in list(dataset.keys())]
    return any(
        element.length not in (len(element.value or b""), _OPEN_LENGTH)
        if element.is_raw
        else element.VR == "SQ" and any(map(_is_cut_off, element.value))
        for element in elements
    )


def _check(dataset: Any, rules: FormatRules) -> None:
    """A ReadError for what is no object, or not a whole one, or one that nobody can clean."""
    if "DirectoryRecordSequence" in dataset:
        raise ReadError("a DICOMDIR, which names files and patients; leave it out")
    if "SOPInstanceUID" not in dataset:
        raise ReadError("holds no DICOM object")
    if "Rows" in dataset and not any(dataset.get(keyword) for keyword in PIXELS):
        raise ReadError("describes a picture, but its pixels are missing")
    if "clean-visual-features" in rules.dicom.options:
        check_no_face(dataset)


@contextmanager
def _unheard() -> Iterator[None]:
    """Without the library's warnings, which quote the values they complain of."""
    logger = logging.getLogger("pydicom")
    was = logger.disabled
    logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.disabled = was
