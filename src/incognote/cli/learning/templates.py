"""`incognote templates`: what a corpus repeats, for a person to sign or for a second pass."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import add_fields, add_input, add_policy, policy_from
from incognote.cli.progress import counted
from incognote.core.types import Document, Failure, Result
from incognote.engine.events import read_documents
from incognote.engine.output.files import AtomicFile
from incognote.engine.settings import Settings
from incognote.learn.harvest import (
    AGREEMENT,
    frequent_sentences,
    patient_table,
    review_file,
    template_file,
    templates,
)
from incognote.pipeline import Pipeline

_BATCH = 32


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")

    listing = _action(actions, "inclusion", _inclusion, "list frequent sentences without PHI")
    listing.add_argument(
        "--documents",
        metavar="N",
        type=int,
        default=5,
        help="a sentence stands in at least N documents (default: %(default)s)",
    )
    listing.add_argument(
        "--most",
        metavar="N",
        type=int,
        default=2000,
        help="list at most N sentences (default: %(default)s)",
    )

    listing.add_argument(
        "--claimed",
        action="store_true",
        help="also sentences in which something was found, to cure false alarms",
    )

    forms = _action(actions, "harvest", _harvest, "turn repeated forms into rules")
    forms.add_argument(
        "--support",
        metavar="N",
        type=int,
        default=5,
        help="at least N sentences stand behind a rule (default: %(default)s)",
    )
    forms.add_argument(
        "--agreement",
        metavar="P",
        type=float,
        default=AGREEMENT,
        help="share of the sentences of a form that are tagged alike (default: %(default)s)",
    )

    _action(actions, "patients", _patients, "table what was found of each patient")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    action: Callable[[argparse.Namespace, Iterator[Result]], str],
    summary: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary, description=f"{summary}.".capitalize())
    add_input(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        required=True,
        help="file to write; it may hold PHI",
    )
    add_policy(parser)
    add_fields(parser)
    parser.set_defaults(make=action)
    return parser


def run(args: argparse.Namespace) -> int:
    failed: list[Failure] = []
    settings = Settings(policy=policy_from(args), format=args.format)
    with AtomicFile(args.output) as output:
        output.write(args.make(args, detected(args.input, settings, failed)).encode())
        output.commit()
    for failure in failed:
        message = failure.message or f"{failure.document_id}: {failure.error}"
        print(f"left out: {message} ({failure.stage})", file=sys.stderr)
    return QUARANTINED if failed else DONE


def _inclusion(args: argparse.Namespace, results: Iterator[Result]) -> str:
    found = frequent_sentences(results, args.documents, args.most, claimed=args.claimed)
    print(f"{counted(len(found), 'sentence')} to sign in {args.output}", file=sys.stderr)
    return review_file(found)


def _harvest(args: argparse.Namespace, results: Iterator[Result]) -> str:
    found = templates(results, args.support, args.agreement)
    print(f"{counted(len(found), 'form')} to sign in {args.output}", file=sys.stderr)
    return template_file(found)


def _patients(args: argparse.Namespace, results: Iterator[Result]) -> str:
    table = patient_table(results)
    print(f"what was found of each patient is in {args.output}, which holds PHI", file=sys.stderr)
    return table


def detected(where: Sequence[str], settings: Settings, failed: list[Failure]) -> Iterator[Result]:
    pipeline = Pipeline(settings.policy)
    documents = _readable(where, settings, failed)
    while batch := list(islice(documents, _BATCH)):
        for outcome in pipeline.detect(batch):
            if isinstance(outcome, Failure):
                failed.append(outcome)
            else:
                yield outcome


def _readable(
    where: Sequence[str], settings: Settings, failed: list[Failure]
) -> Iterator[Document]:
    for document in read_documents(where, settings):
        if isinstance(document, Failure):
            failed.append(document)
        elif document.free_text:
            yield document
