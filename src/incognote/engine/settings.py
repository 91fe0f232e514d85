"""How a run is done: the options of the command line and of the Python API, in one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.core.limits import Limits
from incognote.core.types import Detector
from incognote.engine.patients import KnownValues
from incognote.policy import Policy

if TYPE_CHECKING:
    from incognote.transform.vault.file import VaultWriter


USUAL_BATCH = 32


def ignore(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is done.

    `format` forces a format on every file. `quarantine` is a folder for the raw bytes of what
    fails. `vault` takes the map back of every document that is written. `view` knows the values of
    an anonymised view. With `resume`, files that an earlier run finished are passed over.
    `with_text` puts the texts into the rows of `detect`. `started` is called with the size of the
    input in bytes, `progress` with bytes read and documents written, `report` with each failure,
    `timed` with the seconds that stages took.

    `batch` is how many documents are processed at once (0: as many as the detectors like).

    Files are read in a process of their own, within `limits`. `isolate=False` reads them in this
    process, without limits. `threads` is how many threads a pipeline may use for its models (0:
    all cores, or one in each of several workers). `detectors` are ready-made ones beside those of
    the policy.
    """

    policy: Policy
    key: bytes | None = field(default=None, repr=False)
    workers: int = 1
    batch: int = 0
    threads: int = 0
    format: str = ""
    quarantine: Path | None = None
    vault: VaultWriter | None = None
    view: KnownValues | None = field(default=None, repr=False)
    resume: bool = False
    with_text: bool = False
    limits: Limits = field(default_factory=Limits)
    isolate: bool = True
    detectors: Mapping[str, Detector] = field(default_factory=dict)
    report: Callable[[str], None] = ignore
    started: Callable[[int], None] = ignore
    progress: Callable[[int, int], None] = ignore
    timed: Callable[[Mapping[str, float]], None] = ignore

    @property
    def batch_documents(self) -> int:
        return self.batch or USUAL_BATCH
