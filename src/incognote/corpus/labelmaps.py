"""Maps between label sets, and what gets lost on the way.

The maps between ours and the known schemes follow from the label taxonomy. Others are TOML files,
shipped in maps/ or a user's own:

    name = "my-site"
    description = "Labels of our annotation tool"
    [labels]
    NAAM = "PATIENT"
    GESLACHT = ""         # no PHI for us: dropped, and reported as dropped
    [numbers]             # another target for mentions that are made of digits
    PLAATS = "ZIP"
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.core.labels import SCHEMES, all_labels, from_scheme
from incognote.core.types import AnnotatedDocument

OURS = "incognote"
CATEGORIES = "categories"
DROPPED = ""
_ARROW = ">"


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Label to label; DROPPED where the target scheme has nothing like it.

    `ambiguous` are labels that could have become several others; the first one was taken.
    """

    name: str
    labels: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, str] = field(default_factory=dict)

    def apply(self, doc: AnnotatedDocument) -> AnnotatedDocument:
        """The document with mapped labels. A label the map does not name is an error."""
        spans = []
        for span in doc.spans:
            target = self.labels.get(span.label)
            if span.label in self.numbers and _is_number(doc.text[span.start : span.end]):
                target = self.numbers[span.label]
            if target is None:
                raise UsageError(
                    f"document {doc.id!r}: the map {self.name!r} has no label {span.label!r}"
                )
            if target != DROPPED:
                spans.append(replace(span, label=target))
        return AnnotatedDocument(doc.document, tuple(spans))

    def losses(self, documents: Iterable[AnnotatedDocument]) -> Losses:
        """What this map loses in these documents."""
        counts = Counter(span.label for doc in documents for span in doc.spans)
        merged: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for label, count in sorted(counts.items()):
            target = self.labels.get(label, DROPPED)
            if target != DROPPED:
                merged[target][label] = count
        return Losses(
            dropped={k: n for k, n in counts.items() if self.labels.get(k) == DROPPED},
            merged={target: parts for target, parts in merged.items() if len(parts) > 1},
            guessed={
                k: (self.ambiguous[k], n) for k, n in sorted(counts.items()) if k in self.ambiguous
            },
        )


def _is_number(surface: str) -> bool:
    return surface.replace(" ", "").replace(".", "").isdecimal()


@dataclass(frozen=True, slots=True)
class Losses:
    """`dropped`: spans without a target. `merged`: labels that cannot be distinguished any more.
    `guessed`: labels whose target was one of several."""

    dropped: Mapping[str, int]
    merged: Mapping[str, Mapping[str, int]]
    guessed: Mapping[str, tuple[tuple[str, ...], int]]


def label_map(name: str) -> LabelMap:
    """A map by name: "physionet" (to ours), "physionet>i2b2-2014", "categories" (from ours), a
    shipped map such as "meddocan", or a TOML file."""
    if _ARROW in name:
        source, target = (part.strip() for part in name.split(_ARROW, 1))
        return _between(source, target)
    if name in SCHEMES:
        return _between(name, OURS)
    if name == CATEGORIES:
        return _between(OURS, CATEGORIES)
    path = Path(name)
    if path.suffix == ".toml" and path.exists():
        return _from_toml(path.read_text("utf-8"), name)
    shipped = files("incognote.corpus").joinpath("maps", f"{name}.toml")
    if shipped.is_file():
        return _from_toml(shipped.read_text("utf-8"), name)
    raise UsageError(f"no label map named {name!r}; there are: {', '.join(map_names())}")


def map_names() -> tuple[str, ...]:
    shipped = files("incognote.corpus").joinpath("maps").iterdir()
    return (*SCHEMES, CATEGORIES, *sorted(Path(one.name).stem for one in shipped))


def _from_toml(text: str, name: str) -> LabelMap:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not TOML: {error}") from None
    unknown = table.keys() - {"name", "description", "labels", "numbers"}
    numbers = table.get("numbers", {})
    if unknown or not isinstance(table.get("labels"), dict) or not isinstance(numbers, dict):
        raise UsageError(f"{name}: a label map has name, description and a table of labels")
    return LabelMap(str(table.get("name", name)), dict(table["labels"]), {}, dict(numbers))


def _between(source: str, target: str) -> LabelMap:
    """From one scheme to another, over ours."""
    into, unsure_into = _to_ours(source)
    out, unsure_out = _from_ours(target)
    labels = {label: out.get(own, DROPPED) for label, own in into.items()}
    ambiguous = dict(unsure_into)
    for label, own in into.items():
        if own in unsure_out and label not in ambiguous:
            ambiguous[label] = unsure_out[own]
    return LabelMap(f"{source}{_ARROW}{target}", labels, ambiguous)


Table = tuple[dict[str, str], dict[str, tuple[str, ...]]]


def _to_ours(scheme: str) -> Table:
    if scheme == OURS:
        return {name: name for name in all_labels()}, {}
    aliases = [row.aliases.get(_known(scheme), ()) for row in all_labels().values()]
    found = {alias: from_scheme(scheme, alias) for each in aliases for alias in each}
    return (
        {alias: owns[0] for alias, owns in found.items()},
        {alias: owns for alias, owns in found.items() if len(owns) > 1},
    )


def _from_ours(scheme: str) -> Table:
    labels = all_labels()
    if scheme == OURS:
        return {name: name for name in labels}, {}
    if scheme == CATEGORIES:
        return {name: row.category for name, row in labels.items()}, {}
    aliases = {name: row.aliases.get(_known(scheme), ()) for name, row in labels.items()}
    return (
        {name: names[0] if names else DROPPED for name, names in aliases.items()},
        {name: names for name, names in aliases.items() if len(names) > 1},
    )


def _known(scheme: str) -> str:
    if scheme not in SCHEMES:
        raise UsageError(f"no label scheme named {scheme!r}; there are: {', '.join(SCHEMES)}")
    return scheme
