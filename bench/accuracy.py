"""How well a policy finds PHI in annotated notes, and where it errs.

    python -m bench.accuracy                         the development notes
    python -m bench.accuracy --errors                with every miss and false alarm in context
    python -m bench.accuracy --corpus train --groups w6,w11 --labels DOCTOR --errors
    python -m bench.accuracy --pred spans.jsonl      what `incognote detect` wrote

The notes are fictional and ours, so their text may be shown. Never put strings of the development
notes into rules, lists or tests: they would then measure nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.notes import CORPORA, notes
from incognote.core.types import AnnotatedDocument, Failure
from incognote.corpus import read_corpus
from incognote.evaluate.errors import places
from incognote.evaluate.scoring.counts import Counts
from incognote.evaluate.scoring.pairs import Pair, pair
from incognote.evaluate.scoring.subsets import subsets
from incognote.evaluate.scoring.words import Outcome, WordTable, by_label, word_table

CONTEXT = 45


def main() -> None:
    options = arguments()
    gold = notes(options.corpus, options.groups)
    pred = from_file(options.pred, gold) if options.pred else detected(gold, options.policy)
    pairs, table = scored(gold, pred)
    console = Console(width=None if Console().is_terminal else 160, highlight=False)
    show_scores(console, table)
    if options.errors:
        show_errors(console, table, pairs, options.labels)


def arguments() -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="dev")
    parser.add_argument("--groups", type=_names, default=(), help="id prefixes, as w6,w11")
    parser.add_argument("--policy", help="preset or file (default: the default policy)")
    parser.add_argument("--pred", help="score this file instead of running the pipeline")
    parser.add_argument("--errors", action="store_true", help="print misses and false alarms")
    parser.add_argument("--labels", type=_names, default=(), help="only errors of these labels")
    return parser.parse_args()


def _names(value: str) -> tuple[str, ...]:
    return tuple(value.split(","))


def from_file(path: str, gold: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    wanted = {doc.id for doc in gold}
    return [doc for doc in read_corpus(path) if doc.id in wanted]


def detected(gold: Sequence[AnnotatedDocument], policy: str | None) -> list[AnnotatedDocument]:
    """What the pipeline finds; notes that it puts into quarantine are named and left out."""
    from incognote.pipeline import Pipeline

    pipeline = Pipeline(policy)
    found = []
    for doc, result in zip(gold, pipeline.detect([doc.document for doc in gold]), strict=True):
        if isinstance(result, Failure):
            print(f"{doc.id}: quarantine: {result.stage}: {result.message}", file=sys.stderr)
        else:
            found.append(AnnotatedDocument(doc.document, result.spans))
    return found


def scored(
    gold: Sequence[AnnotatedDocument], pred: Sequence[AnnotatedDocument]
) -> tuple[list[Pair], WordTable]:
    """Pairs and words of the notes that were answered."""
    answered = {doc.id for doc in pred}
    pairs = pair([doc for doc in gold if doc.id in answered], pred)
    return pairs, word_table(pairs)


def show_scores(console: Console, table: WordTable) -> None:
    notes_with_gold = len(table.documents)
    summary = Table("", "recall", "precision", "F1", "typed F1", "missed", "false", "leaks")
    for name, wanted in subsets().items():
        counts = table.counts(wanted)
        typed = table.counts(wanted, typed=True)
        leaks = f"{table.leaking(wanted)}/{notes_with_gold}"
        summary.add_row(name, *_numbers(counts), f"{typed.f1:.4f}", *_errors(counts), leaks)
    summary.caption = f"words ({table.tokeniser} tokeniser), PHI or not; TIME neutral"
    console.print(summary)
    detail = Table("label", "words", "recall", "precision", "F1", "missed", "false")
    for name, counts in by_label(table).items():
        detail.add_row(name, str(counts.tp + counts.fn), *_numbers(counts), *_errors(counts))
    console.print(detail)


def _numbers(counts: Counts) -> tuple[str, ...]:
    return tuple(f"{value:.4f}" for value in (counts.recall, counts.precision, counts.f1))


def _errors(counts: Counts) -> tuple[str, str]:
    return str(counts.fn), str(counts.fp)


def show_errors(
    console: Console, table: WordTable, pairs: Sequence[Pair], labels: Sequence[str]
) -> None:
    outcome = table.outcome()
    chosen = table.ids(labels) if labels else np.arange(1, len(table.labels))
    for title, mask, column in (
        ("missed", outcome.missed & np.isin(table.gold, chosen), table.gold),
        ("false alarm", outcome.false & np.isin(table.pred, chosen), table.pred),
    ):
        runs = places(table, mask)
        console.rule(f"{title}: {len(runs)} places, {int(mask.sum())} words")
        for first, last in runs:
            label = table.labels[column[first]]
            _show(console, label, pairs[table.document[first]], table.start[first], table.end[last])
    _show_mixed_up(console, table, outcome)


def _show(console: Console, label: str, pair_: Pair, start: int, end: int) -> None:
    text = pair_.document.text
    before = text[max(0, start - CONTEXT) : start].replace("\n", "⏎")
    after = text[end : end + CONTEXT].replace("\n", "⏎")
    said = sorted({f"{s.label}({','.join(s.sources)})" for s in pair_.pred
                   if s.start < end and start < s.end})  # fmt: skip
    line = Text(f"{pair_.document.id:8} {label:14} ")
    line.append(before, "dim").append(f"«{text[start:end]}»", "bold red").append(after, "dim")
    console.print(line.append(f"  {' '.join(said)}", "cyan"), soft_wrap=True)


def _show_mixed_up(console: Console, table: WordTable, outcome: Outcome) -> None:
    mixed = outcome.hit & (table.gold != table.pred)
    console.rule(f"found with another label: {int(mixed.sum())} words")
    size = len(table.labels)
    joint = np.bincount(
        table.gold[mixed].astype(np.int64) * size + table.pred[mixed], minlength=size * size
    )
    for at in np.argsort(-joint, kind="stable")[:25]:
        if joint[at]:
            console.print(
                f"{table.labels[at // size]:14} as {table.labels[at % size]:14} {joint[at]}"
            )


if __name__ == "__main__":
    main()
