"""Tables and plots of the CRF studies, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from incognote.learn.crf import Trial

_WIDTH, _LEFT, _RIGHT, _TOP = 720, 60, 30, 40
_HEIGHT, _BOTTOM = 320, 40  # of lines
_NAMES, _ROW = 230, 20  # of dots: room for the names, height of a row
_COLOURS = {"recall": "#0b6e4f", "precision": "#b5441a", "seconds": "#33558b"}


def table(panels: Mapping[str, Sequence[Trial]]) -> str:
    """All trials as Markdown."""
    lines = []
    for panel, trials in panels.items():
        lines += [
            f"| {panel} | recall | precision | F1 | units | seconds |",
            "|:--|--:|--:|--:|--:|--:|",
            *(
                f"| {t.name} | {t.recall:.4f} | {t.precision:.4f} | {t.f1:.4f} "
                f"| {t.kept:,} | {t.seconds:.1f} |"
                for t in trials
            ),
            "",
        ]
    return "\n".join(lines)


def write_plots(panels: Mapping[str, Sequence[Trial]], folder: Path) -> list[Path]:
    """Recall and precision, and training time, of each panel as SVG files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for panel, trials in panels.items():
        name = panel.replace(" ", "-").lower()
        names = [trial.name for trial in trials]
        scores = {
            "recall": [trial.recall for trial in trials],
            "precision": [trial.precision for trial in trials],
        }
        seconds = {"seconds": [trial.seconds for trial in trials]}
        # Sizes and shares have an order that a line may follow; groups of features have none.
        draw = lines if all(_is_number(name) for name in names) else dots
        for kind, series in (("scores", scores), ("time", seconds)):
            path = folder / f"{name}-{kind}.svg"
            path.write_text(draw(panel, names, series), encoding="utf-8")
            written.append(path)
    return written


def _is_number(name: str) -> bool:
    return name.replace(".", "", 1).isdecimal()


def lines(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Values over points in order, joined by lines."""
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(names) - 1)
    xs = [_LEFT + step * i for i in range(len(names))]
    top = _top(series)

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value / top)

    parts = [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" '
        f'stroke="#ddd"/><text x="{_LEFT - 8}" y="{y(mark) + 4:.1f}" '
        f'text-anchor="end">{mark:g}</text>'
        for mark in _marks(top)
    ]
    parts += [
        f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{escape(name)}</text>'
        for x, name in zip(xs, names, strict=True)
    ]
    for label, row in series.items():
        points = [(x, y(value)) for x, value in zip(xs, row, strict=True)]
        path = " ".join(f"{x:.1f},{at:.1f}" for x, at in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[label]}"/>')
        parts += [_dot(x, at, label) for x, at in points]
    return _drawing(title, series, parts, _HEIGHT)


def dots(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """A row for each name, with a dot for each of its values."""
    height = _TOP + _ROW * len(names) + 30
    top = _top(series)

    def x(value: float) -> float:
        return _NAMES + (_WIDTH - _NAMES - _RIGHT) * value / top

    parts = [
        f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{_TOP}" y2="{height - 26}" '
        f'stroke="#ddd"/><text x="{x(mark):.1f}" y="{height - 10}" '
        f'text-anchor="middle">{mark:g}</text>'
        for mark in _marks(top)
    ]
    for number, name in enumerate(names):
        at = _TOP + _ROW * (number + 0.5)
        parts.append(
            f'<text x="{_NAMES - 12}" y="{at + 4:.1f}" text-anchor="end">{escape(name)}</text>'
        )
        parts += [_dot(x(row[number]), at, label) for label, row in series.items()]
    return _drawing(title, series, parts, height)


def _dot(x: float, y: float, label: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_COLOURS[label]}"/>'


def _top(series: Mapping[str, Sequence[float]]) -> float:
    """Where the scale ends: at 1 for shares, else at the next of 1, 2, 5, 10, 20, 50 ..."""
    most = max((value for row in series.values() for value in row), default=1.0)
    size = 1.0
    while size < most:
        size *= 2.5 if f"{size:g}"[0] == "2" else 2
    return size


def _marks(top: float) -> list[float]:
    return [top * part / 5 for part in range(6)]


def _drawing(
    title: str, series: Mapping[str, Sequence[float]], parts: Sequence[str], height: float
) -> str:
    legend = [
        f'<text x="{_WIDTH - _RIGHT}" y="{14 + 14 * number}" text-anchor="end" '
        f'fill="{_COLOURS[label]}">{escape(label)}</text>'
        for number, label in enumerate(series)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}">',
            "<style>text { font: 11px sans-serif }</style>",
            f'<text x="{_LEFT}" y="16" font-size="13">{escape(title)}</text>',
            *legend,
            *parts,
            "</svg>",
            "",
        ]
    )
