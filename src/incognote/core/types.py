"""The nouns: Document, View, Span, Replacement, Result, Failure.

All are frozen, slotted and picklable. None shows clinical text in its repr: a stack trace, a log
line or a debugger's tooltip must never become a leak.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol, runtime_checkable

from incognote.core.offsets import OffsetMap


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch [start, end) in code points with a label. It holds no text.

    `sources` names who found it, as "detector" or "detector/rule". `group` is the same for spans
    that are parts of one thing, as the street and the town of an address: "address@10-48".
    """

    start: int
    end: int
    label: str
    score: float = 1.0
    sources: tuple[str, ...] = ()
    group: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    @property
    def length(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def covers(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def moved(self, start: int, end: int) -> Span:
        # Built by hand: `replace` takes five times as long, and every candidate is moved.
        return Span(start, end, self.label, self.score, self.sources, self.group)


# The order of spans as a sort key: comparing tuples is far faster than comparing dataclasses.
span_order = attrgetter("start", "end", "label", "score", "sources")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what its source says of it. The text is never edited.

    `given` are spans the source itself states (a column that holds names, a FHIR birth date).
    `free_text` is False where the whole text is such a field, so that no detector need read it.
    `known` are (label, value) pairs that other fields of the same record state: the patient's name
    in a message's header is looked for in its narrative; and what a first pass found in the
    patient's other documents. The first `lead` characters are context that a format puts before a
    value ("ward phone: "); the source does not hold them.
    """

    id: str
    text: str = field(repr=False)
    meta: Mapping[str, str] = field(default_factory=dict, repr=False)
    locator: str = field(default="", repr=False)
    given: tuple[Span, ...] = ()
    free_text: bool = True
    known: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    lead: int = 0

    @property
    def patient_id(self) -> str | None:
        return self.meta.get("patient_id")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words, numbers and punctuation marks of a text, in parallel: where each starts and ends, how
    it is written, and the white space before it. Detectors share them instead of cutting anew."""

    starts: array[int]
    ends: array[int]
    words: Sequence[str] = field(repr=False)
    gaps: Sequence[str] = field(repr=False)

    @classmethod
    def cut(cls, text: str, starts: array[int], ends: array[int]) -> Tokens:
        """What stands at these places of a text."""
        return cls(
            starts,
            ends,
            [text[start:end] for start, end in zip(starts, ends, strict=True)],
            [text[end:start] for end, start in zip((0, *ends), starts, strict=False)],
        )

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class View:
    """What detectors read: a document, or one window of a long one, made easier to read.

    `text` has typographic variants folded, hyphenated words joined and wrapped lines unwrapped;
    `cased` is the same text, same length, with true case restored where the note has none.
    `sentences` are [start, end) pairs. All offsets are the view's; `to_source` maps them back.
    `unread` are the stretches, in the document, of listed sentences that the view leaves out.
    """

    document: Document
    text: str = field(repr=False)
    cased: str = field(repr=False)
    offsets: OffsetMap = field(repr=False)
    tokens: Tokens = field(repr=False)
    sentences: tuple[tuple[int, int], ...] = field(repr=False)
    language: str = "en"
    unread: tuple[tuple[int, int], ...] = ()

    def to_source(self, span: Span) -> Span:
        start, end = self.offsets.to_source(span.start, span.end)
        return span.moved(start, end)

    def tokens_in(self, text: str) -> Tokens:
        """The tokens as `text` or as `cased` writes them."""
        if text is self.text:
            return self.tokens
        return Tokens.cut(text, self.tokens.starts, self.tokens.ends)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that did not become a span, and why: a short machine-readable reason."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """`text` stands where `span` stood; `how` names the transform that made it."""

    span: Span
    text: str = field(repr=False)
    how: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a document. `text` is None where only detection was asked for; `unread` are
    the stretches that no detector read, because they are on the policy's inclusion list."""

    document: Document = field(repr=False)
    spans: tuple[Span, ...]
    dropped: tuple[Dropped, ...] = field(default=(), repr=False)
    replacements: tuple[Replacement, ...] = field(default=(), repr=False)
    text: str | None = field(default=None, repr=False)
    unread: tuple[tuple[int, int], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document and the spans somebody says are in it: gold, an annotator's or a system's."""

    document: Document
    spans: tuple[Span, ...]

    @property
    def id(self) -> str:
        return self.document.id

    @property
    def text(self) -> str:
        return self.document.text


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that goes to quarantine: where it failed and how, never what it said."""

    document_id: str
    stage: str
    error: str
    message: str = ""


@runtime_checkable
class Detector(Protocol):
    """Finds candidate spans. Batch first, pure, picklable; loads nothing before the first call.

    Spans are in the coordinates of the view they were found in. `labels` are those it may emit;
    `languages` those it serves ("*" for all). One that reads more of a document than its text sets
    `reads_record = True`; one that waits for somebody else's answer, `waits = True`.
    """

    name: str
    labels: frozenset[str]
    languages: frozenset[str]

    def detect(self, views: Sequence[View]) -> list[list[Span]]: ...
