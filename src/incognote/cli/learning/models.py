"""`incognote models list|show`: the models that ship with the package, or any model folder."""

from __future__ import annotations

import argparse

from incognote.cli import DONE
from incognote.detect.learned.model_folder import open_model, shipped


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="list the models that ship with incognote")
    show = actions.add_parser("show", help="print a model's card: data, operating points, costs")
    show.add_argument("model", metavar="MODEL", help="a shipped model's name or a model folder")
    show.add_argument(
        "--sensitivity",
        type=float,
        metavar="S",
        help="print the thresholds of this operating point by label instead",
    )


def run(args: argparse.Namespace) -> int:
    if args.action == "show" and args.sensitivity is not None:
        point = open_model(args.model).point(args.sensitivity)
        print(point)
        for label, threshold in point.thresholds.items():
            print(f"{label:<14}  {threshold:.5f}")
        return DONE
    if args.action == "show":
        from incognote.learn.folder import card_text

        print(card_text(open_model(args.model)), end="")
        return DONE
    models = [open_model(name) for name in shipped()]
    width = max((len(model.name) for model in models), default=0)
    for model in models:
        print(f"{model.name:<{width}}  {model.size / 1e6:5.1f} MB  {model.description}")
        for point in model.points:
            print(f"{'':{width}}  {point}")
    return DONE
