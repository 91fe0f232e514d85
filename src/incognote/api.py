"""The public class: text in, result out; an iterable in, a stream of results out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import overload

from incognote.core.errors import DocumentError
from incognote.core.keys import usable_key
from incognote.core.types import Document, Failure, Result
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy

Note = str | Document
_BATCH = 32


class Deidentifier:
    """Finds PHI and replaces it, as a policy says.

        deidentifier = incognote.Deidentifier(policy="hipaa-safe-harbor", key=b"...")
        deidentifier.deid("Seen by Dr. Smith.").text

    One note gives one Result, or raises a DocumentError. An iterable of notes is streamed and gives
    a Result or a Failure for each, in order. A key has at least 16 bytes; without one, surrogates
    are consistent within this object only.
    """

    def __init__(
        self, policy: str | Path | Policy = DEFAULT, key: bytes | str | None = None
    ) -> None:
        if isinstance(key, str):
            key = key.encode()
        secret = None if key is None else usable_key(key, "key")
        self._pipeline = Pipeline(load_policy(policy), secret)

    @property
    def policy(self) -> Policy:
        return self._pipeline.policy

    # A str is also an iterable of str; the first overload is the one that is meant.
    @overload
    def detect(self, notes: Note) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def detect(self, notes: Iterable[Note]) -> Iterator[Result | Failure]: ...
    def detect(self, notes: Note | Iterable[Note]) -> Result | Iterator[Result | Failure]:
        """Where PHI stands: `Result.spans`."""
        return self._run("detect", notes)

    @overload
    def deid(self, notes: Note) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def deid(self, notes: Iterable[Note]) -> Iterator[Result | Failure]: ...
    def deid(self, notes: Note | Iterable[Note]) -> Result | Iterator[Result | Failure]:
        """The note without its PHI: `Result.text`."""
        return self._run("deid", notes)

    def _run(self, verb: str, notes: Note | Iterable[Note]) -> Result | Iterator[Result | Failure]:
        if not isinstance(notes, str | Document):
            return self._stream(verb, notes)
        (outcome,) = self._batch(verb, [_document(notes, 0)])
        if isinstance(outcome, Failure):
            raise DocumentError(f"{outcome.stage}: {outcome.message or outcome.error}")
        return outcome

    def _stream(self, verb: str, notes: Iterable[Note]) -> Iterator[Result | Failure]:
        documents = (_document(note, number) for number, note in enumerate(notes))
        while batch := list(islice(documents, _BATCH)):
            yield from self._batch(verb, batch)

    def _batch(self, verb: str, documents: Sequence[Document]) -> list[Result | Failure]:
        run = self._pipeline.deid if verb == "deid" else self._pipeline.detect
        return run(documents)


def _document(note: Note, number: int) -> Document:
    return note if isinstance(note, Document) else Document(str(number), note)
