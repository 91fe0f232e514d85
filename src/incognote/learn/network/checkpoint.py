"""What neural training keeps: a running average of the weights, and the best epoch in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError

_STATE, _WEIGHTS = "state.json", "weights.safetensors"


class Average:
    """The running average of a network's weights, which is steadier than those of any one step."""

    def __init__(self, parameters: Sequence[Any], decay: float) -> None:
        self._parameters = parameters
        self._decay = decay
        self._average = [p.detach().clone() for p in parameters]
        self._steps = 0

    def follow(self) -> None:
        """Takes in the weights after a step; the first steps count for more."""
        import torch

        self._steps += 1
        weight = 1 - min(self._decay, (1 + self._steps) / (10 + self._steps))
        with torch.no_grad():
            torch._foreach_lerp_(self._average, self._parameters, weight)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network has the averaged weights inside, its own again behind."""
        kept = [p.detach().clone() for p in self._parameters]
        self._assign(self._average)
        try:
            yield
        finally:
            self._assign(kept)

    def _assign(self, values: Sequence[Any]) -> None:
        for parameter, value in zip(self._parameters, values, strict=True):
            parameter.data.copy_(value)


class Best:
    """The epoch with the least error so far; only its weights lie in the folder."""

    def __init__(self, out: Path, patience: int, error: float = float("inf")) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self._out = out
        self._patience = patience
        self._error = error
        self._stale = 0

    def offer(self, model: Any, error: float, **facts: Any) -> None:
        """Keeps the model and what is known of it unless an earlier one was better."""
        from safetensors.torch import save_file

        self._stale = 0 if error < self._error else self._stale + 1
        if error > self._error:
            return
        self._error = error
        # Copies, because safetensors refuses weights that share their memory.
        weights = {name: w.cpu().contiguous().clone() for name, w in model.state_dict().items()}
        save_file(weights, self._out / _WEIGHTS)
        _write_state(self._out, {"held_out_error": error, **facts})

    @property
    def out_of_patience(self) -> bool:
        return self._stale >= self._patience


def read_state(trained: Path) -> dict[str, Any]:
    """What is known of the epoch in a folder."""
    if not (trained / _STATE).is_file() or not (trained / _WEIGHTS).is_file():
        raise UsageError(f"{trained} holds no finished training epoch")
    state: dict[str, Any] = json.loads((trained / _STATE).read_text(encoding="utf-8"))
    return state


def load_weights(model: Any, trained: Path) -> None:
    from safetensors.torch import load_file

    model.load_state_dict(load_file(trained / _WEIGHTS))


def restart(trained: Path) -> None:
    """Keeps the weights of a finished run and forgets its epochs, so that a new run can follow."""
    _write_state(trained, read_state(trained) | {"epoch": 0, "held_out_error": float("inf")})


def _write_state(out: Path, state: dict[str, Any]) -> None:
    (out / _STATE).write_text(json.dumps(state, indent=1), encoding="utf-8")
