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


Key = tuple[str, ...]
Keys = Callable[[TaggedText], set[Key]]
Keep = Callable[[Tag], bool]


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
    pairs = _pair(gold, system)
    hipaa = _hipaa_filter(idnum_is_hipaa)

    def block(keys: Keys, match: Match = _exactly) -> Block:
        return _block([match(keys(g), keys(s)) for g, s in pairs])

    blocks = {
        "Token": block(_tokens(_any)),
        "Strict": block(_entities(_any)),
        "Relaxed": block(_entities(_any), _relaxed),
        "HIPPA Token": block(_tokens(hipaa)),
        "HIPAA Strict": block(_entities(hipaa)),
        "HIPAA Relaxed": block(_entities(hipaa), _relaxed),
        "Binary Token": block(_where(_tokens(_any))),
        "Binary Strict": block(_where(_entities(_any))),
        "Binary HIPPA Token": block(_where(_tokens(hipaa))),
        "Binary HIPAA Strict": block(_where(_entities(hipaa))),
    }
    for name in CATEGORIES:
        own = _named(name)
        both = _both(own, hipaa)
        blocks[f"{name} Token"] = block(_tokens(own))
        blocks[f"{name} Strict"] = block(_entities(own))
        blocks[f"{name} HIPPA Token"] = block(_tokens(both))
        blocks[f"{name} Binary HIPAA Strict"] = block(_entities(both))
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


def _any(_: Tag) -> bool:
    return True


def _named(name: str) -> Keep:
    return lambda tag: tag.name == name


def _both(one: Keep, other: Keep) -> Keep:
    return lambda tag: one(tag) and other(tag)


def _hipaa_filter(idnum_is_hipaa: bool) -> Keep:
    table: Mapping[str, tuple[str, ...]] = _HIPAA
    if idnum_is_hipaa:
        table = {**_HIPAA, "ID": (*_HIPAA["ID"], "IDNUM")}
    return lambda tag: tag.name in table and tag.type.startswith(table[tag.name])


def _entities(keep: Keep) -> Keys:
    def keys(text: TaggedText) -> set[Key]:
        return {
            (tag.name.upper(), tag.type.upper(), tag.start, tag.end)
            for tag in text.tags
            if keep(tag)
        }

    return keys


def _tokens(keep: Keep) -> Keys:
    def keys(text: TaggedText) -> set[Key]:
        return {key for tag in text.tags if keep(tag) for key in _tokens_of(tag, text.text)}

    return keys


def _tokens_of(tag: Tag, text: str) -> list[Key]:
    start = int(tag.start)
    inside = text[start : int(tag.end)]
    bounds = [word.span() for word in _WORD.finditer(inside)] or [(0, 0)]
    return [(tag.name, tag.type, str(start + a), str(start + b)) for a, b in bounds]


def _where(keys: Keys) -> Keys:
    """The same without name and type: PHI or not."""
    return lambda text: {key[2:] for key in keys(text)}


Match = Callable[[set[Key], set[Key]], Counts]


def _exactly(gold: set[Key], system: set[Key]) -> Counts:
    return Counts(len(gold & system), len(system - gold), len(gold - system))


def _relaxed(gold: set[Key], system: set[Key]) -> Counts:
    found = _near(gold, system)
    right = _near(system, gold)
    # Not one to one: the official script intersects sets, which keeps the smaller side's members.
    tp = found if len(gold) <= len(system) else right
    return Counts(tp, len(system) - right, len(gold) - found)


def _near(keys: set[Key], others: set[Key]) -> int:
    """How many keys have a partner that ends at most two characters away."""
    ends: dict[Key, list[int]] = {}
    for *head, end in others:
        ends.setdefault(tuple(head), []).append(int(end))
    return sum(
        any(abs(int(end) - other) <= _SLACK for other in ends.get(tuple(head), ()))
        for *head, end in keys
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
