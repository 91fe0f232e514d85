"""A run as a stream of events: each file starts, its records are done, it ends.

    FileStart   the name of the file's output is settled
    RecordDone  a record with the outcomes of its documents, and its new bytes
    FileEnd     nothing more comes from this file

Files are read in order, in chunks of records. Chunks are grouped into batches of documents, which
are processed here or in worker processes. Events come in the order of the input, with no more in
memory than a few batches. `engine.local` writes files from them; a service or a cluster consumes
the same events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from incognote.core.types import Document, Failure, Result
from incognote.engine.file_naming import FileNaming
from incognote.engine.packing import PackedResult, pack
from incognote.engine.patients import KnownValues, with_patient_from_path
from incognote.engine.reading.pool import FileReader, ReaderPool
from incognote.engine.reading.records import (
    Answer,
    Chunk,
    FileRequest,
    ReadRecord,
    Settled,
)
from incognote.engine.settings import Settings
from incognote.engine.sources import Source, list_inputs
from incognote.engine.workers import Work, run_batches
from incognote.formats import format_named
from incognote.formats.base import Demanding
from incognote.policy import FormatRules

_BATCH_CHARACTERS = 1_000_000
_BATCH_RECORDS = 256

Outcomes = list[Result | Failure]

# The manifest rows of a source that an earlier run finished; None if it is to be read.
Finished = Callable[[Source], bytes | None]


@dataclass(frozen=True, slots=True)
class FileStart:
    """A file begins. `source` has the name of its output; `carried` are the manifest rows of a
    file that was not read because an earlier run finished it."""

    source: Source
    carried: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RecordDone:
    """A record with the outcomes of its documents, in order.

    `data` are its new bytes, where the run writes and nothing failed. `failure` is why there are
    none; `raw` are the old bytes, where they are kept. If a `required` record fails, its file is
    not written. `is_lost` says that the failure is that of the whole file.
    """

    source: Source
    documents: tuple[Document, ...] = field(repr=False)
    outcomes: Outcomes = field(repr=False)
    required: bool = False
    data: bytes | None = field(default=None, repr=False)
    failure: Failure | None = None
    raw: bytes | None = field(default=None, repr=False)
    is_lost: bool = False

    @property
    def results(self) -> list[Result]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Result)]


@dataclass(frozen=True, slots=True)
class FileEnd:
    source: Source


Event = FileStart | RecordDone | FileEnd


@dataclass(slots=True)
class _PendingChunk:
    """A chunk on its way through the pipeline. The first of a file brings the documents of the
    file's name; a file that an earlier run finished has rows to carry and no reader."""

    source: Source
    chunk: Chunk
    reader: FileReader | None = None
    is_first: bool = False
    names: tuple[Document, ...] = ()
    carried: bytes | None = None

    @property
    def documents(self) -> list[Document]:
        return [document for record in self.chunk.records for document in record.documents]


@dataclass(frozen=True, slots=True)
class Run:
    """What to do with which files. `writes` is False where only spans are wanted."""

    work: Work
    sources: Iterable[Source]
    settings: Settings
    writes: bool = False
    finished: Finished | None = None
    patients: KnownValues | None = None
    naming: FileNaming = field(default_factory=FileNaming)

    def events(self) -> Iterator[Event]:
        check_format(self.settings)
        with ReaderPool(isolate=self.settings.isolate) as readers:
            batches = self._timed(
                _batches(self._pending_chunks(readers), self.settings.batch_documents)
            )
            for batch, outcomes in run_batches(
                self.work, self.settings, batches, self._documents_of
            ):
                answers = iter(outcomes)
                for pending in batch:
                    names = [next(answers) for _ in pending.names]
                    found = [next(answers) for _ in pending.documents]
                    yield from self._events_of(pending, names, found)

    def _timed(self, batches: Iterator[list[_PendingChunk]]) -> Iterator[list[_PendingChunk]]:
        """The batches; waiting for each of them is "read"."""
        while True:
            began = perf_counter()
            batch = next(batches, None)
            self.settings.timed({"read": perf_counter() - began})
            if batch is None:
                return
            yield batch

    def _documents_of(self, batch: list[_PendingChunk]) -> list[Document]:
        documents = [each for pending in batch for each in (*pending.names, *pending.documents)]
        for known in (self.patients, self.settings.view):
            documents = list(map(known.with_known_values, documents)) if known else documents
        return documents

    def _pending_chunks(self, readers: ReaderPool) -> Iterator[_PendingChunk]:
        for source in self.sources:
            if self.finished and (rows := self.finished(source)):
                yield _PendingChunk(source, Chunk((), is_last=True), is_first=True, carried=rows)
                continue
            reader = readers.open(self.request(source))
            is_first = True
            for chunk in reader.chunks():
                pending = _PendingChunk(source, self._of_patient(chunk, source), reader, is_first)
                if is_first:
                    first = pending.chunk.records[0].documents if pending.chunk.records else ()
                    pending.names = self.naming.documents(source, first)
                yield pending
                is_first = False

    def request(self, source: Source) -> FileRequest:
        settings = self.settings
        return FileRequest(
            source.name,
            source.path.absolute() if source.path else None,
            settings.policy.formats,
            settings.format,
            settings.batch_documents,
            keep=self.writes or settings.quarantine is not None,
            keep_raw=settings.quarantine is not None,
            memory=settings.limits.memory_for(source.size),
            seconds=settings.limits.seconds,
        )

    def _of_patient(self, chunk: Chunk, source: Source) -> Chunk:
        rules = self.settings.policy.formats
        if not rules.patient_path:
            return chunk
        return replace(
            chunk, records=tuple(_of_patient(each, source, rules) for each in chunk.records)
        )

    def _events_of(
        self, pending: _PendingChunk, names: Outcomes, outcomes: Outcomes
    ) -> Iterator[Event]:
        source = pending.source
        if pending.is_first:
            if not pending.carried:
                self.naming.settle(source, names)
            yield FileStart(self._named(pending), pending.carried)
        source = self._named(pending)
        yield from self._records_done(pending, source, outcomes)
        if pending.chunk.is_last:
            yield FileEnd(source)
            if pending.carried:
                self.settings.progress(source.size, 0)

    def _records_done(
        self, pending: _PendingChunk, source: Source, outcomes: Outcomes
    ) -> Iterator[RecordDone]:
        rest = iter(outcomes)
        found = [[next(rest) for _ in record.documents] for record in pending.chunk.records]
        settled = self._settled(pending, found)
        for record, answered, one in zip(pending.chunk.records, found, settled, strict=True):
            failure = one.failure or record.failure or _first_failure(answered)
            yield RecordDone(
                source,
                record.documents,
                answered,
                required=record.required,
                data=one.data,
                failure=failure,
                raw=one.raw,
                is_lost=one.is_lost or not record.number,
            )
            self.settings.progress(record.bytes_read, record.count)

    def _named(self, pending: _PendingChunk) -> Source:
        return pending.source if pending.carried else self.naming.named(pending.source)

    def _settled(self, pending: _PendingChunk, found: list[Outcomes]) -> list[Settled]:
        records = pending.chunk.records
        keeps = self.writes or self.settings.quarantine is not None
        if pending.reader is None or not keeps or any(not record.number for record in records):
            return [Settled() for _ in records]
        answers = [
            Answer(record.number, _packed(outcomes) if self.writes else None)
            for record, outcomes in zip(records, found, strict=True)
        ]
        began = perf_counter()
        settled = pending.reader.settle(pending.chunk, answers)
        self.settings.timed({"write": perf_counter() - began})
        return settled


def check_format(settings: Settings) -> None:
    """An unknown format, or one that lacks its extra, is an error of the call, not of each file."""
    if settings.format:
        found = format_named(settings.format)
        if isinstance(found, Demanding):
            found.require(settings.policy.formats)


def read_documents(where: str | Sequence[str], settings: Settings) -> Iterator[Document | Failure]:
    """Every document at `where`, read and no more."""
    yield from documents_of(list_inputs(where).sources, settings)


def documents_of(sources: Iterable[Source], settings: Settings) -> Iterator[Document | Failure]:
    """Every document of the sources, read and no more."""
    check_format(settings)
    run = Run(Work("detect", settings.policy), sources, replace(settings, quarantine=None))
    with ReaderPool(isolate=settings.isolate) as readers:
        for pending in run._pending_chunks(readers):  # noqa: SLF001 - the same module
            for record in pending.chunk.records:
                if record.failure:
                    yield record.failure
                yield from record.documents


def row_id(document: Document, rules: FormatRules) -> str:
    """The id of a document as its file has it, for those who hold the file. What is beside the
    outputs uses `Document.id`, which names the place of a row whose id is masked."""
    return document.meta.get(rules.id) or document.id


def rewritten(
    source: Source, settings: Settings, outcome_of: Callable[[Document], Result | Failure]
) -> Iterator[RecordDone]:
    """The records of one file, written again with outcomes that the caller decides."""
    run = Run(Work("deid", settings.policy), (), settings, writes=True)
    with ReaderPool(isolate=settings.isolate) as readers:
        reader = readers.open(run.request(source))
        for chunk in reader.chunks():
            pending = _PendingChunk(source, run._of_patient(chunk, source), reader)  # noqa: SLF001
            outcomes = [outcome_of(document) for document in pending.documents]
            yield from run._records_done(pending, source, outcomes)  # noqa: SLF001 - the same module


def _batches(chunks: Iterator[_PendingChunk], size: int) -> Iterator[list[_PendingChunk]]:
    batch: list[_PendingChunk] = []
    documents = characters = records = 0
    for pending in chunks:
        batch.append(pending)
        records += 1 + len(pending.chunk.records)
        documents += len(pending.documents)
        characters += sum(len(document.text) for document in pending.documents)
        is_full = documents >= size or characters >= _BATCH_CHARACTERS
        # A file of one note is a record, and counts as one more.
        if is_full or records >= max(_BATCH_RECORDS, 2 * size):
            yield batch
            batch, documents, characters, records = [], 0, 0, 0
    if batch:
        yield batch


def _of_patient(record: ReadRecord, source: Source, rules: FormatRules) -> ReadRecord:
    documents = with_patient_from_path(record.documents, source.name, rules)
    return replace(record, documents=documents)


def _packed(outcomes: Outcomes) -> tuple[PackedResult, ...] | None:
    """What the reader needs to write a record; None if it must not be written."""
    if _first_failure(outcomes):
        return None
    return tuple(pack(outcome) for outcome in outcomes if isinstance(outcome, Result))


def _first_failure(outcomes: Outcomes) -> Failure | None:
    return next((outcome for outcome in outcomes if isinstance(outcome, Failure)), None)
