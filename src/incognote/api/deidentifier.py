"""The public class: text in, result out; an iterable in, a stream of results out; a table in, a
table out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

from incognote.api.notes import Note, as_document, refuse_what_is_no_notes
from incognote.api.tables import TableResult, rewrite_table
from incognote.core.errors import DocumentError
from incognote.core.keys import surrogate_key
from incognote.core.types import Detector, Document, Failure, Result
from incognote.detect.adapters.function import Find, as_detector
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy

_BATCH = 32

PolicyLike = str | Path | Policy | Mapping[str, Any]
DetectorLike = Detector | Callable[[str], Iterable[Find]]


class Deidentifier:
    """Finds PHI and replaces it, as a policy says.

        deidentifier = incognote.Deidentifier(policy="hipaa-safe-harbor", key=b"...")
        deidentifier.deid("Seen by Dr. Smith.").text

    One note gives one Result, or raises a DocumentError. An iterable of notes is streamed and gives
    a Result or a Failure for each, in order. A key has at least 16 bytes; without one, surrogates
    are consistent within this object only.

    `policy` is a preset, a file, a `Policy` or a dict as the TOML file has it. `detectors` adds own
    ones by name: a `Detector`, or a function that takes a text and returns (start, end, label) or
    (start, end, label, score) for each find. `threads` bounds the threads that models use.
    """

    def __init__(
        self,
        policy: PolicyLike = DEFAULT,
        key: bytes | str | None = None,
        *,
        detectors: Mapping[str, DetectorLike] | None = None,
        threads: int = 0,
    ) -> None:
        if isinstance(key, str):
            key = key.encode()
        secret = None if key is None else surrogate_key(key, "key")
        own = {name: as_detector(name, each) for name, each in (detectors or {}).items()}
        self._pipeline = Pipeline(load_policy(policy), secret, threads=threads, detectors=own)

    @property
    def policy(self) -> Policy:
        return self._pipeline.policy

    # A str is also an iterable of str; the first overload is the one that is meant.
    @overload
    def detect(self, notes: Note) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def detect(self, notes: Iterable[Note | None]) -> Iterator[Result | Failure]: ...
    def detect(self, notes: Note | Iterable[Note | None]) -> Result | Iterator[Result | Failure]:
        """Where PHI appears: `Result.spans`."""
        return self._run("detect", notes)

    @overload
    def deid(self, notes: Note) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def deid(self, notes: Iterable[Note | None]) -> Iterator[Result | Failure]: ...
    def deid(self, notes: Note | Iterable[Note | None]) -> Result | Iterator[Result | Failure]:
        """The note without its PHI: `Result.text`."""
        return self._run("deid", notes)

    def deid_table(
        self,
        table: Any,
        *,
        text: str | Sequence[str] | None = None,
        id: str | None = None,  # noqa: A002 - as the policy and the command line call it
        patient: str | None = None,
    ) -> TableResult:
        """A pandas or Polars data frame or an Arrow table with its PHI replaced, of the same kind.

        Columns are treated as those of a file: `text` are read, others are masked, kept or read as
        their names and values say. Rows that fail are left out and listed in `failures`.
        """
        texts = (text,) if isinstance(text, str) else tuple(text) if text else None
        given = {"text": texts, "id": id, "patient": patient}
        fields = {name: value for name, value in given.items() if value is not None}
        return rewrite_table(table, self._pipeline, fields)

    def _run(
        self, verb: str, notes: Note | Iterable[Note | None]
    ) -> Result | Iterator[Result | Failure]:
        if verb == "deid":
            self._pipeline.transformer  # noqa: B018 - a policy that is refused is refused now
        refuse_what_is_no_notes(notes)
        if not isinstance(notes, str | Document):
            return self._stream(verb, notes)
        (outcome,) = self._batch(verb, [as_document(notes, 0)])
        if isinstance(outcome, Failure):
            raise DocumentError(f"{outcome.stage}: {outcome.message or outcome.error}")
        return outcome

    def _stream(self, verb: str, notes: Iterable[Note | None]) -> Iterator[Result | Failure]:
        documents = (as_document(note, number) for number, note in enumerate(notes))
        while batch := list(islice(documents, _BATCH)):
            yield from self._batch(verb, batch)

    def _batch(self, verb: str, batch: Sequence[Document | Failure]) -> list[Result | Failure]:
        run = self._pipeline.deid if verb == "deid" else self._pipeline.detect
        outcomes = iter(run([each for each in batch if isinstance(each, Document)]))
        return [each if isinstance(each, Failure) else next(outcomes) for each in batch]
