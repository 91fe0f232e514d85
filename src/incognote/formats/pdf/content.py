"""The content of a flat PDF page, edited operator by operator.

Only the operators that show text which changed, and those that draw pictures which go, are touched:
colours, spacing and fonts of everything else stay as they were, to the last digit.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from incognote.core.errors import ReadError
from incognote.formats.pdf.text import TextObject

if TYPE_CHECKING:
    from numpy.typing import NDArray

_QUALITY = 85
_SHOWING = frozenset(("Tj", "TJ", "'", '"'))
# Operators that make and paint paths, and shadings: all that a page draws beside text and pictures.
_DRAWING = frozenset("m l c v y h re S s f F f* B B* b b* n W W* sh".split())
# A new text that is wider than the old one is set narrower, but not beyond reading.
_NARROWEST = 0.55
# Widths of the letters of Helvetica from the blank on, in thousandths of its size.
_WIDTHS = [
    int(width)
    for width in """278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556
    556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667
    556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500
    556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334
    260 334 584""".split()
]
# Which of the fonts that every reader has comes closest, by a word in the old font's name.
_FAMILIES = (
    (re.compile("cour|mono|consol|typewriter|cmtt", re.IGNORECASE), "Courier"),
    (re.compile("times|serif|roman|garamond|georgia|minion|cmr|cmb|book", re.IGNORECASE), "Times"),
)
_STYLES = {
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
}


@dataclass(frozen=True, slots=True)
class _State:
    """How text is set at a point of the content."""

    font: tuple[Any, Any] | None = None
    letters: Any = 0
    words: Any = 0
    width: Any = 100


class Content:
    """The instructions of a page, changed in memory until they are put back."""

    def __init__(self, editor: Any, page: Any) -> None:
        import pikepdf

        self._editor = editor
        self._page = page
        self._instructions = list(pikepdf.parse_content_stream(page))

    def put_back(self) -> None:
        import pikepdf

        data = pikepdf.unparse_content_stream(self._instructions)
        self._page.Contents = self._editor.make_stream(data)

    def replace_texts(self, objects: Sequence[TextObject], new: Sequence[str]) -> None:
        """Puts new texts in the place of old ones; there is one object for each text shown."""
        shown = [i for i, each in enumerate(self._instructions) if _shows(each)]
        if len(shown) != len(objects):
            raise ReadError("has a page whose text cannot be told from how it is drawn")
        changes = {
            at: (each, text)
            for at, each, text in zip(shown, objects, new, strict=True)
            if each.text != text
        }
        state, outer = _State(), list[_State]()
        written: list[Any] = []
        for at, each in enumerate(self._instructions):
            operator, operands = str(each.operator), list(each.operands)
            if operator == "q":
                outer.append(state)
            elif operator == "Q":
                state = outer.pop() if outer else state
            state = _after(state, operator, operands)
            if at not in changes:
                written.append(each)
                continue
            if operator in ("'", '"'):
                written.append(_instruction("T*"))
            old, text = changes[at]
            written += self._shown(text, old, state)
        self._instructions = written

    def drop_pictures(self) -> None:
        self._instructions = [each for each in self._instructions if not self._is_picture(each)]

    def drop_all(self, *, but_text: bool) -> None:
        """Takes away all that is drawn, so that a picture of it can take its place."""
        self.drop_pictures()
        self._instructions = [
            each for each in self._instructions if but_text and str(each.operator) not in _DRAWING
        ]

    def put_behind(self, picture: NDArray[Any], box: Sequence[float]) -> None:
        """One picture, as large as the page, behind everything else."""
        import pikepdf
        from PIL import Image

        jpeg = io.BytesIO()
        Image.fromarray(picture).save(jpeg, format="JPEG", quality=_QUALITY)
        image = self._editor.make_stream(jpeg.getvalue())
        image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
        image.Height, image.Width = picture.shape[:2]
        image.ColorSpace, image.BitsPerComponent = pikepdf.Name.DeviceRGB, 8
        image.Filter = pikepdf.Name.DCTDecode
        left, bottom, right, top = box
        self._instructions[:0] = [
            _instruction("q"),
            _instruction("cm", right - left, 0, 0, top - bottom, left, bottom),
            _instruction("Do", self._named("/XObject", image)),
            _instruction("Q"),
        ]

    def _shown(self, text: str, old: TextObject, state: _State) -> list[Any]:
        """A text in a font that has its letters, then everything as it was."""
        import pikepdf

        if not text.strip() or state.font is None:
            return []
        name, size = state.font
        narrower = _narrower(text, old)
        undone = [
            _instruction("Tf", name, size),
            _instruction("Tc", state.letters),
            _instruction("Tw", state.words),
        ]
        set_ = [
            _instruction("Tf", self._named("/Font", self._font(name)), size),
            _instruction("Tc", 0),
            _instruction("Tw", 0),
        ]
        if narrower < 1:
            set_.append(_instruction("Tz", round(float(state.width) * narrower, 1)))
            undone.append(_instruction("Tz", state.width))
        data = pikepdf.String(text.encode("cp1252", "replace"))
        return [*set_, _instruction("Tj", data), *undone]

    def _font(self, name: Any) -> Any:
        import pikepdf

        old = self._page.Resources.get("/Font", {}).get(str(name), {})
        called = str(old.get("/BaseFont", ""))
        family = next((font for words, font in _FAMILIES if words.search(called)), "Helvetica")
        is_bold = re.search("bold|black|heavy|cmb", called, re.IGNORECASE) is not None
        is_italic = re.search("italic|oblique", called, re.IGNORECASE) is not None
        return pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type1,
            BaseFont=pikepdf.Name("/" + _STYLES[family][is_bold + 2 * is_italic]),
            Encoding=pikepdf.Name.WinAnsiEncoding,
        )

    def _named(self, kind: str, value: Any) -> Any:
        """A name for a resource that the page did not have."""
        import pikepdf

        resources = self._page.Resources
        if kind not in resources:
            resources[kind] = pikepdf.Dictionary()
        own = resources[kind]
        for name, there in own.items():
            if name.startswith("/New") and there == value:
                return pikepdf.Name(name)
        name = f"/New{len(own)}"
        own[name] = value
        return pikepdf.Name(name)

    def _is_picture(self, each: Any) -> bool:
        import pikepdf

        if isinstance(each, pikepdf.ContentStreamInlineImage):
            return True
        if str(each.operator) != "Do":
            return False
        named = self._page.Resources.get("/XObject", {}).get(str(each.operands[0]))
        return named is not None and named.get("/Subtype") == "/Image"


def _shows(instruction: Any) -> bool:
    """Whether an instruction shows any letters, and so makes a text object."""
    import pikepdf

    if str(instruction.operator) not in _SHOWING or not instruction.operands:
        return False
    shown = instruction.operands[-1]
    parts = list(shown) if isinstance(shown, pikepdf.Array) else [shown]
    return any(isinstance(part, pikepdf.String) and bytes(part) for part in parts)


def _after(state: _State, operator: str, operands: list[Any]) -> _State:
    if operator == "Tf":
        return replace(state, font=(operands[0], operands[1]))
    if operator == "Tc":
        return replace(state, letters=operands[0])
    if operator == "Tw":
        return replace(state, words=operands[0])
    if operator == "Tz":
        return replace(state, width=operands[0])
    if operator == '"':
        return replace(state, words=operands[0], letters=operands[1])
    return state


def _narrower(text: str, old: TextObject) -> float:
    """By how much a text must be set narrower to take no more room than the old one."""
    thousandths = sum(
        _WIDTHS[ord(letter) - 32] if 32 <= ord(letter) < 127 else 556 for letter in text
    )
    wanted = thousandths / 1000 * old.size
    if not old.is_level or wanted <= old.right - old.left:
        return 1
    return max((old.right - old.left) / wanted, _NARROWEST)


def _instruction(operator: str, *operands: Any) -> Any:
    import pikepdf

    return pikepdf.ContentStreamInstruction(list(operands), pikepdf.Operator(operator))
