"""`python -m bench.parrot CORPUS`: the parrot attack on our own output.

The notes are de-identified with a policy, and an attacker who has nothing but the output tries to
tell leaks from surrogates (`incognote.risk.parrot`). An AUC of 0.5 is blind. Notes that the models
were trained on leak less than yours will. A keyed permutation lets some values stay by chance:
these are leaks, too, but nothing distinguishes them from other surrogates, so that what the
detectors missed is also counted alone.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from incognote.core.types import AnnotatedDocument, Result
from incognote.corpus.files import read_corpus
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT
from incognote.risk.leaks import aligned, measure_leaks
from incognote.risk.parrot import USUAL, Marked, parrot
from incognote.risk.report import marked_notes

# The same for everybody, so that two runs can be compared.
KEY = b"the benchmark key of incognote"
_BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.parrot", description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--policy", default=DEFAULT)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--attackers", default=",".join(USUAL))
    args = parser.parse_args()
    pipeline = Pipeline(args.policy, KEY)
    gold = read_corpus(args.corpus)[: args.notes]
    results: dict[str, Result] = {}
    for at in range(0, len(gold), _BATCH):
        for outcome in pipeline.deid([note.document for note in gold[at : at + _BATCH]]):
            if isinstance(outcome, Result) and outcome.text is not None:
                results[outcome.document.id] = outcome
    gold = [note for note in gold if note.id in results]
    outputs = {name: str(result.text) for name, result in results.items()}
    kept = {label for label, rule in pipeline.policy.labels.items() if rule.action == "keep"}
    ignored = frozenset({*kept, "AGE", "TIME"})  # ages mostly stay: they would all be leaks
    leaks = measure_leaks(gold, outputs, kept=ignored)
    print(
        f"{len(gold)} notes, policy {args.policy}: {leaks.leaking} leak, "
        f"{leaks.missed} of {leaks.words} words of PHI"
    )
    marked = marked_notes(gold, outputs)
    chance = _stayed(gold, results, outputs)
    for title, notes in (
        ("all leaks", marked),
        ("missed by the detectors", [_without(note, chance) for note in marked]),
    ):
        print(f"{title}\n{'attacker':<12}{'leaks':>7}{'marks':>8}  found  precision    AUC  95 %")
        for each in parrot(notes, args.attackers.split(","), ignore=ignored):
            print(
                f"{each.attacker:<12}{each.leaks:>7}{each.marks:>8}{each.detection:>7.1%}"
                f"{each.precision:>11.1%}{each.auc:>7.3f}  {each.auc_low:.3f} to "
                f"{each.auc_high:.3f}",
                flush=True,
            )


def _stayed(
    gold: list[AnnotatedDocument], results: dict[str, Result], outputs: dict[str, str]
) -> set[tuple[str, int, int, str]]:
    """Where a value stayed although it was found and replaced."""
    return {
        (note.id, place.start, place.end, place.span.label)
        for note in gold
        for place in aligned(note, note.spans, outputs[note.id])
        if place.leaked
        and any(
            found.start < place.span.end and place.span.start < found.end
            for found in results[note.id].spans
        )
    }


def _without(note: Marked, chance: set[tuple[str, int, int, str]]) -> Marked:
    kept = {s for s in note.leaks if (note.id, s.start, s.end, s.label) not in chance}
    return replace(note, leaks=frozenset(kept))


if __name__ == "__main__":
    main()
