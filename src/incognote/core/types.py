"""The nouns: Document, View, Span, Replacement, Result, Failure.

All are frozen, slotted and picklable. None shows clinical text in its repr: a stack trace, a log
line or a debugger's tooltip must never become a leak.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter
from typing import Any, Protocol, runtime_checkable

from incognote.core.errors import UsageError
from incognote.core.html import Shown, marked_html, spans_html
from incognote.core.people import NOBODY, People
from incognote.core.text.offsets import OffsetMap


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

    def to_dict(self, shift: int = 0) -> dict[str, object]:
        """As JSON has it: what `detect` writes and `from_dict` reads. `shift` moves it."""
        row: dict[str, object] = {
            "start": max(self.start + shift, 0),
            "end": self.end + shift,
            "label": self.label,
            "score": round(self.score, 4),
            "sources": list(self.sources),
        }
        return row | {"group": self.group} if self.group else row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Span:
        return cls(
            int(row["start"]),
            int(row["end"]),
            str(row["label"]),
            float(row.get("score", 1.0)),
            tuple(map(str, row.get("sources", ()))),
            str(row.get("group", "")),
        )

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
    value ("ward phone: "); the source does not hold them. `people`
    are those whom the patient's other documents name. `clinical` says that this is a clinical
    value, such as a result or the name of a test: only strong evidence makes PHI of it. `record` is
    the same for the parts of one record and of nothing else: what belongs to no patient shares
    surrogates with its record alone. `released` are (start, end,
    text) that an anonymised table publishes in place of what appears there.
    """

    id: str
    text: str = field(repr=False)
    meta: Mapping[str, str] = field(default_factory=dict, repr=False)
    locator: str = field(default="", repr=False)
    given: tuple[Span, ...] = ()
    free_text: bool = True
    known: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    lead: int = 0
    clinical: bool = False
    people: People = field(default=NOBODY, repr=False)
    record: str = field(default="", repr=False)
    released: tuple[tuple[int, int, str], ...] = field(default=(), repr=False)

    @property
    def patient_id(self) -> str | None:
        return self.meta.get("patient_id")


def fingerprint(documents: Iterable[Document], place: str = "") -> str:
    """What a record is known by: where it appears, and all it says. Two records that agree in that
    are one and the same to any reader."""
    digest = sha256(place.encode("utf-8", "surrogatepass"))
    for document in documents:
        for part in (document.id, document.text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8) + data)
    return digest.hexdigest()


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
        """What appears at these places of a text."""
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
    `also` are languages that parts of the document are written in beside its own.
    """

    document: Document
    text: str = field(repr=False)
    cased: str = field(repr=False)
    offsets: OffsetMap = field(repr=False)
    tokens: Tokens = field(repr=False)
    sentences: tuple[tuple[int, int], ...] = field(repr=False)
    language: str = "en"
    unread: tuple[tuple[int, int], ...] = ()
    also: tuple[str, ...] = ()

    def to_source(self, span: Span) -> Span:
        start, end = self.offsets.to_source(span.start, span.end)
        return span if (start, end) == (span.start, span.end) else span.moved(start, end)

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
    """`text` appears where `span` stood; `how` names the transform that made it."""

    span: Span
    text: str = field(repr=False)
    how: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a document. `text` is None where only detection was asked for; `unread` are
    the stretches that no detector read, because they are on the policy's inclusion list; `people`
    are those whom the spans name."""

    document: Document = field(repr=False)
    spans: tuple[Span, ...]
    dropped: tuple[Dropped, ...] = field(default=(), repr=False)
    replacements: tuple[Replacement, ...] = field(default=(), repr=False)
    text: str | None = field(default=None, repr=False)
    unread: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    people: People = field(default=NOBODY, repr=False)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it. It holds the new text, never the original."""
        spans = [span.to_dict() for span in self.spans]
        row: dict[str, object] = {"id": self.document.id, "spans": spans}
        return row if self.text is None else {**row, "text": self.text}

    def show(self, *, original: bool = False) -> Shown:
        """For a notebook: the new text, or (`original`) the original with its spans marked. The
        original is clinical text, which the notebook's file then holds."""
        if original:
            return Shown(marked_html(self.document.text, self.spans))
        if self.text is None:
            raise UsageError("there is no new text to show: use deid, or show(original=True)")
        return Shown(marked_html(self.text, ()))

    def _repr_html_(self) -> str:
        """What a notebook shows by itself: where PHI appears, and no text."""
        return spans_html(self.spans)


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document and its spans according to one source: gold, an annotator or a system."""

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

    def to_dict(self) -> dict[str, str]:
        names = ("document_id", "stage", "error", "message")
        return {name: getattr(self, name) for name in names}


@runtime_checkable
class Detector(Protocol):
    """Finds candidate spans. Batch first, pure, picklable; loads nothing before the first call.

    Spans are in the coordinates of the view they were found in. `labels` are those it may emit;
    `languages` those it serves ("*" for all). It may also be `RecordReading`, `Waiting`,
    `Batching`, `Learned` or `StatedOnly`.
    """

    name: str
    labels: frozenset[str]
    languages: frozenset[str]

    def detect(self, views: Sequence[View]) -> list[list[Span]]: ...


@runtime_checkable
class RecordReading(Protocol):
    """A detector that says whether it reads more of a document than its text."""

    reads_record: bool


@runtime_checkable
class Waiting(Protocol):
    """A detector that says whether it waits for an answer from elsewhere, as from a server. Those
    that wait are asked all at once."""

    waits: bool


@runtime_checkable
class Batching(Protocol):
    """A detector that says how many documents it likes to read at once; 0 if it does not care."""

    @property
    def batch_documents(self) -> int: ...


@runtime_checkable
class Learned(Protocol):
    """A detector that says whether it was trained: what a trained one calls SAFE counts only
    against labels that it learned."""

    learned: bool


@runtime_checkable
class StatedOnly(Protocol):
    """A detector that says whether it only looks for what the record states: it finds no label by
    itself."""

    only_stated: bool
