"""Files and folders from a program: what `incognote deid` and `incognote detect` do."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.api.deidentifier import DetectorLike, PolicyLike
from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key, usable_key
from incognote.core.limits import Limits
from incognote.detect.adapters.function import as_detector
from incognote.engine import local
from incognote.engine.output.ledger import Summary
from incognote.engine.settings import Settings, ignore
from incognote.policy import DEFAULT, checked, load_policy

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def deid_files(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    policy: PolicyLike = DEFAULT,
    key: bytes | str | None = None,
    vault: str | os.PathLike[str] | None = None,
    vault_key: bytes | str | None = None,
    resume: bool = False,
    **options: Any,
) -> Summary:
    """Every file again, with the PHI replaced, and a manifest beside them.

        summary = incognote.deid_files("notes/", "clean/", key=key, workers=4)
        summary.documents, summary.quarantined, summary.labels

    `options`: `workers`, `batch`, `threads`, `format`, `quarantine` (a folder for what fails),
    `memory_limit` (MB), `time_limit` (seconds), `text`, `id`, `patient`, `patient_path` (as the
    policy's `formats`), `detectors` (as `Deidentifier` takes them), `report` (called with each
    failure), `started` (called with the size of the input) and `progress` (called with more bytes
    read and more documents written).
    """
    secret = None if key is None else surrogate_key(_bytes(key), "key")
    if resume and secret is None:
        raise UsageError("resume needs the key of the earlier run")
    settings = replace(
        _settings(policy, options),
        key=secret or secrets.token_bytes(32),
        resume=resume,
    )
    with ExitStack() as opened:
        if vault is not None:
            from incognote.transform.vault.file import VaultWriter

            own = None if vault_key is None else usable_key(_bytes(vault_key), "vault_key")
            if own is None or surrogate_key(own, "vault_key") == secret:
                raise UsageError("a vault needs a key of its own: vault_key")
            writer = opened.enter_context(VaultWriter(Path(vault), own))
            settings = replace(settings, vault=writer)
        return local.deid(_names(inputs), _target(output), settings)


def detect_files(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    policy: PolicyLike = DEFAULT,
    with_text: bool = False,
    **options: Any,
) -> Summary:
    """The spans of every document, as JSON Lines. `options` are those of `deid_files`."""
    settings = replace(_settings(policy, options), with_text=with_text)
    return local.detect(_names(inputs), _target(output), settings)


def _settings(policy: PolicyLike, options: dict[str, Any]) -> Settings:
    known = load_policy(policy)
    fields: dict[str, Any] = {}
    for name in ("text", "id", "patient", "patient_path"):
        value = options.pop(name, None)
        if value is not None:
            fields[name] = (value,) if name == "text" and isinstance(value, str) else value
    if fields:
        known = checked(replace(known, formats=replace(known.formats, **fields)))
    detectors: dict[str, DetectorLike] = options.pop("detectors", None) or {}
    limits = Limits()
    limits = Limits(
        options.pop("memory_limit", limits.memory), options.pop("time_limit", limits.seconds)
    )
    quarantine = options.pop("quarantine", None)
    callbacks: dict[str, Callable[..., None]] = {
        name: options.pop(name, None) or ignore for name in ("report", "started", "progress")
    }
    simple = {
        name: options.pop(name)
        for name in ("workers", "batch", "threads", "format")
        if name in options
    }
    if options:
        raise UsageError(f"not an option: {', '.join(sorted(options))}")
    return Settings(
        known,
        detectors={name: as_detector(name, each) for name, each in detectors.items()},
        quarantine=Path(quarantine) if quarantine is not None else None,
        limits=limits,
        **callbacks,  # type: ignore[arg-type]
        **simple,
    )


def _names(inputs: Paths) -> str | list[str]:
    if isinstance(inputs, str | os.PathLike):
        return os.fspath(inputs)
    return [os.fspath(each) for each in inputs]


def _target(output: str | os.PathLike[str]) -> str:
    return os.fspath(output)


def _bytes(key: bytes | str) -> bytes:
    return key.encode() if isinstance(key, str) else key
