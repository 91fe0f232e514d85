"""DICOM: the header by PS3.15, its texts through the detectors, burned-in text painted over."""

from __future__ import annotations

import hashlib
import io
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError, TransformError
from incognote.core.types import Document, Failure, Result, Span
from incognote.formats.base import Record, new_text
from incognote.formats.dicom_rules import (
    DUMMY,
    EMBEDDED,
    EMPTY,
    RECURSE,
    REMOVE,
    UID,
    decide,
    dummy,
)
from incognote.formats.embedded import records_of
from incognote.formats.headers import words_of
from incognote.formats.ocr import require_ocr
from incognote.formats.pixels import BurnedIn, paint
from incognote.policy import DROP, KEEP, TEXT, FormatRules

# UIDs are the same thing in every patient's files, so that series and references stay whole.
_SHARED = {"patient_id": "dicom-uids"}
_METHODS = {
    "113100": "Basic Application Confidentiality Profile",
    "113104": "Clean Structured Content Option",
    "113105": "Clean Descriptors Option",
    "113107": "Retain Longitudinal Temporal Information Modified Dates Option",
}
_CLEAN_PIXELS = {"113101": "Clean Pixel Data Option"}
_MAX_FRAMES_READ = 8


class DicomFormat:
    name = "dicom"
    suffixes = (".dcm", ".dicom")

    def sniff(self, head: bytes) -> bool:
        return head[128:132] == b"DICM"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            file = _File.opened(stream.read(), name, rules)
        except (ReadError, MissingExtra) as error:
            message = str(error) if name in str(error) else f"{name}: {error}"
            yield Failure(name, ReadError.stage, type(error).__name__, message)
            return
        yield Record(file.documents, file.render)


@dataclass(slots=True)
class _Value:
    """One value of an element that becomes a document."""

    dataset: Any = field(repr=False)
    tag: Any
    index: int
    kind: str
    document: Document


@dataclass(slots=True)
class _File:
    dataset: Any = field(repr=False)
    where: str
    rules: FormatRules
    values: list[_Value] = field(default_factory=list)
    embedded: list[tuple[Any, Any, list[Record]]] = field(default_factory=list, repr=False)

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        try:
            import pydicom
        except ModuleNotFoundError:
            raise MissingExtra("the format 'dicom'", "dicom") from None
        try:
            with _unheard():
                dataset = pydicom.dcmread(io.BytesIO(data))
                # Elements are parsed when they are touched: what is broken shall show now.
                dataset.decode()
        except Exception:  # noqa: BLE001 - the library raises whatever its parser meets
            raise ReadError("broken, truncated or not a DICOM file") from None
        if "DirectoryRecordSequence" in dataset:
            raise ReadError("a DICOMDIR, which names files and patients; leave it out")
        if "SOPInstanceUID" not in dataset:
            raise ReadError("holds no DICOM object")
        if "PixelData" in dataset and rules.images != "keep":
            require_ocr()
        file = cls(dataset, name, rules)
        try:
            with _unheard():
                file._walk(dataset, _patient(dataset))
        except ReadError:
            raise
        except Exception:  # noqa: BLE001
            raise ReadError("holds a value that does not fit its attribute") from None
        return file

    @property
    def documents(self) -> tuple[Document, ...]:
        inner = [d for _, _, records in self.embedded for r in records for d in r.documents]
        return (*(value.document for value in self.values), *inner)

    def _walk(self, dataset: Any, meta: dict[str, str]) -> None:
        """Removes and empties at once; what needs a replacement is noted for later."""
        for element in list(dataset):
            kind = self.rules.choice(element.keyword) or decide(element)
            if kind in (REMOVE, DROP):
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
            elif kind == RECURSE:
                for item in element.value or ():
                    self._walk(item, meta)
            elif kind != KEEP:
                self._note(dataset, element, kind, meta)

    def _note(self, dataset: Any, element: Any, kind: str, meta: dict[str, str]) -> None:
        many = element.VM > 1
        for index, value in enumerate(element.value if many else [element.value]):
            text = str(value or "").strip(" \0^=")
            if not text:
                continue
            where = f"{self.where} {element.keyword or element.tag}"
            if kind == UID:
                if text.startswith("1.2.840.10008."):
                    continue  # the standard's own UIDs name no one
                document = _known(_digits(text), "IDNUM", self.where, _SHARED, where)
            elif kind == TEXT:
                lead = f"{words_of(element.keyword)}: "
                document = Document(self.where, lead + text, meta, where)
            elif kind == "DATE":
                document = _known(text[:8], kind, self.where, meta, where)
            elif element.VR == "PN":
                document = _known(_person(text), kind, self.where, meta, where)
            else:
                document = _known(text, kind, self.where, meta, where)
            self.values.append(_Value(dataset, element.tag, index if many else -1, kind, document))

    def render(self, results: Sequence[Result]) -> bytes:
        with _unheard():
            return self._rendered(results)

    def _rendered(self, results: Sequence[Result]) -> bytes:
        rest = list(results)
        for value in self.values:
            self._put(value, rest.pop(0))
        for dataset, tag, records in self.embedded:
            data = b""
            for record in records:
                own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
                data += record.render(own)
            dataset[tag].value = data + b"\0" * (len(data) % 2)
        cleaned = self._clean_pixels()
        return _written(self.dataset, cleaned)

    def _put(self, value: _Value, result: Result) -> None:
        element = value.dataset[value.tag]
        new = new_text(result)
        old = element.value[value.index] if value.index >= 0 else element.value
        if value.kind == UID:
            if not new.isdigit():
                raise TransformError("UIDs need a policy with surrogates for IDNUM")
            new = "2.25." + (new.lstrip("0") or "1")
        elif value.kind == TEXT:
            new = _behind(result)
        elif value.kind == "DATE":
            new = new + str(old)[8:] if new.isdigit() and len(new) == 8 else ""
        elif element.VR == "PN":
            new = "^".join(part for part in new.replace(", ", "^").split(" ") if part)
        if value.index >= 0:
            element.value[value.index] = new
        else:
            element.value = new

    def _clean_pixels(self) -> bool:
        """Paints over burned-in text; the picture is decompressed only if there is some."""
        if "PixelData" not in self.dataset or self.rules.images == "keep":
            return False
        try:
            pixels = self.dataset.pixel_array
        except Exception:  # noqa: BLE001 - decoders raise many kinds
            raise TransformError("the picture cannot be decoded, so it cannot be checked") from None
        frames = _frames(pixels, self.dataset)
        boxes = BurnedIn.of(_read(frames), self.where, self.rules).boxes(())
        if boxes:
            fill = frames.max() if self.dataset.PhotometricInterpretation == "MONOCHROME1" else 0
            painted = frames.copy()
            paint(painted, boxes, fill)
            _store(self.dataset, painted.reshape(pixels.shape))
        return True


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


def _known(text: str, label: str, doc_id: str, meta: dict[str, str], where: str) -> Document:
    return Document(doc_id, text, meta, where, (Span(0, len(text), label),), free_text=False)


def _behind(result: Result) -> str:
    """The new text without the lead-in, which no replacement may have touched."""
    lead = result.document.text.index(": ") + 2
    shift = sum(
        len(each.text) - each.span.length for each in result.replacements if each.span.end <= lead
    )
    return (result.text or "")[lead + shift :]


def _digits(uid: str) -> str:
    """A UID as a number of 37 digits, so that its surrogate is one and fits below 2.25."""
    return str(int.from_bytes(hashlib.sha256(uid.encode()).digest()) % 10**37).zfill(37)


def _person(name: str) -> str:
    """`FAMILY^GIVEN^MIDDLE` as it would be written, "FAMILY, GIVEN MIDDLE".

    A name may come in three scripts, separated by "="; the first that is there stands for all.
    """
    written = next((group for group in name.split("=") if group.strip("^ ")), "")
    family, *others = written.split("^")
    given = " ".join(part for part in others if part)
    return ", ".join(part for part in (family, given) if part)


def _patient(dataset: Any) -> dict[str, str]:
    patient = str(dataset.get("PatientID") or "")
    return {"patient_id": patient} if patient else {}


def _frames(pixels: Any, dataset: Any) -> Any:
    """Always (frames, rows, columns, channels)."""
    channels = int(dataset.get("SamplesPerPixel", 1))
    return pixels.reshape(-1, dataset.Rows, dataset.Columns, channels)


def _read(frames: Any) -> Iterator[Any]:
    """The pictures that stand for all frames: some of them, and the brightest of every point.

    What is burned in is bright and stands still; a word on a single frame shows in the second.
    """
    step = max(len(frames) // _MAX_FRAMES_READ, 1)
    for frame in frames[::step]:
        yield frame[..., :3].squeeze()
    if step > 1:
        yield frames.max(axis=0)[..., :3].squeeze()


def _store(dataset: Any, pixels: Any) -> None:
    """Uncompressed pixels in the colour space that decoding produced."""
    from pydicom.uid import ExplicitVRLittleEndian

    dataset.PixelData = pixels.tobytes()
    dataset["PixelData"].VR = "OW" if dataset.BitsAllocated > 8 else "OB"
    if int(dataset.get("SamplesPerPixel", 1)) == 3:
        dataset.PlanarConfiguration = 0
        dataset.PhotometricInterpretation = "RGB"
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset["PixelData"].is_undefined_length = False


def _written(dataset: Any, cleaned_pixels: bool) -> bytes:
    from pydicom.dataset import Dataset

    methods = {**_METHODS, **(_CLEAN_PIXELS if cleaned_pixels else {})}
    codes = []
    for code, meaning in methods.items():
        item = Dataset()
        item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = code, "DCM", meaning
        codes.append(item)
    dataset.PatientIdentityRemoved = "YES"
    dataset.DeidentificationMethod = "incognote: DICOM PS3.15 Basic Profile"
    dataset.DeidentificationMethodCodeSequence = codes
    if cleaned_pixels:
        dataset.BurnedInAnnotation = "NO"
    meta = dataset.file_meta
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    for keyword in ("SourceApplicationEntityTitle", "SendingApplicationEntityTitle",
                    "ReceivingApplicationEntityTitle", "PrivateInformation",
                    "PrivateInformationCreatorUID"):  # fmt: skip
        if keyword in meta:
            delattr(meta, keyword)
    dataset.preamble = b"\0" * 128
    buffer = io.BytesIO()
    dataset.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()
