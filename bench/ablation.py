"""What each step of the ensemble changes: the same notes with one step switched off at a time.

    python -m bench.ablation                                   the development notes
    python -m bench.ablation --corpus train --groups w4,w11    whole groups of the corpus

Prints a Markdown table of group C (words, PHI or not) and the share of the run spent on resolving.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from bench.notes import CORPORA, notes
from incognote import pipeline as stages
from incognote.core.labels import in_group
from incognote.core.types import AnnotatedDocument, Detector, Result, Span, View
from incognote.evaluate.pairs import pair
from incognote.evaluate.scores import Counts
from incognote.evaluate.words import word_table
from incognote.pipeline import Pipeline
from incognote.policy import Policy, SpeechRules, load_policy

Change = Callable[[Policy], Policy]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="dev")
    parser.add_argument("--groups", type=lambda value: value.split(","), default=())
    parser.add_argument("--policy", default=None)
    options = parser.parse_args()
    gold = notes(options.corpus, options.groups)
    policy = load_policy(options.policy) if options.policy else load_policy()
    share = share_of_resolve(policy, gold)
    remember_answers()
    whole = score(policy, gold)
    print("| switched off | recall | precision | F1 | typed F1 | missed | false alarms |")
    print("|---|---|---|---|---|---|---|")
    print(row("nothing", *whole))
    for name, change in changes(policy):
        print(row(name, *score(change(policy), gold)), flush=True)
    print(f"\nresolving: {share:.1%} of the run")


def remember_answers() -> None:
    """Asks a detector about a view once: most changes lie behind the detectors."""
    ask = stages.ask
    known: dict[tuple[str, str, str], list[Span]] = {}

    def ask_once(detector: Detector, views: list[View]) -> list[list[Span]]:
        keys = [(detector.name, view.text, view.cased) for view in views]
        fresh = [(key, view) for key, view in zip(keys, views, strict=True) if key not in known]
        found = ask(detector, [view for _, view in fresh]) if fresh else []
        known.update((key, spans) for (key, _), spans in zip(fresh, found, strict=True))
        return [known[key] for key in keys]

    stages.ask = ask_once


def changes(policy: Policy) -> Iterator[tuple[str, Change]]:
    """Every step that a policy can switch off, where this policy has it on."""
    rules = policy.resolve
    if rules.repetitions:
        yield "missed repetitions", resolving(repetitions=False)
    if rules.connect:
        yield "connected entities", resolving(connect=())
    if rules.speech.sources:
        yield "part-of-speech filter", resolving(speech=SpeechRules())
    if rules.never:
        yield "words that are never PHI", resolving(never=())
    if rules.votes:
        yield "votes", resolving(votes={})
    yield "true-casing", lambda p: replace(p, prepare=replace(p.prepare, truecase=False))
    yield "unwrapping of lines", lambda p: replace(p, prepare=replace(p.prepare, unwrap=False))
    yield "weights (all 1)", same_weights
    for name in policy.detectors:
        yield f"detector `{name}`", without(name)


def resolving(**fields: object) -> Change:
    return lambda p: replace(p, resolve=replace(p.resolve, **fields))  # type: ignore[arg-type]


def same_weights(policy: Policy) -> Policy:
    detectors = {k: replace(v, weight=1, weights={}) for k, v in policy.detectors.items()}
    return replace(policy, detectors=detectors)


def without(name: str) -> Change:
    return lambda p: replace(
        p, detectors={key: rules for key, rules in p.detectors.items() if key != name}
    )


def score(policy: Policy, gold: Sequence[AnnotatedDocument]) -> tuple[Counts, Counts]:
    """Words of group C: PHI or not, and with the right label."""
    found = Pipeline(policy).detect([doc.document for doc in gold])
    # What goes to quarantine is not passed on: it can neither leak nor be masked.
    read = [(doc, o.spans) for doc, o in zip(gold, found, strict=True) if isinstance(o, Result)]
    pred = [AnnotatedDocument(doc.document, spans) for doc, spans in read]
    table = word_table(pair([doc for doc, _ in read], pred))
    wanted = in_group("C")
    return table.counts(wanted), table.counts(wanted, typed=True)


def row(name: str, plain: Counts, typed: Counts) -> str:
    cells = (plain.recall, plain.precision, plain.f1, typed.f1)
    return f"| {name} | {' | '.join(f'{c:.4f}' for c in cells)} | {plain.fn} | {plain.fp} |"


def share_of_resolve(policy: Policy, gold: Sequence[AnnotatedDocument]) -> float:
    spent = 0.0
    resolve = stages.resolve

    def timed(*args: object) -> object:
        nonlocal spent
        start = perf_counter()
        outcome = resolve(*args)  # type: ignore[arg-type]
        spent += perf_counter() - start
        return outcome

    warm = Pipeline(policy)
    documents = [doc.document for doc in gold]
    warm.detect(documents[:5])
    stages.resolve = timed  # type: ignore[assignment]
    start = perf_counter()
    warm.detect(documents)
    whole = perf_counter() - start
    stages.resolve = resolve
    return spent / whole


if __name__ == "__main__":
    main()
