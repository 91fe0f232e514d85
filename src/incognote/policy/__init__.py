"""What a data office decides: the Policy model, its loader and the presets."""

from incognote.policy.load import DEFAULT, load_policy, policy_from, presets
from incognote.policy.model import (
    KEEP,
    OFF,
    DetectorRules,
    FormatRules,
    LabelRule,
    Policy,
    PrepareRules,
    ResolveRules,
    TransformRules,
)

__all__ = [
    "DEFAULT",
    "KEEP",
    "OFF",
    "DetectorRules",
    "FormatRules",
    "LabelRule",
    "Policy",
    "PrepareRules",
    "ResolveRules",
    "TransformRules",
    "load_policy",
    "policy_from",
    "presets",
]
