"""One step of training after another: how far a run is, how fast it learns, what it averages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from incognote.learn.network.checkpoint import Average


def mixed_precision(device: str) -> Any:
    """Matrix products in bfloat16, where the device has instructions for it. A processor that has
    none would train three times slower that way."""
    import torch

    has = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    fast = device == "cuda" or any(has.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.autocast(device, torch.bfloat16, enabled=fast)


class Schedule:
    """How far a run is: by its epochs, or by its minutes where those end first."""

    def __init__(self, epochs: int, minutes: float | None) -> None:
        self._epochs = epochs
        self._minutes = minutes
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def done(self, epochs: float) -> float:
        """The share that is done after so many epochs, the one under way counted in part."""
        done = epochs / self._epochs
        return max(done, self.seconds / 60 / self._minutes) if self._minutes else done

    @property
    def is_out_of_time(self) -> bool:
        return bool(self._minutes) and self.done(0) >= 1


class Steps:
    """Moves weights along their gradients, each group at its own rate, and averages them."""

    def __init__(
        self, groups: Sequence[tuple[Sequence[Any], float]], decay: float, averaging: float
    ) -> None:
        import torch

        self._rates = [rate for _, rate in groups]
        self._weights = [weight for weights, _ in groups for weight in weights]
        self._optimizer = torch.optim.AdamW(
            [{"params": weights, "lr": rate} for weights, rate in groups],
            weight_decay=decay,
            foreach=True,
        )
        self.average = Average(self._weights, averaging)

    def take(self, factor: float) -> None:
        """One step, at this share of the full rates."""
        import torch

        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * factor
        torch.nn.utils.clip_grad_norm_(self._weights, 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.average.follow()
