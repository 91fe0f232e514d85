"""`make docs`: write the reference pages from the code, so that they cannot be wrong.

A test compares the pages with what this module would write; `python tools/reference.py` makes them
current again.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from incognote.cli import VERBS, parser_for
from incognote.core import registry
from incognote.core.labels import SCHEMES, all_labels
from incognote.corpus.formats.base import CorpusFormat
from incognote.policy import load_policy, presets
from incognote.policy.model import Policy

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
_NOTE = "<!-- Written by tools/reference.py from the code; `make docs` writes it again. -->"


def pages() -> dict[str, str]:
    """File name -> content."""
    made = {
        "cli.md": _cli(),
        "components.md": _components(),
        "labels.md": _labels(),
        "policy.md": _policy(),
    }
    return {name: "\n".join([_NOTE, "", *lines]).rstrip() + "\n" for name, lines in made.items()}


def _cli() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "Exit codes: 0 done, 1 usage or policy error, 3 done but some documents are in"
    yield "quarantine, 130 interrupted."
    for verb in VERBS:
        yield from _command(parser_for(verb), f"incognote {verb}", 2)


def _command(parser: argparse.ArgumentParser, name: str, depth: int) -> Iterator[str]:
    yield from ("", f"{'#' * depth} `{name}`", "")
    if parser.description:
        yield from (parser.description, "")
    inner: dict[str, argparse.ArgumentParser] = {}
    rows = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            summaries = {choice.dest: choice.help for choice in action._choices_actions}  # noqa: SLF001
            inner = dict(action.choices)
            for choice, each in inner.items():
                each.description = each.description or _sentence(summaries.get(choice) or "")
        elif not isinstance(action, argparse._HelpAction):  # noqa: SLF001
            rows.append(f"| `{_call(action)}` | {_cell(_help(action))} |")
    if rows:
        yield from ("| argument | meaning |", "|---|---|", *rows)
    for choice, each in inner.items():
        yield from _command(each, f"{name} {choice}", depth + 1)


def _call(action: argparse.Action) -> str:
    value = action.metavar or action.dest
    name = " ".join(value) if isinstance(value, tuple) else str(value)
    if action.choices and not action.metavar:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return f"[{name}]" if action.nargs in ("?", "*") else name
    takes_value = action.nargs != 0
    return ", ".join(action.option_strings) + (f" {name}" if takes_value else "")


def _help(action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": "incognote"}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _labels() -> Iterator[str]:
    yield "# Labels"
    yield ""
    yield "Groups hold those before them: A is HIPAA Safe Harbor, D is all. Optional labels are off"
    yield "unless a policy names them. `incognote.core.labels` has the same table with the names in"
    yield f"other schemes: {', '.join(SCHEMES)}."
    yield ""
    yield "| label | category | meaning | HIPAA | group | direct | optional |"
    yield "|---|---|---|---|---|---|---|"
    for label in all_labels().values():
        direct, optional = ("yes" if flag else "" for flag in (label.direct, label.optional))
        yield (
            f"| `{label.name}` | {label.category} | {_cell(label.description)} "
            f"| {label.hipaa} | {label.group} | {direct} | {optional} |"
        )


def _policy() -> Iterator[str]:
    yield "# Policy file"
    yield ""
    yield "TOML, one table for each section below. `extends` names a preset or a file (or a list of"
    yield 'them) to start from. In `[labels]`, `LABEL = "action"` is short for a table with that'
    yield "action, and `default` serves the labels that are not named. Unknown keys are errors."
    yield ""
    yield "Policies join with `+`, where later ones win. A file with `overlay = true` says only"
    yield "what it changes; used alone, it changes the default policy."
    yield ""
    yield "## Presets"
    yield ""
    for name in presets():
        yield f"- `{name}`: {load_policy(name).description}"
    yield from _section(Policy, "", "The whole file")


def _section(kind: Any, path: str, title: str) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from (inspect.cleandoc(kind.__doc__ or ""), "")
    yield from ("| key | type | default |", "|---|---|---|")
    hints = typing.get_type_hints(kind)
    inner = []
    for each in dataclasses.fields(kind):
        sections = [part for part in _parts(hints[each.name]) if dataclasses.is_dataclass(part)]
        many = "" if sections and sections[0] is hints[each.name] else ".*" if sections else ""
        inner += [(section, f"{path}{each.name}{many}") for section in sections]
        yield f"| `{path}{each.name}` | {_cell(_type_name(hints[each.name]))} | {_default(each)} |"
    for section, where in inner:
        yield from _section(section, f"{where}.", f"`[{where}]`")


def _parts(hint: Any) -> list[Any]:
    return [hint, *(part for each in typing.get_args(hint) for part in _parts(each))]


def _type_name(hint: Any) -> str:
    if dataclasses.is_dataclass(hint):
        return "table"
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return f"list of {_type_name(inside[0])}"
    if origin is not None and inside and isinstance(origin, type):
        return f"table of {_type_name(inside[1])}"
    names = {str: "string", int: "integer", float: "number", bool: "true or false", Any: "anything"}
    return names.get(hint, str(hint))


def _default(each: dataclasses.Field[Any]) -> str:
    if each.default is not dataclasses.MISSING:
        return f"`{each.default!r}`".replace("'", '"').replace("True", "true")
    return "needed" if each.default_factory is dataclasses.MISSING else ""


def _components() -> Iterator[str]:
    yield "# Formats, detectors, transforms and corpus formats"
    yield ""
    yield "What a policy or `--format` can name. Other packages add theirs through the entry points"
    yield ", ".join(f"`incognote.{kind}s`" for kind in registry.KINDS) + "."
    for kind in registry.KINDS:
        yield from ("", f"## {kind.replace('_', ' ').capitalize()}s")
        for name in registry.names(kind):
            component = registry.load(kind, name)
            yield from ("", f"### `{name}`", "")
            if kind == "format":
                yield from (f"Files named {', '.join(component.suffixes) or 'anything'}.", "")
            yield _about(component)
            options = "" if isinstance(component, CorpusFormat) else _options(component)
            if options:
                yield from ("", f"Options: {options}.")


def _about(component: Any) -> str:
    """The docstring of the class; of its module where the class has none of its own."""
    if isinstance(component, CorpusFormat):
        return f"{_sentence(component.description)}"
    own = component.__dict__.get("__doc__")
    return inspect.cleandoc(own or import_module(component.__module__).__doc__ or "")


def _options(component: Any) -> str:
    if component.__init__ is object.__init__:
        return ""
    parameters = list(inspect.signature(component).parameters.values())
    return ", ".join(
        f"`{each.name}`"
        + ("" if each.default is inspect.Parameter.empty else f" (default `{each.default!r}`)")
        for each in parameters
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name}")


if __name__ == "__main__":
    main()
