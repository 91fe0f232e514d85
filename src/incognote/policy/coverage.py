"""Who finds each label and what becomes of it; where a policy would let identifiers pass.

A policy that detects nothing copies every note. So does, for one label, a policy that keeps it or
that names no detector for it. `deid` refuses both, unless the rule of the label says `because`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from incognote.core.labels import all_labels
from incognote.policy.model import KEEP, OFF, DetectorRules, Policy

# A detector that a program hands in, and the policy does not name.
_UNWEIGHED = DetectorRules()


@dataclass(frozen=True, slots=True)
class Coverage:
    """One label under a policy. `gap` is why `deid` refuses it; empty if all is well."""

    label: str
    finders: tuple[str, ...]
    action: str
    because: str = ""
    gap: str = ""


def coverage(policy: Policy, finds: Mapping[str, frozenset[str]]) -> tuple[Coverage, ...]:
    """Every label of the taxonomy. `finds` are the labels of each detector that runs."""
    rows = []
    for label in all_labels():
        rule = policy.rule(label)
        finders = tuple(
            name
            for name, labels in finds.items()
            if label in labels and policy.detectors.get(name, _UNWEIGHED).weight_for(label) > 0
        )
        gap = "" if rule.because else _gap(label, policy, finders)
        rows.append(Coverage(label, finders, rule.action, rule.because, gap))
    return tuple(rows)


def _gap(label: str, policy: Policy, finders: tuple[str, ...]) -> str:
    row, action = all_labels()[label], policy.rule(label).action
    if action in (KEEP, OFF):
        if row.direct and not row.optional:
            what = "kept" if action == KEEP else "not looked for"
            return f"a direct identifier, {what}, and the policy does not say why"
        return ""
    needed = policy.resolve.votes.get(label, 1)
    if not finders:
        return f"no detector finds it, so {action!r} never happens"
    if len(finders) < needed:
        return f"needs {needed} votes and only {len(finders)} can be cast"
    return ""
