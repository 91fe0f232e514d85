"""What each step of the ensemble changes: the same notes with one step switched off at a time.

    python -m bench.ablation                                   the tables of docs/guides/ensemble.md
    python -m bench.ablation --corpus train --groups w4,w11    whole groups of the corpus

Prints what share of the run resolving takes, and Markdown: group C (words, PHI or not) without each
step, the same where patterns and bare lists of names are all there is, and all labels in notes
typed in one letter case, with and without true-casing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

from bench.notes import HELD_OUT, notes
from bench.variants import varied
from incognote import pipeline as stages
from incognote.core.labels import in_group
from incognote.core.types import AnnotatedDocument, Detector, Result, Span, View
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import WordTable, word_table
from incognote.lexicon import lexicon, speech
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, DetectorRules, Policy, SpeechRules, load_policy
from incognote.resolve.repeat import SOURCE as REPETITION

Change = Callable[[Policy], Policy]


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.ablation", description=__doc__, formatter_class=as_written
    )
    names = lambda value: value.split(",")  # noqa: E731
    parser.add_argument("--corpus", type=names, default=[HELD_OUT, "dev"])
    parser.add_argument("--groups", type=names, default=())
    parser.add_argument("--policy", default=DEFAULT)
    options = parser.parse_args()
    policy = load_policy(options.policy)
    rules = load_policy(f"{options.policy}+rules")
    corpora = {corpus: notes(corpus, options.groups) for corpus in options.corpus}
    for each in (policy, rules):
        shares = ", ".join(
            f"{share_of_resolve(each, gold):.1%} ({name})" for name, gold in corpora.items()
        )
        print(f"resolving takes {shares} of the run under {each.name}", flush=True)
    stages.ask = remembering(stages.ask)  # type: ignore[assignment]
    show_steps(policy, corpora)
    with tempfile.TemporaryDirectory() as folder:
        show_steps(bare_lists(policy, Path(folder)), corpora)
    show_case({"default": policy, "`rules`": rules}, corpora)


Corpora = Mapping[str, Sequence[AnnotatedDocument]]
SCORES = ("recall", "precision", "F1")


def bare_lists(policy: Policy, folder: Path) -> Policy:
    """The policy with patterns and a list of common names for detectors, as a site may begin."""
    names = {*lexicon().first_names(), *lexicon().surnames()}
    path = folder / "names.txt"
    path.write_text("\n".join(sorted(names)), encoding="utf-8")
    options = {"label": "PATIENT", "file": str(path), "ignore_case": False}
    speech_rules = replace(policy.resolve.speech, sources=(REPETITION, "lists"))
    return replace(
        policy,
        detectors={
            "patterns": policy.detectors["patterns"],
            "lists": DetectorRules(use="dictionary", options=options),
        },
        resolve=replace(policy.resolve, speech=speech_rules),
    )


def head(names: Sequence[str], corpora: Corpora, scores: Sequence[str]) -> None:
    groups = [" | ".join((f"{corpus}: {scores[0]}", *scores[1:])) for corpus in corpora]
    print(f"\n| {' | '.join((*names, *groups))} |")
    print("|---" * len(names) + "|--:" * len(scores) * len(corpora) + "|")


def row(names: Sequence[str], scores: Sequence[float]) -> None:
    print(f"| {' | '.join((*names, *(f'{score:.4f}' for score in scores)))} |", flush=True)


def show_steps(policy: Policy, corpora: Corpora) -> None:
    wanted = in_group("C")
    head(["switched off"], corpora, (*SCORES, "typed F1"))
    for name, change in (("nothing", lambda p: p), *changes(policy)):
        scores: list[float] = []
        for gold in corpora.values():
            table = score(change(policy), gold)
            plain, typed = table.counts(wanted), table.counts(wanted, typed=True)
            scores += (plain.recall, plain.precision, plain.f1, typed.f1)
        row([name], scores)


def show_case(policies: Mapping[str, Policy], corpora: Corpora) -> None:
    head(["letter case", "policy", "true-casing"], corpora, SCORES)
    for variant in ("upper case", "lower case"):
        for name, policy in policies.items():
            for way, change in (("on", lambda p: p), ("off", without_true_case)):
                scores: list[float] = []
                for gold in corpora.values():
                    counts = score(change(policy), varied(gold, variant)).counts()
                    scores += (counts.recall, counts.precision, counts.f1)
                row([variant, name, way], scores)


Ask = Callable[[Detector, list[View]], list[list[Span]]]


def remembering(ask: Ask) -> Ask:
    """Asks a detector about a view once: most changes lie behind the detectors."""
    known: dict[tuple[str, str, str], list[Span]] = {}

    def ask_once(detector: Detector, views: list[View]) -> list[list[Span]]:
        keys = [(detector.name, view.text, view.cased) for view in views]
        fresh = [(key, view) for key, view in zip(keys, views, strict=True) if key not in known]
        found = ask(detector, [view for _, view in fresh]) if fresh else []
        known.update((key, spans) for (key, _), spans in zip(fresh, found, strict=True))
        return [known[key] for key in keys]

    return ask_once


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
    yield "true-casing", without_true_case
    yield "unwrapping of lines", lambda p: replace(p, prepare=replace(p.prepare, unwrap=False))
    yield "weights (all 1)", same_weights
    for name, rules_of in policy.detectors.items():
        if rules_of.weight == 0:
            continue
        yield f"detector `{name}`", without(name)


def without_true_case(policy: Policy) -> Policy:
    return replace(policy, prepare=replace(policy.prepare, truecase=False))


def resolving(**fields: object) -> Change:
    return lambda p: replace(p, resolve=replace(p.resolve, **fields))  # type: ignore[arg-type]


def same_weights(policy: Policy) -> Policy:
    detectors = {
        name: replace(rules, weight=1, weights={}) if rules.weight else rules
        for name, rules in policy.detectors.items()
    }
    return replace(policy, detectors=detectors)


def without(name: str) -> Change:
    return lambda p: replace(
        p, detectors={key: rules for key, rules in p.detectors.items() if key != name}
    )


def score(policy: Policy, gold: Sequence[AnnotatedDocument]) -> WordTable:
    found = Pipeline(policy).detect([doc.document for doc in gold])
    # What goes to quarantine is not passed on: it can neither leak nor be masked.
    read = [(doc, o.spans) for doc, o in zip(gold, found, strict=True) if isinstance(o, Result)]
    pred = [AnnotatedDocument(doc.document, spans) for doc, spans in read]
    return word_table(pair([doc for doc, _ in read], pred))


def share_of_resolve(policy: Policy, gold: Sequence[AnnotatedDocument]) -> float:
    """In the second half of the notes: the first loads what is loaded once. Detectors remember
    words, so that notes they have read before would make the rest of the run look too cheap."""
    spent = 0.0
    resolve = stages.resolve

    def timed(*args: object) -> object:
        nonlocal spent
        start = process_time()
        outcome = resolve(*args)  # type: ignore[arg-type]
        spent += process_time() - start
        return outcome

    pipeline = Pipeline(policy)
    documents = [doc.document for doc in gold]
    half = len(documents) // 2
    pipeline.detect(documents[:half])
    speech.tag(["loaded"])  # the first half may not have asked for it
    stages.resolve = timed  # type: ignore[assignment]
    start = process_time()
    pipeline.detect(documents[half:])
    whole = process_time() - start
    stages.resolve = resolve
    return spent / whole


if __name__ == "__main__":
    main()
