"""What an inclusion list saves where notes repeat themselves.

    python -m bench.repeats                    30 % of the sentences are the same few
    python -m bench.repeats --share 0.5 --policy site.toml

Harmless sentences are strewn into annotated notes until they make up the share asked for. The run
is timed without a list and with a signed one, and the finds of both are compared.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

from bench.notes import CORPORA, notes
from incognote.core.types import Document, Failure
from incognote.learn.harvest import Listed, review_file
from incognote.pipeline import Pipeline
from incognote.policy import Policy, PrepareRules, load_policy
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
ROUNDS = 2

Finds = list[set[tuple[str, str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", choices=sorted(CORPORA), default="dev")
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--policy", default=None)
    options = parser.parse_args()
    policy = load_policy(options.policy) if options.policy else load_policy()
    documents = [strewn(doc.document, options.share) for doc in notes(options.corpus)]
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "inclusion.csv"
        rows = review_file([Listed(sentence, 1, 1, clinical=False) for sentence in SENTENCES])
        listed.write_text(rows.replace("\n,", "\nyes,"), encoding="utf-8")
        without, found = timed(policy, documents)
        rules = replace(policy.prepare, inclusion=str(listed))
        with_list, found_with = timed(replace(policy, prepare=rules), documents)
    print(f"{len(documents)} notes, {options.share:.0%} of the sentences are the same few")
    print(f"without a list {without:.2f} processor seconds, with one {with_list:.2f}:", end=" ")
    print(f"{without / with_list:.2f} times less")
    lost = sum(len(a - b) for a, b in zip(found, found_with, strict=True))
    gained = sum(len(b - a) for a, b in zip(found, found_with, strict=True))
    print(f"finds {sum(map(len, found))}; only without the list {lost}, only with it {gained}")


def strewn(document: Document, share: float) -> Document:
    """The note with harmless sentences on lines of their own between its lines."""
    rng = random.Random(document.id)
    own = sum(len(view.sentences) for view in prepare(document, PrepareRules()))
    lines = document.text.split("\n")
    for _ in range(round(own * share / (1 - share))):
        lines.insert(rng.randrange(len(lines) + 1), f"\n{rng.choice(SENTENCES)}\n")
    return Document(document.id, "\n".join(lines))


def timed(policy: Policy, documents: Sequence[Document]) -> tuple[float, Finds]:
    """The fastest of some rounds, and what was found: labels and words, wherever they stand."""
    pipeline = Pipeline(policy)
    pipeline.detect(documents[:2])
    best = float("inf")
    found: Finds = []
    for _ in range(ROUNDS):
        start = process_time()
        outcomes = pipeline.detect(documents)
        best = min(best, process_time() - start)
        found = [
            set()
            if isinstance(outcome, Failure)
            else {(s.label, outcome.document.text[s.start : s.end]) for s in outcome.spans}
            for outcome in outcomes
        ]
    return best, found


if __name__ == "__main__":
    main()
