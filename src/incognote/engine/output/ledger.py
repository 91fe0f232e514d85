"""What a run says about itself: a summary, manifest.jsonl and quarantine.jsonl.

None of them holds clinical text. The raw bytes of what failed are kept only in a folder that the
user asked for.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Self

from incognote.core.types import Document, Failure, Result
from incognote.engine.output.files import AtomicFile
from incognote.engine.output.paths import MANIFEST, QUARANTINE
from incognote.engine.sources import Source
from incognote.policy import Policy


@dataclass(slots=True)
class Summary:
    """What a run did: how many documents, how many failures and why, how many spans of each label,
    how many of those the policy keeps, and how long it took.

    `seconds` are those of each stage, of all workers together; `elapsed` is the time that passed.
    """

    documents: int = 0
    characters: int = 0
    quarantined: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # "stage: error"
    carried: int = 0  # documents that an earlier run had finished
    labels: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    kept_fields: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    elapsed: float = 0.0

    def copy(self) -> Summary:
        return replace(
            self,
            labels=self.labels.copy(),
            kept=self.kept.copy(),
            reasons=self.reasons.copy(),
            seconds=self.seconds.copy(),
        )

    @property
    def characters_a_second(self) -> float:
        return self.characters / self.elapsed if self.elapsed else 0.0

    def to_dict(self) -> dict[str, object]:
        """As JSON has it: numbers and names of stages, labels and errors; no text, no ids."""
        return {
            "documents": self.documents,
            "characters": self.characters,
            "finished_earlier": self.carried,
            "spans": dict(sorted(self.labels.items())),
            "quarantined": self.quarantined,
            "quarantined_by_reason": dict(sorted(self.reasons.items())),
            "kept": dict(sorted(self.kept.items())),
            "kept_fields": list(self.kept_fields),
            "elapsed_seconds": round(self.elapsed, 3),
            "characters_a_second": round(self.characters_a_second),
            "seconds_by_stage": {name: round(spent, 3) for name, spent in self.seconds.items()},
        }


# What a row of the manifest says became of a document or, last, of its file.
DONE, QUARANTINED, WRITTEN = "done", "quarantined", "written"


class Manifest:
    """One row for each document, and one for each file that was written: what became of it, and
    hashes that prove it later."""

    def __init__(self, folder: Path, policy: Policy, key: bytes) -> None:
        self.file = AtomicFile(folder / MANIFEST)
        self._kept = policy.kept
        self._kept_fields = list(policy.kept_fields)
        self._key = key
        tag = hmac.new(key, b"the key of a manifest", "sha256").hexdigest()[:16]
        # Same policy, same key: the outputs belong together.
        self.stamp = {"policy": policy.hash, "key": tag}

    def done(self, source: Source, document_id: str, results: Sequence[Result]) -> None:
        labels = Counter(span.label for result in results for span in result.spans)
        output = hashlib.sha256()
        for result in results:
            output.update(_bytes(result.text or ""))
        self._write(
            document_id,
            source,
            status=DONE,
            labels=dict(sorted(labels.items())),
            **_kept(labels, self._kept),
            **({"kept_fields": self._kept_fields} if self._kept_fields else {}),
            input=self._tag(result.document for result in results),
            output=f"sha256:{output.hexdigest()}",
        )

    def refused(
        self, source: Source, document_id: str, documents: Sequence[Document], failure: Failure
    ) -> None:
        facts = {"input": self._tag(documents)} if documents else {}
        why = {"stage": failure.stage, "error": failure.error}
        self._write(document_id, source, status=QUARANTINED, **why, **facts)

    def written(self, source: Source, documents: int, sha256: str) -> None:
        """A file is whole and in its place. `documents` are its rows in this manifest."""
        tag = self.file_tag(source)
        facts: dict[str, object] = {"input": tag} if tag else {}
        facts |= {"documents": documents, "output": f"sha256:{sha256}"}
        self._write(source.name, source, status=WRITTEN, **facts)

    def file_tag(self, source: Source) -> str | None:
        """A keyed hash of the bytes of an input; None if they cannot be read again."""
        if source.path is None or not source.path.is_file():
            return None
        tag = hmac.new(self._key, b"file:", "sha256")
        try:
            with source.path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    tag.update(block)
        except OSError:
            return None
        return f"hmac-sha256:{tag.hexdigest()}"

    def _tag(self, documents: Iterable[Document]) -> str:
        # Keyed, because a plain hash of a short text can be found by trying.
        tag = hmac.new(self._key, digestmod="sha256")
        for document in documents:
            tag.update(_bytes(document.text))
        return f"hmac-sha256:{tag.hexdigest()}"

    def name_tag(self, name: str) -> str:
        """A keyed hash of the old name of a file: with key and name, it can be recognised."""
        return f"hmac-sha256:{hmac.new(self._key, b'name:' + _bytes(name), 'sha256').hexdigest()}"

    def _write(self, document_id: str, source: Source, **facts: object) -> None:
        old = {"source": self.name_tag(source.name)} if source.alias else {}
        row = {"id": source.with_new_name(document_id), "file": source.new_name, **old, **facts}
        self.file.write(json_line({**row, **self.stamp}))


class Quarantine:
    """A row for each failure and, where the user asked for it, the raw bytes beside the list."""

    def __init__(self, folder: Path, *, keep_raw: bool) -> None:
        self.file = AtomicFile(folder / QUARANTINE)
        self._folder = folder
        self._keep_raw = keep_raw
        self._count = 0
        self._copied: tuple[Source, str] | None = None

    def add(self, source: Source, failure: Failure, message: str, raw: bytes | None) -> None:
        self._count += 1
        # Where the raw bytes lie, the old name does no harm; beside the outputs it would.
        called = replace(source, alias="") if self._keep_raw else source
        row: dict[str, object] = {
            "id": called.with_new_name(failure.document_id),
            "file": called.new_name,
            "stage": failure.stage,
            "error": failure.error,
            "message": called.with_new_name(message),
        }
        if self._keep_raw:
            row["raw"] = self._save(source, raw)
        self.file.write(json_line(row))

    def commit(self) -> None:
        if self.file.tell():
            self.file.commit()
        else:
            # A list left by an earlier run would accuse this one.
            self.file.path.unlink(missing_ok=True)

    def _save(self, source: Source, raw: bytes | None) -> str | None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{self._count:06d}{Path(source.name).suffix[:20]}"
        if raw is not None:
            (self._folder / name).write_bytes(raw)
            return name
        if source.path is None or not source.path.is_file():
            return None  # a stream cannot be read twice, a pipe or a lost link not at all
        if self._copied is None or self._copied[0] != source:
            try:
                shutil.copyfile(source.path, self._folder / name)
            except OSError:
                return None  # what cannot be read cannot be kept
            self._copied = source, name
        return self._copied[1]  # one copy of a file serves all that failed in it


class Ledger:
    """Keeps the books of one run, and closes them however the run ends.

    After an error or Ctrl-C, the rows of files that were finished (`checkpoint`) stay; those of the
    file under way leave no trace, as the file itself.
    """

    def __init__(
        self,
        manifest: Manifest | None,
        quarantine: Quarantine | None,
        report: Callable[[str], None],
        policy: Policy | None = None,
    ) -> None:
        """`policy` says what is kept on purpose, where anything is written at all."""
        self.summary = Summary(kept_fields=policy.kept_fields if policy else ())
        self._kept = policy.kept if policy else frozenset()
        self._manifest = manifest
        self._quarantine = quarantine
        self._report = report
        self._files = [book.file for book in (manifest, quarantine) if book]
        self._finished = [0 for _ in self._files]
        self._counted = Summary()

    def done(self, source: Source, results: Sequence[Result]) -> None:
        """A record was written. What shares an id, as the fields of one row do, counts once."""
        for document_id, group in groupby(results, lambda result: result.document.id):
            same = list(group)
            self.summary.documents += 1
            self.summary.characters += sum(len(result.document.text) for result in same)
            for result in same:
                labels = [span.label for span in result.spans]
                self.summary.labels.update(labels)
                self.summary.kept.update(label for label in labels if label in self._kept)
            if self._manifest:
                self._manifest.done(source, document_id, same)

    def refused(
        self,
        source: Source,
        failure: Failure,
        raw: bytes | None = None,
        documents: Sequence[Document] = (),
    ) -> None:
        """A record of these documents goes to quarantine; none of them was written."""
        message = failure.message or failure.error
        if documents:  # a reader's own failures name their place already
            message = f"{documents[0].locator}: {message}"
        self._report(f"{message} ({failure.stage})")
        if self._quarantine:
            self._quarantine.add(source, failure, message, raw)
        groups = [(key, list(group)) for key, group in groupby(documents, lambda each: each.id)]
        for document_id, same in groups or [(failure.document_id, [])]:
            self.summary.documents += 1
            self.summary.characters += sum(len(document.text) for document in same)
            self.summary.quarantined += 1
            self.summary.reasons[f"{failure.stage}: {failure.error}"] += 1
            if self._manifest:
                self._manifest.refused(source, document_id, same, failure)

    def carry(self, rows: bytes) -> None:
        """A file that an earlier run finished: its rows are taken over, the last is the file's."""
        assert self._manifest
        self._manifest.file.write(rows)
        self.summary.carried += rows.count(b"\n") - 1

    def written(self, source: Source, sha256: str) -> None:
        """A file is in its place."""
        if self._manifest:
            self._manifest.written(source, self.summary.documents - self._counted.documents, sha256)

    def checkpoint(self) -> None:
        """A file is finished: its rows stay, whatever comes."""
        for file in self._files:
            file.flush()
        self._finished = [file.tell() for file in self._files]
        self._counted = self.summary.copy()

    def refused_whole(self, source: Source, failure: Failure) -> None:
        """The file under way goes to quarantine; what was said of its parts is taken back."""
        for file, end in zip(self._files, self._finished, strict=True):
            file.rewind(end)
        self.summary = self._counted.copy()
        self.refused(source, failure)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None or any(self._finished):
                for file, end in zip(self._files, self._finished, strict=True):
                    if kind is not None:
                        file.rewind(end)
                if self._manifest:
                    self._manifest.file.commit()
                if self._quarantine:
                    self._quarantine.commit()
        finally:
            for file in self._files:
                file.discard()


def _kept(labels: Counter[str], kept: frozenset[str]) -> dict[str, object]:
    """What stays in the output as it was, because the policy says so."""
    found = {label: count for label, count in sorted(labels.items()) if label in kept}
    return {"kept": found} if found else {}


def json_line(row: Mapping[str, object]) -> bytes:
    return json.dumps(row).encode("ascii") + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
