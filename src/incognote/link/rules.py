"""What a policy lets linking do."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.core.labels import all_labels
from incognote.policy import Policy


@dataclass(frozen=True, slots=True)
class LinkRules:
    """`labels` are those that are not switched off: linking gives no others. `repetitions` are
    looked for, or not, as everywhere. `bare_names` are looked for where some detector finds names
    in any text: who runs none of these wants no names found."""

    labels: frozenset[str]
    repetitions: bool = True
    bare_names: bool = True

    @classmethod
    def of(cls, policy: Policy, *, finds_names: bool) -> LinkRules:
        return cls(policy.wanted, policy.resolve.repetitions, finds_names)


EVERYTHING = LinkRules(frozenset(all_labels()))
