"""Buttons of a form, drawn anew: what somebody drew may show text, and without any drawing a reader
shows nothing where a box was ticked."""

from __future__ import annotations

from typing import Any

_OFF = "/Off"
_PUSH_BUTTON, _RADIO = 1 << 16, 1 << 15
_LINE = 0.08  # the width of lines, as a part of the shorter side


def on_state(widget: Any) -> str:
    """What the ticked state of a box is called; nothing for what is no box."""
    import pikepdf

    drawn = widget.get("/AP", {}).get("/N")
    if not isinstance(drawn, pikepdf.Dictionary) or isinstance(drawn, pikepdf.Stream):
        return ""
    return next((name for name in drawn.keys() if name != _OFF), "")  # noqa: SIM118 - not a dict


def draw_box(editor: Any, widget: Any, state: str) -> None:
    """A box or a circle, empty and ticked."""
    import pikepdf

    width, height = _size(widget)
    flags = _inherited(widget, "/Ff")
    mark = _disc(width, height) if flags & _RADIO else _cross(width, height)
    frame = _frame(width, height)
    widget["/AP"] = pikepdf.Dictionary(
        N=pikepdf.Dictionary(
            {
                state: _form(editor, width, height, frame + mark),
                _OFF: _form(editor, width, height, frame),
            }
        )
    )
    if widget.get("/AS") not in (state, _OFF):
        widget["/AS"] = pikepdf.Name(_OFF)


def draw_push_button(editor: Any, widget: Any) -> None:
    """The frame of a button that is pushed; its caption appears in the form itself."""
    import pikepdf

    width, height = _size(widget)
    form = _form(editor, width, height, _frame(width, height))
    widget["/AP"] = pikepdf.Dictionary(N=form)


def is_push_button(widget: Any) -> bool:
    return (
        widget.get("/Subtype") == "/Widget"
        and _inherited(widget, "/FT", None) == "/Btn"
        and bool(_inherited(widget, "/Ff") & _PUSH_BUTTON)
    )


def _inherited(widget: Any, key: str, missing: Any = 0) -> Any:
    """A key of a field, or of the nearest above it that has one."""
    for _ in range(16):
        if key in widget:
            return widget[key]
        if "/Parent" not in widget:
            break
        widget = widget["/Parent"]
    return missing


def _size(widget: Any) -> tuple[float, float]:
    left, bottom, right, top = (float(each) for each in widget.get("/Rect", (0, 0, 10, 10)))
    return max(abs(right - left), 1.0), max(abs(top - bottom), 1.0)


def _form(editor: Any, width: float, height: float, content: str) -> Any:
    import pikepdf

    form = editor.make_stream(f"q {content}Q".encode("ascii"))
    form["/Type"], form["/Subtype"] = pikepdf.Name.XObject, pikepdf.Name.Form
    form["/BBox"] = pikepdf.Array([0, 0, round(width, 2), round(height, 2)])
    return form


def _frame(width: float, height: float) -> str:
    line = _LINE * min(width, height)
    return (
        f"{line:.2f} w {line / 2:.2f} {line / 2:.2f} {width - line:.2f} {height - line:.2f} re S "
    )


def _cross(width: float, height: float) -> str:
    near, far = 0.25, 0.75
    return (
        f"{near * width:.2f} {near * height:.2f} m {far * width:.2f} {far * height:.2f} l "
        f"{near * width:.2f} {far * height:.2f} m {far * width:.2f} {near * height:.2f} l S "
    )


def _disc(width: float, height: float) -> str:
    """A filled square on its tip: readers need no curves for it."""
    x, y = width / 2, height / 2
    reach = min(x, y) / 2
    return (
        f"{x - reach:.2f} {y:.2f} m {x:.2f} {y + reach:.2f} l {x + reach:.2f} {y:.2f} l "
        f"{x:.2f} {y - reach:.2f} l h f "
    )
