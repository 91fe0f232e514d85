"""The stream of a run: records of many files in, each with the outcomes of its documents out.

Records are read in order, grouped into batches of documents, processed here or in worker processes,
and handed out in order, with no more in memory than a few batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.core.errors import wording
from incognote.core.types import Document, Failure, Result
from incognote.engine.patients import Patients, of_patient
from incognote.engine.sources import Source, find_sources
from incognote.engine.workers import Work, run_batches
from incognote.formats import HEAD, format_named, format_of
from incognote.formats.base import Record
from incognote.policy import FormatRules, Policy

if TYPE_CHECKING:
    from incognote.transform.vault import VaultWriter

# A batch also ends here, so that a folder of books takes no more memory than one of notes, nor a
# table of columns that nobody reads.
_BATCH_CHARACTERS = 1_000_000
_BATCH_RECORDS = 256

Outcomes = list[Result | Failure]

# The manifest rows of a source that an earlier run finished; None if it is to be read.
Finished = Callable[[Source], bytes | None]

# The documents of a source's name, given those of its first record.
Naming = Callable[[Source, tuple[Document, ...]], tuple[Document, ...]]


def ignore(*_: object) -> None:
    pass


def read_all(_: Source) -> bytes | None:
    return None


def no_names(_: Source, __: tuple[Document, ...]) -> tuple[Document, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is done.

    `format` forces a format on every file; `quarantine` is a folder for the raw bytes of what
    fails; `vault` takes the map back of every document that is written. With `resume`, files that
    an earlier run finished are passed over. `report` hears of each failure, `progress` of bytes
    read and documents written.
    """

    policy: Policy
    key: bytes | None = field(default=None, repr=False)
    workers: int = 1
    batch: int = 32
    format: str = ""
    quarantine: Path | None = None
    vault: VaultWriter | None = None
    resume: bool = False
    report: Callable[[str], None] = ignore
    progress: Callable[[int, int], None] = ignore


@dataclass(frozen=True, slots=True)
class Item:
    """A record, a failure to read one, or (None) the end of its source.

    `carried` are manifest rows of a source that was not read because it is finished already.
    `names` are documents of what the source is called; the first item of a source has them.
    """

    source: Source
    content: Record | Failure | None
    bytes_read: int = 0
    carried: bytes | None = None
    names: tuple[Document, ...] = field(default=(), repr=False)

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.content.documents if isinstance(self.content, Record) else ()

    @property
    def count(self) -> int:
        """How many documents a person would count: fields of one row share its id."""
        return len({document.id for document in self.documents})


def process(
    work: Work,
    sources: Iterable[Source],
    settings: Settings,
    finished: Finished = read_all,
    patients: Patients | None = None,
    naming: Naming = no_names,
) -> Iterator[tuple[Item, Outcomes]]:
    """Every item with the outcomes of its documents, then of its names, in the order of the input.

    `patients` is what a first pass found; documents are told what concerns them.
    """
    if settings.format:
        format_named(settings.format)  # an unknown name is an error of the call, not of each file
    batches = _batches(items(sources, settings, finished, naming), settings.batch)

    def asked(batch: list[Item]) -> list[Document]:
        documents = [each for item in batch for each in (*item.documents, *item.names)]
        return list(map(patients.told, documents)) if patients else documents

    for batch, outcomes in run_batches(work, settings.workers, batches, asked):
        at = 0
        for item in batch:
            count = len(item.documents)
            end = at + count + len(item.names)
            yield item, outcomes[at:end]
            settings.progress(item.bytes_read, item.count)
            at = end


def _batches(items: Iterator[Item], size: int) -> Iterator[list[Item]]:
    batch: list[Item] = []
    documents = characters = 0
    for item in items:
        batch.append(item)
        documents += len(item.documents)
        characters += sum(len(document.text) for document in item.documents)
        is_full = documents >= size or characters >= _BATCH_CHARACTERS
        if is_full or len(batch) >= _BATCH_RECORDS:
            yield batch
            batch, documents, characters = [], 0, 0
    if batch:
        yield batch


def items(
    sources: Iterable[Source],
    settings: Settings,
    finished: Finished = read_all,
    naming: Naming = no_names,
) -> Iterator[Item]:
    for source in sources:
        if rows := finished(source):
            yield Item(source, None, source.size, rows)
            continue
        is_first = True
        for item in _read_or_fail(source, settings):
            yield replace(item, names=naming(source, item.documents)) if is_first else item
            is_first = False
        yield Item(source, None, names=naming(source, ()) if is_first else ())


def _read_or_fail(source: Source, settings: Settings) -> Iterator[Item]:
    try:
        yield from _read(source, settings)
    except Exception as error:  # noqa: BLE001 - fail closed: no file may stop the others
        yield Item(source, _unreadable(source, error))


def _read(source: Source, settings: Settings) -> Iterator[Item]:
    with source.open() as stream:
        # A buffered stream shows its first bytes without giving them away.
        head = stream.peek(HEAD)[:HEAD]  # type: ignore[attr-defined]
        if not head:
            # Without a byte there is nothing to hide, whatever the format: it stays as it is.
            nothing = Document(source.name, "", locator=source.name)
            yield Item(source, Record((nothing,), lambda _: b""))
            return
        found = format_named(settings.format) if settings.format else format_of(source.name, head)
        before = 0
        rules = settings.policy.formats
        for content in found.read(stream, source.name, rules):
            now = stream.tell() if source.path else 0
            yield Item(source, _of_patient(content, source, rules), now - before)
            before = now


def _of_patient(content: Record | Failure, source: Source, rules: FormatRules) -> Record | Failure:
    if isinstance(content, Failure) or not rules.patient_path:
        return content
    return replace(content, documents=of_patient(content.documents, source.name, rules))


def read_documents(where: str, settings: Settings) -> Iterator[Document | Failure]:
    """Every document at `where`, read and no more."""
    for item in items(find_sources(where), settings):
        if isinstance(item.content, Failure):
            yield item.content
        yield from item.documents


def _unreadable(source: Source, error: Exception) -> Failure:
    return Failure(source.name, "read", type(error).__name__, f"{source.name}: {wording(error)}")
