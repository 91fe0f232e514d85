"""`incognote risk`: how likely somebody in a release is to be found, for stated attackers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_fields,
    add_policy,
    add_running,
    settings_from,
    show_failures,
    show_pairs,
)
from incognote.cli.release.tables import add_person, names_in
from incognote.core.errors import UsageError
from incognote.core.types import Failure

_TABLES = (".csv", ".tsv", ".parquet", ".pq")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        metavar="OUT",
        help="the release: notes that `deid` wrote, or (with --quasi) a table of people",
    )
    parser.add_argument(
        "--format", metavar="NAME", default="", help="read every file as this format"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="REPORT",
        type=Path,
        required=True,
        help="folder for risk.html and risk.json",
    )
    group = parser.add_argument_group("what is known of the release")
    group.add_argument(
        "--gold",
        metavar="FILE",
        type=Path,
        help="a sample of the originals with every PHI marked, for leaks and the parrot attack",
    )
    group.add_argument(
        "--random-sample", action="store_true", help="the sample was drawn at random"
    )
    group.add_argument(
        "--view", metavar="ANON", type=Path, help="what `anonymize` wrote: conditions and utility"
    )
    group.add_argument(
        "--ledger", metavar="FILE", type=Path, help="ledger of what counts have cost"
    )
    group.add_argument(
        "--population", metavar="N", type=int, help="persons the release is drawn from"
    )
    group.add_argument(
        "--link",
        choices=("stated", "exact", "probable"),
        default="exact",
        help="how notes of one person are linked (default: %(default)s)",
    )
    group = parser.add_argument_group("what is asked")
    group.add_argument(
        "--quasi", metavar="A,B", default="", help="what an attacker may know (default: all found)"
    )
    add_person(group)
    group.add_argument("--sensitive", metavar="A", help="what an attacker wants to learn")
    group.add_argument(
        "--missing",
        choices=("value", "wildcard"),
        default="value",
        help="a missing value is one of its own, or matches all (default: %(default)s)",
    )
    group.add_argument(
        "--threshold",
        metavar="R",
        type=float,
        default=0.09,
        help="risk of a person (default: 0.09)",
    )
    group.add_argument(
        "--k", metavar="K", type=int, default=11, help="smallest class (default: 11)"
    )
    group.add_argument(
        "--leaking-notes",
        metavar="R",
        type=float,
        default=0.05,
        help="share of notes that may leak (default: 0.05)",
    )
    group.add_argument("--l", metavar="L", type=int, help="distinct sensitive values in each class")
    group.add_argument("--t", metavar="T", type=float, help="t-closeness of each class")
    group.add_argument(
        "--attackers",
        metavar="A,B",
        default="crf,list,once",
        help="who tries the parrot attack: crf, list, once, or transformer, which takes minutes "
        "and needs incognote[train] (default: %(default)s)",
    )
    add_policy(parser)
    add_fields(parser)
    add_running(parser, quarantine=False)


def run(args: argparse.Namespace) -> int:
    from incognote.risk import Asked, Known, Limits, measure
    from incognote.risk.page import risk_page

    out: Path = args.output
    if out.resolve() == Path(args.input).resolve():
        raise UsageError("the report is not written into the release: it is no part of it")
    failures: list[Failure] = []
    report = measure(
        args.input,
        Known(args.gold, args.random_sample, args.view, args.ledger, args.population),
        Asked(
            Limits(args.threshold, args.k, args.leaking_notes, l=args.l, t=args.t),
            tuple(names_in(args.quasi)),
            args.sensitive,
            args.missing,
            args.link,
            tuple(names_in(args.attackers)),
            args.person,
        ),
        settings=settings_from(args),
        table=Path(args.input).suffix.lower() in _TABLES and bool(args.quasi),
        refused=failures.append,
    )
    found = report.as_dict()
    out.mkdir(parents=True, exist_ok=True)
    (out / "risk.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (out / "risk.html").write_text(risk_page(found), "utf-8")
    if not args.quiet:
        pairs = [*_pairs(found["lines"])]
        show_pairs([*pairs, ("as a whole", found["status"]), ("report", str(out / "risk.html"))])
    show_failures(failures)
    return QUARANTINED if failures else DONE


def _pairs(lines: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Questions and answers. What several could not be measured for is said once, behind them."""
    reasons = list(dict.fromkeys(line["why"] for line in lines if line["value"] is None))
    several = [why for why in reasons if why and sum(line["why"] == why for line in lines) > 1]
    for line in lines:
        answer = _answer(line)
        if line["value"] is None and line["why"] in several:
            answer = f"{line['status']} ({several.index(line['why']) + 1})"
        yield _question(line), answer
    for number, why in enumerate(several, 1):
        yield f"({number})", why


def _question(line: dict[str, Any]) -> str:
    return f"{line['name']} ({line['attacker']})" if line["attacker"] else str(line["name"])


def _answer(line: dict[str, Any]) -> str:
    if line["value"] is None:
        return f"{line['status']}: {line['why']}" if line["why"] else line["status"]
    return f"{line['value']:.4g} ({line['status']}, limit {line['limit']:g})"
