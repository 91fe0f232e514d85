"""DICOM: words in the pixels, and what compressed pixels carry besides the picture."""

from __future__ import annotations

import io
import struct

import pydicom
import pytest
from pydicom.uid import ExplicitVRBigEndian, JPEG2000Lossless, JPEGBaseline8Bit
from tests.formats.kit.dicoms import codes, study, surrogates

from incognote.core.errors import ReadError
from incognote.core.types import Result
from incognote.policy import DicomRules, FormatRules
from incognote.testing.formats import read

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize(("ground", "ink"), [(0, 200), (230, 20)], ids=["bright", "dark"])
def test_every_frame_counts(ground, ink):
    np = pytest.importorskip("numpy")
    from incognote.formats.dicom.pixels import _representative

    frames = np.full((50, 4, 4, 1), ground, dtype=np.uint8)
    frames[33, 2, 3] = ink
    assert any((picture == ink).any() for picture in _representative(frames))


class TestCompressed:
    """Remarks, EXIF and whatever lies behind the end of a picture go; no pixel changes."""

    def _file(self, stream: bytes, syntax: str) -> bytes:
        from pydicom.encaps import encapsulate

        facts = {
            "Rows": 16, "Columns": 16, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7,
            "PixelRepresentation": 0, "SamplesPerPixel": 1,
            "PhotometricInterpretation": "MONOCHROME2", "PixelData": encapsulate([stream]),
        }  # fmt: skip
        dataset = pydicom.dcmread(io.BytesIO(study(**facts)))
        dataset["PixelData"].VR = "OB"
        dataset["PixelData"].is_undefined_length = True
        dataset.file_meta.TransferSyntaxUID = syntax
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        return buffer.getvalue()

    def _cleaned(self, data: bytes) -> None:
        before = pydicom.dcmread(io.BytesIO(data))
        out = surrogates(data)
        assert b"QUILLON" in before.PixelData
        assert b"QUILLON" not in out.PixelData
        assert out.file_meta.TransferSyntaxUID == before.file_meta.TransferSyntaxUID
        assert (out.pixel_array == before.pixel_array).all()

    def test_jpeg(self):
        Image = pytest.importorskip("PIL.Image")  # noqa: N806
        exif = Image.Exif()
        exif[0x013B] = "QUILLON"
        buffer = io.BytesIO()
        Image.linear_gradient("L").resize((16, 16)).save(
            buffer, "JPEG", comment=b"QUILLON", exif=exif, progressive=True
        )
        self._cleaned(self._file(buffer.getvalue() + b"QUILLON", JPEGBaseline8Bit))

    def test_jpeg_2000(self):
        Image = pytest.importorskip("PIL.Image")  # noqa: N806
        buffer = io.BytesIO()
        Image.linear_gradient("L").resize((16, 16)).save(buffer, "JPEG2000", no_jp2=True)
        stream = buffer.getvalue()
        at = stream.index(b"\xff\x52")
        remark = b"\xff\x64" + struct.pack(">HH", 11, 1) + b"QUILLON"
        self._cleaned(self._file(stream[:at] + remark + stream[at:] + b"QUILLON", JPEG2000Lossless))

    def test_what_lies_behind_the_pixels(self):
        facts = {
            "Rows": 2, "Columns": 2, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7,
            "PixelRepresentation": 0, "SamplesPerPixel": 1,
            "PhotometricInterpretation": "MONOCHROME2", "PixelData": b"abcdQUILLON ",
        }  # fmt: skip
        assert surrogates(study(**facts)).PixelData == b"abcd"


@pytest.mark.usefixtures("ocr")
class TestPixels:
    def _words(self, out: pydicom.Dataset) -> str:
        from incognote.formats.dicom.pixels import _frames, _visible
        from incognote.formats.pictures.ocr import read_picture

        return read_picture(_visible(_frames(out), out)[0].squeeze()).text

    def _plate(self):
        """QUILLON in white on black: 1 where there is ink. No narrow strip, for OCR enlarges a
        picture until its shorter side is long enough."""
        import numpy as np
        from PIL import Image, ImageDraw

        picture = Image.new("L", (420, 240))
        ImageDraw.Draw(picture).text((30, 40), "QUILLON", fill=1, font_size=40)
        return np.array(picture)

    def _file(self, pixels, kind: str, **extra: object) -> bytes:
        rows, columns = pixels.shape[-3:-1] if kind == "RGB" else pixels.shape[-2:]
        bits = pixels.dtype.itemsize * 8
        facts: dict[str, object] = {
            "Rows": rows, "Columns": columns, "BitsAllocated": bits, "BitsStored": bits,
            "HighBit": bits - 1, "PixelRepresentation": int(pixels.dtype.kind == "i"),
            "SamplesPerPixel": 3 if kind == "RGB" else 1, "PhotometricInterpretation": kind,
            "PixelData": pixels.tobytes(),
        }  # fmt: skip
        if kind == "RGB":
            facts["PlanarConfiguration"] = 0
        return study(**{**facts, **extra})

    def test_a_burned_in_name_plate_is_painted_over(self, shared):
        """A compressed ultrasound picture (JPEG 2000, RGB)."""
        path = shared / "fixtures/dicom/pydicom-data-US1_J2KR.dcm"
        assert "BAPTIST" in self._words(pydicom.dcmread(path)).upper()
        out = surrogates(path.read_bytes(), FormatRules())
        assert self._words(out) == ""
        assert out.BurnedInAnnotation == "NO"
        assert "113101" in codes(out)

    def test_sixteen_bits_with_a_sign(self):
        import numpy as np

        pixels = self._plate().astype(np.int16) * 1800 - 900
        out = surrogates(self._file(pixels, "MONOCHROME2"), FormatRules())
        assert out.pixel_array.dtype == np.int16
        assert out.pixel_array.max() == -900

    def test_white_is_zero(self):
        import numpy as np

        pixels = 4000 - self._plate().astype(np.uint16) * 4000
        out = surrogates(self._file(pixels, "MONOCHROME1"), FormatRules())
        assert out.pixel_array.min() == 4000

    def test_through_the_palette(self):
        """Indices far apart that mean nearly the same grey, and neighbours that do not."""
        import numpy as np

        levels = np.zeros(256, np.uint16)
        levels[[1, 8]] = 60000
        extra = {
            f"{colour}PaletteColorLookupTable{part}": value
            for colour in ("Red", "Green", "Blue")
            for part, value in (("Descriptor", [256, 0, 16]), ("Data", levels.tobytes()))
        }
        plate = self._plate()
        pixels = np.where(plate == 1, 8, np.where(np.indices(plate.shape)[1] % 2, 0, 200))
        data = self._file(pixels.astype(np.uint8), "PALETTE COLOR", **extra)
        assert self._words(pydicom.dcmread(io.BytesIO(data))) == "QUILLON"
        out = surrogates(data, FormatRules())
        assert self._words(out) == ""
        assert out.PhotometricInterpretation == "PALETTE COLOR"

    def test_film_frames_and_colours_by_lossy_compression(self, shared):
        """YBR in JPEG, 30 frames, with the settings of the machine burned in."""
        path = shared / "fixtures/dicom/pydicom-examples_ybr_color.dcm"
        before = pydicom.dcmread(path)
        from incognote.formats.dicom.pixels import _frames

        assert _frames(before).shape == (30, 240, 320, 3)
        assert "Gen" in self._words(before)
        out = surrogates(path.read_bytes(), FormatRules())
        assert self._words(out) == ""
        assert _frames(out).shape == (30, 240, 320, 3)

    def test_what_is_no_phi_stays_where_the_policy_reads(self):
        import numpy as np
        from PIL import Image, ImageDraw

        picture = Image.new("L", (420, 120))
        ImageDraw.Draw(picture).text((10, 10), "QUILLON", fill=255, font_size=36)
        ImageDraw.Draw(picture).text((10, 70), "LEFT KNEE", fill=255, font_size=36)
        data = self._file(np.array(picture), "MONOCHROME2")
        out = surrogates(data, FormatRules(images="read"))
        assert self._words(out) == "LEFT KNEE"

    def test_overlays_go_or_are_painted_over(self):
        from pydicom.pixels.utils import pack_bits

        from incognote.formats.pictures.ocr import read_picture

        plate = self._plate()
        dataset = pydicom.dcmread(io.BytesIO(self._file(plate * 0, "MONOCHROME2")))
        for element, vr, value in (
            (0x10, "US", 240), (0x11, "US", 420), (0x40, "CS", "G"), (0x50, "SS", [1, 1]),
            (0x100, "US", 1), (0x102, "US", 0), (0x3000, "OW", pack_bits(plate)),
        ):  # fmt: skip
            dataset.add_new((0x6000, element), vr, value)
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        assert (0x6000, 0x3000) not in surrogates(buffer.getvalue(), FormatRules())
        rules = FormatRules(dicom=DicomRules(options=("clean-graphics",)))
        out = surrogates(buffer.getvalue(), rules)
        assert read_picture(out.overlay_array(0x6000)).lines == ()
        assert "113103" in codes(out)

    def test_overlays_in_unused_bits_go(self):
        import numpy as np

        pixels = (self._plate().astype(np.int16) << 12) - 5 * (np.indices((240, 420))[0] > 60)
        data = self._file(pixels.astype(np.int16), "MONOCHROME2", BitsStored=12, HighBit=11)
        dataset = pydicom.dcmread(io.BytesIO(data))
        dataset.add_new((0x6000, 0x0102), "US", 12)
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        out = surrogates(buffer.getvalue(), FormatRules())
        stored = np.frombuffer(out.PixelData, np.int16)
        assert set(stored) == {0, -5}
        assert not out.group_dataset(0x6000)

    def test_words_hidden_by_one_white_pixel(self):
        import numpy as np

        pixels = self._plate().astype(np.uint16) * 300
        pixels[0, 0] = 65535
        out = surrogates(self._file(pixels, "MONOCHROME2"), FormatRules())
        assert set(np.unique(out.pixel_array)) == {0, 65535}

    def test_words_in_the_window_that_the_header_asks_for(self):
        import numpy as np

        pixels = np.indices((240, 420))[0].astype(np.uint16) // 200 * 0
        pixels[200:] = np.arange(40 * 420).reshape(40, 420) * 3
        pixels[:200] += self._plate()[:200].astype(np.uint16) * 300
        window = {"WindowCenter": "150", "WindowWidth": "300"}
        out = surrogates(self._file(pixels, "MONOCHROME2", **window), FormatRules())
        assert out.pixel_array[:200].max() == 0
        assert (out.pixel_array[200:] == pixels[200:]).all()

    def test_big_endian_stays_big_endian(self):
        import numpy as np

        pixels = (self._plate().astype(np.uint16) * 300 + 7).astype(">u2")
        dataset = pydicom.dcmread(io.BytesIO(self._file(pixels, "MONOCHROME2")))
        dataset.file_meta.TransferSyntaxUID = ExplicitVRBigEndian
        buffer = io.BytesIO()
        pydicom.dcmwrite(buffer, dataset, little_endian=False, implicit_vr=False)
        out = surrogates(buffer.getvalue(), FormatRules())
        assert out.file_meta.TransferSyntaxUID == ExplicitVRBigEndian
        assert set(np.unique(out.pixel_array)) == {7}

    def test_pixels_that_cannot_be_decoded_are_refused(self):
        import numpy as np

        data = self._file(np.zeros((8, 8), np.uint8), "MONOCHROME2", PixelData=b"\0" * 10)
        (record,) = read(data, "x.dcm")
        with pytest.raises(ReadError):
            record.render(
                [
                    Result(d, (), text="7") if d.given else Result(d, (), text=d.text)
                    for d in record.documents
                ]
            )
