"""The content of a PDF page as one stream of its own.

A page may draw forms: streams that have text and pictures of their own, nested, shared by pages,
and that PDFium shows but does not rewrite. So each is written out where it is drawn, with its
resources under new names. What cannot be written out (patterns and masks) must have no text.
"""

from __future__ import annotations

from typing import Any

from incognote.core.errors import ReadError
from incognote.formats.pdf.strings import walk

_MAX_DEPTH = 15
_MAX_INSTRUCTIONS = 1_000_000
# Operators that name a resource, and of which kind: by their last operand, Tf by its first.
_KINDS = {
    "Tf": "/Font", "Do": "/XObject", "gs": "/ExtGState", "sh": "/Shading", "cs": "/ColorSpace",
    "CS": "/ColorSpace", "scn": "/Pattern", "SCN": "/Pattern", "BDC": "/Properties",
    "DP": "/Properties",
}  # fmt: skip
_SHOWING = {"Tj", "TJ", "'", '"'}


class Flattened:
    """One page, written anew: its instructions and the resources they name."""

    def __init__(self, editor: Any, page: Any) -> None:
        import pikepdf

        self._editor = editor
        self._page = page
        self._instructions: list[Any] = []
        self._resources: dict[str, Any] = {}
        self._names: dict[tuple[str, object], str] = {}
        self._write(page, _inherited(page.obj, "/Resources") or pikepdf.Dictionary(), 0)

    def apply(self) -> None:
        import pikepdf

        self._page.Contents = self._editor.make_stream(
            pikepdf.unparse_content_stream(self._instructions)
        )
        self._page.Resources = pikepdf.Dictionary(self._resources)

    def _write(self, content: Any, resources: Any, depth: int) -> None:
        import pikepdf

        if depth > _MAX_DEPTH:
            raise ReadError("forms nested too deeply")
        for each in pikepdf.parse_content_stream(content):
            operator = str(each.operator)
            if len(self._instructions) > _MAX_INSTRUCTIONS:
                raise ReadError("a page draws too much")
            operands = list(each.operands)
            kind = _KINDS.get(operator)
            at = 0 if operator == "Tf" else len(operands) - 1
            if kind is None or not operands or not isinstance(operands[at], pikepdf.Name):
                self._instructions.append(each)
                continue
            found = resources.get(kind, {}).get(str(operands[at]))
            if found is None:
                # The names of colour spaces that every reader knows, or nothing at all.
                self._instructions.append(each)
            elif kind == "/XObject" and found.get("/Subtype") == "/Form":
                self._draw(found, resources, depth)
            else:
                operands[at] = pikepdf.Name(self._named(kind, found))
                self._add(operands, operator)

    def _draw(self, form: Any, resources: Any, depth: int) -> None:
        """A form where it appears: in its own space, cut to its box, on its layer."""
        import pikepdf

        layer = form.get("/OC")
        if layer is not None:
            name = pikepdf.Name(self._named("/Properties", layer))
            self._add([pikepdf.Name.OC, name], "BDC")
        self._add([], "q")
        if "/Matrix" in form:
            self._add(list(form.Matrix), "cm")
        if "/BBox" in form:
            left, bottom, right, top = (float(each) for each in form.BBox)
            self._add([left, bottom, right - left, top - bottom], "re")
            self._add([], "W")
            self._add([], "n")
        self._write(form, form.get("/Resources", resources), depth + 1)
        self._add([], "Q")
        if layer is not None:
            self._add([], "EMC")

    def _add(self, operands: list[Any], operator: str) -> None:
        import pikepdf

        self._instructions.append(
            pikepdf.ContentStreamInstruction(operands, pikepdf.Operator(operator))
        )

    def _named(self, kind: str, found: Any) -> str:
        """The name of a resource on the flat page: a number, whatever it was before."""
        key = (kind, found.objgen if found.is_indirect else found.unparse())
        if key not in self._names:
            self._names[key] = f"/R{len(self._names)}"
            self._resources.setdefault(kind, {})[self._names[key]] = found
        return self._names[key]


def _inherited(node: Any, key: str) -> Any:
    """What a page says of itself, or else the nearest of those above it in the tree of pages."""
    for _ in range(_MAX_DEPTH * 4):
        if key in node:
            return node[key]
        if "/Parent" not in node:
            break
        node = node.Parent
    return None


def check_no_text_left(editor: Any) -> None:
    """A ReadError where a pattern, a mask or a letter of a flat file shows text, which no page has
    then."""
    import pikepdf

    for each in walk(editor):
        drawn: list[Any] = []
        if isinstance(each, pikepdf.Stream) and (
            each.get("/Subtype") == "/Form" or each.get("/PatternType") == 1
        ):
            drawn = [each]
        elif isinstance(each, pikepdf.Dictionary) and each.get("/Subtype") == "/Type3":
            drawn = list(each.get("/CharProcs", pikepdf.Dictionary()).values())
        for stream in drawn:
            shown = pikepdf.parse_content_stream(stream)
            if any(str(instruction.operator) in _SHOWING for instruction in shown):
                raise ReadError("draws text by a pattern or mask, where it cannot be replaced")
