"""How a release was made: program, policy, models, links, seeds; what a certificate repeats."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.anonymize.release import Release
from incognote.core.errors import UsageError
from incognote.detect.learned.model_folder import open_model
from incognote.evaluate.confidence import SEED as RESAMPLING_SEED
from incognote.persons.probable import SEED as LINKING_SEED
from incognote.policy import Policy
from incognote.risk.envelope import file_digest
from incognote.risk.parrot import SEED as PARROT_SEED

_MANIFEST = "manifest.jsonl"
# Everything that is drawn by chance is drawn with these: the same release gives the same report.
SEEDS = {
    "parrot attack": PARROT_SEED,
    "probable links": LINKING_SEED,
    "resampling of patients": RESAMPLING_SEED,
}


def how_made(
    path: Path, policy: Policy, view: Path | None, linkage: Mapping[str, Any]
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "read_with_policy": policy.hash,
        "linkage": dict(linkage),
        "lexicon": _lexicon_hash(),
        "models": _model_hashes(policy),
        "seeds": dict(SEEDS),
        **_of_run(path),
    }
    if view:
        release = Release.read(view)
        made["recoding"] = release.recoding
        made["conditions"] = f"k = {release.conditions.k}, quasi {', '.join(release.quasi)}"
    return made


def policy_of(path: Path) -> str:
    """The hash of the policy that wrote a release; "" where no manifest says it."""
    return str(_of_run(path).get("policy_hash", ""))


def _lexicon_hash() -> str:
    packed = files("incognote.lexicon").joinpath("lexicon.zip").read_bytes()
    return f"sha256:{hashlib.sha256(packed).hexdigest()}"


def _model_hashes(policy: Policy) -> dict[str, dict[str, str]]:
    """The models that the policy runs, by the hashes of their weights."""
    found = {}
    for rules in policy.detectors.values():
        if not any((rules.weight, *rules.weights.values())):
            continue
        named = rules.options.get("model")
        for model in [named] if isinstance(named, str) else named or ():
            try:
                hashes = open_model(str(model)).hashes
            except UsageError:  # the model of another library, which says no hashes
                hashes = {}
            found[str(model)] = {name: f"sha256:{each}" for name, each in hashes.items()}
    return found


def _of_run(path: Path) -> dict[str, Any]:
    """What the manifest of the run says, if it is the one of these files."""
    done = quarantined = 0
    stamp: dict[str, str] = {}
    for row in _rows(path):
        stamp |= {name: row[name] for name in ("policy", "key") if name in row}
        done += row.get("status") == "done"
        quarantined += row.get("status") == "quarantined"
    if not stamp:
        return {}
    return {
        "policy_hash": stamp.get("policy", ""),
        "key_tag": stamp.get("key", ""),
        "documents": done,
        "quarantined": quarantined,
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Of one file those rows alone that lead to its bytes."""
    manifest = (path if path.is_dir() else path.parent) / _MANIFEST
    if not manifest.is_file():
        return
    rows = [json.loads(line) for line in manifest.read_text("utf-8").splitlines()]
    if path.is_dir():
        yield from rows
        return
    own = f"sha256:{file_digest(path)}"
    sources = {row["file"] for row in rows if row["status"] == "written" and row["output"] == own}
    yield from (row for row in rows if row.get("file") in sources)
