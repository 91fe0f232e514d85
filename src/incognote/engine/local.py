"""One machine: `detect`, `deid` and `restore` over files, in constant memory.

The output does not depend on the size of a batch or the number of workers. Whatever fails goes to
quarantine and the run goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.core.errors import UsageError, wording
from incognote.core.types import Document, Failure, Result, Span
from incognote.engine.files import AtomicFile, Stream
from incognote.engine.ledger import QUARANTINE, Ledger, Manifest, Quarantine, Summary, json_line
from incognote.engine.naming import Names
from incognote.engine.needs import check_needs
from incognote.engine.patients import Patients
from incognote.engine.places import Place, refuse_over, resolved
from incognote.engine.resume import EarlierRun
from incognote.engine.sources import STREAM, Source, find_sources
from incognote.engine.stream import (
    Item,
    Outcomes,
    Settings,
    ignore,
    items,
    process,
    read_all,
)
from incognote.engine.workers import Work
from incognote.formats.base import Record, Unreadable
from incognote.formats.scratch import sweep

if TYPE_CHECKING:
    from incognote.transform import Originals
    from incognote.transform.vault import Vault


def detect(where: str, out: str, settings: Settings) -> Summary:
    """The spans of every document at `where`, as JSON Lines in the file `out` (or "-")."""
    target = None if out == STREAM else Path(out)
    if target and where != STREAM:
        refuse_over(Path(where), target)
    folder = target.parent if target else None
    own = resolved(target, folder and folder / QUARANTINE, settings.quarantine)
    _prepare(where, own, settings)
    work = Work("detect", settings.policy)
    across = settings.policy.resolve.across_documents
    patients = _first_pass(where, own, settings).patients if across else None
    sink = AtomicFile(target) if target else Stream(sys.stdout.buffer)
    with Ledger(None, _quarantine(folder, settings), settings.report) as ledger:
        try:
            for item, outcomes in process(
                work, find_sources(where, own), settings, patients=patients
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
    place = Place.of(where, out)
    manifest = Manifest(place.folder, settings.policy.hash, settings.key) if place.folder else None
    vault = settings.vault
    own = place.own_files() | resolved(settings.quarantine, vault.path if vault else None)
    _prepare(where, own, settings)
    earlier = _earlier_run(place, manifest) if settings.resume else None
    finished = earlier.finished if earlier else read_all
    first = _first_pass(where, own, settings)
    work = Work("deid", settings.policy, settings.key, first.originals)
    sources = find_sources(where, own)
    names = Names.of(where, own, place, settings, earlier)
    with Ledger(manifest, _quarantine(place.folder, settings), settings.report) as ledger:
        sink: AtomicFile | Stream | None = None
        lost = ""  # a file that is not written, whatever else is in it
        try:
            for asked, answers in process(
                work, sources, settings, finished, first.patients, names.documents
            ):
                item, outcomes = names.settled(asked, answers)
                if item.content and place.is_taken(item.source):
                    item, outcomes = _name_taken(item), []
                if item.content is None:
                    if item.carried:
                        ledger.carry(item.carried)
                    if sink:
                        sink.commit()
                    sink, lost = None, ""
                    ledger.checkpoint()
                elif item.source.name == lost:
                    continue
                elif (data := _rewritten(item, outcomes, ledger)) is not None:
                    if vault:
                        for outcome in outcomes:
                            assert isinstance(outcome, Result)
                            vault.add(_under_its_new_name(outcome, item.source))
                    sink = sink or place.sink(item.source)
                    sink.write(data)
                elif isinstance(item.content, Record) and item.content.vital:
                    ledger.refused_whole(item.source, _not_whole(item.source))
                    if sink:
                        sink.discard()
                    sink, lost = None, item.source.name
        finally:
            if sink:
                sink.discard()
    if earlier:
        earlier.forget()
    return ledger.summary


def restore(where: str, out: str, vault: Vault, reason: str, settings: Settings) -> int:
    """What `deid` wrote at `where`, turned back into what it read, at `out`; how many documents.

    The first document that is not in the vault as it stands stops the run.
    """
    place = Place.of(where, out)
    restored = 0
    sink: AtomicFile | Stream | None = None
    try:
        for item in items(find_sources(where, place.own_files()), settings):
            if isinstance(item.content, Failure):
                raise UsageError(item.content.message)
            if item.content is None:
                if sink:
                    sink.commit()
                sink = None
                continue
            originals = [vault.restored(document, reason) for document in item.documents]
            sink = sink or place.sink(item.source)
            sink.write(item.content.render(originals))
            restored += item.count
    finally:
        if sink:
            sink.discard()
    return restored


def _prepare(where: str, own: frozenset[Path], settings: Settings) -> None:
    """What is done before the first document."""
    sweep()
    check_needs(find_sources(where, own), settings.format, settings.policy.formats)


def _name_taken(item: Item) -> Item:
    name = item.source.name
    message = f"{name}: the run itself writes a file of this name"
    return replace(item, content=Failure(name, "write", "UsageError", message))


def _not_whole(source: Source) -> Failure:
    message = f"{source.name}: a part that all others need could not be written"
    return Failure(source.name, "write", "TransformError", message)


def _earlier_run(place: Place, manifest: Manifest | None) -> EarlierRun:
    if manifest is None:
        raise UsageError("only a run that writes files can be resumed")
    return EarlierRun(manifest, place.path)


def _under_its_new_name(result: Result, source: Source) -> Result:
    """The result as the output tells it, so that the vault knows the document it is asked for."""
    return replace(result, document=replace(result.document, id=source.told(result.document.id)))


@dataclass(frozen=True, slots=True)
class _FirstPass:
    """What a pass over the whole input tells the second one, where the policy wants it."""

    originals: Originals | None = field(default=None, repr=False)
    patients: Patients | None = field(default=None, repr=False)


def _first_pass(where: str, own: frozenset[Path], settings: Settings) -> _FirstPass:
    """The originals of the corpus, for surrogates to avoid; what was found of each patient, to be
    found in their other documents.

    Failures are passed over: they fail again in the second pass, which reports them.
    """
    from incognote.transform import Originals, needs_originals

    avoid = needs_originals(settings.policy)
    patients = Patients() if settings.policy.resolve.across_documents else None
    if not avoid and patients is None:
        return _FirstPass()
    if where == STREAM:
        raise UsageError("this policy reads its input twice: give a file or a folder, not -")

    def marked() -> Iterator[tuple[Document, tuple[Span, ...]]]:
        work = Work("detect", settings.policy)
        for _, outcomes in process(
            work, find_sources(where, own), replace(settings, progress=ignore)
        ):
            for outcome in outcomes:
                if isinstance(outcome, Result):
                    if patients is not None:
                        patients.add(outcome)
                    yield outcome.document, outcome.spans

    originals = Originals.of(marked())
    return _FirstPass(originals if avoid else None, patients)


def _quarantine(folder: Path | None, settings: Settings) -> Quarantine | None:
    if settings.quarantine:
        return Quarantine(settings.quarantine, keep_raw=True)
    return Quarantine(folder, keep_raw=False) if folder else None


def _detected(item: Item, outcomes: Outcomes, ledger: Ledger) -> Iterator[dict[str, object]]:
    """The rows for an item. A field that is PHI as a whole was not detected: it has no row."""
    if isinstance(item.content, Failure):
        ledger.refused(item.source, item.content, _raw(item.content))
        yield _failed_row(item.content)
    texts = [pair for pair in zip(item.documents, outcomes, strict=True) if pair[0].free_text]
    for document, outcome in texts:
        # Where the text stands in the file: a field, a cell, a segment, a page.
        place = {"locator": document.locator} if document.locator not in ("", document.id) else {}
        if isinstance(outcome, Failure):
            ledger.refused(item.source, outcome, _raw(item.content), (document,))
            yield _failed_row(outcome) | place
        else:
            yield _span_row(outcome) | place
    ledger.done(item.source, [outcome for _, outcome in texts if isinstance(outcome, Result)])


def _rewritten(item: Item, outcomes: Outcomes, ledger: Ledger) -> bytes | None:
    """The bytes to write for an item; None if it goes to quarantine."""
    if isinstance(item.content, Failure):
        ledger.refused(item.source, item.content, _raw(item.content))
        return None
    assert item.content is not None
    results = [outcome for outcome in outcomes if isinstance(outcome, Result)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if not failures:
        try:
            data = item.content.render(results)
        except Exception as error:  # noqa: BLE001 - fail closed
            what = type(error).__name__
            name = item.documents[0].id if item.documents else item.source.name
            failures.append(Failure(name, "write", what, wording(error)))
    if failures:
        ledger.refused(item.source, failures[0], _raw(item.content), item.documents)
        return None
    ledger.done(item.source, results)
    return data


def _span_row(result: Result) -> dict[str, object]:
    lead = result.document.lead
    found = [span for span in result.spans if span.end > lead]
    return {"id": result.document.id, "spans": [_span_fields(span, lead) for span in found]}


def _span_fields(span: Span, lead: int) -> dict[str, object]:
    fields = {
        "start": max(span.start - lead, 0),
        "end": span.end - lead,
        "label": span.label,
        "score": round(span.score, 4),
        "sources": list(span.sources),
    }
    return fields | {"group": span.group} if span.group else fields


def _failed_row(failure: Failure) -> dict[str, object]:
    # Not an empty list: whoever cuts text by these spans must not take a failure for "no PHI".
    return {
        "id": failure.document_id,
        "spans": None,
        "error": f"{failure.error} ({failure.stage})",
    }


def _raw(content: Record | Failure | None) -> bytes | None:
    raw = content.raw if isinstance(content, Record | Unreadable) else None
    return raw() if callable(raw) else raw
