"""A model folder: `model.json`, the weights it names, and a card for people.

Nothing in a folder is ever executed: weights are ONNX, NumPy or CRFsuite files whose hashes stand
in `model.json`; pickles and remote code are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError

FORMAT = 1
MANIFEST = "model.json"
KINDS = ("transformer", "fast", "crf")
PICKLES = frozenset({".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth"})
# Rules and repetitions find most of what a model misses here; more would cost many false alarms.
DEFAULT_SENSITIVITY = 0.95


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Score thresholds by label for a wanted sensitivity, and what they cost on held-out notes."""

    sensitivity: float
    thresholds: Mapping[str, float]
    recall: float
    precision: float
    false_alarms: float  # per 1,000 words

    @property
    def is_reached(self) -> bool:
        """A weak model finds too little at any threshold."""
        return self.recall >= self.sensitivity

    def __str__(self) -> str:
        return (
            f"sensitivity {self.sensitivity:g}{'' if self.is_reached else ' is not reached'}: "
            f"{self.recall:.1%} of the PHI words of held-out "
            f"notes found, {self.false_alarms:.1f} false alarms per 1,000 words"
        )


@dataclass(frozen=True, slots=True)
class ModelFolder:
    path: Path
    kind: str
    name: str
    description: str
    labels: tuple[str, ...]
    points: tuple[OperatingPoint, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    languages: frozenset[str] = frozenset({"en"})

    @property
    def size(self) -> int:
        return sum((self.path / name).stat().st_size for name in self.hashes)

    def point(self, sensitivity: float) -> OperatingPoint:
        """The operating point for a wanted sensitivity; one that is not stored is an error."""
        for point in self.points:
            if abs(point.sensitivity - sensitivity) < 1e-9:
                return point
        there = ", ".join(f"{point.sensitivity:g}" for point in self.points)
        raise UsageError(
            f"model {self.name}: no operating point {sensitivity:g}; there are {there}"
        )

    def file(self, name: str) -> Path:
        """A weight file, after its hash is found to be right."""
        path = self.path / name
        if name not in self.hashes:
            raise UsageError(f"model folder {self.path.name} is incomplete: it lists no {name}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != self.hashes[name]:
            raise UsageError(f"model folder {self.path.name}: {name} is damaged or was changed")
        return path


def together(folders: Sequence[ModelFolder]) -> ModelFolder:
    """Models of which any one tags, as one: thresholds of the first, bounds of what they cost."""
    if not folders:
        raise UsageError("model = []: at least one model must be named")
    first, *others = folders
    if not others:
        return first
    if any(other.labels != first.labels for other in others):
        names = ", ".join(folder.name for folder in folders)
        raise UsageError(f"models that are read together must know the same labels; {names} do not")
    return replace(
        first,
        name=" + ".join(folder.name for folder in folders),
        points=tuple(_bounds(points) for points in zip(*(f.points for f in folders), strict=True)),
    )


def _bounds(points: Sequence[OperatingPoint]) -> OperatingPoint:
    """At least the recall of the best, at most the false alarms of all."""
    recall = max(point.recall for point in points)
    wrong = sum(p.recall * (1 - p.precision) / p.precision for p in points if p.precision)
    return OperatingPoint(
        sensitivity=points[0].sensitivity,
        thresholds=points[0].thresholds,
        recall=recall,
        precision=round(recall / (recall + wrong), 5) if recall else 0.0,
        false_alarms=round(sum(point.false_alarms for point in points), 3),
    )


def shipped() -> dict[str, Path]:
    """The models that come with the package, by name."""
    root = Path(str(files("incognote") / "models"))
    found = (path.parent for path in root.glob(f"*/{MANIFEST}"))
    return {path.name: path for path in sorted(found)}


def open_model(model: str, kind: str | None = None) -> ModelFolder:
    """A shipped model by name, or any folder by its path. Reads no weights yet."""
    path = shipped().get(model, Path(model).expanduser())
    manifest = path / MANIFEST
    if not manifest.is_file():
        there = ", ".join(shipped()) or "none"
        raise UsageError(f"no model named or at {model!r}; shipped with incognote: {there}")
    try:
        row = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError:
        raise UsageError(f"model folder {path.name}: {MANIFEST} is not JSON") from None
    if not isinstance(row, dict):
        raise UsageError(f"model folder {path.name}: {MANIFEST} is not an object")
    if "auto_map" in row or row.get("trust_remote_code"):
        raise UsageError(f"model folder {path.name} asks to run its own code; that is never done")
    if row.get("format") != FORMAT:
        raise UsageError(
            f"model folder {path.name} has format {row.get('format')!r}; "
            f"this version of incognote reads {FORMAT}"
        )
    try:
        folder = ModelFolder(
            path=path,
            kind=row["kind"],
            name=row["name"],
            description=row["description"],
            labels=tuple(row["labels"]),
            points=tuple(OperatingPoint(**point) for point in row["operating_points"]),
            settings={**row["settings"]},
            card={**row["card"]},
            hashes={**row["files"]},
            languages=frozenset(row.get("languages", ("en",))),
        )
    except (KeyError, TypeError) as error:
        raise UsageError(f"model folder {path.name}: {MANIFEST} is incomplete ({error})") from None
    if folder.kind not in KINDS:
        raise UsageError(f"model folder {path.name}: unknown kind {folder.kind!r}")
    if kind and folder.kind != kind:
        raise UsageError(f"model {folder.name} is a {folder.kind} model, not {kind}")
    for name in folder.hashes:
        if Path(name).name != name:
            raise UsageError(f"model folder {path.name} points outside of itself")
        if Path(name).suffix in PICKLES:
            raise UsageError(f"model folder {path.name}: {name} may hold a pickle; none is loaded")
    missing = [name for name in folder.hashes if not (path / name).is_file()]
    if missing:
        raise UsageError(f"model folder {path.name} is incomplete: {', '.join(missing)} missing")
    return folder
