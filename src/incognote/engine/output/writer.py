"""Writes the files of a `deid` run, event by event. A file takes its place when it is whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from incognote.core.types import Failure, Result
from incognote.engine.events import FileEnd, FileStart, RecordDone
from incognote.engine.output.files import AtomicFile, CannotWrite, Stream
from incognote.engine.output.ledger import Ledger
from incognote.engine.output.paths import OutputPlace
from incognote.engine.sources import Source
from incognote.policy import FormatRules

if TYPE_CHECKING:
    from incognote.transform.vault.file import VaultWriter


class DeidWriter:
    def __init__(
        self, place: OutputPlace, ledger: Ledger, vault: VaultWriter | None, rules: FormatRules
    ) -> None:
        self._rules = rules
        self._place = place
        self._ledger = ledger
        self._vault = vault
        self._sink: AtomicFile | Stream | None = None
        self._is_lost = False  # the file under way is not written, whatever else is in it

    def start(self, event: FileStart) -> None:
        self._is_lost = False
        if event.carried:
            self._ledger.carry(event.carried)
        elif self._place.is_taken(event.source):
            self._lose(event.source, _name_taken(event.source))

    def write(self, event: RecordDone) -> None:
        if self._is_lost:
            return
        if event.failure is None:
            assert event.data is not None
            self._ledger.done(event.source, event.results)
            if self._vault:
                for result in event.results:
                    self._vault.add(_under_its_new_id(result, event, self._rules))
            try:
                self._sink = self._sink or self._place.sink(event.source)
                self._sink.write(event.data)
            except CannotWrite as error:
                self._lose_unless_others(event.source, error)
        elif event.is_lost:
            self._lose(event.source, event.failure)
        else:
            self._ledger.refused(event.source, event.failure, event.raw, event.documents)
            if event.required:
                self._lose(event.source, _not_whole(event.source))

    def end(self, event: FileEnd) -> None:
        if self._sink:
            if self._vault:  # before the file: nothing is written that has no way back
                self._vault.add_file(event.source.new_name, event.source.name)
                self._vault.sync()
            try:
                self._sink.commit()
            except CannotWrite as error:
                self._lose_unless_others(event.source, error)
        if isinstance(self._sink, AtomicFile):
            self._ledger.written(event.source, self._sink.sha256)
        self._sink = None
        self._ledger.checkpoint()

    def _lose_unless_others(self, source: Source, error: CannotWrite) -> None:
        """A name that the file system does not take costs one file; a full disk ends the run."""
        if error.concerns_others:
            raise error
        message = f"{source.name}: cannot be written: {error.reason}"
        self._lose(source, Failure(source.name, "write", "CannotWrite", message))

    def _lose(self, source: Source, failure: Failure) -> None:
        self._ledger.refused_whole(source, failure)
        self._is_lost = True
        if self._sink:
            self._sink.discard()
        self._sink = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._sink:
            self._sink.discard()


def _name_taken(source: Source) -> Failure:
    message = f"{source.name}: the run itself writes a file of this name"
    return Failure(source.name, "write", "UsageError", message)


def _not_whole(source: Source) -> Failure:
    message = f"{source.name}: a part that all others need could not be written"
    return Failure(source.name, "write", "TransformError", message)


def _under_its_new_id(result: Result, event: RecordDone, rules: FormatRules) -> Result:
    """The result with the id that the output has, so that the vault finds the document by it.

    A row is known by its new id, not its place: rows before it may be in quarantine.
    """
    own = result.document.meta.get(rules.id)
    new_row_id = next(
        (
            other.text
            for other in event.results
            if other.document.text == own
            and other.document.id == result.document.id
            and not other.document.free_text
        ),
        own,
    )
    new_id = new_row_id or event.source.with_new_name(result.document.id)
    return replace(result, document=replace(result.document, id=new_id))
