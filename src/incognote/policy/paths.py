"""Files that a policy names: a site's dictionary, a table of patients, sentences, a model.

Their paths are relative to the file of the policy. What they hold counts for the hash of the
policy, not where they lie: a policy that moves with its files stays the same policy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Keys that name a file, and keys that may name a file or something that ships.
_FILES = frozenset({"file", "inclusion"})
# A table all of whose values are files.
_LISTS = "pools"
_PERHAPS = frozenset({"model", "pack", "packs", "lists"})


def with_paths_below(tree: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The tree of a policy that lies in a folder, with the paths in it as they are from here."""
    changed = dict(tree)
    for section in ("detectors", "prepare", "transform"):
        if isinstance(tree.get(section), Mapping):
            changed[section] = _resolved(tree[section], folder)
    return changed


def _resolved(value: Any, folder: Path, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {
            name: _resolved(each, folder, "file" if key == _LISTS else name)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_resolved(each, folder, key) for each in value]
    if not isinstance(value, str) or not value or key not in _FILES | _PERHAPS:
        return value
    path = folder / Path(value).expanduser()
    return str(path) if key in _FILES or path.exists() else value


def with_contents(value: Any, key: str = "") -> Any:
    """What a policy says, with files replaced by what they hold, for its hash."""
    if isinstance(value, Mapping):
        return {
            name: with_contents(each, "file" if key == _LISTS else name)
            for name, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [with_contents(each, key) for each in value]
    if isinstance(value, str) and key in _FILES and value and Path(value).is_file():
        with Path(value).open("rb") as stream:
            return f"{Path(value).name} {hashlib.file_digest(stream, 'sha256').hexdigest()}"
    if isinstance(value, str) and key in _PERHAPS and Path(value).is_dir():
        return Path(value).name
    return value
