"""Hugging Face datasets: a function for `Dataset.map`.

    from incognote.integrations.datasets import deid_batch

    clean = dataset.map(deid_batch(key=key), batched=True, remove_columns=[...])

Columns that are not named as text stay as they are: remove those that hold PHI, or de-identify the
table itself with `incognote deid table.parquet`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from incognote.api import Deidentifier
from incognote.integrations.texts import deidentified
from incognote.policy import DEFAULT

Batch = Mapping[str, list[Any]]


def deid_batch(
    policy: str = DEFAULT,
    key: bytes | str | None = None,
    *,
    text: str = "text",
    patient: str = "patient_id",
) -> Callable[[Batch], dict[str, list[str]]]:
    """A function that gives the new values of the column `text` for a batch of rows."""
    made: list[Deidentifier] = []  # built where it is used: `map` sends the function to processes

    def replaced(batch: Batch) -> dict[str, list[str]]:
        if not made:
            made.append(Deidentifier(policy, key))
        owners = batch[patient] if patient in batch else [None] * len(batch[text])
        owners = [None if owner is None else str(owner) for owner in owners]
        return {text: deidentified(made[0], batch[text], owners)}

    return replaced
