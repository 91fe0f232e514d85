"""`incognote learn`: what a site's own notes teach, without annotation by an expert."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from incognote.cli import DONE, QUARANTINED
from incognote.cli.learning.templates import detected
from incognote.cli.options import add_fields, add_input, add_policy, policy_from
from incognote.cli.progress import counted
from incognote.core.types import Failure
from incognote.engine.output.files import AtomicFile
from incognote.engine.settings import Settings
from incognote.learn.harvest import (
    AGREEMENT,
    frequent_sentences,
    review_file,
    template_file,
    templates,
)
from incognote.learn.site import names_file, questions, questions_file, site_names

_POLICY = """\
# What `incognote learn` proposed. Nothing counts before a person signs it: write yes into the
# column `keep` of the tables, and keep = true into templates.toml.
name = "site"
extends = "{policy}"

[prepare]
inclusion = "inclusion.csv"

[detectors.site_names]
use = "dictionary"
weight = 50
options = {{ file = "names.csv" }}

[detectors.site_templates]
use = "templates"
weight = 60
options = {{ file = "templates.toml" }}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        required=True,
        help="folder for the proposals; they may hold PHI",
    )
    parser.add_argument(
        "--documents",
        metavar="N",
        type=int,
        default=5,
        help="what is proposed stands in at least N documents (default: %(default)s)",
    )
    parser.add_argument(
        "--agreement",
        metavar="P",
        type=float,
        default=AGREEMENT,
        help="share of the sentences of a form that are tagged alike (default: %(default)s)",
    )
    parser.add_argument(
        "--questions",
        metavar="N",
        type=int,
        default=200,
        help="sentences most worth a look (default: %(default)s)",
    )
    add_policy(parser)
    add_fields(parser)


def run(args: argparse.Namespace) -> int:
    failed: list[Failure] = []
    settings = Settings(policy=policy_from(args), format=args.format)
    results = list(detected(args.input, settings, failed))
    sentences = frequent_sentences(results, args.documents, claimed=True)
    forms = templates(results, args.documents, args.agreement)
    names = site_names(results, args.documents)
    asked = questions(results, args.questions)
    args.output.mkdir(parents=True, exist_ok=True)
    files = {
        "inclusion.csv": review_file(sentences),
        "templates.toml": template_file(forms),
        "names.csv": names_file(names),
        "questions.jsonl": questions_file(asked),
        "policy.toml": _POLICY.format(policy=settings.policy.name),
    }
    for name, content in files.items():
        with AtomicFile(args.output / name) as output:
            output.write(content.encode())
            output.commit()
    print(
        f"{counted(len(results), 'document')} read. In {args.output}, to sign: "
        f"{counted(len(sentences), 'sentence')}, {counted(len(forms), 'form')}, "
        f"{counted(len(names), 'name')}; to correct: {counted(len(asked), 'question')}.\n"
        "These files may hold PHI. Signed, they are used by --policy policy.toml. Corrected "
        "questions\nteach a model: incognote train transformer --base accurate --data "
        "questions.jsonl --out models/site",
        file=sys.stderr,
    )
    for failure in failed:
        message = failure.message or f"{failure.document_id}: {failure.error}"
        print(f"left out: {message} ({failure.stage})", file=sys.stderr)
    return QUARANTINED if failed else DONE
