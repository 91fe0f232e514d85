"""Options that several verbs share, and what they mean."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key, usable_key
from incognote.core.limits import MEMORY_MB, SECONDS, Limits
from incognote.core.registry import allow_functions
from incognote.core.types import Failure
from incognote.policy import DEFAULT, Policy, checked, load_policy

if TYPE_CHECKING:
    from incognote.engine.settings import Settings

KEY_VARIABLE = "INCOGNOTE_KEY"
VAULT_KEY_VARIABLE = "INCOGNOTE_VAULT_KEY"


def add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        metavar="IN",
        nargs="+",
        help="files, folders (their hidden files are passed over), or - for standard input",
    )
    parser.add_argument(
        "--format", metavar="NAME", default="", help="read every file as this format"
    )


def add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--policy",
        metavar="P",
        default=DEFAULT,
        help="a preset, a TOML file, or several joined with + where later ones win "
        "(default: %(default)s)",
    )

    add_functions(parser)


def add_functions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-functions",
        metavar="PACKAGE",
        action="append",
        default=[],
        help="package whose functions a policy may name (detector `function`); may be repeated",
    )


def add_fields(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where ids and texts stand")
    group.add_argument(
        "--text-column",
        metavar="NAME",
        action="append",
        help="field that holds clinical text; may be repeated (default: text)",
    )
    group.add_argument("--id-column", metavar="NAME", help="field that names the row (default: id)")
    group.add_argument(
        "--patient-column",
        metavar="NAME",
        help="field whose value notes of one patient share (default: patient_id)",
    )
    group.add_argument(
        "--patient-path",
        metavar="REGEX",
        help="the patient as a group of a file's path: '^([^/]+)/' where each has a folder",
    )


def add_running(parser: argparse.ArgumentParser, *, quarantine: bool = True) -> None:
    group = parser.add_argument_group("running")
    group.add_argument(
        "--workers",
        metavar="N",
        type=_positive,
        default=1,
        help="worker processes; the output does not depend on it (default: 1)",
    )
    group.add_argument(
        "--batch",
        metavar="N",
        type=_positive,
        default=0,
        help="documents in a batch; the output does not depend on it (default: 32, and 256 where "
        "a GPU reads them)",
    )
    if quarantine:
        group.add_argument(
            "--quarantine",
            metavar="DIR",
            type=Path,
            help="keep the raw bytes of what could not be processed here (they hold PHI)",
        )
    group.add_argument(
        "--memory-limit",
        metavar="MB",
        type=_positive,
        default=MEMORY_MB,
        help="memory that reading one file may take; a large file gets four times its size "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=_positive,
        default=SECONDS,
        help="seconds that one step with a file may take: reading or writing a batch of its "
        "records, or finding the PHI in it (default: %(default)s)",
    )
    group.add_argument("--quiet", action="store_true", help="no progress bar and no summary")


def add_account(parser: argparse.ArgumentParser) -> None:
    """What a run says of itself when it is done."""
    group = parser.add_argument_group("the account of the run")
    group.add_argument(
        "--summary",
        metavar="FILE",
        type=Path,
        help="write what the run did as JSON: documents, spans by label, what was quarantined and "
        "why, seconds by stage, characters a second; it holds no text",
    )
    group.add_argument(
        "--profile", action="store_true", help="show where the time went, stage by stage"
    )


def policy_from(args: argparse.Namespace) -> Policy:
    """The policy, with the fields that the command line names."""
    allow_functions(args.allow_functions)
    policy = load_policy(args.policy)
    given = {
        "text": tuple(args.text_column) if args.text_column else None,
        "id": args.id_column,
        "patient": args.patient_column,
        "patient_path": args.patient_path,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    if not changes:
        return policy
    return checked(replace(policy, formats=replace(policy.formats, **changes)))


def settings_from(args: argparse.Namespace) -> Settings:
    from incognote.engine.settings import Settings

    return Settings(
        policy=policy_from(args),
        workers=args.workers,
        batch=args.batch,
        format=args.format,
        quarantine=getattr(args, "quarantine", None),
        limits=Limits(args.memory_limit, args.time_limit),
    )


def add_key(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--key-file",
        metavar="K",
        type=Path,
        help="file with the secret key; the same key gives the same surrogates in every run "
        f"(or set {KEY_VARIABLE}; without either, a fresh key is made)",
    )


def key_from(args: argparse.Namespace) -> bytes:
    """The key from the file, else the environment, else a fresh one, with a message to the user."""
    if args.key_file:
        return surrogate_key(_key_in(args.key_file), str(args.key_file))
    if value := os.environ.get(KEY_VARIABLE):
        return surrogate_key(value.encode(), KEY_VARIABLE)
    if getattr(args, "resume", False):
        raise UsageError("--resume needs the key of the earlier run")
    print(
        "note: no key given, so a fresh one was made: surrogates will differ in the next run "
        f"(--key-file or {KEY_VARIABLE} keeps them)",
        file=sys.stderr,
    )
    return secrets.token_bytes(32)


def add_vault_key(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    group.add_argument(
        "--vault-key-file",
        metavar="K",
        type=Path,
        help="file with the secret key of the vault, another one than the key of the surrogates "
        f"(or set {VAULT_KEY_VARIABLE})",
    )


def vault_key_from(args: argparse.Namespace) -> bytes:
    """The vault's key from the file or the environment; a fresh one would lock the vault."""
    if args.vault_key_file:
        return _key_in(args.vault_key_file)
    if value := os.environ.get(VAULT_KEY_VARIABLE):
        return usable_key(value.encode(), VAULT_KEY_VARIABLE)
    raise UsageError(f"a vault needs its key: --vault-key-file or {VAULT_KEY_VARIABLE}")


def _key_in(path: Path) -> bytes:
    try:
        return usable_key(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise UsageError(
            f"{path}: no such key file; `incognote key new {path}` makes a new key"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def show_failures(failures: Sequence[Failure], most: int = 20) -> None:
    """What could not be read, on standard error."""
    for each in failures[:most]:
        print(f"not read: {each.document_id}: {each.message or each.error}", file=sys.stderr)
    if len(failures) > most:
        print(f"not read: {len(failures) - most} more", file=sys.stderr)


def show_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Names and values in two columns, on standard error."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        print(f"{name:<{width}}  {value}", file=sys.stderr)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return int(text)
