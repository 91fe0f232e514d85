"""The Policy: everything a data office decides, as one typed, printable, hashable value.

Each section is one dataclass; its fields are the keys of the TOML file, its docstring is what the
reference page prints. The loader refuses every key that is not a field here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from incognote.core.labels import all_labels

OFF = "off"
KEEP = "keep"


@dataclass(frozen=True, slots=True)
class DetectorRules:
    """One annotator of the ensemble.

    `use` names the component (default: the table's own name), so that one component can run twice
    with other options. `weight` is its say in a conflict, 0 (off) to 100; `weights` overrides it
    by label.
    """

    use: str = ""
    weight: int = 1
    weights: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def weight_for(self, label: str) -> int:
        return self.weights.get(label, self.weight)


@dataclass(frozen=True, slots=True)
class LabelRule:
    """What happens to a label: `off` (not looked for), `keep` (reported, left as it is), or the
    name of a transform with its options."""

    action: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrepareRules:
    """How a document becomes a view."""

    window: int = 100_000
    unwrap: bool = True
    languages: tuple[str, ...] = ("en",)


@dataclass(frozen=True, slots=True)
class ResolveRules:
    """How candidates become spans."""

    votes: Mapping[str, int] = field(default_factory=dict)
    repetitions: bool = True


@dataclass(frozen=True, slots=True)
class TransformRules:
    """How replacements stay consistent.

    `scope` is what shares surrogates: patient, document or corpus. Dates move by at least one and
    at most `max_shift_days` days, the same number for everything in a scope.
    """

    scope: str = "patient"
    max_shift_days: int = 365


@dataclass(frozen=True, slots=True)
class FormatRules:
    """Which parts of a file are text and what its fields hold."""

    text: tuple[str, ...] = ("text",)
    id: str = "id"
    patient: str = "patient_id"
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """A whole policy. `labels` has a rule for every label of the taxonomy."""

    name: str
    description: str = ""
    detectors: Mapping[str, DetectorRules] = field(default_factory=dict)
    labels: Mapping[str, LabelRule] = field(default_factory=dict)
    prepare: PrepareRules = field(default_factory=PrepareRules)
    resolve: ResolveRules = field(default_factory=ResolveRules)
    transform: TransformRules = field(default_factory=TransformRules)
    formats: FormatRules = field(default_factory=FormatRules)

    def rule(self, label: str) -> LabelRule:
        return self.labels.get(label, LabelRule(OFF))

    @property
    def wanted(self) -> frozenset[str]:
        """The labels this policy looks for."""
        return frozenset(name for name in all_labels() if self.rule(name).action != OFF)

    @property
    def hash(self) -> str:
        """Stamped on every output: the same hash means the same decisions."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]
