"""Writing a model folder: hashes, operating points on held-out notes, a card for people."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from incognote.core.registry import names
from incognote.detect.learned.detector import Scorer
from incognote.detect.learned.model_folder import (
    DEFAULT_SENSITIVITY,
    FORMAT,
    MANIFEST,
    ModelFolder,
    open_model,
    shipped,
)
from incognote.learn.calibrate import calibrate
from incognote.learn.data import Note


def write_folder(
    kind: str,
    out: Path,
    names: Sequence[str],
    labels: Sequence[str],
    settings: Mapping[str, Any],
    held: Sequence[Note],
    card: Mapping[str, Any],
    scorer: Callable[[ModelFolder], Scorer],
) -> ModelFolder:
    """Finishes a folder whose weight files (`names`) are already there.

    The manifest is written twice: first to be able to run the model, then with its thresholds.
    """
    row: dict[str, Any] = {
        "format": FORMAT,
        "kind": kind,
        "name": out.name,
        "description": card.get("description", f"Trained on {card.get('notes', 'some')} notes."),
        "labels": list(labels),
        "languages": list(card.get("languages", ("en",))),
        "settings": dict(settings),
        "files": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names},
        "operating_points": [],
        "card": {**card, "held_out_notes": len(held)},
    }
    manifest = out / MANIFEST
    manifest.write_text(json.dumps(row), encoding="utf-8")
    folder = open_model(str(out))
    points = calibrate(held, scorer(folder).score([note.text for note in held]), folder.labels)
    row["operating_points"] = [asdict(point) for point in points]
    manifest.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    folder = open_model(str(out))
    (out / "README.md").write_text(card_text(folder), encoding="utf-8")
    return folder


def keep_version(out: Path) -> None:
    """Copies the model in `out` to `out/version-N`, before a newer one takes its place."""
    folder = open_model(str(out))
    target = out / f"version-{len(versions(folder))}"
    target.mkdir()
    for name in (MANIFEST, *folder.hashes):
        shutil.copyfile(out / name, target / name)


def versions(folder: ModelFolder) -> list[ModelFolder]:
    """A model and the versions before it, the best on their held-out notes first."""
    earlier = sorted(folder.path.glob(f"version-*/{MANIFEST}"))
    found = [folder, *(open_model(str(path.parent)) for path in earlier)]
    return sorted(found, key=_quality, reverse=True)


def _quality(folder: ModelFolder) -> float:
    point = folder.point(DEFAULT_SENSITIVITY)
    total = point.recall + point.precision
    return 2 * point.recall * point.precision / total if total else 0.0


def card_text(folder: ModelFolder) -> str:
    """The model card as Markdown."""
    facts = {
        key.replace("_", " "): ", ".join(value) if isinstance(value, list | tuple) else value
        for key, value in folder.card.items()
        if key != "description" and not isinstance(value, dict)
    }
    nested = {key: value for key, value in folder.card.items() if isinstance(value, dict)}
    lines = [
        f"# {folder.name}",
        "",
        folder.description,
        "",
        f"- kind: {folder.kind}, {folder.size / 1e6:.1f} MB",
        f"- labels: {', '.join(folder.labels)}",
        *(f"- {key}: {value}" for key, value in facts.items()),
        *(
            f"- {key}: " + ", ".join(f"{name} {value}" for name, value in rows.items())
            for key, rows in nested.items()
        ),
        "",
        f"Measured on {folder.card['held_out_notes']} held-out notes (word level, without TIME):",
        "",
        *points_table(folder),
        "",
        "In a policy:",
        "",
        "```toml",
        policy_snippet(folder).rstrip(),
        "```",
        "",
    ]
    return "\n".join(lines)


def points_table(folder: ModelFolder) -> list[str]:
    return [
        "| sensitivity | recall | precision | false alarms per 1,000 words |",
        "|--:|--:|--:|--:|",
        *(
            f"| {p.sensitivity:g}{'' if p.is_reached else ' (not reached)'} "
            f"| {p.recall:.4f} | {p.precision:.4f} | {p.false_alarms:.2f} |"
            for p in folder.points
        ),
    ]


def detector_name(folder: ModelFolder) -> str:
    """What a policy may call a detector with this model: never as one that is there already."""
    name = re.sub(r"[^\w-]+", "-", folder.name) or "mine"
    is_own = shipped().get(folder.name) == folder.path
    return name if is_own or name not in names("detector") else f"{name}-model"


def policy_snippet(folder: ModelFolder) -> str:
    """The lines that put this model into a policy; the two best versions are read together."""
    if shipped().get(folder.name) == folder.path:
        model = f'"{folder.name}"'
    else:
        paths = [f'"{version.path}"' for version in versions(folder)[:2]]
        model = paths[0] if len(paths) == 1 else f"[{', '.join(paths)}]"
    return (
        f"[detectors.{detector_name(folder)}]\n"
        f'use = "{folder.kind}"\n'
        f"options = {{ model = {model}, sensitivity = {DEFAULT_SENSITIVITY} }}\n"
    )
