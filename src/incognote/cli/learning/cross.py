"""`incognote evaluate cross`: train on each corpus, test on each."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from incognote.cli import DONE
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document
from incognote.corpus import read_corpus
from incognote.corpus.labelmaps import label_map
from incognote.detect.learned.crf import CrfScorer
from incognote.detect.learned.detector import Scorer
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.tagging import Decoder
from incognote.detect.learned.transformer import TransformerScorer
from incognote.evaluate.cross import (
    FOLDS,
    Corpus,
    Learner,
    Split,
    Tagger,
    cross,
    differences,
)
from incognote.evaluate.cross_files import write_cross
from incognote.learn import recipe
from incognote.learn.crf import CrfTraining
from incognote.learn.network.base import open_base
from incognote.learn.transformer import Training

LEARNERS = ("crf", "transformer")


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("`evaluate cross`: train on each corpus, test on each")
    group.add_argument(
        "--corpora",
        nargs="+",
        metavar="CORPUS",
        help="two or more corpora; a folder with train and test files is a fixed split",
    )
    group.add_argument("--learner", choices=LEARNERS, default="crf", help="(default: crf)")
    group.add_argument("--base", metavar="DIR", type=Path, help="encoder of the transformer")
    group.add_argument(
        "--epochs", metavar="N", type=int, default=10, help="of the transformer (default: 10)"
    )
    group.add_argument("--folds", type=int, default=FOLDS, help="within a corpus (default: 10)")
    group.add_argument(
        "--increments",
        metavar="N",
        type=int,
        default=1,
        help="train on N growing parts, 10 for steps of 10 %% (default: 1, all at once)",
    )
    group.add_argument(
        "--add",
        action="store_true",
        help="also train on all of one corpus and growing parts of another",
    )


def run_cross(args: argparse.Namespace) -> int:
    if not args.corpora:
        raise UsageError("evaluate cross needs --corpora")
    if args.increments < 1:
        raise UsageError("--increments must be 1 or more")
    corpora = {Path(path).stem: _corpus(Path(path), args) for path in args.corpora}
    if len(corpora) != len(args.corpora):
        raise UsageError("two corpora have the same name; rename one")
    shares = [step / args.increments for step in range(1, args.increments + 1)]
    with tempfile.TemporaryDirectory(prefix="incognote-cross-") as scratch:
        cells = cross(
            corpora,
            _learner(args, Path(scratch)),
            folds=args.folds,
            shares=shares,
            add=args.add,
            tokeniser=args.tokeniser,
            progress=_say,
        )
    for cell in cells:
        print(
            f"{cell.train} ({cell.notes:,} notes) on {cell.test}: recall {cell.recall:.4f}  "
            f"precision {cell.precision:.4f}  F1 {cell.f1:.4f}  "
            f"exact mentions F1 {cell.mentions.f1:.4f}"
        )
    tests = differences(cells, shuffles=args.shuffles)
    sure = sum(one.result.adjusted <= 1 - args.confidence for one in tests)
    print(f"{sure:,} of {len(tests):,} differences by label are more than chance")
    page = write_cross(args.output, cells, args.learner, args.tokeniser, tests)
    print(f"report: {page}")
    return DONE


def _corpus(path: Path, args: argparse.Namespace) -> Corpus:
    """A folder as `corpus split` writes it, with files train.* and test.*, is a fixed split."""
    parts = {item.stem: item for item in path.iterdir()} if path.is_dir() else {}
    if {"train", "test"} <= parts.keys():
        return Split(_read(parts["train"], args), _read(parts["test"], args))
    return _read(path, args)


def _read(path: Path, args: argparse.Namespace) -> list[AnnotatedDocument]:
    """A corpus, with its labels mapped as `--gold-map` says: corpora are only compared in one
    scheme."""
    documents = read_corpus(path, args.format)
    if not args.gold_map:
        return documents
    return [*map(label_map(args.gold_map).apply, documents)]


def _learner(args: argparse.Namespace, scratch: Path) -> Learner:
    if args.learner == "transformer" and args.base is None:
        raise UsageError("--learner transformer needs --base, the folder of an encoder")
    numbers = count()

    def learn(documents: Sequence[AnnotatedDocument]) -> Tagger:
        out = scratch / f"model-{next(numbers)}"
        data = recipe.prepare_data(documents)
        if args.learner == "crf":
            folder = recipe.train_crf(data, out, CrfTraining(), _quiet)
            return tagger(folder, CrfScorer(folder))
        options = Training(epochs=args.epochs)
        folder = recipe.train_transformer(data, open_base(args.base), out, options, _quiet)
        return tagger(folder, TransformerScorer(folder))

    return learn


def tagger(folder: ModelFolder, scorer: Scorer, threshold: float = 0.5) -> Tagger:
    """The bare model, which marks what it finds likelier PHI than not, or above a threshold.

    Neither a pipeline, whose other steps would blur what was learned, nor a calibrated threshold,
    which a handful of held-out notes cannot give.
    """
    decoder = Decoder(folder.labels, dict.fromkeys(folder.labels, threshold), folder.kind)

    def tag(documents: Sequence[Document]) -> list[AnnotatedDocument]:
        return [
            AnnotatedDocument(document, tuple(decoder.spans(document.text, scores)))
            for document, scores in zip(
                documents, scorer.score([document.text for document in documents]), strict=True
            )
        ]

    return tag


def _quiet(_: str) -> None:
    """Training reports every step; here only the cells matter."""


def _say(line: str) -> None:
    print(line, file=sys.stderr)
