"""`incognote policy show|check|list`: the effective policy, whether it can run, what ships."""

from __future__ import annotations

import argparse

from incognote.cli import DONE
from incognote.cli.options import add_functions
from incognote.core.registry import allow_functions
from incognote.policy import DEFAULT, OFF, Policy, explain_policy, load_policy, presets
from incognote.policy.dump import dump_policy


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="print the effective policy as TOML")
    check = actions.add_parser("check", help="build all it names, and say what is wrong")
    for each in (show, check):
        each.add_argument(
            "policy",
            metavar="P",
            nargs="?",
            default=DEFAULT,
            help="a preset, a TOML file, or several joined with + (default: %(default)s)",
        )
    add_functions(check)
    actions.add_parser("list", help="list the policies that ship with incognote")


def run(args: argparse.Namespace) -> int:
    if args.action == "list":
        width = max(map(len, presets()))
        for name in presets():
            print(f"{name:<{width}}  {load_policy(name).description}")
        return DONE
    policy = load_policy(args.policy)
    if args.action == "show":
        print(f"# hash {policy.hash}")
        print(dump_policy(policy, explain_policy(policy)), end="")
        return DONE
    allow_functions(args.allow_functions)
    return _check(policy)


def _check(policy: Policy) -> int:
    """Label by label: who finds it and what becomes of it; an error where that is a gap."""
    from incognote.pipeline import Pipeline
    from incognote.transform import build_transforms

    pipeline = Pipeline(policy)
    for row in pipeline.coverage:
        finders = "" if row.action == OFF else f"found by {', '.join(row.finders) or 'nobody'}"
        remarks = [
            finders,
            f"because {row.because}" if row.because else "",
            row.gap and f"GAP: {row.gap}",
        ]
        print(f"{row.label:<14}  {row.action:<10}  {'; '.join(filter(None, remarks))}".rstrip())
    build_transforms(policy)  # a bad action is an error here
    pipeline.check_coverage()
    detectors = ", ".join(detector.name for detector in pipeline.detectors)
    print(f"{policy.name}: good, hash {policy.hash}, detectors: {detectors}")
    for detector in pipeline.detectors:
        if point := getattr(detector, "point", None):
            print(f"{detector.name}: {point}")
    return DONE
