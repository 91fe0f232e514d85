"""Tables and plots of the CRF studies, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from incognote.learn.crf import Trial

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 320, 60, 90, 30
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
        for kind, series in (("scores", scores), ("time", seconds)):
            path = folder / f"{name}-{kind}.svg"
            path.write_text(plot(panel, names, series), encoding="utf-8")
            written.append(path)
    return written


def plot(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Lines over named points."""
    values = [value for row in series.values() for value in row]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = (_WIDTH - _LEFT - 20) / max(1, len(names) - 1)
    xs = [_LEFT + step * i for i in range(len(names))]

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (value - low) / (high - low))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        "<style>text { font: 11px sans-serif }</style>",
        f'<text x="{_LEFT}" y="16" font-size="13">{escape(title)}</text>',
    ]
    parts += [
        f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" '
        f'stroke="#ddd"/><text x="{_LEFT - 6}" y="{y(mark) + 4:.1f}" '
        f'text-anchor="end">{mark:.3g}</text>'
        for mark in (low, (low + high) / 2, high)
    ]
    parts += [
        f'<text transform="translate({x:.1f},{_HEIGHT - _BOTTOM + 14}) rotate(35)">'
        f"{escape(name)}</text>"
        for x, name in zip(xs, names, strict=True)
    ]
    for number, (label, row) in enumerate(series.items()):
        points = " ".join(f"{x:.1f},{y(value):.1f}" for x, value in zip(xs, row, strict=True))
        colour = _COLOURS.get(label, "#555")
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        parts.append(
            f'<text x="{_WIDTH - 20}" y="{14 + 13 * number}" text-anchor="end" '
            f'fill="{colour}">{escape(label)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])
