"""What a policy chooses of a learned detector: how much to report, and what to call harmless."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incognote.core.errors import UsageError
from incognote.core.labels import SAFE
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.tagging import Decoder


@dataclass(frozen=True, slots=True)
class Settings:
    """Two operating points of a model.

    It reports what `sensitivity` asks for. What it would not report even at `safe`, it claims to be
    no PHI; how far that counts against other detectors is for the weights of the policy to say.
    """

    folder: ModelFolder
    sensitivity: float
    safe: float | None = None

    def __post_init__(self) -> None:
        self.folder.point(self.sensitivity)
        if self.safe is not None:
            if self.safe < self.sensitivity:
                raise UsageError(
                    f"model {self.folder.name}: safe = {self.safe:g} is below sensitivity = "
                    f"{self.sensitivity:g}: the same words would be PHI and harmless"
                )
            self.folder.point(self.safe)

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(self.folder.labels) | (set() if self.safe is None else {SAFE})

    def anchors(self) -> NDArray[np.float32]:
        """For each label the certainties that decide: nothing, harmless, reported, and all."""
        reported = self.folder.point(self.sensitivity).thresholds
        harmless = reported if self.safe is None else self.folder.point(self.safe).thresholds
        rows = [
            (0.0, min(harmless[label], reported[label]), reported[label], 1.0)
            for label in self.folder.labels
        ]
        return np.array(rows, np.float32)

    def decoder(self, source: str) -> Decoder:
        safe = None if self.safe is None else self.folder.point(self.safe).thresholds
        thresholds = self.folder.point(self.sensitivity).thresholds
        return Decoder(self.folder.labels, thresholds, source, safe, self.folder.languages)
