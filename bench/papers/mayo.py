"""nference and Mayo: an ensemble by groups of labels, its errors, its parts and its speed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time

from bench.ablation import without
from bench.papers.page import About, Table
from incognote.core.labels import GROUPS, all_labels, in_group
from incognote.core.types import AnnotatedDocument, Result, Span
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import WordTable, word_table
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy

CORPUS = "unseen"
ABOUT = About(
    title="Mayo: an ensemble of models, patterns and lists",
    source=(
        "K. Murugadoss, A. Rajasekharan, B. Malin and others: Building a best-in-class automated "
        "de-identification tool for electronic health records through ensemble learning. "
        "Patterns 2021."
    ),
    did=(
        "Fine-tuned transformers for kinds of entities, patterns, an inclusion list and templates "
        "vote; one vote is enough. Results are given for four groups of labels, from HIPAA's "
        "(A) to everything (D), as words that are PHI or not. The errors are listed by kind, with "
        "the share of a mention that was found all the same, and as different words. On i2b2 2014 "
        "(group B) the paper reports precision .979 and recall .992; on 10,000 notes of the Mayo "
        "Clinic (group C) .967 and .994. It de-identified 104 million notes."
    ),
    here=(
        "```sh\npython -m bench.papers mayo --write\n```\n\n"
        "The default policy reads the notes. As in the paper, weekdays and holidays alone count as "
        "dates in group D only; `incognote evaluate` counts them from A on, which is stricter. "
        "Parts are switched off one at a time, and each part also runs alone."
    ),
    differs=(
        "The paper has one transformer for each kind of entity; ours is one for all labels, which "
        "reads a note once. Its notes cannot be shared, so the numbers stand side by side without "
        "being comparable: ours are for invented notes, written to be hard. Speed is that of one "
        "core in processor time; the paper gives none for a core."
    ),
)
PUBLISHED = {"B": (".979", ".992"), "C": (".967", ".994")}
# Group D's own kind of date.
DAY_ALONE = "WEEKDAY-OR-HOLIDAY"
_DAYS = re.compile(
    r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?|"
    r"(?:[a-z.']+ )*(?:day|eve|easter|christmas|xmas|thanksgiving|halloween|hanukkah|passover|"
    r"ramadan|eid|diwali|ash wednesday|mardi gras)",
)


def run(documents: Sequence[AnnotatedDocument], _folds: int) -> Iterator[Table]:
    policy = load_policy(DEFAULT)
    started = process_time()
    reading = Reading.of(policy, documents)
    seconds = process_time() - started
    yield groups_table(reading.table)
    yield errors_table(reading)
    yield parts_table(policy, documents)
    characters = sum(len(document.text) for document in documents)
    speed = [f"{len(documents):,}", f"{characters:,}", f"{characters / seconds:,.0f}"]
    head = ["notes", "characters", "characters a second of a core"]
    yield Table("Speed of detection", head, [speed])


@dataclass(frozen=True, slots=True)
class Reading:
    """Gold and finds of the notes that could be read, with days alone as a label of their own."""

    gold: Sequence[AnnotatedDocument]
    found: Sequence[AnnotatedDocument]

    @classmethod
    def of(cls, policy: Policy, documents: Sequence[AnnotatedDocument]) -> Reading:
        answers = Pipeline(policy).detect([document.document for document in documents])
        read = [
            (with_days_apart(doc), with_days_apart(AnnotatedDocument(doc.document, o.spans)))
            for doc, o in zip(documents, answers, strict=True)
            if isinstance(o, Result)
        ]
        return cls([doc for doc, _ in read], [doc for _, doc in read])

    @property
    def table(self) -> WordTable:
        return word_table(pair(self.gold, self.found))


def with_days_apart(doc: AnnotatedDocument) -> AnnotatedDocument:
    def label(span: Span) -> str:
        day = span.label == "DATE" and _DAYS.fullmatch(doc.text[span.start : span.end])
        return DAY_ALONE if day else span.label

    return replace(doc, spans=tuple(replace(span, label=label(span)) for span in doc.spans))


def _wanted(group: str) -> frozenset[str]:
    return in_group(group) | ({DAY_ALONE} if group == "D" else frozenset())


def groups_table(table: WordTable) -> Table:
    head = ["group", "precision", "recall", "F1", "paper: precision", "paper: recall"]
    rows = []
    for group in GROUPS:
        counts = table.counts(_wanted(group))
        scores = (counts.precision, counts.recall, counts.f1)
        rows.append([group, *(f"{each:.4f}" for each in scores), *PUBLISHED.get(group, ("", ""))])
    return Table("Groups of labels", head, rows)


def errors_table(reading: Reading) -> Table:
    """By category: mentions of which something was missed, and how much of them was found."""
    mentions: Counter[str] = Counter()
    missed: defaultdict[str, list[float]] = defaultdict(list)
    words: defaultdict[str, set[str]] = defaultdict(set)
    for gold, found in zip(reading.gold, reading.found, strict=True):
        covered = {at for span in found.spans for at in range(span.start, span.end)}
        for span in gold.spans:
            label = "DATE" if span.label == DAY_ALONE else span.label
            if label == "TIME":
                continue
            kind = all_labels()[label].category
            mentions[kind] += 1
            places = [at for at in range(span.start, span.end) if gold.text[at].isalnum()]
            share = sum(at in covered for at in places) / max(1, len(places))
            if share < 1:
                missed[kind].append(share)
                words[kind].add(gold.text[span.start : span.end].casefold())
    head = ["category", "mentions", "with a miss", "share", "mean coverage of those", "different"]
    rows = [
        [
            kind,
            f"{mentions[kind]:,}",
            f"{len(missed[kind])}",
            f"{len(missed[kind]) / mentions[kind]:.2%}",
            f"{sum(missed[kind]) / len(missed[kind]):.0%}" if missed[kind] else "",
            f"{len(words[kind])}",
        ]
        for kind in sorted(mentions)
    ]
    return Table("Errors by category", head, rows)


def parts_table(policy: Policy, documents: Sequence[AnnotatedDocument]) -> Table:
    voters = [name for name, rules in policy.detectors.items() if rules.weight]
    ways = {"the ensemble": policy}
    ways |= {f"without `{name}`": without(name)(policy) for name in voters}
    ways |= {
        f"`{name}` alone": replace(policy, detectors={name: policy.detectors[name]})
        for name in voters
    }
    rows = [[name, *_scores(way, documents)] for name, way in ways.items()]
    return Table("Parts of the ensemble, group C", ["", "precision", "recall", "F1"], rows)


def _scores(policy: Policy, documents: Sequence[AnnotatedDocument]) -> list[str]:
    reading = Reading.of(policy, documents)
    if not reading.gold:  # a part for another language reads nothing alone
        return ["", "", ""]
    counts = reading.table.counts(_wanted("C"))
    return [f"{each:.4f}" for each in (counts.precision, counts.recall, counts.f1)]
