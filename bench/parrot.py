"""`python -m bench.parrot CORPUS`: the parrot attack on our own output.

The notes are de-identified with a policy, and an attacker who has nothing but the output tries to
tell leaks from surrogates (`incognote.risk.parrot`). An AUC of 0.5 is blind. Notes that the models
were trained on leak less than yours will.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from incognote.core.types import Result
from incognote.corpus.files import read_corpus
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT
from incognote.risk.leaks import measure_leaks
from incognote.risk.parrot import USUAL, parrot
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
    outputs: dict[str, str] = {}
    for at in range(0, len(gold), _BATCH):
        for outcome in pipeline.deid([note.document for note in gold[at : at + _BATCH]]):
            if isinstance(outcome, Result) and outcome.text is not None:
                outputs[outcome.document.id] = outcome.text
    gold = [note for note in gold if note.id in outputs]
    kept = {label for label, rule in pipeline.policy.labels.items() if rule.action == "keep"}
    ignored = frozenset({*kept, "AGE", "TIME"})  # ages mostly stay: they would all be leaks
    leaks = measure_leaks(gold, outputs, kept=ignored)
    print(
        f"{len(gold)} notes, policy {args.policy}: {leaks.leaking} leak, "
        f"{leaks.missed} of {leaks.words} words of PHI"
    )
    print(f"{'attacker':<10}{'leaks':>8}{'marks':>8}{'found':>8}{'precision':>11}{'AUC':>7}  95 %")
    for attack in parrot(marked_notes(gold, outputs), args.attackers.split(","), ignore=ignored):
        print(
            f"{attack.attacker:<10}{attack.leaks:>8}{attack.marks:>8}{attack.detection:>8.1%}"
            f"{attack.precision:>11.1%}{attack.auc:>7.3f}  "
            f"{attack.auc_low:.3f} to {attack.auc_high:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
