"""`incognote evaluate`: how good a de-identification is, and which of two is better.

incognote evaluate GOLD PRED -o report/
incognote evaluate GOLD --compare A B -o report/
incognote evaluate GOLD REDACTED --redacted -o report/
incognote evaluate --agreement ANNOTATOR1 ANNOTATOR2 ... -o report/ [--decisions FILE]
incognote evaluate --sample-size 0.01
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from incognote.cli import DONE
from incognote.cli.learning.cross import add_options, run_cross
from incognote.core.errors import UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Span
from incognote.corpus import corpus_formats, read_corpus, write_corpus
from incognote.corpus.files import guess
from incognote.corpus.labelmaps import label_map
from incognote.corpus.redacted_files import redacted_texts
from incognote.evaluate import Options, compare, measure, write_report
from incognote.evaluate.agreement import adjudicated, agreement, disputes, read_decisions
from incognote.evaluate.confidence import SHUFFLES, sample_size
from incognote.evaluate.measure import official
from incognote.evaluate.scoring.i2b2 import read_folder
from incognote.evaluate.scoring.redacted import from_redacted
from incognote.evaluate.scoring.subsets import UNTYPED
from incognote.evaluate.scoring.tokens import DEFAULT, TOKENISERS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "gold",
        metavar="GOLD",
        nargs="?",
        help="annotated corpus of any format, or the word cross (see below)",
    )
    parser.add_argument("pred", metavar="PRED", nargs="?", help="what a system said of it")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help="folder for the report")
    parser.add_argument("--title", default="", help="heading of the report")
    parser.add_argument(
        "--show-text",
        action="store_true",
        help="put examples of errors into the report (it then holds clinical text)",
    )
    _add_what(parser)
    _add_reading(parser)
    _add_counting(parser)
    add_options(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("other questions")
    group.add_argument(
        "--compare",
        nargs=2,
        metavar=("A", "B"),
        help="is A better than B? (instead of PRED)",
    )
    group.add_argument(
        "--shuffles",
        metavar="N",
        type=int,
        default=SHUFFLES,
        help="shuffles of the randomisation test (default: %(default)s)",
    )
    group.add_argument(
        "--agreement",
        nargs="+",
        metavar="CORPUS",
        help="agreement of two or more annotators (instead of GOLD and PRED)",
    )
    group.add_argument(
        "--decisions",
        metavar="FILE",
        type=Path,
        help="adjudication.jsonl with a decision in each row: writes the gold of --agreement",
    )
    group.add_argument(
        "--sample-size",
        metavar="RATE",
        type=float,
        help="how many notes to annotate to claim that at most this share of notes leaks",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading")
    forms = ", ".join(corpus_formats())
    group.add_argument("--format", metavar="F", help=f"format of the corpora: {forms}")
    group.add_argument("--pred-format", metavar="F", help="of the predictions, where it differs")
    group.add_argument(
        "--redacted",
        action="store_true",
        help="PRED holds de-identified texts: what changed is what was found",
    )
    group.add_argument(
        "--gold-map", metavar="MAP", help="label map of the gold: a scheme or a TOML file"
    )
    group.add_argument("--pred-map", metavar="MAP", help="label map of the predictions")


def _add_counting(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("counting")
    group.add_argument(
        "--tokeniser", choices=TOKENISERS, default=DEFAULT, help="what a word is (%(default)s)"
    )
    group.add_argument(
        "--neutral",
        metavar="LABELS",
        default="TIME",
        help="labels that count neither way, with commas (default: %(default)s)",
    )
    group.add_argument(
        "--confidence",
        metavar="LEVEL",
        type=float,
        default=0.95,
        help="of intervals and bounds (default: %(default)s)",
    )
    group.add_argument(
        "--i2b2", action="store_true", help="add the official i2b2 2014 scores to the report"
    )
    group.add_argument(
        "--idnum-is-hipaa",
        action="store_true",
        help="count IDNUM in the official HIPAA subset, which the official scorer leaves out",
    )
    group.add_argument(
        "--terms",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="own list of clinical words, one a line; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    if args.sample_size is not None:
        return _plan(args.sample_size, args.confidence)
    if args.output is None:
        raise UsageError("-o/--output is missing: the folder for the report")
    if args.gold == "cross":
        return run_cross(args)
    if args.agreement:
        return _agree(args)
    if args.gold is None or (args.pred is None) == (args.compare is None):
        raise UsageError("give GOLD and PRED, or GOLD and --compare A B")
    return _measure(args)


def _plan(rate: float, level: float) -> int:
    """Nobody knows beforehand how many will leak, so the first few answers are given together."""
    first, *more = (sample_size(rate, leaks, level) for leaks in range(4))
    print(
        f"annotate {first:,} random notes; if none of them leaks, then with {100 * level:g} % "
        f"confidence at most {100 * rate:g} % of all do"
    )
    for leaks, notes in enumerate(more, 1):
        print(f"if {leaks} of them leak{'s' * (leaks == 1)}, the same can be said after {notes:,}")
    return DONE


def _measure(args: argparse.Namespace) -> int:
    gold = _read(args.gold, args.format, args.gold_map)
    options = _options(args)
    names = [args.pred] if args.pred else args.compare
    if len(set(names)) < len(names):
        raise UsageError("--compare needs two different systems")
    systems = [_predicted(name, gold, args) for name in names]
    named = dict(zip(_short(names), systems, strict=True))
    comparison = compare(gold, named, options, args.shuffles) if args.compare else None
    measured = measure(gold, systems[0], options)
    if args.i2b2 and _as_written(args.gold, args.gold_map) and _as_written(names[0], args.pred_map):
        # The official scorer compares what appears in the files, letter case and all.
        measured["official"] = official(
            read_folder(Path(args.gold)),
            read_folder(Path(names[0])),
            idnum_is_hipaa=args.idnum_is_hipaa,
        )
    title = args.title or f"{Path(names[0]).name} against {Path(args.gold).name}"
    written = write_report(args.output, measured, title, comparison)
    _summary(measured, comparison)
    print(f"report: {written[0]}")
    return DONE


def _short(paths: Sequence[str]) -> Sequence[str]:
    """The names of the files where they distinguish them."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else paths


def _as_written(path: str, labels: str | None) -> bool:
    return labels is None and Path(path).is_dir() and guess(Path(path)) == "i2b2-2014"


def _options(args: argparse.Namespace) -> Options:
    if not 0 < args.confidence < 1:
        raise UsageError("--confidence must lie between 0 and 1")
    return Options(
        tokeniser=args.tokeniser,
        neutral=frozenset(filter(None, args.neutral.split(","))),
        level=args.confidence,
        official=args.i2b2,
        idnum_is_hipaa=args.idnum_is_hipaa,
        show_text=args.show_text,
        terms={path.stem: path.read_text("utf-8").split("\n") for path in args.terms},
    )


def _read(path: str, form: str | None, labels: str | None) -> list[AnnotatedDocument]:
    return _mapped(read_corpus(path, form), labels)


def _mapped(documents: list[AnnotatedDocument], labels: str | None) -> list[AnnotatedDocument]:
    if labels is None:
        return documents
    mapping = label_map(labels)
    # What a redacted text does not name has no label to map.
    mapping = replace(mapping, labels={UNTYPED: UNTYPED, **mapping.labels})
    return [mapping.apply(doc) for doc in documents]


def _predicted(
    path: str, gold: Sequence[AnnotatedDocument], args: argparse.Namespace
) -> list[AnnotatedDocument]:
    if not args.redacted:
        return _known(_read(path, args.pred_format or args.format, args.pred_map), gold, path)
    texts = redacted_texts(Path(path), {doc.id for doc in gold})
    found = [from_redacted(doc.document, texts[doc.id]) for doc in gold]
    return _known(_mapped(found, args.pred_map), gold, path)


def _known(
    found: list[AnnotatedDocument], gold: Sequence[AnnotatedDocument], path: str
) -> list[AnnotatedDocument]:
    """An unknown label would find nothing in any group of labels: it counts as PHI of no kind."""
    known = {*all_labels(), UNTYPED, *(span.label for doc in gold for span in doc.spans)}
    others = Counter(s.label for doc in found for s in doc.spans if s.label not in known)
    if not others:
        return found
    named = ", ".join(f"{label} ({count:,})" for label, count in sorted(others.items()))
    print(
        f"{path}: labels that are neither in the gold nor known count as PHI of no kind; "
        f"--pred-map gives them a meaning: {named}",
        file=sys.stderr,
    )
    return [replace(doc, spans=tuple(_without(doc.spans, others))) for doc in found]


def _without(spans: Sequence[Span], labels: Container[str]) -> Iterator[Span]:
    return (replace(span, label=UNTYPED) if span.label in labels else span for span in spans)


def _summary(measured: dict[str, Any], comparison: dict[str, Any] | None) -> None:
    if comparison:
        print(comparison["verdict"])
    for subset, row in measured["words"].items():
        low, high = row["intervals"]["recall"]
        print(
            f"{subset:13} recall {row['recall']:.4f} ({low:.4f}-{high:.4f})  "
            f"precision {row['precision']:.4f}  F1 {row['f1']:.4f}  "
            f"missed {row['fn']:,}  false {row['fp']:,}  leaking notes {row['leaking_notes']:,}"
        )
    print(f"words: {measured['about']['tokeniser']} tokeniser, PHI or not")


def _agree(args: argparse.Namespace) -> int:
    if len(set(args.agreement)) < max(len(args.agreement), 2):
        raise UsageError("--agreement needs two or more different corpora")
    annotators = {name: _read(name, args.format, args.gold_map) for name in args.agreement}
    found = agreement(annotators, args.tokeniser)
    args.output.mkdir(parents=True, exist_ok=True)
    rows = [asdict(one) for one in found]
    (args.output / "agreement.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    for one in found:
        both, left, right, neither = one.matrix
        print(
            f"{one.one} and {one.other}: kappa {one.kappa:.4f} (PHI or not), "
            f"{one.kappa_labels:.4f} (by label), mention F1 {one.span_f1:.4f}; "
            f"words {both:,} / {left:,} / {right:,} / {neither:,}"
        )
        for label, value in sorted(one.kappa_by_label.items()):
            print(f"  {label}: kappa {value:.4f}")
    if args.decisions:
        return _write_gold(args, annotators)
    open_questions = disputes(annotators)
    with (args.output / "adjudication.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(one)) + "\n" for one in open_questions)
    print(f"{len(open_questions):,} places to adjudicate: {args.output / 'adjudication.jsonl'}")
    return DONE


def _write_gold(args: argparse.Namespace, annotators: dict[str, list[AnnotatedDocument]]) -> int:
    gold = adjudicated(annotators, read_decisions(args.decisions))
    path = args.output / "gold.jsonl"
    write_corpus(gold, path, "jsonl")
    for name, documents in annotators.items():
        (one,) = agreement({name: documents, "gold": gold}, args.tokeniser)
        print(f"{name} and the gold: kappa {one.kappa:.4f}, mention F1 {one.span_f1:.4f}")
    print(f"gold: {path}")
    return DONE
