"""What the outputs of a run are called, where the names of its inputs may be PHI."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from incognote.core.types import Document, Failure, Result
from incognote.engine.output.paths import OutputPlace
from incognote.engine.output.resume import EarlierRun
from incognote.engine.patients import with_patient_from_path
from incognote.engine.sources import Source
from incognote.formats import known_suffixes
from incognote.formats.file_names import Renaming
from incognote.policy import KEEP, FormatRules, Policy


@dataclass(slots=True)
class FileNaming:
    """The name of a file is settled when it starts, and serves all its records.

    Where the user named the one output (`given`), there is nothing to settle.
    """

    renaming: Renaming | None = None
    given: str = ""
    rules: FormatRules = field(default_factory=FormatRules)
    _settled: Source | None = field(default=None, init=False)

    @classmethod
    def of(
        cls,
        sources: Iterable[Source],
        root: Path,
        place: OutputPlace,
        policy: Policy,
        earlier: EarlierRun | None,
    ) -> FileNaming:
        choice = policy.formats.names
        if choice == KEEP or place.folder is None:
            return cls()
        if place.file is not None:
            return cls(given=place.file.name)
        renaming = Renaming(choice, known_suffixes(), lambda name: (root / name).exists())
        if earlier:
            for source in sources:
                if name := earlier.name_of(source):
                    renaming.learn(source.name, name)
        return cls(renaming, rules=policy.formats)

    def documents(self, source: Source, content: tuple[Document, ...]) -> tuple[Document, ...]:
        """The documents of a file's name; `content` are those of its first record."""
        if self.renaming is None:
            return ()
        asked = self.renaming.documents(source.name, content)
        # A folder that has the patient's notes is called as the patient is there.
        return tuple(
            own
            for each in asked
            for own in with_patient_from_path([each], f"{each.id}/", self.rules)
        )

    def settle(self, source: Source, outcomes: list[Result | Failure]) -> None:
        """A file starts: its name is decided by the outcomes of the documents of its name."""
        new = self.given or source.name
        if self.renaming:
            new = self.renaming.settle(source.name, outcomes)
        self._settled = replace(source, alias=new if new != source.name else "")

    def named(self, source: Source) -> Source:
        """The source with the name of its output; `settle` was called for it last."""
        assert self._settled is not None
        assert self._settled.name == source.name
        return self._settled
