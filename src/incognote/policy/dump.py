"""From a Policy back to TOML: the effective policy, complete, and the same when loaded again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from incognote.policy.model import Policy

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def dump_policy(policy: Policy, notes: Mapping[str, str] | None = None) -> str:
    """The policy as TOML. `notes` are sentences by label, written as comments above their rule."""
    tree = {field.name: getattr(policy, field.name) for field in fields(policy)}
    labels = tree.pop("labels")
    lines = [f"{key} = {_value(tree.pop(key))}" for key in ("name", "description")]
    lines += ["", "[labels]"]
    for name, rule in labels.items():
        if notes and name in notes:
            lines.append(f"# {notes[name]}")
        because = {"because": rule.because} if rule.because else {}
        row = {"action": rule.action, **because, **rule.options}
        lines.append(f"{_key(name)} = {_value(row)}")
    for section, content in tree.items():
        if section == "detectors":
            for name, rules in content.items():
                lines += _table(f"detectors.{_key(name)}", _plain(rules))
        else:
            lines += _table(section, _plain(content))
    return "\n".join(lines) + "\n"


def _table(path: str, content: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"[{path}]"
    for key, value in content.items():
        yield f"{_key(key)} = {_value(value)}"


def _plain(value: Any) -> Any:
    """Dataclasses as tables; what is None is absent, as TOML has no word for it."""
    if is_dataclass(value):
        members = {field.name: getattr(value, field.name) for field in fields(value)}
        return {key: _plain(item) for key, item in members.items() if item is not None}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # JSON and TOML write strings, numbers and truth values alike; a date in quotes stays a string.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)
