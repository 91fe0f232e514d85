"""Words in pictures and on scanned pages: what the policy says, seen by reading the output again."""

from __future__ import annotations

import io

import numpy as np
import pikepdf
import pypdfium2
import pytest
from tests.formats.kit.made import everything

from incognote.core.errors import LeakError
from incognote.core.types import Failure
from incognote.formats.pictures.ocr import Box, Line, Reading
from incognote.formats.pictures.pixels import BurnedIn, check_painted, paint
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

Image = pytest.importorskip("PIL.Image", reason="the ocr extra is not installed")
ImageDraw = pytest.importorskip("PIL.ImageDraw", reason="the ocr extra is not installed")
pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")

from incognote.formats.pictures.ocr import read_picture  # noqa: E402

pytestmark = pytest.mark.usefixtures("ocr")
NAMES = ["QUILLON", "ADEYEMI"]
KEEP, COVER, READ = (FormatRules(images=choice) for choice in ("keep", "cover", "read"))


# OCR enlarges a picture until its shorter side has 736 pixels: a narrow strip would cost the most.
SIZE = (760, 400)


def _picture(*lines: str, ink: int = 0) -> Image.Image:
    picture = Image.new("L", SIZE, 255 - ink)
    for number, line in enumerate(lines or ("QUILLON ADEYEMI is well",)):
        ImageDraw.Draw(picture).text((20, 30 + 50 * number), line, fill=ink, font_size=36)
    return picture


def _file(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format=kind, **options)
    return buffer.getvalue()


def _words(data: bytes) -> str:
    with Image.open(io.BytesIO(data)) as picture:
        return read_picture(np.array(picture)).text


def _of_depth(mode: str) -> Image.Image:
    plain = _picture()
    if mode == "I;16":
        return Image.fromarray(np.array(plain).astype(np.uint16) * 200)
    return plain.convert(mode)


def _bare(text: str) -> str:
    return text.replace(" ", "").lower()


class TestReading:
    def test_blanks_come_back_from_the_gaps_in_the_ink(self):
        line = "Seen on 03/11/2024 by Dr. Brandvold"
        assert read_picture(np.array(_picture(line))).text == line

    def test_white_on_black_reads_as_well(self):
        reading = read_picture(np.array(_picture("QUILLON is well", ink=255)))
        assert reading.text == "QUILLON is well"

    def test_columns_of_a_row_stand_apart_and_rows_below_each_other(self):
        words = {"Name": (0, 0), "QUILLON": (200, 2), "DOB": (0, 50)}
        lines = [
            Line(text, Box(x, y, x + 40, y + 20), (Box(x, y, x + 40, y + 20),) * len(text))
            for text, (x, y) in words.items()
        ]
        from incognote.formats.pictures.ocr import _in_order

        assert _in_order(lines[::-1]).text == "Name\tQUILLON\nDOB"

    def test_a_stretch_over_two_lines_has_a_box_on_each(self):
        def line(text: str, top: int) -> Line:
            places = tuple(Box(10 * i, top, 10 * i + 10, top + 10) for i in range(len(text)))
            return Line(text, Box(0, top, 10 * len(text), top + 10), places)

        reading = Reading((line("to QUIL", 0), line("LON now", 20)), ("", "\n"))
        start = reading.text.index("Q")
        end = reading.text.index(" now")
        assert list(reading.between(start, end)) == [Box(30, 0, 70, 10), Box(0, 20, 30, 30)]

    @pytest.mark.parametrize("turns", [1, 2, 3])
    def test_pages_that_lie_sideways_or_on_their_heads(self, turns):
        lines = ("QUILLON ADEYEMI is well", "and comes back in June", "or in July with her son")
        picture = np.rot90(np.array(_picture(*lines)), turns)
        reading = read_picture(picture)
        # Blanks and the size of letters are the recogniser's guess; lines and their order are not.
        assert _bare(reading.text) == _bare("\n".join(lines))
        out = picture.copy()
        paint(out[..., None], list(reading.between(0, reading.text.lower().index("is"))), 255)
        back = _bare(read_picture(np.rot90(out, -turns)).text)
        assert "quillon" not in back
        assert "adeyemi" not in back
        assert _bare(lines[1]) in back


class TestPainting:
    def test_what_ocr_is_unsure_of_is_painted_over_without_being_phi(self):
        places = tuple(Box(0, 0, 9, 9) for _ in "scrawl")
        reading = Reading((Line("scrawl", Box(0, 0, 60, 9), places, sure=False),), ("",))
        from incognote.core.types import Document, Result

        document = Document("x", reading.text)
        words = BurnedIn(tuple, "x", READ, _readings=(reading,))
        assert words.boxes([Result(document, (), text=reading.text)]) == [Box(0, 0, 64, 13)]

    @pytest.mark.parametrize(
        ("text", "from_"),
        [("on 1 1 Ma r 2024", [26]), ("03/1 1/ 2024", [0]), ("well in 2024", [])],
        ids=["month by name", "month by number", "a year alone"],
    )
    def test_dates_that_ocr_tore_apart_go_whole(self, text, from_):
        from incognote.core.types import Document, Result, Span

        places = tuple(Box(10 * at, 0, 10 * at + 10, 9) for at in range(len(text)))
        reading = Reading((Line(text, Box(0, 0, 10 * len(text), 9), places),), ("",))
        year = Span(len(text) - 4, len(text), "DATE")
        words = BurnedIn(tuple, "x", READ, _readings=(reading,))
        boxes = words.boxes([Result(Document("x", text), (year,), text=text)])
        assert [box.left for box in boxes] == from_

    def test_a_word_that_can_still_be_read_is_a_leak(self):
        pixels = np.array(_picture())
        box = read_picture(pixels).lines[0].box
        with pytest.raises(LeakError):
            check_painted(pixels, [box])
        paint(pixels[..., None], [box], 0)
        check_painted(pixels, [box])


class TestPictureFiles:
    @pytest.mark.parametrize(
        ("mode", "kind"),
        [("L", "JPEG"), ("I;16", "PNG"), ("I;16", "TIFF"), ("P", "PNG"), ("F", "TIFF")],
    )
    def test_words_go_whatever_the_depth(self, mode, kind):
        out = masked(_file(_of_depth(mode), kind), f"x.{kind.lower()}", NAMES, READ)
        assert _words(out) == "is well"
        with Image.open(io.BytesIO(out)) as picture:
            assert picture.mode == ("RGB" if mode == "P" else mode)

    def test_all_words_go_where_nothing_else_is_said(self):
        data = _file(_picture())
        assert documents(data, "x.png") == []
        assert _words(unchanged(data, "x.png")) == ""

    def test_kept_pictures_keep_their_pixels_but_not_their_metadata(self):
        exif = Image.Exif()
        exif[0x013B] = "Brandvold"
        data = _file(_picture(), "PNG", exif=exif)
        assert b"Brandvold" in data
        out = unchanged(data, "x.png", KEEP)
        assert b"Brandvold" not in out
        with Image.open(io.BytesIO(out)) as kept:
            assert np.array_equal(np.array(kept), np.array(_picture()))

    @pytest.mark.parametrize("rules", [KEEP, COVER, READ], ids=["keep", "cover", "read"])
    def test_metadata_goes_in_any_case(self, rules):
        exif = Image.Exif()
        exif[0x013B] = "Brandvold"
        data = _file(_picture("well"), "JPEG", exif=exif, comment=b"Brandvold")
        assert b"Brandvold" not in unchanged(data, "x.jpg", rules)

    def test_every_frame_is_read(self):
        pages = [_picture("first page"), _picture("QUILLON here")]
        data = _file(pages[0], "TIFF", save_all=True, append_images=pages[1:])
        assert [d.text for d in documents(data, "x.tif", READ)] == ["first page", "QUILLON here"]
        with Image.open(io.BytesIO(masked(data, "x.tif", NAMES, READ))) as out:
            out.seek(1)
            assert read_picture(np.array(out)).text == "here"

    def test_a_jpeg_without_words_is_not_compressed_again(self):
        exif = Image.Exif()
        exif[0x013B] = "Brandvold"
        picture = Image.linear_gradient("L").resize((64, 64))
        data = (
            _file(picture, "JPEG", exif=exif, comment=b"Brandvold", dpi=(300, 300)) + b"Brandvold"
        )
        out = unchanged(data, "x.jpg", KEEP)
        assert b"Brandvold" not in out
        with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(out)) as after:
            assert np.array_equal(np.array(before), np.array(after))
            assert after.info["dpi"] == (300, 300)

    @pytest.mark.parametrize("kind", ["JPEG", "TIFF", "PNG"])
    def test_words_lying_on_their_side_are_set_upright(self, kind):
        exif = Image.Exif()
        exif[0x0112] = 6
        data = _file(_picture().transpose(Image.Transpose.ROTATE_90), kind, exif=exif)
        assert _words(masked(data, f"x.{kind.lower()}", NAMES, READ)) == "is well"

    def test_a_fax_stays_a_fax(self):
        data = _file(_picture().convert("1"), "TIFF", compression="group4", dpi=(204, 196))
        with Image.open(io.BytesIO(unchanged(data, "x.tif", COVER))) as picture:
            assert (picture.mode, picture.info["compression"]) == ("1", "group4")
            assert picture.info["dpi"] == (204, 196)
            assert read_picture(np.array(picture)).text == ""

    def test_what_is_clear_shows_nothing(self):
        hidden = _picture().convert("RGBA")
        hidden.putalpha(0)
        with Image.open(io.BytesIO(unchanged(_file(hidden), "x.png", KEEP))) as out:
            assert out.getextrema() == ((255, 255),) * 3

    def test_words_hidden_by_one_white_pixel(self):
        pixels = np.array(_picture(ink=255)).astype(np.uint16)
        pixels[0, 0] = 65535
        data = _file(Image.fromarray(pixels))
        with Image.open(io.BytesIO(masked(data, "x.png", NAMES, COVER))) as out:
            assert set(np.unique(np.array(out))) == {0, 65535}

    def test_broken_pictures_are_refused(self):
        (outcome,) = read(b"\x89PNG\r\n\x1a\nnonsense", "x.png")
        assert isinstance(outcome, Failure)


def _scan(*, rotate: int = 0, text: bytes = b"", streams: int = 1) -> bytes:
    """A page that is a picture, lying on its side where the page is shown turned."""
    picture = _picture("QUILLON ADEYEMI is well", "BP 128/76").convert("RGB")
    turned = picture.rotate(rotate, expand=True)
    pdf = pikepdf.new()
    width, height = turned.size
    pdf.add_blank_page(page_size=(width / 2, height / 2))
    page = pdf.pages[0]
    image = pdf.make_stream(_file(turned, "JPEG", quality=95))
    image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
    image.Width, image.Height = width, height
    image.ColorSpace, image.BitsPerComponent = pikepdf.Name.DeviceRGB, 8
    image.Filter = pikepdf.Name.DCTDecode
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    page.Resources = pikepdf.Dictionary(
        XObject=pikepdf.Dictionary(Im0=image), Font=pikepdf.Dictionary(F1=font)
    )
    drawn = b"q %d 0 0 %d 0 0 cm /Im0 Do Q " % (width // 2, height // 2)
    parts = [b"q", drawn + b"Q"] if streams == 2 else [drawn]
    parts[-1] += text
    page.Contents = pdf.make_indirect(pikepdf.Array([pdf.make_stream(part) for part in parts]))
    page.Rotate = rotate
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


def _shown(data: bytes) -> str:
    page = pypdfium2.PdfDocument(data)[0]
    return read_picture(page.render(scale=2).to_numpy()[..., :3]).text


class TestScannedPages:
    def test_without_ocr_the_page_is_refused(self):
        (outcome,) = read(_scan(), "x.pdf")
        assert isinstance(outcome, Failure)
        assert "page 1 is a picture" in outcome.message

    @pytest.mark.parametrize("rotate", [0, 90])
    def test_phi_is_painted_over_and_the_rest_can_be_read(self, rotate):
        data = _scan(rotate=rotate)
        assert [d.locator for d in documents(data, "x.pdf", READ)] == ["x.pdf page 1 picture"]
        assert _shown(masked(data, "x.pdf", NAMES, READ)) == "is well\nBP 128/76"

    def test_content_in_several_streams(self):
        assert _shown(masked(_scan(streams=2), "x.pdf", NAMES, READ)) == "is well\nBP 128/76"

    def test_the_old_picture_is_not_in_the_file(self):
        with pikepdf.open(io.BytesIO(masked(_scan(), "x.pdf", NAMES, READ))) as pdf:
            pictures = [each for each in pdf.objects if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Image"]  # fmt: skip
            assert [_words(each.read_raw_bytes()) for each in pictures] == ["is well\nBP 128/76"]

    def test_every_word_goes_where_the_policy_covers(self):
        assert _shown(unchanged(_scan(), "x.pdf", COVER)) == ""

    def test_kept_where_the_policy_keeps(self):
        assert _shown(unchanged(_scan(), "x.pdf", KEEP)).startswith("QUILLON ADEYEMI")

    def test_hidden_words_behind_a_scan_stay_hidden(self):
        hidden = b"BT 3 Tr /F1 12 Tf 10 70 Td (QUILLON ADEYEMI is well) Tj ET"
        data = _scan(text=hidden)
        assert len(documents(data, "x.pdf", READ)) == 2
        out = masked(data, "x.pdf", ["QUILLON ADEYEMI"], READ)
        assert _shown(out) == "is well\nBP 128/76"
        page = pypdfium2.PdfDocument(out)[0].get_textpage()
        assert page.get_text_range() == "[PATIENT] is well"

    def test_text_over_a_picture_stays_text(self):
        data = _scan(text=b"BT /F1 12 Tf 250 20 Td (seen by QUILLON) Tj ET")
        out = masked(data, "x.pdf", NAMES, READ)
        assert pypdfium2.PdfDocument(out)[0].get_textpage().get_text_range() == "seen by [PATIENT]"
        assert b"QUILLON" not in everything(out)

    def test_a_font_that_does_not_say_its_letters(self):
        """Letters drawn by a font of its own (Type 3) that has no names for them."""
        pdf = pikepdf.new()
        pdf.add_blank_page(page_size=(200, 60))
        glyph = pdf.make_stream(b"1000 0 0 0 800 800 d1 0 0 800 800 re f")
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type3, FontBBox=[0, 0, 1000, 1000],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0], CharProcs=pikepdf.Dictionary(g1=glyph),
            Encoding=pikepdf.Dictionary(Type=pikepdf.Name.Encoding, Differences=[1, pikepdf.Name.g1]),
            FirstChar=1, LastChar=1, Widths=[1000], Resources=pikepdf.Dictionary(),
        )  # fmt: skip
        pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        pdf.pages[0].Contents = pdf.make_stream(b"BT /F1 20 Tf 10 20 Td <0101010101> Tj ET")
        buffer = io.BytesIO()
        pdf.save(buffer)
        (outcome,) = read(buffer.getvalue(), "x.pdf")
        assert isinstance(outcome, Failure)
        assert "font" in outcome.message
        out = unchanged(buffer.getvalue(), "x.pdf", READ)
        assert pypdfium2.PdfDocument(out)[0].get_textpage().get_text_range() == ""
        assert b"Type3" not in everything(out)
