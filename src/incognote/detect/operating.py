"""What a policy chooses of a learned detector: how much to report, and what to call harmless."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.core.errors import UsageError
from incognote.core.labels import SAFE
from incognote.detect.model_folder import ModelFolder
from incognote.detect.tagging import Decoder


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

    def decoder(self, source: str) -> Decoder:
        safe = None if self.safe is None else self.folder.point(self.safe).thresholds
        thresholds = self.folder.point(self.sensitivity).thresholds
        return Decoder(self.folder.labels, thresholds, source, safe)
