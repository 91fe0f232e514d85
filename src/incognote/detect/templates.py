"""Sentences of one known shape, tagged deterministically.

"Electronically signed by: SMITH, JOHN C on 01/02/1980 at 12:12 PM" comes out of a machine: who has
seen the form once knows it for ever. `incognote templates harvest` proposes such forms from a
corpus; a person reads them and signs them with `keep = true`; this detector uses what is signed.

    [detectors.templates]
    weight = 60
    options = { file = "templates.toml" }
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from incognote.core.errors import PolicyError
from incognote.core.labels import all_labels
from incognote.core.types import Span, View
from incognote.policy.patterns import compile_pattern

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Template:
    """`pattern` fits whole sentences of the shape `syntax`; its groups carry `labels` in order."""

    syntax: str
    pattern: str
    labels: tuple[str, ...]
    support: int = 0
    keep: bool = False
    agreement: float = 1.0  # share of the sentences it fits that are tagged as it says


def syntax_of(sentence: str) -> str:
    """The shape of a sentence: W a word, N a number, A a mix of both, marks as they are."""
    return " ".join(map(token_class, TOKEN.findall(sentence)))


def token_class(token: str) -> str:
    if token.isalpha():
        return "W"
    if token.isdecimal():
        return "N"
    return "A" if token[0].isalnum() else token


def read_templates(path: Path) -> list[Template]:
    try:
        rows = tomllib.loads(path.read_text("utf-8")).get("template", [])
        templates = [Template(**{**row, "labels": tuple(row["labels"])}) for row in rows]
    except OSError as error:
        raise PolicyError(f"templates {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise PolicyError(f"templates {path}: not a template file") from None
    for i, template in enumerate(templates):
        where = f"templates {path}: template {i}"
        if compile_pattern(template.pattern, where).groups != len(template.labels):
            raise PolicyError(f"{where}: has not as many groups as labels")
        for label in template.labels:
            if label not in all_labels():
                raise PolicyError(f"{where}: no label named {label!r}")
    return templates


class TemplateDetector:
    languages = frozenset({"*"})

    def __init__(self, file: str) -> None:
        self.name = "templates"
        self._signed = [
            (i, template) for i, template in enumerate(read_templates(Path(file))) if template.keep
        ]
        self.labels = frozenset(label for _, one in self._signed for label in one.labels)

    @cached_property
    def _by_syntax(self) -> Mapping[str, Sequence[tuple[int, Template]]]:
        table: defaultdict[str, list[tuple[int, Template]]] = defaultdict(list)
        for i, template in self._signed:
            table[template.syntax].append((i, template))
        return dict(table)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [list(self._find(view)) for view in views]

    def _find(self, view: View) -> Iterator[Span]:
        for start, end in view.sentences:
            sentence = view.text[start:end]
            for i, template in self._by_syntax.get(syntax_of(sentence), ()):
                match = compile_pattern(template.pattern, self.name).fullmatch(sentence)
                if match is None:
                    continue
                for group, label in enumerate(template.labels, 1):
                    first, last = match.span(group)
                    yield Span(start + first, start + last, label, 1.0, (f"{self.name}/{i}",))
                break
