"""`incognote explain`: who found each span, why other candidates were dropped, who is who, what
nobody read.

It shows clinical text, because that is what its user asks for.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import add_fields, add_input, add_policy, policy_from
from incognote.core.errors import UsageError
from incognote.core.types import Failure, Result, Span
from incognote.engine.events import read_documents, row_id
from incognote.engine.settings import Settings
from incognote.link.reasons import in_words as why_linked
from incognote.pipeline import Pipeline
from incognote.policy import KEEP, Policy
from incognote.resolve.claims import detector_of
from incognote.resolve.reasons import in_words

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 160


def configure(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--id", metavar="ID", help="only the document with this id")
    parser.add_argument(
        "--word",
        metavar="WORDS",
        help="only what became of these words, wherever they stand, in any letter case",
    )
    add_policy(parser)
    add_fields(parser)


def run(args: argparse.Namespace) -> int:
    from rich.console import Console

    from incognote.transform import needs_originals

    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE  # a file or a pipe has no 80 columns to fold names of rules into
    policy = policy_from(args)
    pipeline = Pipeline(policy)
    # What the leak check masks on top is part of the answer, unless it takes a whole corpus.
    process = pipeline.detect if needs_originals(policy) else pipeline.deid
    failed = shown = answered = False
    for document in read_documents(args.input, Settings(policy, format=args.format)):
        if isinstance(document, Failure):
            outcome: Result | Failure = document
        elif args.id in (None, row_id(document, policy.formats)):
            (outcome,) = process([document])
        else:
            continue
        if isinstance(outcome, Failure):
            failed = True
            message = outcome.message or f"{outcome.document_id}: {outcome.error}"
            console.print(f"{message} ({outcome.stage})", markup=False)
        else:
            shown = True
            if args.word:
                for answer in _answers(outcome, args.word, policy):
                    answered = True
                    console.print(answer, markup=False)
            else:
                _show(console, outcome, policy)
    if args.id and not shown and not failed:
        raise UsageError(f"{', '.join(args.input)}: no document has the id {args.id!r}")
    if args.word and not answered and not failed:
        raise UsageError(f"{', '.join(args.input)}: {args.word!r} stands nowhere")
    return QUARANTINED if failed else DONE


def _answers(result: Result, words: str, policy: Policy) -> Iterator[str]:
    """One line for each place at which the words appear: what became of them, and why."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", result.document.text, re.IGNORECASE):
        here = f"{result.document.id} {match.start()}-{match.end()}"
        yield f"{here}: {'; '.join(_fate(result, *match.span(), policy))}"


def _fate(result: Result, start: int, end: int, policy: Policy) -> Iterator[str]:
    found = [span for span in result.spans if span.start < end and start < span.end]
    for span in found:
        kept = policy.rule(span.label).action == KEEP
        fate = "found, and left as the policy says" if kept else "masked"
        yield f"{fate}: {_claim(span, policy)}"
    if not found:
        yield "not masked"
    dropped = [drop for drop in result.dropped if drop.span.start < end and start < drop.span.end]
    for drop in dropped:
        yield f"dropped: {_claim(drop.span, policy)}, {in_words(drop.reason)}"
    if not found and not dropped:
        listed = any(first < end and start < last for first, last in result.unread)
        yield in_words("inclusion") if listed else "no annotator claimed it"


def _claim(span: Span, policy: Policy) -> str:
    return f"{span.label} ({span.score:.2f}) by {_finders(span, policy)}"


def _finders(span: Span, policy: Policy) -> str:
    return ", ".join(_finder(source, policy) for source in span.sources)


def _finder(source: str, policy: Policy) -> str:
    """A source, with the component behind it where its name does not say it."""
    rules = policy.detectors.get(detector_of(source))
    if rules is None or not rules.use:
        return source
    behind = rules.options.get("use")
    return f"{source} ({rules.use} of {behind})" if behind else f"{source} ({rules.use})"


def _show(console: Console, result: Result, policy: Policy) -> None:
    from rich.table import Column, Table
    from rich.text import Text

    from incognote.cli.notes.show import marked, style_of

    text = result.document.text
    console.rule(Text(result.document.id))
    console.print(marked(text, result.spans))

    def words(start: int, end: int) -> Text:
        return Text(" ".join(text[start:end].split()))

    def grid_of(title: str, *names: str) -> Table:
        # A rule's name that ends in dots would be no answer: long cells are folded.
        return Table(*(Column(name, overflow="fold") for name in names), title=title, box=None)

    def table(title: str, last: str, rows: list[tuple[Span, str]]) -> None:
        if not rows:
            return
        grid = grid_of(title, "at", "text", "label", "score", "found by", last)
        for span, reason in rows:
            grid.add_row(
                f"{span.start}-{span.end}",
                words(span.start, span.end),
                Text(span.label, style_of(span.label)),
                f"{span.score:.2f}",
                Text(_finders(span, policy)),
                Text(reason),
            )
        console.print(grid)

    table("kept", "part of", [(span, span.group) for span in result.spans])
    table("dropped", "why", [(drop.span, in_words(drop.reason)) for drop in result.dropped])
    if result.people:
        grid = grid_of("people", "who", "at", "text", "was", "why")
        for number, person in enumerate(result.people, 1):
            who = f"{number} {person.role}" + (f" ({person.kinship})" if person.kinship else "")
            for mention in person.mentions:
                grid.add_row(
                    Text(who),
                    f"{mention.start}-{mention.end}",
                    words(mention.start, mention.end),
                    Text(mention.was),
                    Text(why_linked(mention.reason)),
                )
                who = ""
            for thing in person.belongings:
                place = f"{thing.start}-{thing.end}"
                grid.add_row("", place, words(thing.start, thing.end), thing.kind, thing.reason)
        console.print(grid)
    if result.unread:
        grid = grid_of("not read: on the inclusion list", "at", "text")
        for start, end in result.unread:
            grid.add_row(f"{start}-{end}", words(start, end))
        console.print(grid)
