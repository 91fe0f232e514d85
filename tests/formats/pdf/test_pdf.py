"""PDF: what was replaced is neither on the page nor in the file."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pikepdf
import pypdf
import pypdfium2
import pytest
from tests.conftest import SHARED
from tests.formats.kit.made import NAMES, everything, page_texts, pdf_file

from incognote.core.types import Failure
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"


def test_nothing_planted_survives_anywhere_in_the_file():
    out = masked(pdf_file(), "x.pdf", ["Quillon Adeyemi", *NAMES])
    raw = everything(out)
    assert [name for name in NAMES if name.encode() in raw] == []
    assert [name for name in NAMES if name.encode("utf-16-be") in raw] == []


def test_the_page_shows_what_took_its_place():
    assert (
        page_texts(masked(pdf_file(), "x.pdf", ["Quillon Adeyemi"])).strip()
        == "Seen with [PATIENT]."
    )


def test_a_name_over_several_objects_is_one_name():
    content = b"BT /F1 12 Tf 72 720 Td (Seen with Quil) Tj (lon today) Tj 0 -14 Td (and more) Tj ET"
    (page, *_) = documents(pdf_file(content), "x.pdf")
    assert "Seen with Quillon today\nand more" in page.text
    out = page_texts(masked(pdf_file(content), "x.pdf", ["Quillon"]))
    assert "illon" not in out
    assert "Quil" not in out


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(b"(SSN 402-77-1) Tj (186.) Tj", "SSN 402-77-1186.", id="room-around-a-digit"),
        pytest.param(b"(Mr. Quillon) Tj 66 0 Td (left) Tj", "Mr. Quillon left", id="a-blank"),
    ],
)
def test_a_gap_is_a_blank_if_it_is_wider_than_the_room_around_letters(content, text):
    (page, *_) = documents(pdf_file(b"BT /F1 12 Tf 72 720 Td " + content + b" ET"), "x.pdf")
    assert page.text.strip() == text


def test_notes_form_values_and_bookmarks_are_read():
    texts = [d.text for d in documents(pdf_file(), "x.pdf")]
    assert {"Ask Brandvold", "7741902", "Visit of Quillon"} <= set(texts)


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.7\n", pdf_file()[:400], pdf_file().partition(b"startxref")[0]],
    ids=["empty", "header", "truncated", "without-its-index"],
)
def test_broken_files_are_refused(data):
    (outcome,) = read(data, "x.pdf")
    assert isinstance(outcome, Failure)


def _fixtures() -> list[Path]:
    return sorted((SHARED / "fixtures" / "pdf").glob("*.pdf"))


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
def test_outside_files_keep_their_text(path):
    data = path.read_bytes()
    (record,) = read(data, path.name)
    if isinstance(record, Failure):
        assert path.name in ("pypdf-libreoffice-writer-password.pdf", "textract-ocr_text.pdf")
        return
    assert page_texts(unchanged(data, path.name, FormatRules(images="keep"))) == page_texts(data)


def _pdf_with(change) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf_file(b"BT /F1 12 Tf 72 720 Td (Well.) Tj ET"))) as pdf:
        change(pdf)
        pdf.save(buffer)
    return buffer.getvalue()


def _annotate(**keys):
    def change(pdf):
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[0, 0, 9, 9], **keys
        )
        pdf.pages[0].Annots.append(pdf.make_indirect(note))

    return change


def _marked(pdf):
    text = b"/Span << /ActualText (Quillon) >> BDC BT /F1 12 Tf (x) Tj ET EMC"
    pdf.pages[0].Contents = pdf.make_stream(text)


def _properties(pdf):
    said = pikepdf.Dictionary(P1=pikepdf.Dictionary(Alt=pikepdf.String(NAME)))
    pdf.pages[0].Resources.Properties = said


def _layer(pdf):
    layer = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name=pikepdf.String("Quillon"))
    )
    pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary())


def _choices(pdf):
    pdf.Root.AcroForm.Fields[0].Opt = pikepdf.Array([pikepdf.Array(["1", NAME]), NAME])


def _named_place(pdf):
    place = pikepdf.Array([pdf.pages[0].obj, pikepdf.Name.Fit])
    names = pikepdf.Array([pikepdf.String(NAME), place])
    limits = pikepdf.Array([pikepdf.String(NAME)] * 2)
    pdf.Root.Names = pikepdf.Dictionary(Dests=pikepdf.Dictionary(Names=names, Limits=limits))
    _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=pikepdf.String(NAME)))(pdf)
    _annotate(Dest=pikepdf.String(NAME))(pdf)


def _old_named_place(pdf):
    place = pikepdf.Array([pdf.pages[0].obj, pikepdf.Name.Fit])
    pdf.Root.Dests = pikepdf.Dictionary(Quillon=place)
    _annotate(Dest=pikepdf.Name.Quillon)(pdf)


def _lists_of_layers(pdf):
    _layer(pdf)
    layers = pdf.Root.OCProperties
    layers.OCGs[0].Usage = pikepdf.Dictionary(
        CreatorInfo=pikepdf.Dictionary(Creator=pikepdf.String(NAME))
    )
    layers.D = pikepdf.Dictionary(
        Name=pikepdf.String(NAME), Order=pikepdf.Array([pikepdf.String(NAME), layers.OCGs[0]])
    )
    layers.Configs = pikepdf.Array([pikepdf.Dictionary(Name=pikepdf.String(NAME))])


def _signature(pdf):
    said = {key: pikepdf.String(NAME) for key in ("Name", "Reason", "Location", "ContactInfo")}
    field = pikepdf.Dictionary(
        FT=pikepdf.Name.Sig, T=pikepdf.String("s"), V=pikepdf.Dictionary(**said)
    )
    pdf.Root.AcroForm.Fields.append(pdf.make_indirect(field))


def _in_root(key, value):
    return lambda pdf: pdf.Root.__setitem__(key, value)


def _xfa(pdf):
    pdf.Root.AcroForm.XFA = pdf.make_stream(b"<x>Quillon</x>")


def _viewport(pdf):
    pdf.pages[0].VP = pikepdf.Array([pikepdf.Dictionary(Name=pikepdf.String(NAME))])


def _form(pdf, content: bytes, inner: bytes) -> None:
    form = pdf.make_stream(inner)
    form.Subtype, form.BBox = pikepdf.Name.Form, [0, 0, 400, 400]
    form.Resources = pikepdf.Dictionary(Font=pdf.pages[0].Resources.Font)
    outer = pdf.make_stream(b"q 1 0 0 1 20 20 cm /Inner Do Q")
    outer.Subtype, outer.BBox = pikepdf.Name.Form, [0, 0, 500, 500]
    outer.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Inner=form))
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(Outer=outer)
    pdf.pages[0].Contents = pdf.make_stream(content)


def _forms_in_forms(pdf):
    _form(pdf, b"/Outer Do", b"BT /F1 12 Tf 10 10 Td (for Quillon) Tj ET")


def _comment_in_content(pdf):
    content = b"% Quillon\nBT /F1 12 Tf 72 720 Td (Well.) Tj ET"
    pdf.pages[0].Contents = pdf.make_stream(content)


def _name_of_a_font(pdf):
    fonts = pdf.pages[0].Resources.Font
    pdf.pages[0].Resources.Font = pikepdf.Dictionary(Quillon=fonts.F1)
    pdf.pages[0].Contents = pdf.make_stream(b"BT /Quillon 12 Tf 72 720 Td (Well.) Tj ET")


def _radio(pdf):
    looks = {"/Quillon": pdf.make_stream(b""), "/Off": pdf.make_stream(b"")}
    button = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, Rect=[0, 0, 9, 9],
            AS=pikepdf.Name.Quillon, AP=pikepdf.Dictionary(N=pikepdf.Dictionary(looks)),
        )
    )  # fmt: skip
    field = pdf.make_indirect(
        pikepdf.Dictionary(
            FT=pikepdf.Name.Btn, T=pikepdf.String("r"), V=pikepdf.Name.Quillon, Kids=[button]
        )
    )
    button.Parent = field
    pdf.Root.AcroForm.Fields.append(field)
    pdf.pages[0].Annots.append(button)


def _group_of_layers(pdf):
    layer = pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name=pikepdf.String(NAME))
    group = pikepdf.Dictionary(Type=pikepdf.Name.OCMD, OCGs=pdf.make_indirect(layer))
    pdf.pages[0].Resources.Properties = pikepdf.Dictionary(L=pdf.make_indirect(group))
    _content(b"/OC /L BDC BT /F1 12 Tf 72 700 Td (Well.) Tj ET EMC")(pdf)


def _hidden_layer(pdf):
    _layer(pdf)
    layers = pdf.Root.OCProperties
    layers.D = pikepdf.Dictionary(OFF=layers.OCGs)
    pdf.pages[0].Resources.Properties = pikepdf.Dictionary(L=layers.OCGs[0])
    _content(b"/OC /L BDC BT /F1 12 Tf 72 720 Td (Quillon) Tj ET EMC")(pdf)


def _state(pdf):
    said = pikepdf.Dictionary(CA=1, X=pikepdf.String(NAME))
    pdf.pages[0].Resources.ExtGState = pikepdf.Dictionary(Quillon=said)
    _content(b"/Quillon gs BT /F1 12 Tf 72 700 Td (Well.) Tj ET")(pdf)


def _font_of_the_form(pdf):
    form = pdf.Root.AcroForm
    form.DA = pikepdf.String("/Quillon 0 Tf")
    form.Fields[0].DA = pikepdf.String("/Helv 9 Tf % Quillon")
    form.DR = pikepdf.Dictionary(Font=pikepdf.Dictionary(Quillon=pdf.pages[0].Resources.Font.F1))


def _described_font(pdf):
    pdf.pages[0].Resources.Font.F1.FontDescriptor = pikepdf.Dictionary(
        FontFamily=pikepdf.String(NAME), CharSet=pikepdf.String(NAME)
    )


def _place_with_words(pdf):
    place = pikepdf.Array([pdf.pages[0].obj, pikepdf.Name.Fit, pikepdf.String(NAME)])
    _annotate(Dest=place)(pdf)


def _popup(pdf):
    said = pikepdf.Dictionary(Subtype=pikepdf.Name.Popup, Contents=pikepdf.String(NAME))
    _annotate(Popup=pdf.make_indirect(said))(pdf)


def _content(data: bytes):
    return lambda pdf: setattr(pdf.pages[0], "Contents", pdf.make_stream(data))


def _in_page(key, value):
    return lambda pdf: pdf.pages[0].__setitem__(key, value)


PDF = {
    "link": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("mailto:Quillon"))),
    "script": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=pikepdf.String("Quillon"))),
    "file": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.Launch, F=pikepdf.String("Quillon.doc"))),
    "caption": _annotate(MK=pikepdf.Dictionary(CA=pikepdf.String(NAME))),
    "form choices": _choices,
    "marked content": _marked,
    "properties": _properties,
    "layer": _layer,
    "destination": _named_place,
    "old destination": _old_named_place,
    "lists of layers": _lists_of_layers,
    "signature": _signature,
    "xfa": _xfa,
    "viewport": _viewport,
    "forms in forms": _forms_in_forms,
    "comment": _comment_in_content,
    "resource": _name_of_a_font,
    "overlay text": _annotate(OverlayText=pikepdf.String(NAME)),
    "movie": _annotate(Movie=pikepdf.Dictionary(F=pikepdf.String("Quillon.avi"))),
    "style": _annotate(DS=pikepdf.String("font: Quillon")),
    "page labels": _in_root("/PageLabels", pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(P=pikepdf.String(NAME))])),
    "open action": _in_root("/OpenAction", pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=pikepdf.String(NAME))),
    "extension": _in_root("/Extensions", pikepdf.Dictionary(X=pikepdf.Dictionary(Y=pikepdf.String(NAME)))),
    "output intent": _in_root("/OutputIntents", pikepdf.Array([pikepdf.Dictionary(Info=pikepdf.String(NAME))])),
    "state of a button": _radio,
    "group of layers": _group_of_layers,
    "hidden layer": _hidden_layer,
    "graphics state": _state,
    "font of a form": _font_of_the_form,
    "described font": _described_font,
    "words in a destination": _place_with_words,
    "popup": _popup,
    "name of a mark": _content(b"/Quillon BMC BT /F1 12 Tf 72 700 Td (Well.) Tj ET EMC /Quillon MP"),
    "lists in a mark": _content(b"/Span <</X [(Quillon)] /Y <</Z (Quillon)>> /W /Quillon>> BDC BT /F1 12 Tf (x) Tj ET EMC"),
    "inline picture": _content(b"BI /W 1 /H 7 /CS /G /BPC 8 ID Quillon EI BT /F1 12 Tf 72 700 Td (Well.) Tj ET"),
    "invisible": _content(b"BT 3 Tr /F1 12 Tf 72 720 Td (Quillon) Tj ET"),
    "outside the page": _content(b"BT /F1 12 Tf 5000 7200 Td (Quillon) Tj ET"),
    "icon": _annotate(Name=pikepdf.Name.Quillon),
    "named action": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.Named, N=pikepdf.Name.Quillon)),
    "name of a note": _annotate(NM=pikepdf.String(NAME)),
    "border": _annotate(Border=pikepdf.Array([0, 0, 0, pikepdf.Array([pikepdf.String(NAME)])])),
    "rich text": _annotate(RC=pikepdf.String("<body><p>Quillon</p></body>")),
    "other file": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.GoToR, F=pikepdf.String("Quillon.pdf"))),
    "chain of actions": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("x"), Next=pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(NAME)))),
    "language": _in_root("/Lang", pikepdf.String(NAME)),
    "preferences": _in_root("/ViewerPreferences", pikepdf.Dictionary(X=pikepdf.String(NAME))),
    "structure": _in_root("/StructTreeRoot", pikepdf.Dictionary(K=pikepdf.Dictionary(Alt=pikepdf.String(NAME)))),
    "articles": _in_root("/Threads", pikepdf.Array([pikepdf.Dictionary(I=pikepdf.Dictionary(Title=pikepdf.String(NAME)))])),
    "portfolio": _in_root("/Collection", pikepdf.Dictionary(D=pikepdf.String(NAME))),
    "page group": _in_page("/Group", pikepdf.Dictionary(S=pikepdf.Name.Transparency, X=pikepdf.String(NAME))),
    "trailer": lambda pdf: pdf.trailer.__setitem__("/Quillon", pikepdf.String(NAME)),
}  # fmt: skip


@pytest.mark.parametrize("corner", PDF)
def test_around_the_pages_of_a_pdf(corner):
    data = _pdf_with(PDF[corner])
    assert NAME.encode() in everything(data).replace(b"Visit of Quillon", b"")
    out = masked(data, "x.pdf", [NAME, *NAMES])
    assert NAME.encode() not in everything(out)


def test_links_by_name_still_lead_somewhere():
    out = masked(_pdf_with(_named_place), "x.pdf", [NAME, *NAMES])
    with pikepdf.open(io.BytesIO(out)) as pdf:
        page = pdf.pages[0]
        links = [note for note in page.Annots if note.Subtype == "/Link"]
        assert links[0].A.D[0].objgen == page.obj.objgen
        assert links[1].Dest[0].objgen == page.obj.objgen


def test_forms_stand_where_they_stood():
    out = masked(_pdf_with(_forms_in_forms), "x.pdf", [NAME])
    found = pypdfium2.PdfDocument(out)[0].get_textpage()
    assert found.get_text_range() == "for [PATIENT]"
    assert found.get_charbox(0)[0] == pytest.approx(30, abs=2)


def test_text_in_a_pattern_is_refused():
    def change(pdf):
        pattern = pdf.make_stream(b"BT /F1 12 Tf (Quillon) Tj ET")
        pattern.PatternType, pattern.PaintType, pattern.TilingType = 1, 1, 1
        pattern.BBox, pattern.XStep, pattern.YStep = [0, 0, 9, 9], 9, 9
        pattern.Resources = pikepdf.Dictionary(Font=pdf.pages[0].Resources.Font)
        pdf.pages[0].Resources.Pattern = pikepdf.Dictionary(P1=pattern)
        pdf.pages[0].Contents = pdf.make_stream(b"/Pattern cs /P1 scn 0 0 99 99 re f")

    (outcome,) = read(_pdf_with(change), "x.pdf")
    assert isinstance(outcome, Failure)
    assert "pattern" in outcome.message


def test_a_page_of_drawn_letters_is_refused():
    lines = b" ".join(b"%d 0 m %d 50 l S" % (x, x) for x in range(200))
    data = _pdf_with(lambda pdf: setattr(pdf.pages[0], "Contents", pdf.make_stream(lines)))
    (outcome,) = read(data, "x.pdf")
    assert isinstance(outcome, Failure)


def test_a_letter_that_shows_text_is_refused():
    def change(pdf):
        drawn = pdf.make_stream(b"9 0 d0 BT /F1 12 Tf (Quillon) Tj ET")
        pdf.pages[0].Resources.Font.T3 = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type3, FontBBox=[0, 0, 9, 9],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0], CharProcs=pikepdf.Dictionary(a=drawn),
            Encoding=pikepdf.Dictionary(Differences=pikepdf.Array([65, pikepdf.Name.a])),
            FirstChar=65, LastChar=65, Widths=[9],
        )  # fmt: skip
        _content(b"BT /F1 12 Tf 72 700 Td (Well.) Tj /T3 12 Tf (A) Tj ET")(pdf)

    (outcome,) = read(_pdf_with(change), "x.pdf")
    assert isinstance(outcome, Failure)


def test_a_word_that_is_cut_at_the_end_of_a_line_keeps_its_hyphen():
    content = b"BT /F1 12 Tf 72 720 Td (Seen Quil-) Tj 0 -14 Td (lon today) Tj ET"
    (page, *_) = documents(pdf_file(content), "x.pdf")
    assert "Quil-\nlon" in page.text
    out = page_texts(masked(pdf_file(content), "x.pdf", ["Quil-\nlon"]))
    assert "Quil" not in out
    assert "lon" not in out


def _boxes(pdf):
    """A ticked box whose state is called after somebody, a button to push, both with drawings."""

    def look(*states):
        drawn = {state: pdf.make_stream(b"BT /F1 9 Tf (Quillon) Tj ET") for state in states}
        return pikepdf.Dictionary(N=pikepdf.Dictionary(drawn))

    for name, keys in (
        (
            "box",
            {"AS": pikepdf.Name.Quillon, "V": pikepdf.Name.Quillon, "AP": look("/Quillon", "/Off")},
        ),
        ("push", {"Ff": 1 << 16, "MK": pikepdf.Dictionary(CA=pikepdf.String("Send"))}),
    ):
        widget = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Btn,
            T=pikepdf.String(name), Rect=[0, 0, 12, 12], **keys,
        )  # fmt: skip
        pdf.Root.AcroForm.Fields.append(pdf.make_indirect(widget))
        pdf.pages[0].Annots.append(pdf.Root.AcroForm.Fields[-1])


def test_buttons_are_drawn_anew():
    out = masked(_pdf_with(_boxes), "x.pdf", NAMES)
    assert b"Quillon" not in everything(out)
    widgets = [each.get_object() for each in pypdf.PdfReader(io.BytesIO(out)).pages[0]["/Annots"]]
    box, push = (
        next(each for each in widgets if each.get("/T") == name) for name in ("box", "push")
    )
    assert box["/AS"] in box["/AP"]["/N"]
    assert sorted(box["/AP"]["/N"]) == ["/Choice1", "/Off"]
    assert push["/AP"]["/N"]["/Subtype"] == "/Form"
    assert push["/MK"]["/CA"] == "Send"


def test_a_button_still_says_which_state_it_has():
    with pikepdf.open(io.BytesIO(masked(_pdf_with(_radio), "x.pdf", NAMES))) as pdf:
        field = pdf.Root.AcroForm.Fields[1]
        assert str(field.V) == str(field.Kids[0].AS) == "/Choice1"


@pytest.mark.parametrize(
    "packing",
    [
        pikepdf.Name.DCTDecode,
        pikepdf.Array([pikepdf.Name.DCTDecode]),
        pikepdf.Array([pikepdf.Name.FlateDecode, pikepdf.Name.DCTDecode]),
    ],
    ids=["plain", "listed", "packed-again"],
)
def test_a_photograph_that_stays_loses_what_the_camera_says(packing):
    is_packed = pikepdf.Name.FlateDecode in (packing if isinstance(packing, pikepdf.Array) else ())

    def change(pdf):
        photograph = b"\xff\xd8\xff\xe1\0\x09Quillon\xff\xda\0\x02\x12\xff\xd9"
        image = pdf.make_stream(zlib.compress(photograph) if is_packed else photograph)
        image.Subtype, image.Width, image.Height = pikepdf.Name.Image, 1, 1
        image.ColorSpace, image.BitsPerComponent = pikepdf.Name.DeviceGray, 8
        image.Filter = packing
        pdf.pages[0].Resources.XObject = pikepdf.Dictionary(I=image)
        _content(b"/I Do BT /F1 12 Tf 72 700 Td (Well.) Tj ET")(pdf)

    out = masked(_pdf_with(change), "x.pdf", NAMES, FormatRules(images="keep"))
    assert b"\xff\xda\0\x02" in out
    assert b"Quillon" not in out


def _draws_itself(pdf):
    form = pdf.make_indirect(pdf.make_stream(b"/A Do"))
    form.Subtype, form.BBox = pikepdf.Name.Form, [0, 0, 9, 9]
    form.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(A=form))
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(A=form)
    _content(b"/A Do")(pdf)


def _own_page_tree(pdf):
    pdf.Root.Pages.Kids.append(pdf.Root.Pages)


@pytest.mark.parametrize("circle", [_draws_itself, _own_page_tree])
def test_what_contains_itself_is_refused(circle):
    (outcome,) = read(_pdf_with(circle), "x.pdf")
    assert isinstance(outcome, Failure)


def test_bookmarks_and_fields_in_a_circle_are_read_once():
    def change(pdf):
        first = pdf.Root.Outlines.First
        first.Next = first
        field = pdf.Root.AcroForm.Fields[0]
        field.Kids = pikepdf.Array([field])

    texts = [d.text for d in documents(_pdf_with(change), "x.pdf")]
    assert texts.count("Visit of Quillon") == texts.count("7741902") == 1


def test_a_page_as_large_as_a_field_is_read():
    huge = pikepdf.Array([0, 0, 10**9, 10**9])
    assert documents(_pdf_with(_in_page("/MediaBox", huge)), "x.pdf")
