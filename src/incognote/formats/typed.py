"""Documents whose elements have types, as those of FHIR and C-CDA: what is to be done with a value,
and the slots that values become, however the file writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.core.fields import words_of
from incognote.formats.base import SHARED
from incognote.formats.clinical import READ, VALUE
from incognote.formats.embedded import base64_slot
from incognote.formats.patch import Piece, Slot, dated, inner_slot, text_slot
from incognote.policy import FormatRules

# Kinds besides those of a policy: markup to be read, and a file in base64.
NARRATIVE = "narrative"
EMBEDDED = "embedded"
# The address of a resource, whose stretches are decided on their own.
ADDRESS = "address"
QUERY = "query"
# The hash or the size of an attachment.
FILE_FACT = "file fact"


@dataclass(frozen=True, slots=True)
class Decision:
    """`kind` is a label, keep, text, value or one of the kinds above; [start, end) is what it is
    about.

    `shared` marks ids: they get one surrogate in every file, so that references still resolve.
    """

    kind: str
    start: int = 0
    end: int | None = None
    shared: bool = False

    def until(self, value: str) -> int:
        """Where the stretch ends in a value."""
        return len(value) if self.end is None else self.end


@dataclass(slots=True, kw_only=True)
class TypedFile:
    """Collects the slots of one file."""

    where: str
    rules: FormatRules
    found: list[Slot] = field(default_factory=list)
    meta: Mapping[str, str] = field(default_factory=dict)

    def stretch(
        self,
        value: str,
        decision: Decision,
        locator: str,
        *,
        write: Callable[[str], str] = str,
        name: str | None = None,
    ) -> Slot:
        """The stretch of a value that a decision is about, at its place in the value.

        `name` is the element's, which detectors read before the text.
        """
        start, end, kind = decision.start, decision.until(value), decision.kind
        return text_slot(
            self.where,
            [Piece(start, end, value[start:end])],
            write,
            lead=f"{words_of(name)}: " if name is not None and kind in READ else "",
            label=None if kind in READ else kind,
            clinical=kind == VALUE,
            meta=SHARED if decision.shared else self.meta,
            locator=locator,
        )

    def rest_kept(self, value: str, decision: Decision, locator: str, name: str | None) -> Slot:
        """The same, written back as the whole value."""
        before, after = value[: decision.start], value[decision.until(value) :]
        return self.stretch(
            value, decision, locator, write=lambda new: before + dated(new, after), name=name
        )

    def stretches(
        self,
        piece: Piece,
        parts: Iterable[Decision],
        locator: str,
        write: Callable[[str], str],
    ) -> Slot:
        """A value whose stretches are decided on their own."""
        inner = [self.stretch(piece.text, part, locator) for part in parts]
        return inner_slot(piece, inner, write)

    def file(self, piece: Piece, locator: str) -> Slot:
        """A file in base64."""
        return base64_slot(piece, locator, self.rules, self.where, self.meta)

    def person(
        self, label: str, parts: Sequence[Piece], write: Callable[[str], str], locator: str
    ) -> Slot:
        """The parts of a name, given names first: they are read and replaced as one name."""
        return text_slot(
            self.where,
            parts,
            write,
            separators=[" "] * (len(parts) - 1),
            repeat=True,
            label=label,
            meta=self.meta,
            locator=locator,
        )
