"""`incognote certify`: signs what was measured of a release, and verifies such a certificate."""

from __future__ import annotations

import argparse
from pathlib import Path

from incognote.cli import DONE, WRONG
from incognote.cli.options import show_pairs
from incognote.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="OUT", type=Path, nargs="?", help="the release to certify")
    parser.add_argument(
        "--report", metavar="REPORT", type=Path, help="folder that `incognote risk` wrote"
    )
    parser.add_argument(
        "--sign",
        metavar="KEY",
        type=Path,
        action="append",
        default=[],
        help="Ed25519 private key in PEM; may be repeated for several signers",
    )
    parser.add_argument(
        "--signer", metavar="NAME", action="append", default=[], help="name of who signs"
    )
    parser.add_argument(
        "--days", metavar="N", type=int, default=365, help="how long it is valid (default: 365)"
    )
    parser.add_argument(
        "--require",
        choices=("met",),
        help="leave with exit code 1 unless every line is met",
    )
    group = parser.add_argument_group("instead")
    group.add_argument(
        "--verify", metavar="CERTIFICATE", type=Path, help="check a certificate and its files"
    )
    group.add_argument("--public", metavar="KEY", type=Path, help="public key in PEM")
    group.add_argument(
        "--new-key", metavar="KEY", type=Path, help="make a key to sign with, and its public key"
    )


def run(args: argparse.Namespace) -> int:
    from incognote.risk.certificate import certify, read_report, verify
    from incognote.risk.envelope import new_key
    from incognote.risk.lines import MET

    if args.new_key:
        show_pairs([("private key", str(args.new_key)), ("public key", str(new_key(args.new_key)))])
        return DONE
    if args.verify:
        if args.public is None:
            raise UsageError("--verify needs the public key (--public)")
        statement = verify(args.verify, args.public)
        predicate = statement["predicate"]
        print(f"unchanged: {len(statement['subject'])} files, issued {predicate['issued']}")
        for line in predicate["lines"]:
            attacker = f" ({line['attacker']})" if line["attacker"] else ""
            print(f"  {line['status']:<12}  {line['name']}{attacker}")
        print(f"as a whole: {predicate['status']}")
        return WRONG if args.require and predicate["status"] != MET else DONE
    if args.input is None or args.report is None:
        raise UsageError("name the release and its --report, or --verify a certificate")
    if args.days < 1:
        raise UsageError("--days must be at least 1")
    report = read_report(args.report)
    path = certify(args.input, report, args.sign, days=args.days, signers=args.signer)
    show_pairs([("certificate", str(path)), ("as a whole", str(report["status"]))])
    return WRONG if args.require and report["status"] != MET else DONE
