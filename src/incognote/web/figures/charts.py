"""Line charts as SVG. Colours and type come from the style sheet, so they follow dark mode; each
series has a dash and a marker of its own, so that colour alone says nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 460.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 48.0, 14.0, 48.0, 40.0
_DASHES = ("", "6 3", "2 3", "8 3 2 3")


@dataclass(frozen=True, slots=True)
class Series:
    """Points in order; `band` are the low and high ends of each point's interval."""

    name: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float]] = ()


def line_chart(title: str, x_title: str, y_title: str, series: Sequence[Series]) -> Markup:
    """A chart; an empty string where there is nothing to draw yet."""
    points = [point for one in series for point in one.points]
    if not points:
        return Markup()
    values = [y for _, y in points] + [y for one in series for pair in one.band for y in pair]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    if high_x == low_x:
        low_x, high_x = low_x - 1, high_x + 1
    ticks = _ticks(min(values), max(values))
    low_y, high_y = ticks[0], ticks[-1]

    def at(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (x - low_x) / (high_x - low_x) * (_WIDTH - _LEFT - _RIGHT)
        down = _TOP + (1 - (y - low_y) / (high_y - low_y)) * (_HEIGHT - _TOP - _BOTTOM)
        return round(across, 1), round(down, 1)

    opening = (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
    )
    parts = [opening]
    for value in ticks:
        _, y = at(low_x, value)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}"/>')
        parts.append(_text(_LEFT - 6, y + 4, _short(value), "end"))
    for value in dict.fromkeys((low_x, (low_x + high_x) / 2, high_x)):
        x, _ = at(value, low_y)
        parts.append(_text(x, _HEIGHT - _BOTTOM + 16, _short(value), "middle"))
    for number, one in enumerate(series):
        parts += _series(one, number, at)
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_title, "middle"))
    parts.append(f'<text class="heading" x="4" y="15">{escape(title)}</text>')
    parts.append(_text(4, 34, y_title, "start"))
    if len(series) > 1:
        parts += _legend(series)
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - every text in it was escaped


def _series(one: Series, number: int, at) -> list[str]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    parts = []
    if one.band:
        xs = [x for x, _ in one.points]
        upper = [at(x, high) for x, (_, high) in zip(xs, one.band, strict=True)]
        lower = [at(x, low) for x, (low, _) in zip(xs, one.band, strict=True)]
        shape = " ".join(f"{x},{y}" for x, y in [*upper, *reversed(lower)])
        parts.append(f'<polygon class="band series-{number}" points="{shape}"/>')
    path = " ".join(f"{x},{y}" for x, y in (at(*point) for point in one.points))
    dash = f' stroke-dasharray="{_DASHES[number % 4]}"' if number else ""
    parts.append(f'<polyline class="line series-{number}" points="{path}"{dash}/>')
    for point in one.points:
        x, y = at(*point)
        told = f"{one.name}: {_short(point[1])} at {_short(point[0])}"
        parts.append(
            f'<circle class="dot series-{number}" cx="{x}" cy="{y}" r="3.2">'
            f"<title>{escape(told)}</title></circle>"
        )
    return parts


def _legend(series: Sequence[Series]) -> list[str]:
    """The line of each series and its name, from the right."""
    parts, x = [], _WIDTH - _RIGHT
    for number, one in reversed(list(enumerate(series))):
        parts.append(_text(x, 34, one.name, "end"))
        x -= 7.0 * len(one.name) + 6
        dash = f' stroke-dasharray="{_DASHES[number % 4]}"' if number else ""
        path = f"{x - 26:.0f},30 {x:.0f},30"
        parts.append(f'<polyline class="line series-{number}" points="{path}"{dash}/>')
        x -= 40
    return parts


def _ticks(low: float, high: float) -> list[float]:
    """Three to seven round numbers around the values; shares do not go beyond 0 and 1."""
    is_share = low >= 0 and high <= 1
    if high - low < 1e-9:
        low, high = low - max(0.05, abs(low) / 10), high + max(0.05, abs(high) / 10)
    if is_share:
        low, high = max(0.0, low), min(1.0, high)
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    if float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
