"""From TOML to a Policy: presets, `extends`, `a+b`, and errors that name the path of a bad key."""

from __future__ import annotations

import dataclasses
import difflib
import re
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.core.errors import PolicyError
from incognote.core.labels import SAFE, all_labels
from incognote.policy.model import (
    DICOM_OPTIONS,
    DROP,
    IMAGES,
    KEEP,
    MATCHES,
    NAMES,
    ROLES,
    TEXT,
    TYPES,
    UNNAMED,
    DicomRules,
    Policy,
)
from incognote.policy.paths import with_paths_below
from incognote.policy.patterns import compile_pattern

DEFAULT = "i2b2-2014"
_PRESETS = files("incognote.policy").joinpath("presets")
_RULE_KEYS = ("action", "because")
_PRIVATE = re.compile(r"[0-9A-Fa-f]{3}[13579BDFbdf],[^,]+,[0-9A-Fa-f]{2}")


def presets() -> tuple[str, ...]:
    """Names of the policies that ship with incognote."""
    return tuple(
        sorted(entry.name[:-5] for entry in _PRESETS.iterdir() if entry.name.endswith(".toml"))
    )


def load_policy(name: str | Path | Policy | Mapping[str, Any] = DEFAULT) -> Policy:
    """A preset's name, a path, several of them joined with "+" (later ones win), or a dict as TOML
    would give it, with `extends` if wanted.

    An overlay (`overlay = true`) says only what it changes; alone, it changes the default policy.
    """
    if isinstance(name, Policy):
        return name
    if not isinstance(name, str | Path | Mapping):
        kind = type(name).__name__  # type: ignore[unreachable]
        raise PolicyError(f"a policy is a name, a path, a dict or a Policy, not {kind}")
    parts: list[str | Path | Mapping[str, Any]] = (
        list(name.split("+")) if isinstance(name, str) else [name]
    )
    tree: dict[str, Any] = {}
    for part in parts:
        is_tree = isinstance(part, Mapping)
        own = _with_bases(dict(part), Path(), ()) if is_tree else _read(part, Path(), ())  # type: ignore[arg-type]
        if own.pop("overlay", False) and not tree:
            tree = _read(DEFAULT, folder=Path(), seen=())
        tree = _merge(tree, own)
    called = "the policy" if isinstance(name, Mapping) else str(name)
    if not tree.get("labels"):
        _build(Policy, {**tree, "name": called}, "")  # a misspelt "[labels]" is named
        raise PolicyError(f"{called}: says nothing of any label, so everything would pass through")
    many = isinstance(name, Path) or len(parts) > 1
    tree["name"] = called if many else tree.get("name", called)
    return policy_from(tree)


def policy_from(tree: Mapping[str, Any]) -> Policy:
    """A policy from a plain tree of tables, as TOML gives it."""
    return checked(_build(Policy, _expand_labels(dict(tree)), ""))


def _read(name: str | Path, folder: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    text, where, folder = _open(name, folder)
    if where in seen:
        raise PolicyError(f"{where}: extends itself through {' > '.join(seen)}")
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{where}: not TOML: {error}") from None
    # Files that a policy names lie beside it, wherever the command is run.
    return _with_bases(with_paths_below(tree, folder), folder, (*seen, where))


def _with_bases(tree: dict[str, Any], folder: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    """A policy on top of those that it extends."""
    base = tree.pop("extends", None)
    if base is None:
        return tree
    bases = base if isinstance(base, list) else [base]
    merged: dict[str, Any] = {}
    for each in bases:
        merged = _merge(merged, _read(str(each), folder, seen))
    # What a policy decides is inherited; what it is called and says of itself is not.
    inherited = {key: merged[key] for key in merged if key not in ("name", "description")}
    return _merge(inherited, tree)


def _open(name: str | Path, folder: Path) -> tuple[str, str, Path]:
    if isinstance(name, str) and name in presets():
        return _PRESETS.joinpath(f"{name}.toml").read_text("utf-8"), name, folder
    path = folder / name
    if path.suffix != ".toml":
        raise PolicyError(f"no policy named {str(name)!r}; presets are: {', '.join(presets())}")
    try:
        return path.read_text("utf-8"), str(path), path.parent
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"{path}: not UTF-8 text") from None


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merge key by key; everything else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        both_tables = isinstance(old, Mapping) and isinstance(value, Mapping)
        # A label's rule is one decision: half of an old rule under a new action makes no sense.
        # Nor are the options of one component when a detector becomes another.
        whole = both_tables and (
            "action" in value or value.get("use", old.get("use")) != old.get("use")  # type: ignore[union-attr]
        )
        merged[key] = _merge(old, value) if both_tables and not whole else value  # type: ignore[arg-type]
    return merged


def _expand_labels(tree: dict[str, Any]) -> dict[str, Any]:
    """`DATE = "tag"` means `DATE = { action = "tag" }`; `default` serves the labels not named."""
    rules = tree.get("labels", {})
    if not isinstance(rules, Mapping):
        raise PolicyError("labels: must be a table")
    rules = {
        name: {"action": rule} if isinstance(rule, str) else rule for name, rule in rules.items()
    }
    for name, rule in rules.items():
        if name not in all_labels() and name != "default":
            raise PolicyError(f"labels.{name}: no such label{_meant(name, all_labels())}")
        if not isinstance(rule, Mapping) or "action" not in rule:
            raise PolicyError(f"labels.{name}: needs an action")
    default = rules.pop("default", {"action": "off"})
    expanded = {}
    for name, row in all_labels().items():
        rule = rules.get(name, {"action": "off"} if row.optional else default)
        options = {key: value for key, value in rule.items() if key not in _RULE_KEYS}
        stated = {key: rule[key] for key in _RULE_KEYS if key in rule}
        expanded[name] = {**stated, "options": options}
    return {**tree, "labels": expanded}


def checked(policy: Policy) -> Policy:
    """The policy, unless something is wrong that types cannot say: a weight out of range, a label
    that does not exist, a pattern that does not compile."""
    for name, detector in policy.detectors.items():
        for label, weight in {"weight": detector.weight, **detector.weights}.items():
            if not 0 <= weight <= 100:
                raise PolicyError(f"detectors.{name}.{label}: weight must be 0 to 100")
        _check_labels(detector.weights, f"detectors.{name}.weights", also=(SAFE,))
    if policy.prepare.inclusion and not Path(policy.prepare.inclusion).is_file():
        raise PolicyError(f"prepare.inclusion: there is no file {policy.prepare.inclusion}")
    for key, choice in policy.formats.labels.items():
        if choice not in (TEXT, KEEP, DROP):
            _check_labels([choice], f"formats.labels.{key}")
    for name, known in (
        ("images", IMAGES),
        ("names", NAMES),
        ("types", TYPES),
        ("unnamed", UNNAMED),
    ):
        if getattr(policy.formats, name) not in known:
            raise PolicyError(f"formats.{name}: must be one of {', '.join(known)}")
    for attribute, role in policy.roles.items():
        if role not in ROLES:
            raise PolicyError(f"roles.{attribute}: must be one of {', '.join(ROLES)}")
    _check_dicom(policy.formats.dicom)
    _check_path(policy.formats.patient_path)
    rules = policy.resolve
    _check_labels(rules.votes, "resolve.votes")
    _check_labels(rules.speech.exempt, "resolve.speech.exempt")
    for i, never in enumerate(rules.never):
        where = f"resolve.never[{i}]"
        if never.match not in MATCHES:
            raise PolicyError(f"{where}.match: must be one of {', '.join(MATCHES)}")
        _check_labels(never.labels, f"{where}.labels")
        patterns = (*(never.words if never.match == "regex" else ()), never.before, never.after)
        _check_patterns(patterns, where)
    for i, connect in enumerate(rules.connect):
        where = f"resolve.connect[{i}]"
        labels = (*connect.left, *connect.right, *([connect.label] if connect.label else ()))
        _check_labels(labels, where)
        if connect.label and connect.group:
            raise PolicyError(f"{where}: finds become one `label` or one `group`, not both")
        _check_patterns(connect.between, f"{where}.between")
    return policy


def _check_path(pattern: str) -> None:
    where = "formats.patient_path"
    if pattern and compile_pattern(pattern, where).groups != 1:
        raise PolicyError(f"{where}: must have one group, which is the patient")


def _check_dicom(rules: DicomRules) -> None:
    for option in rules.options:
        if option not in DICOM_OPTIONS:
            raise PolicyError(
                f"formats.dicom.options: no option {option!r}; there are: "
                f"{', '.join(DICOM_OPTIONS)}"
            )
    if {"retain-full-dates", "retain-modified-dates"} <= set(rules.options):
        raise PolicyError("formats.dicom.options: dates are retained either full or modified")
    for row in rules.safe_private:
        if not _PRIVATE.fullmatch(row):
            raise PolicyError(
                f"formats.dicom.safe_private: {row!r} is not written as 0019,GEMS_ACQU_01,23"
            )


def _check_labels(names: Iterable[str], where: str, also: tuple[str, ...] = ()) -> None:
    for name in names:
        if name not in all_labels() and name not in also:
            raise PolicyError(f"{where}.{name}: no such label{_meant(name, all_labels())}")


def _meant(name: str, known: Iterable[str]) -> str:
    """The name most like a misspelt one, for the end of a message."""
    near = difflib.get_close_matches(name.upper(), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _check_patterns(patterns: Iterable[str], where: str) -> None:
    for pattern in filter(None, patterns):
        compile_pattern(pattern, where)


def typed_options(kind: Any, options: Mapping[str, Any], path: str) -> Any:
    """A component from its options, its dataclass fields; errors name their path."""
    return _build(kind, options, path)


def _build(kind: Any, value: Any, path: str) -> Any:
    """`value` as `kind`: dataclasses, mappings, tuples, unions and plain types; strict."""
    origin = typing.get_origin(kind)
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(kind, value, path)
    if origin in (typing.Union, types.UnionType):
        return _build_union(kind, value, path)
    if kind is Any:
        return value
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise PolicyError(f"{path}: must be a table")
        of = typing.get_args(kind)[1]
        return {key: _build(of, item, f"{path}.{key}") for key, item in value.items()}
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise PolicyError(f"{path}: must be a list")
        of = typing.get_args(kind)[0]
        return tuple(_build(of, item, f"{path}[{i}]") for i, item in enumerate(value))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise PolicyError(f"{path}: must be {kind.__name__}, not {type(value).__name__}")
    return value


def _build_union(kind: Any, value: Any, path: str) -> Any:
    errors = []
    for option in typing.get_args(kind):
        if option is type(None):
            if value is None:
                return None
            continue
        try:
            return _build(option, value, path)
        except PolicyError as error:
            errors.append(str(error))
    raise PolicyError("; ".join(errors))


def _build_dataclass(kind: Any, value: Any, path: str) -> Any:
    if not isinstance(value, Mapping):
        raise PolicyError(f"{path}: must be a table")
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key in value:
        if key not in fields:
            where = f"{path}.{key}" if path else key
            # `extends` is gone from the tree when it is built, but may appear in a file.
            known = sorted([*fields, *(() if path else ("extends",))])
            raise PolicyError(f"{where}: unknown key; known are: {', '.join(known)}")
    for name, field in fields.items():
        missing = field.default is field.default_factory is dataclasses.MISSING
        if missing and name not in value:
            raise PolicyError(f"{path + '.' if path else ''}{name}: is missing")
    return kind(
        **{
            key: _build(hints[key], item, f"{path}.{key}" if path else key)
            for key, item in value.items()
        }
    )


__all__ = ["DEFAULT", "load_policy", "policy_from", "presets", "typed_options"]
