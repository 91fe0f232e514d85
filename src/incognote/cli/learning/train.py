"""`incognote train transformer|fast|crf`: a detector from your own annotated notes."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from incognote.cli import DONE
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.detect.learned.crf_features import GROUPS
from incognote.detect.learned.hide.features import GROUPS as HIDE_GROUPS
from incognote.detect.learned.hide.features import HideFeatures
from incognote.detect.learned.hide.scorer import RECIPE
from incognote.detect.learned.model_folder import ModelFolder, open_model
from incognote.learn import crf, recipe, report
from incognote.learn.data import TYPES
from incognote.learn.fast import FastTraining
from incognote.learn.folder import points_table, policy_snippet
from incognote.learn.hide.crf import FOLDS, HideTraining, cross_validate
from incognote.learn.hide.folder import Study, read_dictionaries, scores_text, train_folder
from incognote.learn.hide.folder import document_of as document_of_note
from incognote.learn.hide.sampling import HISTORY, Sampling
from incognote.learn.hide.studies import STUDIES
from incognote.learn.network.base import find_base, open_base
from incognote.learn.network.teachers import open_teacher
from incognote.learn.transformer import Training


def configure(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    transformer = kinds.add_parser("transformer", help="a fine-tuned encoder; most accurate")
    fast = kinds.add_parser("fast", help="a small convolutional tagger; fastest")
    field = kinds.add_parser("crf", help="a conditional random field over chosen features")
    for each in (transformer, fast, field):
        _add_data(each)
    for each in (transformer, fast):
        _add_neural(each)
    transformer.add_argument(
        "--base",
        metavar="NAME",
        required=True,
        help="encoder folder in Hugging Face form (safetensors), a name on the hub, or a model of "
        "incognote to go on from",
    )
    transformer.add_argument(
        "--window",
        type=int,
        default=128,
        metavar="N",
        help="word pieces read at once (%(default)s)",
    )
    transformer.add_argument(
        "--overlap",
        type=int,
        default=32,
        metavar="N",
        help="word pieces that two windows share when the model reads (%(default)s)",
    )
    transformer.add_argument("--resume", action="store_true", help="go on after the last epoch")
    transformer.add_argument(
        "--hard-examples",
        action="store_true",
        help="continue the model in --out, more often on the notes on which it errs; the version "
        "before is kept, and the two best are read together",
    )
    transformer.add_argument(
        "--teacher",
        metavar="MODEL",
        action="append",
        default=[],
        help="a transformer model to learn from as well; may be given several times",
    )
    fast.add_argument(
        "--teacher", metavar="MODEL", help="a transformer model to learn from as well"
    )
    for each in (transformer, fast):
        each.add_argument(
            "--unlabelled",
            metavar="PATH",
            help="texts for a teacher to label: any corpus; its spans are not used",
        )
    _add_crf(field)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", metavar="PATH", required=True, help="annotated notes in any corpus format"
    )
    parser.add_argument("--format", metavar="NAME", help="the corpus format, where not guessed")
    parser.add_argument("--out", metavar="DIR", required=True, help="the model folder to write")
    parser.add_argument(
        "--held-out",
        type=int,
        metavar="N",
        help="notes to measure and calibrate on (default: a twentieth)",
    )
    parser.add_argument(
        "--types",
        type=lambda text: text.split(","),
        default=[],
        metavar="T,T",
        help=f"learn these alone: {', '.join(TYPES)}, or labels (default: all labels)",
    )
    parser.add_argument(
        "--language",
        type=lambda text: text.split(","),
        default=[],
        metavar="L,L",
        help="languages the model serves, as ISO codes (default: those of the notes)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(%(default)s)")


def _add_neural(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--extra",
        metavar="PATH",
        help="more notes of which a few hundred join each epoch: mostly text without PHI",
    )
    parser.add_argument(
        "--pools", metavar="DIR", help="lists of names and places in place of the lexicon's"
    )
    parser.add_argument("--epochs", type=int, metavar="N", help="at most so many epochs")
    parser.add_argument("--minutes", type=float, metavar="M", help="end the schedule by then")
    parser.add_argument("--threads", type=int, metavar="N", help="(default: all cores)")
    parser.add_argument("--description", default="", metavar="TEXT", help="a line for the card")


_OF_HIDE = ("history", "ahead", "affixes", "dictionary", "sample_history", "folds")


def _add_crf(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recipe",
        choices=("own", RECIPE),
        default="own",
        help="our own features, or those of the HIDE papers to the letter (%(default)s)",
    )
    parser.add_argument(
        "--groups",
        metavar="G,G",
        help=f"feature groups to use (own: {','.join(GROUPS)}; hide: {','.join(HIDE_GROUPS)})",
    )
    parser.add_argument(
        "--keep-outside",
        type=float,
        default=1.0,
        metavar="P",
        help="O-sampling: share of units outside PHI to learn from (%(default)s)",
    )
    parser.add_argument(
        "--window",
        type=int,
        metavar="N",
        help="window sampling: learn only from units this near to PHI; with --keep-outside also "
        "from that share of the rest",
    )
    parser.add_argument(
        "--iterations", type=int, metavar="N", help="of L-BFGS (own: 80; hide: 200)"
    )
    parser.add_argument(
        "--experiment",
        choices=STUDIES,
        help="instead of one model: compare feature groups, ways of sampling, or (hide) lengths of "
        "history; --out gets a table and plots",
    )
    hide = parser.add_argument_group("--recipe hide")
    for name, what in (
        ("history", "tokens before that count as context (4)"),
        ("ahead", "tokens behind that count as context (4)"),
        ("affixes", "longest prefix and suffix (4)"),
        ("sample-history", "tokens before PHI that random sampling keeps (4)"),
        ("folds", "of the cross-validation (10); 0 for none"),
    ):
        hide.add_argument(f"--{name}", type=int, metavar="N", help=what)
    hide.add_argument(
        "--dictionary",
        action="append",
        metavar="NAME=FILE",
        help="a list of phrases, one a line; may be given several times",
    )


def run(args: argparse.Namespace) -> int:
    out = Path(args.out)
    documents = read_corpus(args.data, args.format)
    extra = read_corpus(args.extra) if getattr(args, "extra", None) else []
    pools = Path(args.pools) if getattr(args, "pools", None) else None
    if pools and not pools.is_dir():
        raise UsageError(f"--pools: {pools} is no folder")
    unlabelled = getattr(args, "unlabelled", None)
    texts = [doc.text for doc in read_corpus(unlabelled)] if unlabelled else []
    data = recipe.prepare_data(
        documents,
        extra,
        texts,
        types=args.types,
        held_out=args.held_out,
        pools=pools,
        languages=args.language,
        seed=args.seed,
    )
    for warning in data.warnings:
        _say(f"note: {warning}")
    _say(f"{len(data.notes)} notes to learn from, {len(data.held)} held out")
    if args.kind == "crf":
        _check_recipe(args)
    if args.kind == "crf" and args.recipe == RECIPE:
        return _hide(args, data, documents, out)
    if args.kind == "crf" and args.experiment:
        return _experiment(args, data, out)
    folder = {"transformer": _transformer, "fast": _fast, "crf": _crf}[args.kind](args, data, out)
    return _ready(folder)


def _ready(folder: ModelFolder) -> int:
    print("\n".join(points_table(folder)))
    print(f"\n{folder.path} is ready. In a policy:\n\n{policy_snippet(folder)}", end="")
    return DONE


def _transformer(args: argparse.Namespace, data: recipe.TrainingData, out: Path) -> ModelFolder:
    if args.resume and args.hard_examples:
        raise UsageError("--resume goes on with a run, --hard-examples starts a new one: not both")
    if not 16 <= args.window <= 512:
        raise UsageError("--window must be 16 to 512 word pieces")
    if not 0 <= args.overlap <= args.window // 2:
        raise UsageError("--overlap must be 0 to half of --window")
    if args.unlabelled and not args.teacher:
        raise UsageError("--unlabelled texts need a --teacher that labels them")
    recipe.require_training()
    import torch

    on_gpu = torch.cuda.is_available()
    cores = os.cpu_count() or 1
    options = Training(
        epochs=args.epochs or (3 if args.hard_examples else 10),
        minutes=args.minutes,
        window=args.window,
        overlap=args.overlap,
        seed=args.seed,
        # A GPU takes a batch whole; the cores make the notes of the next epochs meanwhile.
        workers=1 if on_gpu else args.threads or cores,
        feeders=max(1, (args.threads or cores) - 1) if on_gpu else 0,
        budget=8192 if on_gpu else 2048,
    )
    name = Path(args.base).name if Path(args.base).is_dir() else args.base
    return recipe.train_transformer(
        replace(data, card=data.card | {"base": name}),
        open_base(find_base(args.base)),
        out,
        options,
        _say,
        resume=args.resume,
        hard_examples=args.hard_examples,
        teachers=[open_teacher(open_model(name).path) for name in args.teacher],
        description=args.description,
    )


def _fast(args: argparse.Namespace, data: recipe.TrainingData, out: Path) -> ModelFolder:
    if args.unlabelled and not args.teacher:
        raise UsageError("--unlabelled texts need a --teacher that labels them")
    options = FastTraining(
        epochs=args.epochs or 30, minutes=args.minutes, seed=args.seed, threads=args.threads
    )
    return recipe.train_fast(
        data,
        out,
        options,
        _say,
        teacher=recipe.model_reader(args.teacher) if args.teacher else None,
        description=args.description,
    )


def _crf(args: argparse.Namespace, data: recipe.TrainingData, out: Path) -> ModelFolder:
    return recipe.train_crf(data, out, _crf_options(args), _say)


def _crf_options(args: argparse.Namespace) -> crf.CrfTraining:
    return crf.CrfTraining(
        groups=tuple(args.groups.split(",")) if args.groups else GROUPS,
        keep_outside=args.keep_outside,
        window=args.window,
        iterations=80 if args.iterations is None else args.iterations,
        seed=args.seed,
    )


def _check_recipe(args: argparse.Namespace) -> None:
    given = [name for name in _OF_HIDE if getattr(args, name) is not None]
    if args.recipe != RECIPE and (given or args.experiment == "history"):
        option = f"--{given[0].replace('_', '-')}" if given else "--experiment history"
        raise UsageError(f"{option} needs --recipe hide")
    if args.folds is not None and args.folds and args.folds < 2:
        raise UsageError("--folds must be 2 or more, or 0 for no cross-validation")


def _hide_options(args: argparse.Namespace) -> HideTraining:
    lengths = {
        name: value
        for name in ("history", "ahead", "affixes")
        if (value := getattr(args, name)) is not None
    }
    return HideTraining(
        HideFeatures(
            tuple(args.groups.split(",")) if args.groups else HIDE_GROUPS,
            **lengths,
            dictionaries=read_dictionaries(args.dictionary or ()),
        ),
        Sampling(
            args.keep_outside,
            args.window,
            HISTORY if args.sample_history is None else args.sample_history,
        ),
        iterations=200 if args.iterations is None else args.iterations,
        seed=args.seed,
    )


def _hide(
    args: argparse.Namespace,
    data: recipe.TrainingData,
    documents: Sequence[AnnotatedDocument],
    out: Path,
) -> int:
    options = _hide_options(args)
    folds = FOLDS if args.folds is None else args.folds
    patients = {doc.id: doc.document.meta for doc in documents}
    notes = [document_of_note(note, patients[note.id]) for note in (*data.notes, *data.held)]
    if args.experiment:
        study = Study(notes, folds or FOLDS, _say)
        return _write_study(args.experiment, dict(study.tables(args.experiment, options)), out)
    folder = train_folder(data.notes, data.held, out, options, data.card, _say)
    if folds:
        text = scores_text(cross_validate(notes, options, folds), folds)
        (out / "cross-validation.md").write_text(text, encoding="utf-8")
        print(text)
    return _ready(folder)


def _experiment(args: argparse.Namespace, data: recipe.TrainingData, out: Path) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        panels = crf.study(
            args.experiment, data.notes, data.held, Path(scratch), _crf_options(args), _say
        )
    return _write_study(args.experiment, panels, out)


def _write_study(which: str, panels: Mapping[str, Sequence[crf.Trial]], out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    table = report.table(panels)
    (out / f"{which}.md").write_text(table, encoding="utf-8")
    for path in report.write_plots(panels, out):
        _say(f"wrote {path}")
    print(table, end="")
    return DONE


def _say(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)
