"""What stands around the pages of a PDF: removed where nobody needs it, read where somebody does.

Removed: metadata, scripts and other actions, attachments, signatures, the rendered looks of
annotations and fields, and what a page says to screen readers in place of its text. Read: notes,
form values and their choices, bookmarks, links, names of layers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from incognote.core.errors import ReadError

_ROOT = (
    "/Metadata", "/OpenAction", "/AA", "/AF", "/PieceInfo", "/StructTreeRoot", "/PageLabels",
    "/Collection", "/Perms", "/DSS", "/SpiderInfo", "/Threads", "/URI",
)  # fmt: skip
_ANYWHERE = ("/Metadata", "/PieceInfo", "/LastModified", "/AA", "/AF")
_PAGE = ("/Thumb", "/B", "/ID", "/Tabs")
_HOLDER = ("/AP", "/AA", "/FS", "/M", "/CreationDate", "/NM", "/RC", "/RV", "/Lock", "/SV")
# Actions that lead somewhere; all others run, send or open something.
_HARMLESS_ACTIONS = ("/GoTo", "/URI", "/Named")
# Keys of annotations, form fields, bookmarks and layers that hold what somebody wrote.
_WRITTEN = (
    "/Contents", "/V", "/DV", "/TU", "/TM", "/T", "/Subj", "/Title", "/URI", "/Name", "/CA",
    "/RC", "/AC", "/Opt", "/DA",
)  # fmt: skip
_LINKED = ("/First", "/Next", "/Parent", "/Popup", "/A", "/MK")


def strip(editor: Any) -> None:
    """Takes away what nobody reads but everybody leaks."""
    import pikepdf

    _delete(editor.trailer, ("/Info",))
    _delete(editor.Root, _ROOT)
    if "/Names" in editor.Root:
        _delete(editor.Root.Names, ("/EmbeddedFiles", "/JavaScript", "/AlternatePresentations"))
    if "/AcroForm" in editor.Root:
        editor.Root.AcroForm["/NeedAppearances"] = True
        _delete(editor.Root.AcroForm, ("/XFA",))
    for each in editor.objects:
        if isinstance(each, pikepdf.Dictionary | pikepdf.Stream):
            _delete(each, _ANYWHERE)
            if "/Properties" in each.get("/Resources", {}):
                _strip_properties(each.Resources.Properties)
        is_form = isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Form"
        if is_form and (content := _without_said(each)) is not None:
            each.write(content)
    for page in editor.pages:
        _delete(page, _PAGE)
        # PDFium rewrites one stream of a page at a time, and loses what the others rely on.
        page.contents_coalesce()
        if (content := _without_said(page)) is not None:
            page.Contents = editor.make_stream(content)
    for holder in _holders(editor):
        _delete(holder, _HOLDER)
        action = holder.get("/A")
        if isinstance(action, pikepdf.Dictionary):
            _delete(action, ("/Next", "/JS"))
            if action.get("/S") not in _HARMLESS_ACTIONS:
                del holder["/A"]


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
            elif isinstance(value, pikepdf.String) and str(value).strip() and key != "/DA":
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


def _without_said(page_or_form: Any) -> bytes | None:
    """The content without what marks say in place of the text (ActualText, Alt); None if none."""
    import pikepdf

    instructions = list(pikepdf.parse_content_stream(page_or_form, "BDC DP"))
    if not any(_strip_said(operand) for each in instructions for operand in each.operands):
        return None
    whole = list(pikepdf.parse_content_stream(page_or_form))
    for each in whole:
        if str(each.operator) in ("BDC", "DP"):
            for operand in each.operands:
                _strip_said(operand)
    return pikepdf.unparse_content_stream(whole)


def _strip_properties(properties: Any) -> None:
    import pikepdf

    for each in properties.values():
        # A layer needs its name, which is read with all others.
        if isinstance(each, pikepdf.Dictionary) and each.get("/Type") != "/OCG":
            _strip_said(each)


def _strip_said(operand: Any) -> bool:
    """Whether a mark's dictionary had strings, which are gone now."""
    import pikepdf

    if not isinstance(operand, pikepdf.Dictionary):
        return False
    said = [key for key, value in operand.items() if isinstance(value, pikepdf.String)]
    _delete(operand, said)
    return bool(said)


def _delete(holder: Any, keys: Any) -> None:
    for key in keys:
        if key in holder:
            del holder[key]
