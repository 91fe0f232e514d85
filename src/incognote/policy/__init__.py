"""What a data office decides: the Policy model, its loader and the presets."""

from incognote.policy.explain import explain_policy
from incognote.policy.load import DEFAULT, load_policy, policy_from, presets, typed_options
from incognote.policy.model import (
    DROP,
    KEEP,
    OFF,
    TEXT,
    ConnectRule,
    DetectorRules,
    FormatRules,
    LabelRule,
    NeverRule,
    Policy,
    PrepareRules,
    ResolveRules,
    SpeechRules,
    TransformRules,
)

__all__ = [
    "DEFAULT",
    "DROP",
    "KEEP",
    "OFF",
    "TEXT",
    "ConnectRule",
    "DetectorRules",
    "FormatRules",
    "LabelRule",
    "NeverRule",
    "Policy",
    "PrepareRules",
    "ResolveRules",
    "SpeechRules",
    "TransformRules",
    "explain_policy",
    "load_policy",
    "policy_from",
    "presets",
    "typed_options",
]
