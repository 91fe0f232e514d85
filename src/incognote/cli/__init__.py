"""The command line. One module for each verb; only the module of the verb asked for is imported.

A verb module offers two functions:

    def configure(parser: argparse.ArgumentParser) -> None     its options
    def run(args: argparse.Namespace) -> int                   the work; returns the exit code

Exit codes: 0 done, 1 usage or policy error, 3 done but some documents are in quarantine,
130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from incognote import __version__
from incognote.core.errors import IncognoteError, printable, wording

DONE, WRONG, QUARANTINED, INTERRUPTED = 0, 1, 3, 130

# Verbs whose output is for people to look at: they may stop reading it.
SHOWING = frozenset({"explain", "models", "policy", "evaluate", "completion"})

# Verb -> (module within cli, one line of help): `incognote --help` imports none of them.
VERBS: dict[str, tuple[str, str]] = {
    "deid": ("notes.deid", "write files again with the PHI replaced"),
    "detect": ("notes.detect", "report where PHI stands"),
    "explain": ("notes.explain", "show who found each span, and why others were dropped"),
    "reidentify": ("notes.reidentify", "restore documents or look up a value in a vault"),
    "verify": ("notes.verify", "check that outputs are as deid wrote them"),
    "vault": ("notes.vault", "check and repair a vault"),
    "key": ("setup.key", "make a secret key"),
    "evaluate": ("learning.evaluate", "measure a de-identification against gold"),
    "persons": ("release.persons", "turn notes into a table of people"),
    "anonymize": ("release.anonymize", "make a table of people k-anonymous"),
    "risk": ("release.risk", "measure how likely somebody in a release is to be found"),
    "certify": ("release.certify", "sign what was measured of a release, or verify that"),
    "histogram": ("release.histogram", "count people with differential privacy"),
    "corpus": ("learning.corpus", "convert, check, split and make annotated corpora"),
    "train": ("learning.train", "train a detector on your own annotated notes"),
    "learn": ("learning.learn", "propose what a site's own notes teach, to sign"),
    "templates": ("learning.templates", "propose harmless sentences and forms to sign"),
    "models": ("learning.models", "list the trained models, show their cards"),
    "policy": ("setup.policy", "show, check and list policies"),
    "web": ("servers.web", "annotate, learn, adjudicate and release in the browser"),
    "serve": ("servers.serve", "de-identify over HTTP"),
    "completion": ("setup.completion", "write a completion script for your shell"),
}


class _Parser(argparse.ArgumentParser):
    """argparse leaves with 2 on a usage error; our contract says 1."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n")


def parser_for(verb: str) -> argparse.ArgumentParser:
    """The parser of one verb, with its module imported."""
    parser = _Parser(prog=f"incognote {verb}", description=_sentence(VERBS[verb][1]))
    _module(verb).configure(parser)
    return parser


def _module(verb: str) -> Any:
    return import_module(f"incognote.cli.{VERBS[verb][0]}")


def top_parser() -> argparse.ArgumentParser:
    width = max(map(len, VERBS))
    parser = _Parser(
        prog="incognote",
        description="De-identifies clinical text.",
        epilog="verbs:\n"
        + "\n".join(f"  {verb:<{width}}  {summary}" for verb, (_, summary) in VERBS.items())
        + "\n\n`incognote VERB --help` describes a verb.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"incognote {__version__}")
    parser.add_argument("verb", metavar="VERB", choices=VERBS, help="what to do")
    parser.add_argument("rest", metavar="...", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        top_parser().print_help()
        return WRONG
    verb = arguments[0]
    if verb not in VERBS:
        verb = top_parser().parse_args(arguments[:1]).verb  # --help, --version or an error
    parser = parser_for(verb)
    # Several inputs may come before, between and behind options; actions of a verb come first.
    has_actions = any(isinstance(each, argparse._SubParsersAction) for each in parser._actions)  # noqa: SLF001
    parse = parser.parse_args if has_actions else parser.parse_intermixed_args
    args = parse(arguments[1:])
    # A cluster's SIGTERM must clean up as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    _silence_others()
    try:
        return int(_module(verb).run(args))
    except IncognoteError as error:
        print(f"incognote {verb}: {printable(wording(error))}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(f"incognote {verb}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if verb in SHOWING:
            return DONE  # whoever looked has seen enough (`| head`)
        print(f"incognote {verb}: nobody read the output to its end", file=sys.stderr)
        return WRONG
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"incognote {verb}: {printable(where + wording(error))}", file=sys.stderr)
        return WRONG
    except Exception as error:  # noqa: BLE001 - a traceback ends in a message, which may quote a note
        print(f"incognote {verb}: a bug, please report it: {wording(error)}", file=sys.stderr)
        return WRONG


def _silence_others() -> None:
    """Libraries warn and log what they stumble over, and may quote the note."""
    logging.getLogger().addHandler(logging.NullHandler())
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."
