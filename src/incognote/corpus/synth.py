"""Annotated notes made from templates: every mention gets new values, the rest stays.

A template is a note with its mentions marked, `Dr. [[Chen|DOCTOR]]`. A carrier is a report whose
identities were masked at the source ("Dr. X", "MM/DD/YYYY"); its masks are filled with examples
first. New values come from the surrogate generators, drawn anew for each note, so that within a
note they are as consistent as in a real one.
"""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from incognote.core.errors import DocumentError, ReadError, UsageError
from incognote.core.labels import all_labels
from incognote.core.text.markup import parse_markup
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.link import people_in
from incognote.policy import LabelRule, Policy, load_policy
from incognote.transform import Transformer, new_spans

_GROWN = 18
_OLDEST = 99


def templates(folder: Path | None = None) -> list[AnnotatedDocument]:
    """The shipped templates, or the .txt files of a folder; the file's name is the note type."""
    if folder is None:
        place = files("incognote.corpus").joinpath("templates")
        found = {item.name: item.read_text("utf-8") for item in place.iterdir()}
    else:
        found = {path.name: path.read_text("utf-8") for path in folder.glob("*.txt")}
    if not found:
        raise ReadError(f"{folder}: no .txt templates")
    return [_template(name.removesuffix(".txt"), found[name]) for name in sorted(found)]


def _template(name: str, marked: str) -> AnnotatedDocument:
    text, spans = parse_markup(marked)
    for span in spans:
        if span.label not in all_labels():
            raise ReadError(f"template {name}: no label named {span.label!r}")
    return AnnotatedDocument(Document(name, text, {"note_type": name}), spans)


@dataclass(frozen=True, slots=True)
class Mask:
    pattern: re.Pattern[str]
    label: str
    examples: tuple[str, ...]


def masks() -> list[Mask]:
    table = tomllib.loads(files("incognote.corpus").joinpath("masks.toml").read_text("utf-8"))
    return [
        Mask(re.compile(row["pattern"]), row["label"], tuple(row["examples"]))
        for row in table["mask"]
    ]


def carriers(folder: Path, seed: int = 0) -> list[AnnotatedDocument]:
    """Masked reports (.txt files) as templates: their masks filled with examples."""
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise ReadError(f"{folder}: no .txt reports")
    known = masks()
    return [
        fill_masks(path.stem, path.read_text("utf-8"), known, _rng(f"{seed} {path.stem}"))
        for path in paths
    ]


def _rng(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - which template comes next is no secret


def fill_masks(
    name: str, text: str, known: Sequence[Mask], rng: random.Random
) -> AnnotatedDocument:
    marks: list[tuple[int, int, str, str]] = []
    for mask in known:
        for hit in mask.pattern.finditer(text):
            if not any(start < hit.end() and hit.start() < end for start, end, _, _ in marks):
                marks.append((*hit.span(), mask.label, rng.choice(mask.examples)))
    return _rewritten(Document(name, text), sorted(marks))


def _rewritten(document: Document, marks: Sequence[tuple[int, int, str, str]]) -> AnnotatedDocument:
    """The document with (start, end, label, new text) written in, and the spans of those."""
    parts: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for start, end, label, new in marks:
        parts += [document.text[at:start], new]
        length += start - at
        spans.append(Span(length, length + len(new), label))
        length += len(new)
        at = end
    text = "".join([*parts, document.text[at:]])
    return AnnotatedDocument(replace(document, text=text), tuple(spans))


def synthesise(
    sources: Sequence[AnnotatedDocument], count: int, seed: int = 0
) -> Iterator[AnnotatedDocument]:
    """So many notes, each from a random template. The same seed gives the same notes."""
    if not sources:
        raise UsageError("no templates to make notes from")
    key = hashlib.sha256(f"incognote synth {seed}".encode()).digest()
    transformer = Transformer(_policy(), key)
    rng = _rng(str(seed))
    made = tried = 0
    while made < count:
        source = rng.choice(sources)
        tried += 1
        if tried > 10 * count + 100:
            raise UsageError("these templates have mentions that no surrogate can be made for")
        name = f"synthetic-{seed}-{tried}"
        document = Document(name, source.text, source.document.meta)
        try:
            result = transformer.apply(document, source.spans, people_in(document, source.spans))
        except DocumentError:
            continue  # a rare clash of surrogates; another draw goes well
        new = AnnotatedDocument(replace(document, text=result.text or ""), new_spans(result))
        made += 1
        yield _aged(new, rng)


def _policy() -> Policy:
    """Surrogates for everything; ages are drawn here, for surrogate ages stay near the truth."""
    policy = load_policy("i2b2-2014")
    changed = {"TIME": LabelRule("surrogate"), "AGE": LabelRule("keep")}
    return replace(policy, labels={**policy.labels, **changed})


def _aged(doc: AnnotatedDocument, rng: random.Random) -> AnnotatedDocument:
    """Other ages: the same number for the same number, children stay children."""
    drawn: dict[str, str] = {}
    marks = []
    for span in sorted(doc.spans):
        new = old = doc.text[span.start : span.end]
        if span.label == "AGE" and old.isdigit():
            if old not in drawn:
                young = int(old) < _GROWN
                drawn[old] = str(
                    rng.randint(1, _GROWN - 1) if young else rng.randint(_GROWN, _OLDEST)
                )
            new = drawn[old]
        marks.append((span.start, span.end, span.label, new))
    return _rewritten(doc.document, marks)
