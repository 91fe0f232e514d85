"""`incognote corpus`: convert, harmonise, describe, check, sample, split and make corpora."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from incognote.cli import DONE
from incognote.cli.options import add_key, key_from
from incognote.core.errors import UsageError
from incognote.corpus import AnnotatedDocument, corpus_formats, read_corpus, write_corpus
from incognote.corpus.describe import (
    LabelFacts,
    TypeFacts,
    check,
    chi_square,
    describe,
    repetitions,
    sum_types,
)
from incognote.corpus.duplicates import duplicates
from incognote.corpus.files import corpus_format
from incognote.corpus.labelmaps import label_map
from incognote.corpus.resynthesise import POLICY, resynthesise
from incognote.corpus.sample import SampleSize, sample
from incognote.corpus.split import note_type, split
from incognote.corpus.synth import carriers, synthesise, templates
from incognote.policy import load_policy

Action = Callable[[argparse.Namespace], int]
Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001

_TYPES = 20  # rows of a table that is still read; --json has them all


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")

    convert = _action(actions, "convert", _convert, "write a corpus in another format")
    _add_output(convert)

    harmonise = _action(actions, "harmonise", _harmonise, "map the labels, say what is lost")
    _add_output(harmonise)
    harmonise.add_argument(
        "--map",
        metavar="MAP",
        required=True,
        help="a scheme (to ours), SCHEME>SCHEME, categories, meddocan, or a TOML file",
    )

    facts = _action(actions, "describe", _describe, "count what is in it; no text is shown")
    facts.add_argument("--against", metavar="CORPUS", help="test whether the label mix differs")
    facts.add_argument("--json", metavar="FILE", type=Path, help="write the counts here too")

    checks = _action(actions, "check", _check, "find annotations that cannot be right")
    checks.add_argument("-o", "--output", metavar="FILE", type=Path, help="findings as JSON Lines")
    checks.add_argument(
        "--repetitions",
        action="store_true",
        help="also words that are marked in one place of a note and not in another",
    )

    parts = _action(actions, "split", _split, "parts that share no patient and no duplicate")
    _add_output(parts)
    parts.add_argument(
        "--parts",
        metavar="NAME=SHARE",
        nargs="+",
        default=["train=0.8", "dev=0.1", "test=0.1"],
        help="parts and their shares (default: train=0.8 dev=0.1 test=0.1)",
    )
    parts.add_argument("--seed", type=int, default=0, help="another split (default: 0)")
    _add_similar(parts)

    _configure_sample(actions)

    anew = _action(actions, "resynthesise", _resynthesise, "every mention anew, to be shared")
    _add_output(anew)
    add_key(anew)
    anew.add_argument(
        "--policy", metavar="P", default=POLICY, help="what is replaced how (default: %(default)s)"
    )
    anew.add_argument(
        "--report", metavar="FILE", type=Path, help="the rules and the counts by class as JSON"
    )

    _configure_synth(actions)

    same = _action(actions, "duplicates", _duplicates, "pairs of notes that are nearly the same")
    _add_similar(same)
    same.add_argument("-o", "--output", metavar="FILE", type=Path, help="pairs as JSON Lines")


def _configure_sample(actions: Actions) -> None:
    drawn = _action(actions, "sample", _sample, "draw notes to annotate, stratified by note type")
    _add_output(drawn)
    drawn.add_argument("--notes", metavar="N", type=int, required=True, help="how many to draw")
    drawn.add_argument(
        "--least",
        metavar="N",
        type=int,
        default=0,
        help="at least so many of each note type, or all where there are fewer (default: 0)",
    )
    drawn.add_argument(
        "--more",
        metavar="TYPE=FACTOR",
        nargs="+",
        default=[],
        help="draw a note type more (or less) often than its share, such as consult=3",
    )
    drawn.add_argument(
        "--per-patient", metavar="N", type=int, help="at most so many notes of one patient"
    )
    drawn.add_argument(
        "--whole-patients", action="store_true", help="draw patients, with all of their notes"
    )
    drawn.add_argument("--seed", type=int, default=0, help="another sample (default: 0)")
    drawn.add_argument("--report", metavar="FILE", type=Path, help="counts by note type as JSON")


def _configure_synth(actions: Actions) -> None:
    """The one action that reads no corpus."""
    summary = "annotated notes from templates"
    synth = actions.add_parser("synth", help=summary, description=f"{summary}.".capitalize())
    synth.set_defaults(run_it=_synth)
    _add_output(synth)
    synth.add_argument(
        "--notes", metavar="N", type=int, default=100, help="how many (default: 100)"
    )
    synth.add_argument("--seed", type=int, default=0, help="other notes (default: 0)")
    synth.add_argument(
        "--templates",
        metavar="PATH",
        type=Path,
        help="own templates: a folder of .txt files with marks, Dr. [[Chen|DOCTOR]], or any "
        "annotated corpus",
    )
    synth.add_argument(
        "--carriers",
        metavar="DIR",
        type=Path,
        help="reports masked at the source (Dr. X, MM/DD/YYYY), .txt files, to use as templates",
    )


def _action(
    actions: Actions,
    name: str,
    run_it: Action,
    summary: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary, description=f"{summary}.".capitalize())
    parser.add_argument("input", metavar="IN", help="annotated corpus: a file or a folder")
    parser.add_argument(
        "--from", dest="form", metavar="F", help=f"its format: {', '.join(corpus_formats())}"
    )
    parser.set_defaults(run_it=run_it)
    return parser


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, required=True, help="file or folder to write"
    )
    parser.add_argument(
        "--to", metavar="F", default="jsonl", help="format to write (default: %(default)s)"
    )


def _add_similar(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--similar",
        metavar="SHARE",
        type=float,
        default=0.7,
        help="notes that share this much of their word shingles are duplicates (default: 0.7)",
    )


def run(args: argparse.Namespace) -> int:
    action: Action = args.run_it
    return action(args)


def _convert(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    write_corpus(documents, args.output, args.to)
    print(f"{len(documents):,} documents, {_mentions(documents):,} spans: {args.output}")
    return DONE


def _harmonise(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    mapping = label_map(args.map)
    mapped = [mapping.apply(doc) for doc in documents]
    losses = mapping.losses(documents)
    for label, count in losses.dropped.items():
        print(f"dropped   {label}: no counterpart ({count:,} of them)")
    for target, parts in losses.merged.items():
        names = ", ".join(f"{label} ({count:,})" for label, count in parts.items())
        print(f"merged    {target}: {names} cannot be told apart any more")
    for label, (options, count) in losses.guessed.items():
        chosen = mapping.labels[label]
        others = ", ".join(name for name in options if name != chosen)
        print(f"guessed   {label}: {count:,} became {chosen}, could be {others}")
    write_corpus(mapped, args.output, args.to)
    print(f"{len(mapped):,} documents, {_mentions(mapped):,} spans: {args.output}")
    return DONE


def _describe(args: argparse.Namespace) -> int:
    facts = describe(read_corpus(args.input, args.form))
    print(
        f"{facts.documents:,} documents of {facts.patients:,} patients, {facts.words:,} words "
        f"({facts.vocabulary:,} distinct), {facts.mentions:,} PHI mentions; "
        f"{facts.documents_without_phi:,} documents have none"
    )
    rows = [
        (
            name,
            f"{row.mentions:,}",
            f"{row.unique:,}",
            f"{row.documents:,}",
            f"{row.per_1000_words:.2f}",
        )
        for name, row in facts.labels.items()
    ]
    _print_table(("label", "mentions", "unique", "documents", "per 1,000 words"), rows)
    shown = list(facts.note_types.items())[:_TYPES]
    rows = [(name, *_type_cells(row)) for name, row in shown]
    others = list(facts.note_types.values())[_TYPES:]
    if others:
        rows.append((f"({len(others):,} other types)", *_type_cells(sum_types(others))))
    _print_table(("note type", "documents", "words", "mentions", "per 1,000 words"), rows)
    whole = asdict(facts)
    if args.against:
        other = describe(read_corpus(args.against))
        test = chi_square(_counts(facts.labels), _counts(other.labels))
        alike = "may be alike" if test.p >= 0.05 else "differ"
        print(
            f"The label mixes {alike}: chi-square {test.statistic:,.1f}, {test.degrees} degrees "
            f"of freedom, p = {test.p:.3g}"
        )
        ranked = sorted(test.residuals.items(), key=lambda item: -abs(item[1]))
        here, there = facts.labels, other.labels
        compared = [
            (name, _label_share(here, name), _label_share(there, name), f"{value:+.1f}")
            for name, value in ranked
        ]
        heads = ("label", Path(args.input).name, Path(args.against).name, "residual")
        _print_table(heads, compared)
        print("Shares of all mentions; labels with residuals beyond 2 either way differ.\n")
        whole["chi_square"] = asdict(test)
    if args.json:
        args.json.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return DONE


def _type_cells(row: TypeFacts) -> tuple[str, str, str, str]:
    density = f"{row.per_1000_words:.1f}"
    return f"{row.documents:,}", f"{row.words:,}", f"{row.mentions:,}", density


def _label_share(labels: Mapping[str, LabelFacts], name: str) -> str:
    total = sum(row.mentions for row in labels.values())
    return f"{100 * labels[name].mentions / total:.2f} %" if name in labels else "0"


def _counts(labels: Mapping[str, LabelFacts]) -> dict[str, int]:
    return {name: row.mentions for name, row in labels.items()}


def _check(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    findings = check(documents) + (repetitions(documents) if args.repetitions else [])
    for one in findings:
        print(f"{one.document_id} [{one.start}, {one.end}) {one.problem} {one.detail}".rstrip())
    _write_rows(args.output, (asdict(one) for one in findings))
    print(f"{len(findings):,} findings")
    return DONE


def _split(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    parts = split(documents, _shares(args.parts), seed=args.seed, similar=args.similar)
    args.output.mkdir(parents=True, exist_ok=True)
    suffix = corpus_format(args.to).suffix
    for name, docs in parts.items():
        write_corpus(docs, args.output / f"{name}{suffix}", args.to)
        share = 100 * len(docs) / len(documents)
        patients = {doc.document.patient_id or f"document {doc.id}" for doc in docs}
        print(
            f"{name}: {len(docs):,} documents ({share:.1f} %) of {len(patients):,} patients, "
            f"{len(set(map(note_type, docs))):,} note types, {_mentions(docs):,} spans"
        )
    return DONE


def _shares(texts: Sequence[str], option: str = "--parts NAME=SHARE") -> dict[str, float]:
    shares = {}
    name_of_option, form = option.split()
    for text in texts:
        name, _, share = text.rpartition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise UsageError(f"{name_of_option}: {text!r} is not {form}") from None
    return shares


def _sample(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    factors = _shares(args.more, "--more TYPE=FACTOR")
    size = SampleSize(args.notes, args.least, factors, args.per_patient, args.whole_patients)
    drawn, rows = sample(documents, size, seed=args.seed)
    write_corpus(drawn, args.output, args.to)
    if args.report:
        whole = {"seed": args.seed, "types": [asdict(row) | {"chance": row.chance} for row in rows]}
        args.report.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    _print_table(
        ("note type", "notes", "places", "drawn", "chance"),
        [
            (
                row.name,
                f"{row.available:,}",
                f"{row.wanted:,}",
                f"{row.drawn:,}",
                f"{row.chance:.3f}",
            )
            for row in rows
        ],
    )
    patients = {doc.document.patient_id or f"document {doc.id}" for doc in drawn}
    print(f"{len(drawn):,} of {len(documents):,} notes, {len(patients):,} patients: {args.output}")
    return DONE


def _resynthesise(args: argparse.Namespace) -> int:
    documents = read_corpus(args.input, args.form)
    made, report = resynthesise(documents, key_from(args), load_policy(args.policy))
    for rule in report.rules:
        where = f" (in {', '.join(rule.where)})" if rule.broken else ""
        print(f"{rule.broken:>6,} of {rule.cases:>7,} break: {rule.name}{where}")
    rows = [
        (
            row.label,
            *(f"{count:,}" for count in (*row.mentions, *row.unique)),
            f"{row.chi_square:.2f}",
            f"{row.p:.3g}",
        )
        for row in report.classes
    ]
    print()
    heads = ("label", "mentions", "after", "unique values", "after", "chi-square", "p")
    _print_table(heads, rows)
    if args.report:
        whole = {
            "rules": [asdict(rule) | {"kept": rule.kept} for rule in report.rules],
            "classes": [
                asdict(row) | {"chi_square": row.chi_square, "p": row.p} for row in report.classes
            ],
        }
        args.report.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
    if not made:
        raise UsageError("no document could be made anew")
    write_corpus(made, args.output, args.to)
    print(f"{len(made):,} documents, {_mentions(made):,} spans: {args.output}")
    return DONE


def _synth(args: argparse.Namespace) -> int:
    sources = carriers(args.carriers, args.seed) if args.carriers else []
    if args.templates and not args.templates.is_dir():
        sources += read_corpus(args.templates)
    elif args.templates or not sources:
        sources += templates(args.templates)
    made = list(synthesise(sources, args.notes, args.seed))
    write_corpus(made, args.output, args.to)
    print(f"{len(made):,} documents, {_mentions(made):,} spans: {args.output}")
    return DONE


def _duplicates(args: argparse.Namespace) -> int:
    pairs = duplicates(read_corpus(args.input, args.form), args.similar)
    for pair in pairs:
        print(f"{pair.similarity:.3f}  {pair.one}  {pair.other}")
    _write_rows(args.output, (asdict(pair) for pair in pairs))
    print(f"{len(pairs):,} pairs")
    return DONE


def _mentions(documents: Iterable[AnnotatedDocument]) -> int:
    return sum(len(doc.spans) for doc in documents)


def _write_rows(path: Path | None, rows: Iterable[object]) -> None:
    if path:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        first, *rest = zip(row, widths, strict=True)
        line = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        print("  ".join(line))
    print()
