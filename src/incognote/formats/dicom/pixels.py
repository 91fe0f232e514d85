"""The pictures of a DICOM file: words in pixels and overlays painted over, nothing else changed.

Pixels are decoded to be read, and stored uncompressed only where something was painted. Others stay
compressed, without the comments that their streams may carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from incognote.core.errors import ReadError
from incognote.core.types import Document, Result
from incognote.formats.dicom.rules import OVERLAYS
from incognote.formats.pictures.codestream import bare
from incognote.formats.pictures.ocr import Box
from incognote.formats.pictures.pixels import BurnedIn, check_painted, paint, renditions
from incognote.policy import KEEP, FormatRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")
_MAX_FRAMES_READ = 8
_GREY = ("MONOCHROME1", "MONOCHROME2")
# Where the frames of a compressed film start, and how long they are: (7FE0,0001) and (7FE0,0002).
_OFFSET_TABLES = (0x7FE00001, 0x7FE00002)
# Elements of an overlay: its points, and in which bit of the pixels it hides.
_DATA, _BIT_POSITION = 0x3000, 0x0102
# Scans from which a face can be rebuilt, unless they show another part of the body.
_SECTIONS = ("CT", "MR", "PT")
_FACELESS = frozenset(
    """ABDOMEN ANKLE AORTA ARM BLADDER BREAST CHEST COLON ELBOW EXTREMITY FOOT HAND HEART HIP KIDNEY
    KNEE LEG LIVER LSPINE LUNG PANCREAS PELVIS PROSTATE SHOULDER SSPINE THIGH TSPINE UTERUS
    WRIST""".split()
)
_PHOTOGRAPHS = ("XC", "OP", "DMS")


class Pictures:
    """The pixels of a file and its overlays, with the words that are burned into them."""

    def __init__(
        self,
        dataset: Any,
        where: str,
        rules: FormatRules,
        meta: dict[str, str],
        known: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """`known` is what the header states of the patient."""
        self._dataset = dataset
        self._keyword = next((each for each in PIXELS if each in dataset), None)
        self._read: list[tuple[int | None, BurnedIn]] = []
        if rules.images == KEEP:
            return
        if self._keyword:
            pixels = BurnedIn(
                lambda: _shown(_frames(dataset), dataset),
                where,
                rules,
                f"{where} {self._keyword}",
                meta,
                known,
            )
            self._read.append((None, pixels))
        for group in OVERLAYS:
            if (group, _DATA) in dataset:
                place = f"{where} overlay {group:04x}"
                words = BurnedIn(
                    lambda group=group: _representative(_overlay(dataset, group)[..., None]),  # type: ignore[misc]
                    where,
                    rules,
                    place,
                    meta,
                    known,
                )
                self._read.append((group, words))

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple(document for _, words in self._read for document in words.documents)

    def clean(self, results: Sequence[Result]) -> bool:
        """Paints over what is to go; whether the pixels were looked at at all."""
        rest = list(results)
        for group, words in self._read:
            count = len(words.documents)
            own, rest = rest[:count], rest[count:]
            if boxes := words.boxes(own):
                if group is None:
                    self._paint_pixels(boxes)
                else:
                    _paint_overlay(self._dataset, group, boxes)
        self._hidden_overlays()
        if self._keyword == "PixelData":
            _strip(self._dataset)
        return any(group is None for group, _ in self._read)

    def _paint_pixels(self, boxes: Sequence[Box]) -> None:
        frames = _frames(self._dataset).copy()
        paint(frames, boxes, _darkest(frames, self._dataset))
        for picture in _shown(frames, self._dataset):
            check_painted(picture, boxes)
        _store(self._dataset, self._keyword or "", frames)

    def _hidden_overlays(self) -> None:
        """Old files keep overlays in bits that the pixels do not use: those are set to nothing."""
        dataset = self._dataset
        groups = [
            group
            for group in OVERLAYS
            if (group, _BIT_POSITION) in dataset and dataset[group, _BIT_POSITION].value
        ]
        if not groups or self._keyword != "PixelData":
            return
        frames = _frames(dataset)
        unused = frames.dtype.itemsize * 8 - dataset.BitsStored
        # Left and back again: what is shifted out is gone, and a sign comes back by itself.
        _store(dataset, self._keyword, (frames << unused) >> unused)
        for group in groups:
            for element in list(dataset.group_dataset(group)):
                del dataset[element.tag]


def check_no_face(dataset: Any) -> None:
    """A ReadError for a picture that may show a face: it cannot be cleaned without defacing it."""
    part = str(dataset.get("BodyPartExamined") or "").upper()
    modality = str(dataset.get("Modality") or "")
    may_show = modality in _PHOTOGRAPHS or (modality in _SECTIONS and part not in _FACELESS)
    if str(dataset.get("RecognizableVisualFeatures") or "") == "YES" or may_show:
        raise ReadError("may show a face (clean-visual-features)")


def _frames(dataset: Any) -> NDArray[Any]:
    """The pixels as stored values, colours as RGB: always (frames, rows, columns, channels)."""
    channels = int(dataset.get("SamplesPerPixel", 1))
    try:
        pixels: NDArray[Any] = dataset.pixel_array
        return pixels.reshape(-1, dataset.Rows, dataset.Columns, channels)
    except Exception:  # noqa: BLE001 - decoders raise many kinds
        raise ReadError("the picture cannot be decoded, so it cannot be checked") from None


def _overlay(dataset: Any, group: int) -> NDArray[Any]:
    try:
        overlay: NDArray[Any] = dataset.overlay_array(group)
    except Exception:  # noqa: BLE001
        raise ReadError("an overlay cannot be decoded, so it cannot be checked") from None
    return overlay.reshape(-1, *overlay.shape[-2:])


def _visible(frames: NDArray[Any], dataset: Any) -> NDArray[Any]:
    """What a reader sees: the colours behind the indices of a palette."""
    if dataset.get("PhotometricInterpretation") != "PALETTE COLOR":
        return frames
    from pydicom.pixels.processing import apply_color_lut

    colours: NDArray[Any] = apply_color_lut(frames[..., 0], dataset)[..., :3]
    return colours


def _shown(frames: NDArray[Any], dataset: Any) -> Iterator[NDArray[Any]]:
    """The pictures to be read, as a viewer shows them."""
    window = _window(dataset)
    for picture in _representative(_visible(frames, dataset)):
        yield from renditions(picture, window)


def _window(dataset: Any) -> tuple[float, float] | None:
    """The range of stored values that the header asks to be shown."""
    if dataset.get("PhotometricInterpretation") not in _GREY or not dataset.get("WindowWidth"):
        return None
    centre, width = (
        float(value[0] if isinstance(value, Sequence) else value)
        for value in (dataset.get("WindowCenter") or 0, dataset.WindowWidth)
    )
    slope = float(dataset.get("RescaleSlope") or 1)
    offset = float(dataset.get("RescaleIntercept") or 0)
    low, high = sorted((centre + side * width / 2 - offset) / slope for side in (-1, 1))
    return low, high


def _representative(frames: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The pictures that represent all frames: some of them, the brightest and the darkest of every
    point.

    What is burned in does not move; a word on a single frame shows in one of the latter two.
    """
    step = max(len(frames) // _MAX_FRAMES_READ, 1)
    for frame in frames[::step]:
        yield frame[..., :3].squeeze()
    if step > 1:
        yield frames.max(axis=0)[..., :3].squeeze()
        yield frames.min(axis=0)[..., :3].squeeze()


def _darkest(frames: NDArray[Any], dataset: Any) -> Any:
    """The stored value that shows black."""
    import numpy as np

    kind = dataset.get("PhotometricInterpretation")
    if kind == "PALETTE COLOR":
        indices = np.unique(frames).reshape(1, -1, 1, 1)
        colours = _visible(indices, dataset).reshape(indices.size, -1).sum(axis=-1)
        return indices.ravel()[int(colours.argmin())]
    return frames.max() if kind == "MONOCHROME1" else frames.min()


def _store(dataset: Any, keyword: str, frames: NDArray[Any]) -> None:
    """Uncompressed pixels in the colour space that decoding produced."""
    from pydicom.uid import ExplicitVRLittleEndian

    syntax = dataset.file_meta.TransferSyntaxUID
    if syntax.is_encapsulated:
        syntax = dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        for tag in _OFFSET_TABLES:
            dataset.pop(tag, None)
    if dataset.BitsAllocated == 1:
        from pydicom.pixels.utils import pack_bits

        data = pack_bits(frames)
    else:
        stored = frames.dtype.newbyteorder("<" if syntax.is_little_endian else ">")
        data = frames.astype(stored).tobytes()
    dataset[keyword].value = data + b"\0" * (len(data) % 2)
    if keyword == "PixelData":
        dataset[keyword].VR = "OW" if dataset.BitsAllocated > 8 else "OB"
    if int(dataset.get("SamplesPerPixel", 1)) == 3:
        dataset.PlanarConfiguration = 0
        dataset.PhotometricInterpretation = "RGB"
    dataset[keyword].is_undefined_length = False


def _strip(dataset: Any) -> None:
    """Leaves of the pixel data what makes the picture, neither remarks nor what lies behind it."""
    syntax = dataset.file_meta.TransferSyntaxUID
    if syntax.is_encapsulated:
        if syntax.name.startswith("JPEG"):
            _strip_streams(dataset)
        return
    from pydicom.pixels.utils import get_expected_length

    try:
        length = get_expected_length(dataset)
    except Exception:  # noqa: BLE001
        raise ReadError("the picture is described so that nobody can tell its size") from None
    data = dataset.PixelData
    dataset["PixelData"].value = data[:length] + b"\0" * (length % 2 and len(data) > length)


def _strip_streams(dataset: Any) -> None:
    from pydicom.encaps import encapsulate, generate_frames

    count = int(dataset.get("NumberOfFrames") or 1)
    try:
        old = list(generate_frames(dataset.PixelData, number_of_frames=count))
        new = [bare(stream) for stream in old]
    except ReadError:
        # What cannot be followed but can be decoded is stored as it was decoded.
        _store(dataset, "PixelData", _frames(dataset))
        return
    except Exception:  # noqa: BLE001 - the library raises whatever its parser meets
        raise ReadError("the fragments of a compressed picture cannot be told apart") from None
    if any(one != other.rstrip(b"\0") for one, other in zip(new, old, strict=True)):
        dataset.PixelData = encapsulate(new)
        dataset["PixelData"].is_undefined_length = True
        for tag in _OFFSET_TABLES:
            dataset.pop(tag, None)


def _paint_overlay(dataset: Any, group: int, boxes: Sequence[Box]) -> None:
    from pydicom.pixels.utils import pack_bits

    planes = _overlay(dataset, group)[..., None].copy()
    paint(planes, boxes, 0)
    for plane in _representative(planes):
        check_painted(plane, boxes)
    data = pack_bits(planes[..., 0])
    dataset[group, _DATA].value = data + b"\0" * (len(data) % 2)
