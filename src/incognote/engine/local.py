"""One machine: stream files through the pipeline in constant memory and write what comes out.

Records are read in order, grouped into batches of documents, processed here or in worker processes,
and written in order. The output does not depend on the size of a batch or the number of workers.
Whatever fails goes to quarantine and the run goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.core.errors import IncognoteError, ReadError, UsageError
from incognote.core.types import Document, Failure, Result
from incognote.engine.files import AtomicFile, Stream
from incognote.engine.ledger import (
    MANIFEST,
    QUARANTINE,
    Ledger,
    Manifest,
    Quarantine,
    Summary,
    json_line,
)
from incognote.engine.resume import EarlierRun
from incognote.engine.sources import STREAM, Source, find_sources
from incognote.engine.workers import Work, run_batches
from incognote.formats import HEAD, format_named, format_of
from incognote.formats.base import Record, Unreadable
from incognote.policy import Policy

if TYPE_CHECKING:
    from incognote.transform import Originals
    from incognote.transform.vault import Vault, VaultWriter

# A batch also ends here, so that a folder of books takes no more memory than one of notes.
_BATCH_CHARACTERS = 1_000_000

Outcomes = list[Result | Failure]


def _ignore(*_: object) -> None:
    pass


# The manifest rows of a source that an earlier run finished; None if it is to be read.
Finished = Callable[[Source], bytes | None]


def _nothing(_: Source) -> bytes | None:
    return None


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
    report: Callable[[str], None] = _ignore
    progress: Callable[[int, int], None] = _ignore


@dataclass(frozen=True, slots=True)
class _Item:
    """A record, a failure to read one, or (None) the end of its source.

    `carried` are manifest rows of a source that was not read because it is finished already.
    """

    source: Source
    content: Record | Failure | None
    bytes_read: int = 0
    carried: bytes | None = None

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.content.documents if isinstance(self.content, Record) else ()


def detect(where: str, out: str, settings: Settings) -> Summary:
    """The spans of every document at `where`, as JSON Lines in the file `out` (or "-")."""
    target = None if out == STREAM else Path(out)
    folder = target.parent if target else None
    own = _resolved(target, folder and folder / QUARANTINE, settings.quarantine)
    sink = AtomicFile(target) if target else Stream(sys.stdout.buffer)
    with Ledger(None, _quarantine(folder, settings), settings.report) as ledger:
        try:
            for item, outcomes in _process(
                Work("detect", settings.policy), find_sources(where, own), settings
            ):
                for row in _detected(item, outcomes, ledger):
                    sink.write(json_line(row))
            sink.commit()
        finally:
            sink.discard()
    return ledger.summary


def deid(where: str, out: str, settings: Settings) -> Summary:
    """Every file at `where` again, with the PHI replaced, at `out`: a file, a folder or "-".

    At any time at most one output file is open; it takes its place when it is whole.
    """
    if settings.key is None:
        raise UsageError("a key is needed to make surrogates")
    place = _Place.of(where, out)
    manifest = Manifest(place.folder, settings.policy.hash, settings.key) if place.folder else None
    vault = settings.vault
    own = place.own_files() | _resolved(settings.quarantine, vault.path if vault else None)
    finished = _finished_earlier(place, manifest) if settings.resume else _nothing
    work = Work("deid", settings.policy, settings.key, _first_pass(where, own, settings))
    with Ledger(manifest, _quarantine(place.folder, settings), settings.report) as ledger:
        sink: AtomicFile | Stream | None = None
        try:
            for item, outcomes in _process(work, find_sources(where, own), settings, finished):
                if item.content is None:
                    if item.carried:
                        ledger.carry(item.carried)
                    if sink:
                        sink.commit()
                    sink = None
                    ledger.checkpoint()
                elif (data := _rewritten(item, outcomes, ledger)) is not None:
                    if vault:
                        for outcome in outcomes:
                            assert isinstance(outcome, Result)
                            vault.add(outcome)
                    sink = sink or place.sink(item.source)
                    sink.write(data)
        finally:
            if sink:
                sink.discard()
    return ledger.summary


def restore(where: str, out: str, vault: Vault, reason: str, settings: Settings) -> int:
    """What `deid` wrote at `where`, turned back into what it read, at `out`; how many documents.

    The first document that is not in the vault as it stands stops the run.
    """
    place = _Place.of(where, out)
    restored = 0
    sink: AtomicFile | Stream | None = None
    try:
        for item in _items(find_sources(where, place.own_files()), settings):
            if isinstance(item.content, Failure):
                raise UsageError(item.content.message)
            if item.content is None:
                if sink:
                    sink.commit()
                sink = None
                continue
            originals = [
                Result(document, (), text=vault.restore(document.id, document.text, reason))
                for document in item.documents
            ]
            sink = sink or place.sink(item.source)
            sink.write(item.content.render(originals))
            restored += len(originals)
    finally:
        if sink:
            sink.discard()
    return restored


def _finished_earlier(place: _Place, manifest: Manifest | None) -> Finished:
    if manifest is None:
        raise UsageError("only a run that writes files can be resumed")
    earlier = EarlierRun(manifest.file.path, manifest.stamp)
    return lambda source: earlier.finished(source, place.path(source))


def _first_pass(where: str, own: frozenset[Path], settings: Settings) -> Originals | None:
    """The originals of the whole corpus, where the policy's surrogates must avoid them.

    Failures are passed over: they fail again in the second pass, which reports them.
    """
    from incognote.transform import Originals, needs_originals

    if not needs_originals(settings.policy):
        return None
    if where == STREAM:
        raise UsageError("this policy reads its input twice: give a file or a folder, not -")
    work = Work("detect", settings.policy)
    found = _process(work, find_sources(where, own), replace(settings, progress=_ignore))
    return Originals.of(
        (outcome.document, outcome.spans)
        for _, outcomes in found
        for outcome in outcomes
        if isinstance(outcome, Result)
    )


def read_documents(where: str, settings: Settings) -> Iterator[Document | Failure]:
    """Every document at `where`, read and no more."""
    for item in _items(find_sources(where), settings):
        if isinstance(item.content, Failure):
            yield item.content
        yield from item.documents


@dataclass(frozen=True, slots=True)
class _Place:
    """Where `deid` writes: into a folder, to one file, or (neither) to standard output."""

    folder: Path | None
    file: Path | None = None

    @classmethod
    def of(cls, where: str, out: str) -> _Place:
        given = None if where == STREAM else Path(where)
        from_folder = given is not None and given.is_dir()
        if out == STREAM:
            if from_folder:
                raise UsageError("the notes of a folder need a folder to be written to (-o)")
            return cls(None)
        target = Path(out)
        if from_folder and target.exists() and not target.is_dir():
            raise UsageError(f"{out}: is a file, but a folder is needed")
        if from_folder or target.is_dir() or out.endswith("/"):
            place, written = cls(target), target if from_folder else target / (given or target).name
        else:
            place, written = cls(target.parent, target), target
        if given is not None and given.resolve() == written.resolve():
            raise UsageError("the output would overwrite the input")
        return place

    def own_files(self) -> frozenset[Path]:
        if self.folder is None:
            return frozenset()
        if self.file is None:
            return _resolved(self.folder)
        return _resolved(self.file, self.folder / MANIFEST, self.folder / QUARANTINE)

    def path(self, source: Source) -> Path:
        assert self.folder
        return self.file or self.folder / source.name

    def sink(self, source: Source) -> AtomicFile | Stream:
        return AtomicFile(self.path(source)) if self.folder else Stream(sys.stdout.buffer)


def _resolved(*paths: Path | None) -> frozenset[Path]:
    return frozenset(path.resolve() for path in paths if path)


def _quarantine(folder: Path | None, settings: Settings) -> Quarantine | None:
    if settings.quarantine:
        return Quarantine(settings.quarantine, keep_raw=True)
    return Quarantine(folder, keep_raw=False) if folder else None


def _process(
    work: Work, sources: Iterable[Source], settings: Settings, finished: Finished = _nothing
) -> Iterator[tuple[_Item, Outcomes]]:
    """Every item with the outcomes of its documents, in the order of the input."""
    if settings.format:
        format_named(settings.format)  # an unknown name is an error of the call, not of each file
    batches = _batches(_items(sources, settings, finished), settings.batch)
    for batch, outcomes in run_batches(
        work,
        settings.workers,
        batches,
        lambda items: [document for item in items for document in item.documents],
    ):
        at = 0
        for item in batch:
            count = len(item.documents)
            yield item, outcomes[at : at + count]
            settings.progress(item.bytes_read, count)
            at += count


def _batches(items: Iterator[_Item], size: int) -> Iterator[list[_Item]]:
    batch: list[_Item] = []
    documents = characters = 0
    for item in items:
        batch.append(item)
        documents += len(item.documents)
        characters += sum(len(document.text) for document in item.documents)
        if documents >= size or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, documents, characters = [], 0, 0
    if batch:
        yield batch


def _items(
    sources: Iterable[Source], settings: Settings, finished: Finished = _nothing
) -> Iterator[_Item]:
    for source in sources:
        if rows := finished(source):
            yield _Item(source, None, source.size, rows)
            continue
        try:
            yield from _read(source, settings)
        except Exception as error:  # noqa: BLE001 - fail closed: no file may stop the others
            yield _Item(source, _failure(source.name, "read", error))
        yield _Item(source, None)


def _read(source: Source, settings: Settings) -> Iterator[_Item]:
    with source.open() as stream:
        # A buffered stream shows its first bytes without giving them away.
        head = stream.peek(HEAD)[:HEAD]  # type: ignore[attr-defined]
        if not head:
            raise ReadError("the file is empty")
        found = format_named(settings.format) if settings.format else format_of(source.name, head)
        before = 0
        for content in found.read(stream, source.name, settings.policy.formats):
            now = stream.tell() if source.path else 0
            yield _Item(source, content, now - before)
            before = now


def _detected(item: _Item, outcomes: Outcomes, ledger: Ledger) -> Iterator[dict[str, object]]:
    """The rows for an item. A field that is PHI as a whole was not detected: it has no row."""
    if isinstance(item.content, Failure):
        ledger.refused(item.source, item.content, _raw(item.content))
        yield _failed_row(item.content)
    texts = [pair for pair in zip(item.documents, outcomes, strict=True) if pair[0].free_text]
    for document, outcome in texts:
        part = {"part": document.locator} if len(texts) > 1 else {}
        if isinstance(outcome, Failure):
            ledger.refused(item.source, outcome, _raw(item.content), (document,))
            yield _failed_row(outcome) | part
        else:
            ledger.done(item.source, [outcome])
            yield _span_row(outcome) | part


def _rewritten(item: _Item, outcomes: Outcomes, ledger: Ledger) -> bytes | None:
    """The bytes to write for an item; None if it goes to quarantine."""
    if isinstance(item.content, Failure):
        ledger.refused(item.source, item.content, _raw(item.content))
        return None
    assert item.content is not None
    raw = item.content.raw
    results = [outcome for outcome in outcomes if isinstance(outcome, Result)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if not failures:
        try:
            data = item.content.render(results)
        except Exception as error:  # noqa: BLE001 - fail closed
            failures.append(_failure(item.source.name, "write", error))
    if failures:
        ledger.refused(item.source, failures[0], raw, item.documents)
        return None
    ledger.done(item.source, results)
    return data


def _span_row(result: Result) -> dict[str, object]:
    return {
        "id": result.document.id,
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "label": span.label,
                "score": round(span.score, 4),
                "sources": list(span.sources),
            }
            for span in result.spans
        ],
    }


def _failed_row(failure: Failure) -> dict[str, object]:
    # Not an empty list: whoever cuts text by these spans must not take a failure for "no PHI".
    return {
        "id": failure.document_id,
        "spans": None,
        "error": f"{failure.error} ({failure.stage})",
    }


def _failure(name: str, stage: str, error: Exception) -> Failure:
    """What may be said of an error: our own messages hold no clinical text, others' might."""
    what = str(error) if isinstance(error, IncognoteError) else type(error).__name__
    return Failure(name, stage, type(error).__name__, f"{name}: {what}")


def _raw(content: Record | Failure | None) -> bytes | None:
    return content.raw if isinstance(content, Record | Unreadable) else None
