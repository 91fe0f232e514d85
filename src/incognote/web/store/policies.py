"""The policy of a project: TOML that people edit in the browser, so it may name nothing that
reaches outside: no files but those of the project's own folder, no servers, no code."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.core.errors import PolicyError
from incognote.policy import DEFAULT, DetectorRules, Policy, load_policy

# What reads the text and nothing else. Adapters for servers, for plain functions and for other
# people's models are for the command line, where whoever writes the policy owns the machine.
_ALLOWED = frozenset(
    "crf dictionary fast foreign_script known_patient names patterns places regex sentence_cache "
    "templates transformer".split()
)


# The say of the project's own models, as in the presets: a network's is that of the ensemble's
# network, a CRF's is less. One that outweighs the others also outweighs what they know to be PHI:
# with the say of all of them together a CRF of 10 notes let 31 of 60 notes leak instead of 7.
_OWN = "project_"
_OWN_WEIGHTS = {"crf": 1, "fast": 2, "transformer": 2}


def default_policy() -> str:
    return f'extends = "{DEFAULT}"\nname = "project"\n'


def parsed_policy(toml: str, folder: Path, models: Mapping[str, Path] | None = None) -> Policy:
    """The policy of a project. `models` are trained models in use, by kind."""
    import tomllib

    try:
        tree = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"not TOML: {error}") from None
    _refuse_outside(tree, "")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # In the folder itself: file names in a policy mean files beside it.
    handle, name = tempfile.mkstemp(".toml", ".policy-", folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(toml)
        policy = load_policy(path)
    except PolicyError as error:
        raise PolicyError(str(error).replace(str(path), "policy")) from None
    finally:
        path.unlink(missing_ok=True)
    policy = replace(policy, name=str(tree.get("name", "project")))
    for name, rules in policy.detectors.items():
        if (rules.use or name) not in _ALLOWED:
            raise PolicyError(
                f"detectors.{name}: a policy in the workbench cannot use {rules.use or name}"
            )
    return with_models(with_folder(policy, folder), models or {})


def with_folder(policy: Policy, folder: Path) -> Policy:
    """File names in options mean files of the project's folder."""
    detectors = {
        name: replace(rules, options={k: _located(v, folder) for k, v in rules.options.items()})
        for name, rules in policy.detectors.items()
    }
    prepare = policy.prepare
    if prepare.inclusion:
        prepare = replace(prepare, inclusion=str(folder / prepare.inclusion))
    return replace(policy, detectors=detectors, prepare=prepare)


def with_models(policy: Policy, models: Mapping[str, Path]) -> Policy:
    """The policy with trained models of the project as further members of its ensemble."""
    detectors = dict(policy.detectors)
    for kind, folder in models.items():
        detectors[f"{_OWN}{kind}"] = DetectorRules(
            use=kind, weight=_OWN_WEIGHTS[kind], options={"model": str(folder)}
        )
    return replace(policy, detectors=detectors)


def weight_of_model(name: str) -> int:
    """The say of a model of the project, by its name in the ensemble."""
    return _OWN_WEIGHTS.get(name.removeprefix(_OWN), 0)


def _located(value: Any, folder: Path) -> Any:
    if isinstance(value, str) and "." in value and (folder / value).is_file():
        return str(folder / value)
    return value


def _refuse_outside(value: Any, path: str) -> None:
    """Nothing in the tree may lead out of the project's folder."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_outside(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _refuse_outside(item, f"{path}[{number}]")
    elif isinstance(value, str) and (
        path == "extends" or path.startswith(("detectors.", "prepare."))
    ):
        outside = value.startswith(("/", "~", "\\")) or ".." in value.split("/")
        is_path = path in ("extends", "prepare.inclusion") or ".options." in path
        if is_path and (outside or (path == "extends" and value.endswith(".toml"))):
            raise PolicyError(f"{path}: a policy in the workbench names no files elsewhere")
