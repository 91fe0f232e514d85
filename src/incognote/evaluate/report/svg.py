"""Small inline plots. Colours come from the page's style sheet, so they follow its dark mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Point = tuple[float, float]


def curve(points: Sequence[Point], x_title: str, y_title: str, mark: Point | None = None) -> str:
    """One line in the unit square, zoomed to where the points lie; `mark` is a dot on it."""
    dots = [mark] if mark else []
    return _plot({"": points}, x_title, y_title, dots)


def lines(series: Mapping[str, Sequence[Point]], x_title: str, y_title: str) -> str:
    """Named lines in the unit square."""
    return _plot(series, x_title, y_title, [])


def _plot(
    series: Mapping[str, Sequence[Point]], x_title: str, y_title: str, marks: Sequence[Point]
) -> str:
    width, height, left, bottom = 460, 300, 52, 40
    everything = [point for points in series.values() for point in points]
    low_x, low_y = _floor([x for x, _ in everything]), _floor([y for _, y in everything])

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + (x - low_x) / (1 - low_x) * (width - left - 12),
            (1 - (y - low_y) / (1 - low_y)) * (height - bottom - 12) + 12,
        )

    parts = [_open(width, height, f"{y_title} against {x_title}")]
    for step in range(6):
        share = step / 5
        x, _ = at(low_x + share * (1 - low_x), low_y)
        _, y = at(low_x, low_y + share * (1 - low_y))
        parts.append(_line(left, y, width - 12, y, "grid"))
        parts.append(_text(left - 6, y + 4, f"{low_y + share * (1 - low_y):.3g}", "end"))
        parts.append(_text(x, height - bottom + 18, f"{low_x + share * (1 - low_x):.3g}", "middle"))
    for number, (name, points) in enumerate(series.items()):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        dash = f' stroke-dasharray="{2 + 4 * number} {3 * number}"' if number else ""
        parts.append(f'<polyline points="{path}" class="line"{dash}/>')
        if name:
            x, y = at(*points[-1])
            parts.append(_text(x - 4, y - 6, name, "end"))
    for point in marks:
        x, y = at(*point)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="dot"/>')
    parts.append(_text((left + width) / 2, height - 4, x_title, "middle"))
    parts.append(
        f'<text x="12" y="{height / 2 - 20}" text-anchor="middle" '
        f'transform="rotate(-90 12 {height / 2 - 20})">{escape(y_title)}</text>'
    )
    return "".join([*parts, "</svg>"])


def dots(rows: Sequence[tuple[str, float, float, float, str]], title: str) -> str:
    """A row for each (name, value, low, high, note): a dot on its interval."""
    width, left, right, step = 460, 150, 78, 24
    height = step * len(rows) + 30
    low = _floor([low for _, _, low, _, _ in rows])

    def at(value: float) -> float:
        return left + (value - low) / (1 - low) * (width - left - right)

    parts = [_open(width, height, title)]
    for tick in range(3):
        value = low + tick / 2 * (1 - low)
        parts.append(_line(at(value), 4, at(value), height - 24, "grid"))
        parts.append(_text(at(value), height - 8, f"{value:.3g}", "middle"))
    for number, (name, value, start, end, note) in enumerate(rows):
        y = step * number + step / 2 + 2
        parts.append(_text(left - 8, y + 4, name, "end"))
        parts.append(_line(at(max(low, start)), y, at(end), y, "interval"))
        parts.append(f'<circle cx="{at(value):.1f}" cy="{y:.1f}" r="4.5" class="dot"/>')
        parts.append(_text(width - right + 8, y + 4, note, "start"))
    return "".join([*parts, "</svg>"])


def bars(rows: Sequence[tuple[str, float, str]], title: str) -> str:
    """A horizontal bar for each (name, value, note), the longest filling the width."""
    width, left, right, step = 460, 130, 110, 24
    top = max((value for _, value, _ in rows), default=0) or 1
    parts = [_open(width, step * len(rows) + 4, title)]
    for number, (name, value, note) in enumerate(rows):
        y = step * number
        length = value / top * (width - left - right)
        parts.append(_text(left - 8, y + 17, name, "end"))
        parts.append(
            f'<rect x="{left}" y="{y + 5}" width="{length:.1f}" height="15" rx="2" class="bar"/>'
        )
        parts.append(_text(left + length + 6, y + 17, note, "start"))
    return "".join([*parts, "</svg>"])


def _floor(values: Sequence[float]) -> float:
    """The lowest tick: 0, 0.5, 0.8, 0.9 or higher, so that good systems can be distinguished."""
    lowest = min(values, default=0.0)
    return next((floor for floor in (0.99, 0.95, 0.9, 0.8, 0.5) if lowest > floor), 0.0)


def _open(width: float, height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
