"""Foreign labels to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from incognote.core.errors import DetectError, PolicyError
from incognote.core.labels import SAFE, SCHEMES, all_labels, from_scheme


class LabelMap:
    """What another annotator's labels mean: the policy's `labels` first, then a known scheme.

    A label mapped to "" is not wanted. In a scheme where a label may mean several of ours, as
    PERSON may be a patient or a doctor, the typical one appears (`from_scheme`).
    """

    def __init__(self, scheme: str, labels: Mapping[str, str] | None, *, who: str) -> None:
        self._scheme = scheme
        self._who = who
        self._own = dict(labels or {})
        for foreign, own in self._own.items():
            if own and own not in all_labels() and own != SAFE:
                raise PolicyError(f"{who}: labels.{foreign}: no label named {own!r}")
        schemes = [scheme] if scheme in SCHEMES else []
        known = {own for s in schemes for own, row in all_labels().items() if row.aliases.get(s)}
        self.labels = frozenset(known | {own for own in self._own.values() if own})

    def __getitem__(self, foreign: str) -> str:
        """Our label; empty where it is not wanted or not known."""
        if foreign in self._own:
            return self._own[foreign]
        if self._scheme not in SCHEMES:
            return foreign if foreign in all_labels() else ""
        return next(iter(from_scheme(self._scheme, foreign)), "")

    def required(self, foreign: str) -> str:
        """Our label, or an error where no mapping says what a label means: dropping it in silence
        would pass for "nothing found"."""
        label = self[foreign]
        if not label and foreign not in self._own:
            raise DetectError(f"{self._who}: a label is not mapped; name it in `labels`")
        return label

    def missing(self, foreign: Iterable[str]) -> list[str]:
        """Labels without a mapping, not even one that says they are not wanted."""
        return sorted(name for name in foreign if name not in self._own and not self[name])
