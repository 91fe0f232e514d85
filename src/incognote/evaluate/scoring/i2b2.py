"""The official i2b2/UTHealth 2014 de-identification scores, to the last digit.

Papers quote these numbers, so they are reproduced with their quirks rather than improved: tags are
compared as they are written in the file ("07" is not "7"), types lose their case in entity scores
but not in token scores, a document without any tag pulls the macro averages down, IDNUM is left out
of the HIPAA subset (a stray blank in the official table), and the blocks called "Binary HIPAA
Strict" of a single category are not binary. One quirk is not reproduced: documents that only one
side has are an error here, where the official script skips them.

Block names are the official ones, spelling included.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev
from xml.etree import ElementTree as ET

from incognote.core.caches import cached
from incognote.core.errors import ReadError, UsageError
from incognote.core.labels import all_labels, from_scheme
from incognote.core.types import AnnotatedDocument
from incognote.evaluate.scoring.counts import Counts

CATEGORIES = ("NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")

_HIPAA = {
    "NAME": ("PATIENT",),
    "LOCATION": ("CITY", "STREET", "ZIP", "ORGANIZATION"),
    "DATE": ("",),
    "AGE": ("",),
    "CONTACT": ("PHONE", "FAX", "EMAIL"),
    "ID": tuple("SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID".split()),
}
_WORD = re.compile("[a-zA-Z0-9]+")
_SLACK = 2  # characters by which the end may differ in a relaxed match


@dataclass(frozen=True, slots=True)
class Tag:
    """An element of <TAGS>, its offsets as written."""

    name: str
    type: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class TaggedText:
    id: str
    text: str
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the official print-out: pooled counts, and means over documents."""

    counts: Counts
    macro_precision: float
    macro_precision_sd: float
    macro_recall: float
    macro_recall_sd: float

    @property
    def macro_f1(self) -> float | None:
        """None where precision and recall are both 0: the official script has no number there."""
        p, r = self.macro_precision, self.macro_recall
        return 2 * p * r / (p + r) if p + r else None


Key = tuple[str | int, ...]
Kind = tuple[str, str]  # an element's name and TYPE
Keep = Callable[[Kind], bool]


def read_folder(folder: Path) -> list[TaggedText]:
    """Every XML file of a folder, its tags as they are written."""
    texts = [_read(path) for path in sorted(folder.glob("*.xml"))]
    if not texts:
        raise ReadError(f"{folder}: no .xml files")
    return texts


def _read(path: Path) -> TaggedText:
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - expat resolves no external entity
        tags = tuple(
            Tag(item.tag, item.attrib["TYPE"], item.attrib["start"], item.attrib["end"])
            for item in root.findall("TAGS/*")
        )
    except (ET.ParseError, KeyError):
        raise ReadError(f"{path.name}: not an i2b2 2014 file") from None
    return TaggedText(path.stem, root.findtext("TEXT") or "", tags)


def from_annotated(docs: Iterable[AnnotatedDocument]) -> list[TaggedText]:
    """Our documents as the scorer sees them: element names from the label taxonomy."""
    return [
        TaggedText(
            doc.id,
            doc.text,
            tuple(Tag(_category(s.label), s.label, str(s.start), str(s.end)) for s in doc.spans),
        )
        for doc in docs
    ]


@cached(1024)
def _category(name: str) -> str:
    """DEPARTMENT is no label of ours, but i2b2's name for one."""
    labels = all_labels()
    ours = (name,) if name in labels else from_scheme("i2b2-2014", name)
    return labels[ours[0]].category if ours else "OTHER"


def official_scores(
    gold: Sequence[TaggedText], system: Sequence[TaggedText], *, idnum_is_hipaa: bool = False
) -> dict[str, Block]:
    """Every block of the official scorer by its name."""
    blocks = _blocks(_hipaa_filter(idnum_is_hipaa))
    counts: dict[str, list[Counts]] = {name: [] for name in blocks}
    # Document by document: the keys of a whole corpus would fill the memory.
    for one, other in _pair(gold, system):
        left, right = _Keys.of(one), _Keys.of(other)
        for name, count in blocks.items():
            counts[name].append(count(left, right))
    return {name: _block(each) for name, each in counts.items()}


def _blocks(hipaa: Keep) -> dict[str, Count]:
    """How each block counts a document, in the official order."""
    blocks = {
        "Token": _count(_tokens, _any),
        "Strict": _count(_entities, _any),
        "Relaxed": _count(_entities, _any, _relaxed),
        "HIPPA Token": _count(_tokens, hipaa),
        "HIPAA Strict": _count(_entities, hipaa),
        "HIPAA Relaxed": _count(_entities, hipaa, _relaxed),
        "Binary Token": _count(_tokens, _any, _where),
        "Binary Strict": _count(_entities, _any, _where),
        "Binary HIPPA Token": _count(_tokens, hipaa, _where),
        "Binary HIPAA Strict": _count(_entities, hipaa, _where),
    }
    for name in CATEGORIES:
        own = _named(name)
        both = _both(own, hipaa)
        blocks[f"{name} Token"] = _count(_tokens, own)
        blocks[f"{name} Strict"] = _count(_entities, own)
        blocks[f"{name} HIPPA Token"] = _count(_tokens, both)
        blocks[f"{name} Binary HIPAA Strict"] = _count(_entities, both)
    return blocks


def _pair(
    gold: Sequence[TaggedText], system: Sequence[TaggedText]
) -> list[tuple[TaggedText, TaggedText]]:
    by_id = {text.id: text for text in system}
    if by_id.keys() != {text.id for text in gold}:
        odd = sorted(by_id.keys() ^ {text.id for text in gold})
        raise UsageError(f"only one side has the document {odd[0]!r} ({len(odd)} in all)")
    for text in gold:
        if by_id[text.id].text != text.text:
            raise UsageError(f"gold and prediction have different texts for document {text.id!r}")
    return [(text, by_id[text.id]) for text in gold]


def _any(_: Kind) -> bool:
    return True


def _named(name: str) -> Keep:
    return lambda kind: kind[0] == name


def _both(one: Keep, other: Keep) -> Keep:
    return lambda kind: one(kind) and other(kind)


def _hipaa_filter(idnum_is_hipaa: bool) -> Keep:
    table: Mapping[str, tuple[str, ...]] = _HIPAA
    if idnum_is_hipaa:
        table = {**_HIPAA, "ID": (*_HIPAA["ID"], "IDNUM")}
    return lambda kind: kind[0] in table and kind[1].startswith(table[kind[0]])


@dataclass(frozen=True, slots=True)
class _Keys:
    """What is compared of a document, by kind: every block wants some of the kinds."""

    entities: Mapping[Kind, set[Key]]
    tokens: Mapping[Kind, set[Key]]

    @classmethod
    def of(cls, text: TaggedText) -> _Keys:
        entities: defaultdict[Kind, set[Key]] = defaultdict(set)
        tokens: defaultdict[Kind, set[Key]] = defaultdict(set)
        for tag in text.tags:
            kind = (tag.name, tag.type)
            entities[kind].add((tag.name.upper(), tag.type.upper(), tag.start, tag.end))
            tokens[kind].update(_tokens_of(tag, text.text))
        return cls(entities, tokens)


def _tokens_of(tag: Tag, text: str) -> list[Key]:
    start = int(tag.start)
    inside = text[start : int(tag.end)]
    bounds = [word.span() for word in _WORD.finditer(inside)] or [(0, 0)]
    return [(tag.name, tag.type, start + a, start + b) for a, b in bounds]


Choose = Callable[[_Keys, Keep], set[Key]]
Match = Callable[[set[Key], set[Key]], Counts]
Count = Callable[[_Keys, _Keys], Counts]


def _entities(keys: _Keys, keep: Keep) -> set[Key]:
    return set().union(*(each for kind, each in keys.entities.items() if keep(kind)))


def _tokens(keys: _Keys, keep: Keep) -> set[Key]:
    return set().union(*(each for kind, each in keys.tokens.items() if keep(kind)))


def _exactly(gold: set[Key], system: set[Key]) -> Counts:
    right = len(gold & system)
    return Counts(right, len(system) - right, len(gold) - right)


def _where(gold: set[Key], system: set[Key]) -> Counts:
    """The same without name and type: PHI or not."""
    return _exactly({key[2:] for key in gold}, {key[2:] for key in system})


def _count(choose: Choose, keep: Keep, match: Match = _exactly) -> Count:
    return lambda gold, system: match(choose(gold, keep), choose(system, keep))


def _relaxed(gold: set[Key], system: set[Key]) -> Counts:
    found = _near(gold, system)
    right = _near(system, gold)
    # Not one to one: the official script intersects sets, which keeps the smaller side's members.
    tp = found if len(gold) <= len(system) else right
    return Counts(tp, len(system) - right, len(gold) - found)


def _near(keys: set[Key], others: set[Key]) -> int:
    """How many keys have a partner that ends at most two characters away."""
    alone = keys - others
    if not alone:
        return len(keys)
    ends: dict[Key, list[int]] = {}
    for *head, end in others:
        ends.setdefault(tuple(head), []).append(int(end))
    return len(keys) - sum(
        all(abs(int(end) - other) > _SLACK for other in ends.get(tuple(head), ()))
        for *head, end in alone
    )


def _block(counts: Sequence[Counts]) -> Block:
    precisions = [one.precision for one in counts]
    recalls = [one.recall for one in counts]
    return Block(
        sum(counts, Counts()),
        fmean(precisions),
        pstdev(precisions),
        fmean(recalls),
        pstdev(recalls),
    )
