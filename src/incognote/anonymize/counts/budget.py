"""The ledger of what differential privacy has cost: spent before anything is released, never given
back, and refused beyond the budget."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from incognote.core.errors import UsageError

_SLACK = 1e-9


class Ledger:
    """A JSON file: the budget, and one entry for each release. Costs add up (basic composition).
    ε and δ have a budget each; that of δ is 0 by default."""

    def __init__(
        self, path: Path, budget: float | None = None, budget_delta: float | None = None
    ) -> None:
        self.path = path
        self._budget, self._budget_delta = budget, budget_delta

    def spent(self) -> tuple[float, float]:
        """ε and δ of all releases so far."""
        entries = self._read()["spent"] if self.path.exists() else []
        return sum(each["epsilon"] for each in entries), sum(each["delta"] for each in entries)

    def spend(self, what: str, epsilon: float, delta: float = 0.0) -> None:
        """Writes an entry, or refuses. To be called before the release is written."""
        with self._locked():
            ledger = self._read() if self.path.exists() else self._new()
            self._refuse_beyond(ledger, "budget", self._budget, "epsilon", epsilon)
            self._refuse_beyond(ledger, "budget_delta", self._budget_delta, "delta", delta)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            ledger["spent"].append({"when": now, "what": what, "epsilon": epsilon, "delta": delta})
            self._write(ledger)

    def _refuse_beyond(
        self, ledger: dict[str, Any], name: str, given: float | None, cost: str, more: float
    ) -> None:
        budget = ledger[name]
        if given is not None and given != budget:
            raise UsageError(
                f"{self.path}: its budget of {cost} is {budget:g}, which is not changed"
            )
        used = sum(each[cost] for each in ledger["spent"])
        if used + more > budget * (1 + _SLACK):
            raise UsageError(
                f"{self.path}: {used:g} of {budget:g} of {cost} is spent; "
                f"{more:g} more is beyond the budget"
            )

    def _new(self) -> dict[str, Any]:
        if self._budget is None:
            raise UsageError(f"{self.path}: a new ledger needs a budget (--budget)")
        delta = self._budget_delta or 0.0
        if not 0 < self._budget < math.inf:
            raise UsageError("a budget must be above 0")
        if not 0 <= delta < 1:
            raise UsageError("a budget of delta must lie between 0 and 1")
        return {"budget": self._budget, "budget_delta": delta, "unit": "person", "spent": []}

    def _read(self) -> dict[str, Any]:
        try:
            ledger: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
            for each in ledger["spent"]:
                if not 0 <= each["epsilon"] < math.inf or not 0 <= each["delta"] < 1:
                    raise ValueError  # noqa: TRY301 - one message for every way to be wrong
            ledger.setdefault("budget_delta", 0.0)
            if not 0 < ledger["budget"] < math.inf or not 0 <= ledger["budget_delta"] < 1:
                raise ValueError  # noqa: TRY301
        except (ValueError, KeyError, TypeError):
            # What was spent is not known: nothing more may be.
            raise UsageError(f"{self.path}: not a ledger, or damaged") from None
        return ledger

    def _write(self, ledger: dict[str, Any]) -> None:
        partial = self.path.with_name(f".{self.path.name}.partial")
        with partial.open("w", encoding="utf-8") as file:
            json.dump(ledger, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Two releases at once must not both see the same rest."""
        with self.path.with_name(f".{self.path.name}.lock").open("w") as lock:
            _lock(lock)
            yield


def _lock(file: TextIO) -> None:
    """Waits for the lock of the file; closing it releases the lock."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX)
