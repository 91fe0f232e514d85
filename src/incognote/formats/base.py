"""What a format is: a reader that hands out records, each of which knows how to write itself back.

    for record in format.read(stream, name, rules):
        results = pipeline over record.documents        (a Failure: the record goes to quarantine)
        output.write(record.render(results))

A row of a CSV file, a line of JSON Lines or an HL7 message is a record of a stream; a DOCX or PDF
file is one record. Only documents travel to worker processes; `render` stays where the file is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import BinaryIO, Protocol, runtime_checkable

from incognote.core.errors import IncognoteError, MissingExtra, ReadError, TransformError, wording
from incognote.core.types import Document, Failure, Result, fingerprint
from incognote.policy import FormatRules

# So many archives may lie in each other.
DEEPEST = 3
# Ids and servers are the same thing in every patient's files: they share one scope.
SHARED = {"patient_id": "shared ids"}


@dataclass(frozen=True, slots=True)
class Record:
    """A piece of a file that is written back whole.

    `render` takes the results of `documents` in their order (with new text) and gives the bytes
    of this piece, header and separators included, so that a file is the concatenation of its
    records. Those of one file are rendered in order, each at most once, one that goes to quarantine
    not at all. `raw` are the bytes it was read from, for the quarantine folder, or what makes them;
    None where the piece is the whole file. If a `required` record fails, as a header or an index,
    the file is not written.
    """

    documents: tuple[Document, ...]
    render: Callable[[Sequence[Result]], bytes] = field(repr=False)
    raw: bytes | Callable[[], bytes] | None = field(default=None, repr=False)
    required: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable(Failure):
    """A piece of a file that cannot be read, with its bytes for the quarantine folder."""

    raw: bytes = field(default=b"", repr=False)


def with_records(contents: Iterable[Record | Failure], name: str) -> Iterator[Record | Failure]:
    """The contents of a file, whose documents know of which record they are: those of one id.

    A file that is one document may be read in parts; the first of them decides for all.
    """
    whole = ""
    for content in contents:
        if isinstance(content, Failure):
            yield content
            continue
        by_id: dict[str, list[Document]] = {}
        for document in content.documents:
            by_id.setdefault(document.id, []).append(document)
        known = {
            each: whole if whole and each == name else fingerprint(same, name)
            for each, same in by_id.items()
        }
        whole = known.get(name, whole)
        documents = (replace(each, record=known[each.id]) for each in content.documents)
        yield replace(content, documents=tuple(documents))


def unchanged(raw: bytes) -> Record:
    """A piece that has nothing to read."""
    return Record((), lambda _: raw)


class Opened(Protocol):
    """A file that is one record."""

    @property
    def documents(self) -> tuple[Document, ...]: ...

    def render(self, results: Sequence[Result]) -> bytes: ...


def whole(name: str, opened: Callable[[], Opened]) -> Record | Failure:
    """The record of a file that is one, or why it is none."""
    try:
        file = opened()
    except (ReadError, MissingExtra) as error:
        return refused(name, error)
    return Record(file.documents, file.render)


def refused(where: str, error: IncognoteError, raw: bytes | None = None) -> Failure:
    """The failure to read something, which names its place once; `raw` where it is not the file."""
    said = wording(error)
    message = said if where in said else f"{where}: {said}"
    if raw is None:
        return Failure(where, ReadError.stage, type(error).__name__, message)
    return Unreadable(where, ReadError.stage, type(error).__name__, message, raw)


@runtime_checkable
class Format(Protocol):
    """One file format. `suffixes` are lower case with their dot; `sniff` decides by content."""

    name: str
    suffixes: tuple[str, ...]

    def sniff(self, head: bytes) -> bool: ...

    def read(
        self, stream: BinaryIO, name: str, rules: FormatRules
    ) -> Iterator[Record | Failure]: ...


@runtime_checkable
class Demanding(Protocol):
    """A format that needs more than incognote brings along. `require` raises a UsageError that
    names what is missing, so that a run for which the format is forced can say so at once."""

    def require(self, rules: FormatRules) -> None: ...


def require_modules(what: str, extra: str, *modules: str) -> None:
    """A MissingExtra unless all of the modules are installed; none of them is imported."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtra(what, extra)


def new_text(result: Result) -> str:
    """The text to write. A result without one must never let the original through."""
    if result.text is None:
        raise TransformError("there is no new text to write")
    return result.text
