"""`incognote explain`: who found each span, and why other candidates were dropped.

It shows clinical text, because that is what its user asks for.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import add_fields, add_input, add_policy, policy_from
from incognote.core.errors import UsageError
from incognote.core.types import Failure, Result, Span
from incognote.engine.stream import Settings, read_documents
from incognote.pipeline import Pipeline

if TYPE_CHECKING:
    from rich.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--id", metavar="ID", help="only the document with this id")
    add_policy(parser)
    add_fields(parser)


def run(args: argparse.Namespace) -> int:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    policy = policy_from(args)
    pipeline = Pipeline(policy)
    failed = shown = False
    for document in read_documents(args.input, Settings(policy, format=args.format)):
        if isinstance(document, Failure):
            outcome: Result | Failure = document
        elif args.id in (None, document.id):
            (outcome,) = pipeline.detect([document])
        else:
            continue
        if isinstance(outcome, Failure):
            failed = True
            message = outcome.message or f"{outcome.document_id}: {outcome.error}"
            console.print(f"{message} ({outcome.stage})", markup=False)
        else:
            shown = True
            _show(console, outcome)
    if args.id and not shown and not failed:
        raise UsageError(f"{args.input}: no document has the id {args.id!r}")
    return QUARANTINED if failed else DONE


def _show(console: Console, result: Result) -> None:
    from rich.table import Table
    from rich.text import Text

    from incognote.cli.show import marked, style_of

    text = result.document.text
    console.rule(Text(result.document.id))
    console.print(marked(text, result.spans))

    def table(title: str, last: str, rows: list[tuple[Span, str]]) -> None:
        if not rows:
            return
        grid = Table("at", "text", "label", "score", "found by", last, title=title, box=None)
        for span, reason in rows:
            grid.add_row(
                f"{span.start}-{span.end}",
                Text(" ".join(text[span.start : span.end].split())),
                Text(span.label, style_of(span.label)),
                f"{span.score:.2f}",
                Text(", ".join(span.sources)),
                Text(reason),
            )
        console.print(grid)

    table("kept", "", [(span, "") for span in result.spans])
    table("dropped", "why", [(dropped.span, dropped.reason) for dropped in result.dropped])
