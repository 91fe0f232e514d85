"""The command line. One module for each verb; only the module of the verb asked for is imported.

A verb module offers two functions:

    def configure(parser: argparse.ArgumentParser) -> None     its options
    def run(args: argparse.Namespace) -> int                   the work; returns the exit code

Exit codes: 0 done, 1 usage or policy error, 3 done but some documents are in quarantine,
130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from incognote import __version__
from incognote.core.errors import IncognoteError, wording

DONE, WRONG, QUARANTINED, INTERRUPTED = 0, 1, 3, 130

# Verb -> (module, one line of help). The line stands here so that `incognote --help` imports none.
VERBS: dict[str, tuple[str, str]] = {
    "deid": ("incognote.cli.deid", "write files again with the PHI replaced"),
    "detect": ("incognote.cli.detect", "report where PHI stands"),
    "explain": ("incognote.cli.explain", "show who found each span, and why others were dropped"),
    "reidentify": ("incognote.cli.reidentify", "restore documents or look up a value in a vault"),
    "evaluate": ("incognote.cli.evaluate", "measure a de-identification against gold"),
    "corpus": ("incognote.cli.corpus", "convert, check, split and make annotated corpora"),
    "train": ("incognote.cli.train", "train a detector on your own annotated notes"),
    "templates": ("incognote.cli.templates", "propose harmless sentences and forms to sign"),
    "models": ("incognote.cli.models", "list the trained models, show their cards"),
    "policy": ("incognote.cli.policy", "show, check and list policies"),
}


class _Parser(argparse.ArgumentParser):
    """argparse leaves with 2 on a usage error; our contract says 1."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n")


def parser_for(verb: str) -> argparse.ArgumentParser:
    """The parser of one verb, with its module imported."""
    module, summary = VERBS[verb]
    parser = _Parser(prog=f"incognote {verb}", description=_sentence(summary))
    import_module(module).configure(parser)
    return parser


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
    args = parser_for(verb).parse_args(arguments[1:])
    # A cluster's SIGTERM must clean up as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(import_module(VERBS[verb][0]).run(args))
    except IncognoteError as error:
        print(f"incognote {verb}: {error}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print(f"incognote {verb}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our pipe left (`| head`): not an error, but Python would print one at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"incognote {verb}: {where}{wording(error)}", file=sys.stderr)
        return WRONG
    except Exception as error:  # noqa: BLE001 - a traceback ends in a message, which may quote a note
        print(f"incognote {verb}: a bug, please report it: {wording(error)}", file=sys.stderr)
        return WRONG


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."
