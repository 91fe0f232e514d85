"""What an inclusion list and a sentence cache save where notes repeat themselves.

    python -m bench.repeats                              30 % of the sentences are the same few
    python -m bench.repeats --policy site.toml --cache spacy

Harmless sentences are strewn into annotated notes until they make up the share asked for. The same
notes are read as they are, with those sentences on a signed list, with the detectors named by
`--cache` behind a sentence cache, and with both; and the notes without these sentences, which is
the most that can be saved. They take turns, so that what else the machine does meets all alike.
Prints medians of processor time and of the clock, and how well each way finds PHI.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from bench.notes import CORPORA, HELD_OUT, notes
from incognote.core.types import AnnotatedDocument, Document, Result, Span
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import word_table
from incognote.learn.harvest import Listed, review_file
from incognote.pipeline import Pipeline
from incognote.policy import DetectorRules, Policy, PrepareRules, load_policy
from incognote.prepare import prepare

SENTENCES = (
    "Heart sounds are regular without murmurs, rubs or gallops.",
    "Lungs are clear to auscultation bilaterally.",
    "Abdomen is soft, non-tender and non-distended with normal bowel sounds.",
    "Risks and benefits of the procedure were discussed and all questions were answered.",
    "Return to the emergency department for fever, worsening pain or trouble breathing.",
    "The patient was seen and examined, and the plan was discussed with the team.",
    "Review of systems is otherwise negative except as noted above.",
    "Medications were reviewed and reconciled with the patient.",
    "Take this medicine with food and finish the whole course.",
    "No acute distress, alert and oriented to person, place and time.",
)


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.repeats", description=__doc__, formatter_class=as_written
    )
    parser.add_argument("--corpus", choices=sorted(CORPORA), default=HELD_OUT)
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--policy", default=None)
    parser.add_argument(
        "--cache", type=lambda text: text.split(","), default=(), help="detectors, as spacy,remote"
    )
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    policy = load_policy(options.policy) if options.policy else load_policy()
    own = notes(options.corpus)
    gold = [strewn(doc, options.share) for doc in own]
    repeated = sum(
        doc.text.count(sentence) * len(sentence) for doc in gold for sentence in SENTENCES
    )
    letters = sum(len(doc.text) for doc in gold)
    print(
        f"{len(gold)} notes; {options.share:.0%} of the sentences are the same few,"
        f" {repeated / letters:.0%} of the characters\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            name: (each, gold) for name, each in ways_to_read(policy, Path(folder), options.cache)
        }
        show({**ways, "without these sentences": (policy, own)}, options.rounds)


def ways_to_read(
    policy: Policy, folder: Path, cached: Sequence[str]
) -> Iterator[tuple[str, Policy]]:
    listed = folder / "inclusion.csv"
    rows = review_file([Listed(sentence, 1, 1, clinical=False) for sentence in SENTENCES])
    listed.write_text(rows.replace("\n,", "\nyes,"), encoding="utf-8")
    with_list = replace(policy.prepare, inclusion=str(listed))
    yield "as it is", policy
    yield "inclusion list", replace(policy, prepare=with_list)
    if cached:
        behind = {
            name: behind_cache(name, rules) if name in cached else rules
            for name, rules in policy.detectors.items()
        }
        yield "sentence cache", replace(policy, detectors=behind)
        yield "both", replace(policy, detectors=behind, prepare=with_list)


def behind_cache(name: str, rules: DetectorRules) -> DetectorRules:
    inner = {"use": rules.use or name, "options": dict(rules.options)}
    return replace(rules, use="sentence_cache", options=inner)


def strewn(doc: AnnotatedDocument, share: float) -> AnnotatedDocument:
    """The note with harmless sentences on lines of their own between its lines."""
    rng = random.Random(doc.id)
    own = sum(len(view.sentences) for view in prepare(doc.document, PrepareRules()))
    ends = [at + 1 for at, char in enumerate(doc.text) if char == "\n"]
    # Nothing is put into the middle of an annotated span.
    free = [at for at in (0, *ends) if not any(s.start < at < s.end for s in doc.spans)]
    places = sorted(rng.choice(free) for _ in range(round(own * share / (1 - share))))
    put = [(at, f"\n{rng.choice(SENTENCES)}\n\n") for at in places]
    parts = []
    done = 0
    for at, sentence in put:
        parts += [doc.text[done:at], sentence]
        done = at
    text = "".join((*parts, doc.text[done:]))

    def moved(span: Span) -> Span:
        shift = sum(len(sentence) for at, sentence in put if at <= span.start)
        return span.moved(span.start + shift, span.end + shift)

    return AnnotatedDocument(Document(doc.id, text), tuple(map(moved, doc.spans)))


Way = tuple[Policy, Sequence[AnnotatedDocument]]


def show(ways: Mapping[str, Way], rounds: int) -> None:
    spent: dict[str, list[float]] = {name: [] for name in ways}
    passed: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[AnnotatedDocument]] = {}
    for _ in range(rounds):
        for name, (policy, gold) in ways.items():
            # A new one each time: a cache that knows all notes from the last round proves nothing.
            pipeline = Pipeline(policy)
            pipeline.detect([doc.document for doc in gold[:1]])
            began, clock = process_time(), perf_counter()
            outcomes = pipeline.detect([doc.document for doc in gold])
            spent[name].append(process_time() - began)
            passed[name].append(perf_counter() - clock)
            found[name] = [
                AnnotatedDocument(outcome.document, outcome.spans)
                for outcome in outcomes
                if isinstance(outcome, Result)
            ]
    first = next(iter(ways))
    print("| read | processor s | times less | clock s | times less | recall | precision |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, (_, gold) in ways.items():
        counts = word_table(pair(gold, found[name])).counts()
        cells = (
            f"{median(spent[name]):.2f}",
            f"{median(spent[first]) / median(spent[name]):.2f}",
            f"{median(passed[name]):.2f}",
            f"{median(passed[first]) / median(passed[name]):.2f}",
            f"{counts.recall:.4f}",
            f"{counts.precision:.4f}",
        )
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
