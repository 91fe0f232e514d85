"""The certificate of a release: which files, how they were made, what was measured, what was not.

Each line is met, not met or not measured; the whole is met only if every line is. It never says
more than that: whether a release is lawful is for people to decide.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.core.errors import UsageError
from incognote.risk.envelope import (
    STATEMENT_TYPE,
    file_digest,
    opened,
    read_private,
    read_public,
    sign,
)
from incognote.risk.lines import Line, overall

CERTIFICATE = "certificate.json"
PREDICATE_TYPE = "urn:incognote:release-risk:v1"
_DAYS = 365
_MEASURED = (
    "columns_not_measured",
    "leaks",
    "parrot",
    "recognisable_bound",
    "singling_out",
    "diversity",
    "differential_privacy",
    "utility",
)


def certify(
    folder: Path | str,
    report: Mapping[str, Any],
    keys: Sequence[Path | str],
    *,
    days: int = _DAYS,
    signers: Sequence[str] = (),
    now: datetime | None = None,
) -> Path:
    """Writes the certificate of the files in a folder (or of one file), beside them."""
    folder = Path(folder)
    root, files = _files(folder)
    if not files:
        raise UsageError(f"{folder}: there is nothing to certify")
    if not keys:
        raise UsageError("a certificate needs a key to sign with")
    measured = report.get("subjects")
    subjects = {name: file_digest(root / name) for name in files}
    if measured is not None and dict(measured) != subjects:
        raise UsageError(f"{folder}: was changed after its risk was measured; measure again")
    if measured is None:
        raise UsageError("the report does not say which files it measured")
    issued = now or datetime.now(UTC)
    lines = report["lines"]
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in sorted(subjects.items())
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "status": overall(lines),
            "lines": lines,
            "program": {"name": "incognote", "version": __version__},
            "made": report.get("made", {}),
            "measured": {name: report.get(name) for name in _MEASURED},
            "issued": issued.isoformat(timespec="seconds"),
            "valid_until": (issued + timedelta(days=days)).isoformat(timespec="seconds"),
            "signers": list(signers),
            "whole_folder": folder.is_dir(),
            "says": (
                "What was measured on these files, and what was not. It is no statement that the "
                "files hold no personal data."
            ),
        },
    }
    path = root / (CERTIFICATE if folder.is_dir() else f"{folder.name}.{CERTIFICATE}")
    path.write_bytes(sign(statement, [read_private(Path(each)) for each in keys]))
    return path


def verify(certificate: Path, public: Path, *, now: datetime | None = None) -> dict[str, Any]:
    """The statement, if the certificate and every file it names are unchanged; else an error."""
    try:
        data = certificate.read_bytes()
    except OSError as error:
        raise UsageError(f"{certificate}: {error.strerror}") from None
    statement = opened(data, read_public(public))
    if statement.get("predicateType") != PREDICATE_TYPE:
        raise UsageError("the statement is not one about the risk of a release")
    root = certificate.parent
    named = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    _, present = _files(root)
    changed = [
        name
        for name, digest in named.items()
        if not (root / name).is_file() or file_digest(root / name) != digest
    ]
    if changed:
        raise UsageError(f"{len(changed)} of {len(named)} files were changed or are missing")
    extra = set(present) - set(named)
    if extra and statement["predicate"]["whole_folder"]:
        raise UsageError(f"{len(extra)} files are not named in the certificate")
    until = datetime.fromisoformat(statement["predicate"]["valid_until"])
    if (now or datetime.now(UTC)) > until:
        raise UsageError("the certificate has expired")
    return statement


def subjects_of(folder: Path) -> dict[str, str]:
    """The files of a release and their hashes, as report and certificate name them."""
    root, files = _files(folder)
    return {name: file_digest(root / name) for name in files}


def _files(folder: Path) -> tuple[Path, list[str]]:
    if folder.is_file():
        return folder.parent, [folder.name]
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such file or folder")
    names = [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / CERTIFICATE
    ]
    return folder, names


def read_report(folder: Path) -> dict[str, Any]:
    path = folder / "risk.json" if folder.is_dir() else folder
    try:
        report = json.loads(path.read_text("utf-8"))
        lines = [Line.read(row).as_dict() for row in report["lines"]]
        edited = any(
            row.get("status") != line["status"]
            for row, line in zip(report["lines"], lines, strict=True)
        )
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{path}: not a report that `incognote risk` wrote") from None
    if edited or report.get("status") != overall(lines):
        raise UsageError(f"{path}: what it says is met does not follow from its numbers")
    return {**report, "lines": lines}
