"""`incognote policy show|check|list`: the effective policy, whether it can run, what ships."""

from __future__ import annotations

import argparse

from incognote.cli import DONE
from incognote.policy import DEFAULT, explain_policy, load_policy, presets
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
    else:
        from incognote.pipeline import Pipeline

        pipeline = Pipeline(policy)
        pipeline.transformer  # noqa: B018 - built, so that a bad action shows
        detectors = ", ".join(detector.name for detector in pipeline.detectors)
        print(f"{policy.name}: good, hash {policy.hash}, detectors: {detectors}")
        for detector in pipeline.detectors:
            if point := getattr(detector, "point", None):
                print(f"{detector.name}: {point}")
    return DONE
