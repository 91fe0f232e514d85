"""What each rule earns: the same notes without one rule at a time.

    python -m bench.rules                                  the held-out notes and dev
    python -m bench.rules --corpus train --groups w26,w27  whole groups of the corpus
    python -m bench.rules --idle                           only rules whose removal costs nothing
    python -m bench.rules --by-group                       whole groups of rules, as in `make bench`

Notes are read once. For each rule ("detector/rule", as `explain` names it) its candidates are then
left out and conflicts are settled again. `missed` is how many more words would be missed without
the rule, `false` how many fewer false alarms there would be. A rule that earns nothing in any group
is a debt; a rule that fires in one group only was perhaps written for one sighting.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.notes import HELD_OUT, notes
from incognote.core.types import AnnotatedDocument, Span, View
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import word_table
from incognote.pipeline import Pipeline, ask
from incognote.policy import DEFAULT
from incognote.prepare import prepare
from incognote.resolve import resolve


@dataclass(slots=True)
class Earnings:
    """What is known of one rule, over all notes."""

    fired: int = 0
    missed: int = 0
    false: int = 0
    groups: set[str] = field(default_factory=set)


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.rules", description=__doc__, formatter_class=as_written
    )
    names = lambda value: value.split(",")  # noqa: E731
    parser.add_argument("--corpus", type=names, default=[HELD_OUT, "dev"])
    parser.add_argument("--groups", type=names, default=())
    parser.add_argument("--policy", default=f"{DEFAULT}+rules")
    parser.add_argument("--idle", action="store_true", help="only rules that earn nothing")
    parser.add_argument("--by-group", action="store_true", help="leave out a group at a time")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    gold = [note for corpus in options.corpus for note in notes(corpus, options.groups)]
    earned = earnings(gold, options.policy, group_of if options.by_group else str)
    if options.json:
        keys = ("fired", "missed", "false")
        rows = {rule: {key: getattr(row, key) for key in keys} for rule, row in earned.items()}
        print(json.dumps(dict(sorted(rows.items())), indent=1))
        return
    print("| rule | fired | groups | missed without it | false alarms of it |")
    print("|---|--:|--:|--:|--:|")
    for rule, row in sorted(earned.items(), key=lambda each: (-each[1].missed, each[0])):
        if not options.idle or row.missed <= 0:
            print(f"| {rule} | {row.fired} | {len(row.groups)} | {row.missed} | {row.false} |")
    idle = [rule for rule, row in earned.items() if row.missed <= 0]
    print(f"\n{len(earned)} rules fired, {len(idle)} of them earn nothing here")


def group_of(rule: str) -> str:
    """Rules of one kind: "patterns/date" of "patterns/date.slashed", "names/kin" of all its kin."""
    detector, _, name = rule.partition("/")
    return f"{detector}/{re.split('[.-]', name, maxsplit=1)[0]}"


def earnings(
    gold: Sequence[AnnotatedDocument], policy: str, key: Callable[[str], str] = str
) -> dict[str, Earnings]:
    """For each rule that fired, or each `key` of rules, what its removal would change."""
    pipeline = Pipeline(policy)
    earned: dict[str, Earnings] = defaultdict(Earnings)
    for note in gold:
        views = prepare(note.document, pipeline.policy.prepare)
        candidates = list(_candidates(pipeline, views))
        missed, false = _errors(pipeline, note, candidates, views)
        for rule, own in _by_rule(candidates, key).items():
            row = earned[rule]
            row.fired += len(own)
            rest = [span for span in candidates if span not in own]
            more, fewer = _errors(pipeline, note, rest, views)
            row.missed += more - missed
            row.false += false - fewer
            if more > missed:
                row.groups.add(note.id.partition("_")[0])
    return dict(earned)


def _candidates(pipeline: Pipeline, views: list[View]) -> Iterator[Span]:
    for detector in pipeline.detectors:
        for view, spans in zip(views, ask(detector, views), strict=True):
            yield from map(view.to_source, spans)


def _by_rule(candidates: Iterable[Span], key: Callable[[str], str]) -> dict[str, set[Span]]:
    rules: dict[str, set[Span]] = defaultdict(set)
    for span in candidates:
        for source in span.sources:
            if "/" in source:  # a detector that names no rule is not taken apart
                rules[key(source)].add(span)
    return rules


def _errors(
    pipeline: Pipeline, note: AnnotatedDocument, candidates: list[Span], views: list[View]
) -> tuple[int, int]:
    """Missed words and false alarms."""
    spans = resolve(note.document, candidates, pipeline.policy, views).spans
    found = AnnotatedDocument(note.document, spans)
    outcome = word_table(pair([note], [found])).outcome()
    return int(outcome.missed.sum()), int(outcome.false.sum())


if __name__ == "__main__":
    main()
