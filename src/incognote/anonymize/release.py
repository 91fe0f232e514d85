"""What is written of a release beside its rows: how it was made, so that it can be checked, and
made again for new data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from incognote.anonymize.conditions import Conditions
from incognote.anonymize.full_domain import full_domain
from incognote.anonymize.hierarchy import Hierarchy
from incognote.anonymize.result import Anonymous
from incognote.anonymize.shipped import from_spec
from incognote.core.errors import UsageError

RELEASE = "release.json"


@dataclass(frozen=True, slots=True)
class Release:
    """The recipe and the utility of a release. It holds no value of a person: hierarchies are those
    that the user gave or that ship."""

    quasi: tuple[str, ...]
    sensitive: str | None
    conditions: Conditions
    recoding: str
    suppression: float
    levels: tuple[int, ...] = ()
    hierarchies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    utility: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        anonymous: Anonymous,
        sensitive: str | None,
        hierarchies: Mapping[str, Hierarchy],
        suppression: float = 0.0,
    ) -> Release:
        return cls(
            quasi=anonymous.quasi,
            sensitive=sensitive,
            conditions=anonymous.conditions,
            recoding=anonymous.recoding,
            suppression=suppression,
            levels=anonymous.levels,
            hierarchies={name: dict(each.spec) for name, each in hierarchies.items()},
            utility=anonymous.utility.as_dict(),
        )

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1, default=list) + "\n", "utf-8")
        path.chmod(0o600)

    @classmethod
    def read(cls, path: Path) -> Release:
        if path.is_dir():
            path = path / RELEASE
        try:
            table = json.loads(path.read_text("utf-8"))
            table.pop("key", None)  # version 0.1 wrote an empty one
            conditions = Conditions(**table.pop("conditions"))
            return cls(
                conditions=conditions,
                quasi=tuple(table.pop("quasi")),
                levels=tuple(table.pop("levels")),
                **table,
            )
        except FileNotFoundError:
            raise UsageError(f"{path}: no such release") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(f"{path}: not what `incognote anonymize` writes") from None

    def apply(self, data: Any) -> Anonymous:
        """The same levels for new data. What the hierarchies do not know, and classes that are too
        small for the limit of suppression, are errors: nothing is released unchecked."""
        if not self.levels:
            raise UsageError("only a release with global recoding can be applied to new data")
        hierarchies = {name: from_spec(name, spec) for name, spec in self.hierarchies.items()}
        return full_domain(
            data,
            self.quasi,
            hierarchies=hierarchies,
            conditions=self.conditions,
            sensitive=self.sensitive,
            suppression=self.suppression,
            levels=self.levels,
        )
