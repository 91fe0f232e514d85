"""One machine: `detect`, `deid` and `restore` over files, in constant memory.

The output does not depend on the size of a batch or the number of workers. Whatever fails goes to
quarantine and the run goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from incognote.core.errors import UsageError
from incognote.core.types import Document, Failure, Result, Span
from incognote.engine.clock import Clock
from incognote.engine.detection_rows import detection_rows
from incognote.engine.events import FileEnd, FileStart, RecordDone, Run, rewritten, row_id
from incognote.engine.file_naming import FileNaming
from incognote.engine.output.files import AtomicFile, Stream
from incognote.engine.output.ledger import Ledger, Manifest, Quarantine, Summary, json_line
from incognote.engine.output.lock import locked_folder
from incognote.engine.output.paths import MANIFEST, QUARANTINE, OutputPlace, refuse_over, resolved
from incognote.engine.output.resume import EarlierRun
from incognote.engine.output.writer import DeidWriter
from incognote.engine.patients import Patients
from incognote.engine.settings import Settings, ignore
from incognote.engine.sources import STREAM, Inputs, list_inputs
from incognote.engine.workers import Work
from incognote.formats.scratch import sweep
from incognote.pipeline import preferred_batch

if TYPE_CHECKING:
    from incognote.transform import Originals
    from incognote.transform.vault.file import Vault

Where = str | Sequence[str]


def detect(where: Where, out: str, settings: Settings) -> Summary:
    """The spans of every document at `where`, as JSON Lines in the file `out` (or "-")."""
    target = None if out == STREAM else Path(out)
    if target:
        for each in [where] if isinstance(where, str) else where:
            if each != STREAM:
                refuse_over(Path(each), target)
    folder = target.parent if target else None
    own = resolved(target, folder and folder / QUARANTINE, settings.quarantine)
    sweep()
    inputs = list_inputs(where, own)
    clock = Clock()
    settings = _settled(settings, clock)
    settings.started(inputs.size)
    across = settings.policy.resolve.across_documents
    patients = _first_pass(inputs, settings).patients if across else None
    work = _work("detect", settings)
    rules = settings.policy.formats
    # A row with its text is as secret as the note.
    mode = 0o600 if settings.with_text else 0o666
    sink = AtomicFile(target, mode) if target else Stream(sys.stdout.buffer)
    with (
        locked_folder(folder),
        Ledger(None, _quarantine(folder, settings), settings.report) as ledger,
    ):
        try:
            run = Run(work, inputs.sources, settings, patients=patients)
            for event in clock.around(run.events()):
                if isinstance(event, RecordDone):
                    for row in detection_rows(event, ledger, rules, with_text=settings.with_text):
                        sink.write(json_line(row))
            sink.commit()
        finally:
            sink.discard()
    return clock.stop(ledger.summary)


def deid(where: Where, out: str, settings: Settings) -> Summary:
    """Every file at `where` again, with the PHI replaced, at `out`: a file, a folder or "-".

    At any time at most one output file is open; it takes its place when it is whole.
    """
    if settings.key is None:
        raise UsageError("a key is needed to make surrogates")
    place = OutputPlace.of(where, out)
    manifest = Manifest(place.folder, settings.policy, settings.key) if place.folder else None
    vault = settings.vault
    own = place.own_files() | resolved(settings.quarantine, vault.path if vault else None)
    sweep()
    inputs = list_inputs(where, own)
    clock = Clock()
    settings = _settled(settings, clock)
    settings.started(inputs.size)
    with locked_folder(place.folder):
        earlier = _earlier_run(place, manifest) if settings.resume else None
        first = _first_pass(inputs, settings)
        run = Run(
            _work("deid", settings, first.originals),
            inputs.sources,
            settings,
            writes=True,
            finished=earlier.finished if earlier else None,
            patients=first.patients,
            naming=FileNaming.of(inputs.sources, inputs.root, place, settings.policy, earlier),
        )
        quarantine = _quarantine(place.folder, settings)
        with (
            Ledger(manifest, quarantine, settings.report, settings.policy) as ledger,
            DeidWriter(place, ledger, vault, settings.policy.formats) as writer,
        ):
            for event in clock.around(run.events()):
                match event:
                    case FileStart():
                        writer.start(event)
                    case RecordDone():
                        writer.write(event)
                    case FileEnd():
                        writer.end(event)
        if earlier:
            earlier.forget()
    return clock.stop(ledger.summary)


def restore(where: Where, out: str, vault: Vault, reason: str, settings: Settings) -> int:
    """What `deid` wrote at `where`, turned back into what it read, at `out`; how many documents.

    Files get their old names back, readable by their owner only. The first document that is not
    in the vault as it appears stops the run.
    """
    place = OutputPlace.of(where, out)
    inputs = list_inputs(where, place.own_files() | _lists_at(where))
    rules = settings.policy.formats

    def original(document: Document) -> Result:
        return vault.restored(replace(document, id=row_id(document, rules)), reason)

    restored = 0
    with locked_folder(place.folder):
        for source in inputs.sources:
            old = vault.old_name(source.name)
            sink = place.sink(replace(source, alias=old), mode=0o600)
            try:
                for event in rewritten(source, settings, original):
                    if event.failure or event.data is None:
                        raise UsageError(_message(source.name, event.failure))
                    sink.write(event.data)
                    restored += len({document.id for document in event.documents})
                sink.commit()
            finally:
                sink.discard()
    return restored


def _message(name: str, failure: Failure | None) -> str:
    message = failure.message if failure else "cannot be written"
    return message if name in message else f"{name}: {message}"


def _lists_at(where: Where) -> frozenset[Path]:
    """The lists that `deid` wrote beside its outputs: they are no documents."""
    given = [Path(each) for each in ([where] if isinstance(where, str) else where)]
    folders = [path for path in given if path.is_dir()]
    return resolved(*(folder / name for folder in folders for name in (MANIFEST, QUARANTINE)))


def _settled(settings: Settings, clock: Clock) -> Settings:
    batch = settings.batch or preferred_batch(settings.policy, settings.detectors)
    return replace(settings, batch=batch, timed=clock.add)


def _work(verb: str, settings: Settings, originals: Originals | None = None) -> Work:
    key = settings.key if verb == "deid" else None
    return Work(verb, settings.policy, key, originals, settings.threads, settings.detectors)


def _earlier_run(place: OutputPlace, manifest: Manifest | None) -> EarlierRun:
    if manifest is None:
        raise UsageError("only a run that writes files can be resumed")
    return EarlierRun(manifest, place.path)


@dataclass(frozen=True, slots=True)
class _FirstPass:
    """What a pass over the whole input found for the second one, where the policy wants it."""

    originals: Originals | None = field(default=None, repr=False)
    patients: Patients | None = field(default=None, repr=False)


def _first_pass(inputs: Inputs, settings: Settings) -> _FirstPass:
    """The originals of the corpus, for surrogates to avoid; what was found of each patient, to be
    found in their other documents.

    Failures are passed over: they fail again in the second pass, which reports them.
    """
    from incognote.transform import Originals, needs_originals

    avoid = needs_originals(settings.policy)
    patients = Patients() if settings.policy.resolve.across_documents else None
    if not avoid and patients is None:
        return _FirstPass()
    if inputs.is_stream:
        raise UsageError("this policy reads its input twice: give a file or a folder, not -")

    def marked() -> Iterator[tuple[Document, tuple[Span, ...]]]:
        work = _work("detect", settings)
        quiet = replace(settings, progress=ignore, timed=ignore, quarantine=None)
        for event in Run(work, inputs.sources, quiet).events():
            for result in event.results if isinstance(event, RecordDone) else ():
                if patients is not None:
                    patients.add(result)
                yield result.document, result.spans

    began = perf_counter()
    originals = Originals.of(marked())
    settings.timed({"first pass": perf_counter() - began})
    return _FirstPass(originals if avoid else None, patients)


def _quarantine(folder: Path | None, settings: Settings) -> Quarantine | None:
    if settings.quarantine:
        return Quarantine(settings.quarantine, keep_raw=True)
    return Quarantine(folder, keep_raw=False) if folder else None
