"""The ledger of what differential privacy has cost: spent before anything is released, never given
back, and refused beyond the budget."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from incognote.core.errors import UsageError

_SLACK = 1e-9


class Ledger:
    """A JSON file: the budget, and one entry for each release. Costs add up (basic composition)."""

    def __init__(self, path: Path, budget: float | None = None) -> None:
        self.path = path
        self._budget = budget

    def spent(self) -> tuple[float, float]:
        """ε and δ of all releases so far."""
        entries = self._read()["spent"] if self.path.exists() else []
        return sum(each["epsilon"] for each in entries), sum(each["delta"] for each in entries)

    def spend(self, what: str, epsilon: float, delta: float = 0.0) -> None:
        """Writes an entry, or refuses. To be called before the release is written."""
        with self._locked():
            ledger = self._read() if self.path.exists() else self._new()
            if self._budget is not None and ledger["budget"] != self._budget:
                raise UsageError(
                    f"{self.path}: its budget is {ledger['budget']:g}, which is not changed"
                )
            used = sum(each["epsilon"] for each in ledger["spent"])
            if used + epsilon > ledger["budget"] * (1 + _SLACK):
                raise UsageError(
                    f"{self.path}: {used:g} of {ledger['budget']:g} is spent; "
                    f"{epsilon:g} more is beyond the budget"
                )
            now = datetime.now(UTC).isoformat(timespec="seconds")
            ledger["spent"].append({"when": now, "what": what, "epsilon": epsilon, "delta": delta})
            self._write(ledger)

    def _new(self) -> dict[str, Any]:
        if self._budget is None:
            raise UsageError(f"{self.path}: a new ledger needs a budget (--budget)")
        if self._budget <= 0:
            raise UsageError("a budget must be above 0")
        return {"budget": self._budget, "unit": "person", "spent": []}

    def _read(self) -> dict[str, Any]:
        try:
            ledger: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
            for each in ledger["spent"]:
                if not each["epsilon"] >= 0 or not each["delta"] >= 0:
                    raise ValueError  # noqa: TRY301 - one message for every way to be wrong
            if not ledger["budget"] > 0:
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
    """Waits until nobody else has the file locked; closing it lets the next one in."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX)
