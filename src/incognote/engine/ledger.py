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
from incognote.engine.files import AtomicFile
from incognote.engine.sources import Source

MANIFEST = "manifest.jsonl"
QUARANTINE = "quarantine.jsonl"


@dataclass(slots=True)
class Summary:
    """What a run did: how many documents, how many failures, how many spans of each label."""

    documents: int = 0
    quarantined: int = 0
    carried: int = 0  # documents that an earlier run had finished
    labels: Counter[str] = field(default_factory=Counter)


class Manifest:
    """One row for each document: what became of it, and hashes that prove it later."""

    def __init__(self, folder: Path, policy_hash: str, key: bytes) -> None:
        self.file = AtomicFile(folder / MANIFEST)
        self._key = key
        tag = hmac.new(key, b"the key of a manifest", "sha256").hexdigest()[:16]
        # Same policy, same key: the outputs belong together.
        self.stamp = {"policy": policy_hash, "key": tag}

    def done(self, source: Source, document_id: str, results: Sequence[Result]) -> None:
        labels = Counter(span.label for result in results for span in result.spans)
        output = hashlib.sha256()
        for result in results:
            output.update(_bytes(result.text or ""))
        self._write(
            document_id,
            source,
            status="done",
            labels=dict(sorted(labels.items())),
            input=self._tag(result.document for result in results),
            output=f"sha256:{output.hexdigest()}",
        )

    def refused(
        self, source: Source, document_id: str, documents: Sequence[Document], failure: Failure
    ) -> None:
        facts = {"input": self._tag(documents)} if documents else {}
        why = {"stage": failure.stage, "error": failure.error}
        self._write(document_id, source, status="quarantined", **why, **facts)

    def _tag(self, documents: Iterable[Document]) -> str:
        # Keyed, because a plain hash of a short text can be found by trying.
        tag = hmac.new(self._key, digestmod="sha256")
        for document in documents:
            tag.update(_bytes(document.text))
        return f"hmac-sha256:{tag.hexdigest()}"

    def name_tag(self, name: str) -> str:
        """What stands for the old name of a file: whoever has the key and the name can tell."""
        return f"hmac-sha256:{hmac.new(self._key, b'name:' + _bytes(name), 'sha256').hexdigest()}"

    def _write(self, document_id: str, source: Source, **facts: object) -> None:
        old = {"source": self.name_tag(source.name)} if source.alias else {}
        row = {"id": source.told(document_id), "file": source.new_name, **old, **facts}
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
            "id": called.told(failure.document_id),
            "file": called.new_name,
            "stage": failure.stage,
            "error": failure.error,
            "message": called.told(message),
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
        name = f"{self._count:06d}{Path(source.name).suffix}"
        if raw is not None:
            (self._folder / name).write_bytes(raw)
            return name
        if source.path is None:
            return None  # a stream cannot be read twice
        if self._copied is None or self._copied[0] != source:
            shutil.copyfile(source.path, self._folder / name)
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
    ) -> None:
        self.summary = Summary()
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
            for result in same:
                self.summary.labels.update(span.label for span in result.spans)
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
            self.summary.quarantined += 1
            if self._manifest:
                self._manifest.refused(source, document_id, same, failure)

    def carry(self, rows: bytes) -> None:
        """A file that an earlier run finished: its rows are taken over."""
        assert self._manifest
        self._manifest.file.write(rows)
        self.summary.carried += rows.count(b"\n")

    def checkpoint(self) -> None:
        """A file is finished: its rows stay, whatever comes."""
        for file in self._files:
            file.flush()
        self._finished = [file.tell() for file in self._files]
        self._counted = replace(self.summary, labels=self.summary.labels.copy())

    def refused_whole(self, source: Source, failure: Failure) -> None:
        """The file under way goes to quarantine; what was said of its parts is taken back."""
        for file, end in zip(self._files, self._finished, strict=True):
            file.rewind(end)
        self.summary = replace(self._counted, labels=self._counted.labels.copy())
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


def json_line(row: Mapping[str, object]) -> bytes:
    return json.dumps(row).encode("ascii") + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
