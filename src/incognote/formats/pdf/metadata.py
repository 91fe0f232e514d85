"""What appears around the pages of a PDF: only what is known to be needed stays, and is read.

Of the catalogue, of pages, notes, form fields, bookmarks and layers, every key is dropped that is
not listed here: metadata, scripts, attachments, signatures, rendered looks, names of destinations,
and whatever a later version of PDF adds. What somebody wrote in the keys that stay is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from incognote.core.errors import ReadError
from incognote.formats.pdf.buttons import draw_box, draw_push_button, is_push_button, on_state
from incognote.formats.pdf.strings import (
    is_language,
    plain_appearance,
    plain_names,
    remove_unknown_strings,
)
from incognote.formats.pictures.metadata import without_metadata

_ROOT = frozenset(
    """/Type /Pages /Version /AcroForm /Outlines /OCProperties /PageMode /PageLayout
    /ViewerPreferences /Lang""".split()
)
_PAGE = frozenset(
    """/Type /Parent /Resources /MediaBox /CropBox /BleedBox /TrimBox /ArtBox /Rotate /Contents
    /Annots /UserUnit /Group""".split()
)
# Annotations, form fields, bookmarks, layers, actions and captions share one list: their keys mean
# the same wherever they appear.
_HOLDER = frozenset(
    """/Type /Subtype /Rect /Contents /P /F /C /Border /BS /BE /A /Dest /H /QuadPoints /T /Subj /CA
    /Popup /Parent /Open /Name /State /StateModel /IRT /RT /IC /L /LE /Vertices /InkList /FT /Ff /V
    /DV /TU /TM /Opt /MaxLen /Kids /Q /DA /MK /AS /I /TI /First /Last /Next /Prev /Count /Title /S
    /URI /D /N /IsMap /R /BG /BC /RC /AC /OverlayText /Repeat /Intent""".split()
)
_ACTION = frozenset("/Type /S /URI /D /N /IsMap".split())
# What is dropped wherever it appears.
_ANYWHERE = ("/Metadata", "/PieceInfo", "/LastModified", "/AA", "/AF", "/OPI", "/ID")
# Actions that lead somewhere; all others run, send or open something.
_HARMLESS_ACTIONS = ("/GoTo", "/URI", "/Named")
# Keys that hold what somebody wrote.
_WRITTEN = (
    "/Contents", "/V", "/DV", "/TU", "/TM", "/T", "/Subj", "/Title", "/URI", "/Name", "/CA",
    "/RC", "/AC", "/Opt", "/OverlayText", "/State",
)  # fmt: skip
_TRAILER = frozenset(("/Root", "/Size", "/Prev", "/XRefStm", "/ID"))
# Marks in the content that every reader knows; all others are called /Span.
_MARKS = frozenset(("/OC", "/Artifact", "/Span", "/P", "/Figure", "/Link", "/TD", "/TH", "/H1"))
_LINKED = ("/First", "/Next", "/Parent", "/Popup", "/A", "/MK")


def strip(editor: Any) -> None:
    """Removes metadata that may hold PHI and that readers do not need."""
    import pikepdf

    _point_directly(editor)
    _keep(editor.trailer, _TRAILER)
    _keep(editor.Root, _ROOT)
    if not is_language(editor.Root.get("/Lang", "")):
        _delete(editor.Root, ("/Lang",))
    if "/AcroForm" in editor.Root:
        editor.Root.AcroForm["/NeedAppearances"] = True
        _keep(editor.Root.AcroForm, frozenset(("/Fields", "/NeedAppearances", "/Q")))
        _set_plainly(editor.Root.AcroForm)
    if "/OCProperties" in editor.Root:
        _strip_layers(editor.Root.OCProperties)
    for each in editor.objects:
        if isinstance(each, pikepdf.Dictionary | pikepdf.Stream):
            _delete(each, _ANYWHERE)
            if "/Properties" in each.get("/Resources", {}):
                _strip_properties(each.Resources.Properties)
            if isinstance(each, pikepdf.Stream):
                _strip_photograph(each, editor)
        is_form = isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Form"
        if is_form and (content := _without_replacement_text(each)) is not None:
            each.write(content)
    for page in editor.pages:
        _keep(page, _PAGE)
        if "/Annots" in page:
            page.Annots = pikepdf.Array([editor.make_indirect(note) for note in page.Annots])
        if (content := _without_replacement_text(page)) is not None:
            page.Contents = editor.make_stream(content)
    boxes = [(holder, state) for holder in _holders(editor) if (state := on_state(holder))]
    for holder in _holders(editor):
        _keep(holder, _HOLDER)
        if isinstance(holder.get("/V"), pikepdf.Dictionary):
            del holder["/V"]  # a signature, which says who signed, where and why
        action = holder.get("/A")
        if isinstance(action, pikepdf.Dictionary):
            _keep(action, _ACTION)
            if action.get("/S") not in _HARMLESS_ACTIONS:
                del holder["/A"]
    states = plain_names(_holders(editor), (state for _, state in boxes))
    for widget, state in boxes:
        draw_box(editor, widget, states.get(state, state))
    for holder in _holders(editor):
        if is_push_button(holder):
            draw_push_button(editor, holder)
    read = {
        each.objgen
        for holder in _holders(editor)
        for each in (holder, *(holder.get(key) for key in _WRITTEN))
        if isinstance(each, pikepdf.Object) and each.is_indirect
    }
    remove_unknown_strings(editor, read, frozenset(_WRITTEN))


def _strip_photograph(stream: Any, editor: Any) -> None:
    """A photograph that stays loses what the camera says of it, be it packed once more or not."""
    import pikepdf

    filters = stream.get("/Filter")
    packing = list(filters) if isinstance(filters, pikepdf.Array) else [filters]
    if packing[-1:] != ["/DCTDecode"]:
        return
    packed = editor.make_stream(stream.read_raw_bytes())
    if len(packing) > 1:
        packed.Filter = pikepdf.Array(packing[:-1])
        if isinstance(stream.get("/DecodeParms"), pikepdf.Array):
            packed.DecodeParms = pikepdf.Array(list(stream.DecodeParms)[:-1])
    stream.write(without_metadata(packed.read_bytes()), filter=pikepdf.Name.DCTDecode)


def written_strings(editor: Any) -> Iterator[tuple[Any, str | int, str, str]]:
    """Every string somebody wrote around the pages: its holder, key, text and place."""
    import pikepdf

    for holder in _holders(editor):
        for key in _WRITTEN:
            value = holder.get(key)
            if isinstance(value, pikepdf.Stream):
                raise ReadError("holds a form value of a kind that cannot be read")
            if isinstance(value, pikepdf.Array):
                yield from _in_array(value, key)
            elif isinstance(value, pikepdf.String) and str(value).strip():
                yield holder, key, str(value), key.lstrip("/")


def _in_array(values: Any, key: str) -> Iterator[tuple[Any, str | int, str, str]]:
    """The choices of a form field: strings, or pairs of them."""
    import pikepdf

    for number, value in enumerate(values):
        if isinstance(value, pikepdf.Array):
            yield from _in_array(value, key)
        elif isinstance(value, pikepdf.String) and str(value).strip():
            yield values, number, str(value), key.lstrip("/")


def _holders(editor: Any) -> Iterator[Any]:
    """Annotations, form fields, bookmarks and layers, each once."""
    import pikepdf

    seen: set[tuple[int, int]] = set()
    queue: list[Any] = [note for page in editor.pages for note in page.get("/Annots", [])]
    if "/AcroForm" in editor.Root:
        queue += list(editor.Root.AcroForm.get("/Fields", []))
    if "/Outlines" in editor.Root:
        queue.append(editor.Root.Outlines)
    if "/OCProperties" in editor.Root:
        queue += list(editor.Root.OCProperties.get("/OCGs", []))
    while queue:
        holder = queue.pop()
        if not isinstance(holder, pikepdf.Dictionary):
            continue
        if holder.is_indirect:
            if holder.objgen in seen:
                continue
            seen.add(holder.objgen)
        yield holder
        queue += list(holder.get("/Kids", []))
        queue += [holder[key] for key in _LINKED if key in holder]


def _point_directly(editor: Any) -> None:
    """Links and bookmarks that lead to a destination by its name lead there without it."""
    import pikepdf

    named: dict[str, Any] = {}
    root = editor.Root
    if "/Dests" in root.get("/Names", {}):
        named |= {str(name): place for name, place in pikepdf.NameTree(root.Names.Dests).items()}
    named |= {name.lstrip("/"): place for name, place in root.get("/Dests", {}).items()}
    for holder in _holders(editor):
        for owner, key in ((holder, "/Dest"), (holder.get("/A"), "/D")):
            if not isinstance(owner, pikepdf.Dictionary):
                continue
            name = owner.get(key)
            if isinstance(name, pikepdf.String | pikepdf.Name):
                place = named.get(str(name).lstrip("/"))
                explicit = place.get("/D") if isinstance(place, pikepdf.Dictionary) else place
                if isinstance(explicit, pikepdf.Array):
                    owner[key] = explicit
                else:
                    del owner[key]


def _strip_layers(properties: Any) -> None:
    """Which layers are shown stays; how they are listed, who made them and for whom goes."""
    _keep(properties, frozenset(("/OCGs", "/D")))
    if "/D" in properties:
        _keep(properties.D, frozenset(("/BaseState", "/ON", "/OFF", "/AS", "/Intent")))


def _set_plainly(form: Any) -> None:
    """All fields in the font that every reader has."""
    import pikepdf

    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    form.DR = pikepdf.Dictionary(Font=pikepdf.Dictionary(Helv=font))
    form.DA = plain_appearance("")


def _without_replacement_text(page_or_form: Any) -> bytes | None:
    """The content without what marks say in place of the text (ActualText, Alt); None if none."""
    import pikepdf

    marks = ("BDC", "DP", "BMC", "MP")
    instructions = list(pikepdf.parse_content_stream(page_or_form, " ".join(marks)))
    if not any(_holds_text(each.operands) for each in instructions):
        return None
    whole: list[Any] = []
    for each in pikepdf.parse_content_stream(page_or_form):
        if str(each.operator) in marks and _holds_text(each.operands):
            tag, *rest = each.operands
            for operand in rest:
                _strip_strings(operand)
            tag = tag if str(tag) in _MARKS else pikepdf.Name.Span
            whole.append(pikepdf.ContentStreamInstruction([tag, *rest], each.operator))
        else:
            whole.append(each)
    return pikepdf.unparse_content_stream(whole)


def _holds_text(operands: Any) -> bool:
    """Whether a mark has a tag of its own or a dictionary that holds more than numbers."""
    tag, *rest = operands
    return str(tag) not in _MARKS or any(_strip_strings(operand) for operand in rest)


def _strip_properties(properties: Any) -> None:
    import pikepdf

    for each in properties.values():
        # A layer needs its name, which is read with all others, and a group of layers its layers.
        if isinstance(each, pikepdf.Dictionary) and each.get("/Type") not in ("/OCG", "/OCMD"):
            _strip_strings(each)


def _strip_strings(operand: Any) -> bool:
    """Whether a mark's dictionary had more than numbers, which is gone now."""
    import pikepdf

    if not isinstance(operand, pikepdf.Dictionary):
        return False
    values: list[tuple[str, Any]] = list(operand.items())
    said = [key for key, value in values if isinstance(value, pikepdf.Object)]
    _delete(operand, said)
    return bool(said)


def _keep(holder: Any, keys: frozenset[str]) -> None:
    for key in [key for key in holder.keys() if key not in keys]:  # noqa: SIM118 - not a dict
        del holder[key]


def _delete(holder: Any, keys: Any) -> None:
    for key in keys:
        if key in holder:
            del holder[key]
