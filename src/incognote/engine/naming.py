"""What the outputs of a run are called, where the names of its inputs may be PHI."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from incognote.core.types import Document
from incognote.engine.patients import of_patient
from incognote.engine.places import Place
from incognote.engine.resume import EarlierRun
from incognote.engine.sources import Source, find_sources
from incognote.engine.stream import Item, Outcomes, Settings
from incognote.formats import known_suffixes
from incognote.formats.names import Renaming
from incognote.policy import KEEP, FormatRules


@dataclass(slots=True)
class Names:
    """The name of a source is settled with its first item and serves all its others.

    Where the user named the one output (`given`), there is nothing to settle.
    """

    renaming: Renaming | None = None
    given: str = ""
    rules: FormatRules = field(default_factory=FormatRules)
    _now: Source | None = field(default=None, init=False)

    @classmethod
    def of(
        cls,
        where: str,
        own: frozenset[Path],
        place: Place,
        settings: Settings,
        earlier: EarlierRun | None,
    ) -> Names:
        choice = settings.policy.formats.names
        if choice == KEEP or place.folder is None:
            return cls()
        if place.file is not None:
            return cls(given=place.file.name)
        root = Path(where)
        renaming = Renaming(choice, known_suffixes(), lambda name: (root / name).exists())
        if earlier:
            for source in find_sources(where, own):
                if name := earlier.name_of(source):
                    renaming.learn(source.name, name)
        return cls(renaming, rules=settings.policy.formats)

    def documents(self, source: Source, content: tuple[Document, ...]) -> tuple[Document, ...]:
        if self.renaming is None:
            return ()
        asked = self.renaming.documents(source.name, content)
        # A folder that has the patient's notes is called as the patient is there.
        return tuple(own for each in asked for own in of_patient([each], f"{each.id}/", self.rules))

    def settled(self, item: Item, outcomes: Outcomes) -> tuple[Item, Outcomes]:
        """The item under its new name, and the outcomes of its content alone."""
        if item.carried:
            return item, outcomes
        count = len(item.documents)
        old = item.source.name
        if self._now is None or self._now.name != old:
            new = self.given or old
            if self.renaming:
                new = self.renaming.settle(old, outcomes[count:])
            self._now = replace(item.source, alias=new if new != old else "")
        return replace(item, source=self._now), outcomes[:count]
