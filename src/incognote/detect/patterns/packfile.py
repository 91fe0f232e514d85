"""Rule packs: TOML files read strictly into Pack and Rule values.

A pack has a `description`, the `languages` it is for (English by default), word sets under
`[words]`, regular-expression parts under `[fragments]`, and any number of `[[rule]]` tables.
`{name}` in a pattern is replaced by the fragment or word set of that name, of this pack or of
`common.toml`. Everything unknown is an error: a typing mistake in a rule must not become a leak.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.core.caches import cached
from incognote.core.errors import PolicyError
from incognote.core.labels import SAFE, all_labels
from incognote.detect.patterns.checks import CHECKS

COMMON = "common"
ENGLISH = "en"  # the language of a pack that names none
RULE_KEYS = frozenset("id label score trigger pattern case check needs unless finds spares".split())
FLAGS = re.VERBOSE | re.MULTILINE | re.ASCII
_FOLDER = files("incognote.detect.patterns").joinpath("packs")
_NAME = re.compile(r"\{([a-z][a-z_]*)\}")
NAMED = re.compile(r"\(\?P<(\w+)>")
_END = ""
_UNBOUNDED = re.compile(r"(?<!\\)[*+]|\{\d*,\}")


_Branches = dict[str, "_Branches"]


@dataclass(frozen=True, slots=True)
class Context:
    """What must (or must not) appear around a match: `before` ends and `after` starts right at it.

    `before` sees at most 60 characters.
    """

    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write one label. `pattern` is the expanded regular expression."""

    id: str
    label: str
    score: float
    triggers: frozenset[str]
    pattern: str
    case: bool = False
    checks: tuple[str, ...] = ()
    needs: Context = Context()
    unless: Context = Context()
    finds: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pack:
    name: str
    description: str
    optional: bool
    rules: tuple[Rule, ...] = field(repr=False)
    languages: frozenset[str] = frozenset({ENGLISH})

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(rule.label for rule in self.rules)


@cached(4)
def pack_names(optional: bool | None = None) -> tuple[str, ...]:
    """Names of the packs that ship: all, or only those (not) marked optional."""
    names = sorted(entry.name[:-5] for entry in _FOLDER.iterdir() if entry.name.endswith(".toml"))
    return tuple(
        name
        for name in names
        if name != COMMON and (optional is None or load_pack(name).optional == optional)
    )


@cached(256)
def load_pack(name: str) -> Pack:
    """A pack by its name, or a path to a TOML file of the same shape."""
    tree = _read(name)
    where = f"pack {name}"
    _known(tree, where, {"description", "languages", "optional", "words", "fragments", "rule"})
    common = _read(COMMON)
    words = {**common.get("words", {}), **tree.get("words", {})}
    parts = {**common.get("fragments", {}), **tree.get("fragments", {})}
    names = _Names(where, words, parts)
    rules = tuple(_rule(table, where, names) for table in tree.get("rule", ()))
    ids = [rule.id for rule in rules]
    for twice in {i for i in ids if ids.count(i) > 1}:
        raise PolicyError(f"{where}: two rules have the id {twice!r}")
    if name.endswith(".toml"):
        # Our own packs compile when they are first needed, and tests prove that they do.
        for rule in rules:
            _prove(rule, where)
    return Pack(
        name,
        _text(tree, "description", where),
        bool(tree.get("optional")),
        rules,
        frozenset(_list(tree, "languages", where, optional=True) or [ENGLISH]),
    )


def _read(name: str) -> dict[str, Any]:
    try:
        if name.endswith(".toml"):
            return tomllib.loads(Path(name).read_text("utf-8"))
        entry = _FOLDER.joinpath(f"{name}.toml")
        if not entry.is_file():
            raise PolicyError(f"no rule pack named {name!r}; there are: {', '.join(pack_names())}")
        return tomllib.loads(entry.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"pack {name}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"pack {name}: not UTF-8 text") from None
    except OSError as error:
        raise PolicyError(f"pack {name}: {error.strerror}") from None


class _Names:
    """The word sets and fragments a pack's patterns may name."""

    def __init__(self, where: str, words: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
        self._where = where
        self._words = {key: " ".join(value.split("\n")) for key, value in words.items()}
        self._parts = parts

    def phrases(self, name: str) -> tuple[str, ...]:
        """A word set is written with commas between its words and phrases."""
        listed = self._words.get(name)
        if listed is None:
            raise PolicyError(f"{self._where}: no word set named {name!r}")
        return tuple(phrase for part in listed.split(",") if (phrase := " ".join(part.split())))

    def expand(self, pattern: str, depth: int = 0) -> str:
        if depth > 8:
            raise PolicyError(f"{self._where}: fragments name each other in a circle")
        return _NAME.sub(lambda match: self._part(match[1], depth), pattern)

    def _part(self, name: str, depth: int) -> str:
        if name in self._words:
            return f"(?:{any_of(self.phrases(name))})"
        if name in self._parts:
            return f"(?:{self.expand(self._parts[name], depth + 1)})"
        raise PolicyError(f"{self._where}: no fragment or word set named {name!r}")


def any_of(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest that fits.

    Common beginnings are shared, as in "mon(?:day)?": Python tries the branches of an alternation
    one by one, and a flat list of two hundred words is slow at every place that has none of them.
    """
    root: _Branches = {}
    for phrase in phrases:
        node = root
        for atom in _atoms(phrase):
            node = node.setdefault(atom, {})
        node[_END] = {}
    return _join(root)


def _join(node: _Branches) -> str:
    branches = [atom + _join(rest) for atom, rest in node.items() if atom != _END]
    if not branches:
        return ""
    if _END in node:
        return f"(?:{'|'.join(branches)})?"
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _atoms(phrase: str) -> Iterator[str]:
    """Characters as patterns; a blank matches up to three blanks, before "#" also for none."""
    for character, following in zip(phrase, phrase[1:] + " ", strict=True):
        if character == " ":
            yield "[ ]{0,3}" if following == "#" else "[ ]{1,3}"
        else:
            yield re.escape(character)


def _rule(table: Mapping[str, Any], where: str, names: _Names) -> Rule:
    where = f"{where}, rule {table.get('id', '?')}"
    _known(table, where, RULE_KEYS)
    label = _text(table, "label", where)
    if label not in all_labels() and label != SAFE:
        raise PolicyError(f"{where}: no label named {label!r}")
    score = table.get("score", 0.9)
    if not isinstance(score, float) or not 0 < score <= 1:
        raise PolicyError(f"{where}: score must be a number above 0 and at most 1")
    checks = tuple(_list(table, "check", where))
    for check in checks:
        if check not in CHECKS:
            raise PolicyError(f"{where}: no check named {check!r}")
    pattern = names.expand(_text(table, "pattern", where))
    if not any(name.startswith("phi") for name in NAMED.findall(pattern)):
        raise PolicyError(f"{where}: the pattern has no group named phi")
    return Rule(
        id=_text(table, "id", where),
        label=label,
        score=score,
        triggers=frozenset(_triggers(_list(table, "trigger", where), where, names)),
        pattern=_bounded(pattern, where),
        case=bool(table.get("case")),
        checks=checks,
        needs=_context(table.get("needs", {}), f"{where}, needs", names),
        unless=_context(table.get("unless", {}), f"{where}, unless", names),
        finds=tuple(_list(table, "finds", where)),
        spares=tuple(_list(table, "spares", where, optional=True)),
    )


def _prove(rule: Rule, where: str) -> None:
    contexts = (rule.needs, rule.unless)
    for pattern in (
        rule.pattern,
        *(part for each in contexts for part in (each.before, each.after)),
    ):
        try:
            re.compile(pattern, FLAGS)
        except re.error as error:
            raise PolicyError(f"{where}, rule {rule.id}: does not compile: {error}") from None


def _triggers(listed: list[str], where: str, names: _Names) -> Iterator[str]:
    """`word`, `@set` (the first word of each phrase), or a shape: see engine.py."""
    for trigger in listed:
        if trigger.startswith("@") and trigger != "@":
            yield from map(first_token, names.phrases(trigger[1:]))
        elif trigger.lower() != trigger:
            raise PolicyError(f"{where}: triggers are written in lower case")
        else:
            yield trigger


def first_token(phrase: str) -> str:
    """The first token of a phrase, as the tokenizer cuts it."""
    match = re.match(r"[^\W\d_]+|\d+|_+|\S", phrase)
    assert match is not None
    return match[0].lower()


def _context(table: Mapping[str, Any], where: str, names: _Names) -> Context:
    _known(table, where, {"before", "after"})
    return Context(
        before=_bounded(names.expand(table.get("before", "")), where),
        after=_bounded(names.expand(table.get("after", "")), where),
    )


def _bounded(pattern: str, where: str) -> str:
    """Refuses `*`, `+` and `{n,}`: bounded repeats are what keeps matching linear."""
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]|#[^\n]*", "", pattern)
    if _UNBOUNDED.search(plain):
        raise PolicyError(f"{where}: repeats must be bounded, such as {{0,20}}")
    return pattern


def _known(table: Mapping[str, Any], where: str, known: Collection[str]) -> None:
    for key in table:
        if key not in known:
            raise PolicyError(
                f"{where}: unknown key {key!r}; known are: {', '.join(sorted(known))}"
            )


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise PolicyError(f"{where}: needs {key!r}, a text")
    return value


def _list(table: Mapping[str, Any], key: str, where: str, *, optional: bool = False) -> list[str]:
    """A list of texts, or several lines of one text."""
    value = table.get(key, [] if optional or key == "check" else None)
    if isinstance(value, str):
        value = [line for line in value.split("\n") if line.strip()] if "\n" in value else [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise PolicyError(f"{where}: {key!r} must be a list of texts")
    if not value and not optional and key != "check":
        raise PolicyError(f"{where}: {key!r} must not be empty")
    return value
