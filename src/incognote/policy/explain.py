"""A policy in words: one sentence for each label."""

from __future__ import annotations

from incognote.core.errors import PolicyError, UsageError
from incognote.core.labels import all_labels
from incognote.core.registry import load
from incognote.policy.load import typed_options
from incognote.policy.model import KEEP, OFF, LabelRule, Policy


def explain_policy(policy: Policy) -> dict[str, str]:
    """What happens to each label, by label, as its transform explains it."""
    return {
        label: f"{row.description}: {_explain(label, policy.rule(label))}."
        for label, row in all_labels().items()
    }


def _explain(label: str, rule: LabelRule) -> str:
    if rule.action == OFF:
        return "not looked for"
    if rule.action == KEEP:
        return "reported, and left as it is"
    path = f"labels.{label}"
    try:
        kind = load("transform", rule.action)
    except UsageError as error:
        raise PolicyError(f"{path}.action: {error}") from None
    transform = typed_options(kind, {**rule.options, "label": label}, path)
    return str(transform.explain())
