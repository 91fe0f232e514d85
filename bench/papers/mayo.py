"""nference and Mayo: an ensemble by groups of labels, its errors, its parts and its speed."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from bench.ablation import without
from bench.papers.cincinnati import by_category, learner
from bench.papers.material import Material, open_corpus
from bench.papers.page import About, Table
from incognote.core.labels import GROUPS, all_labels, in_group
from incognote.core.types import AnnotatedDocument, Result, Span
from incognote.evaluate.scoring.pairs import Pair, pair
from incognote.evaluate.scoring.words import WordTable, word_table
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy

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
        "Parts are switched off one at a time, and each part also runs alone. The rounds train our "
        "CRF on notes of the open corpus (or on the training part of the data that is named): in "
        "each round it reads notes that it has not seen, and those in which it errs most join."
    ),
    differs=(
        "The paper has one transformer for each kind of entity; ours is one for all labels, which "
        "reads a note once. Its notes cannot be shared, so the numbers stand side by side without "
        "being comparable: ours are for invented notes, written to be hard. Speed is that of one "
        "core in processor time, measured while the machine had other work, which costs about a "
        "third; the paper gives none for a core. Ages up to 89 are labels of group A here, as in "
        "i2b2 2014."
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


def own_material() -> list[Material]:
    return [open_corpus("unseen")]


def run(material: Material, _folds: int) -> Iterator[Table]:
    documents = material.tested
    policy = load_policy(DEFAULT)
    reading = Reading.of(policy, documents)
    yield groups_table(reading.table)
    errors = [*errors_of(reading)]
    yield errors_table(reading, errors)
    yield notes_table(reading, errors)
    yield unique_table(errors)
    yield parts_table(policy, documents)
    learned = material.train if material.test else open_corpus("train").train
    yield rounds_table(learned, documents)
    yield throughput_table(documents)


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


@dataclass(frozen=True, slots=True)
class Error:
    """A mention of which something was missed. `coverage` is the share that was found."""

    note: str
    category: str
    label: str
    coverage: float
    value: str = field(repr=False)


def errors_of(reading: Reading) -> Iterator[Error]:
    for gold, found in zip(reading.gold, reading.found, strict=True):
        covered = {at for span in found.spans for at in range(span.start, span.end)}
        for span in counted(gold):
            places = [at for at in range(span.start, span.end) if gold.text[at].isalnum()]
            share = sum(at in covered for at in places) / max(1, len(places))
            if share < 1:
                label = _plain(span.label)
                value = " ".join(gold.text[span.start : span.end].casefold().split())
                yield Error(gold.id, all_labels()[label].category, label, share, value)


def counted(doc: AnnotatedDocument) -> list[Span]:
    return [span for span in doc.spans if span.label != "TIME"]


def _plain(label: str) -> str:
    return "DATE" if label == DAY_ALONE else label


def errors_table(reading: Reading, errors: Sequence[Error]) -> Table:
    """By category: mentions of which something was missed, and how much of them was found."""
    mentions = Counter(
        all_labels()[_plain(span.label)].category for doc in reading.gold for span in counted(doc)
    )
    missed: defaultdict[str, list[Error]] = defaultdict(list)
    for error in errors:
        missed[error.category].append(error)
    head = ["category", "mentions", "with a miss", "share", "missed whole", "mean coverage"]
    rows = [
        [
            kind,
            f"{mentions[kind]:,}",
            f"{len(missed[kind])}",
            f"{len(missed[kind]) / mentions[kind]:.2%}",
            f"{sum(error.coverage == 0 for error in missed[kind])}",
            f"{_mean([error.coverage for error in missed[kind]]):.0%}" if missed[kind] else "",
        ]
        for kind in sorted(mentions)
    ]
    return Table("Errors by category, and how much of such a mention was found", head, rows)


def notes_table(reading: Reading, errors: Sequence[Error]) -> Table:
    """How errors lie in notes: many in few, or few in many; of how many types in one note."""
    by_note: defaultdict[str, list[Error]] = defaultdict(list)
    for error in errors:
        by_note[error.note].append(error)
    notes = len(reading.gold)
    types = [len({error.label for error in found}) for found in by_note.values()]
    per_note = Counter(min(len(found), _MANY) for found in by_note.values())
    rows = [["notes", f"{notes:,}"], ["without an error", f"{notes - len(by_note):,}"]]
    rows += [
        [f"with {count}{' or more' if count == _MANY else ''}", f"{per_note[count]:,}"]
        for count in range(1, _MANY + 1)
    ]
    rows.append(["mean errors of a note with any", f"{_mean([*map(len, by_note.values())]):.2f}"])
    rows.append(["mean error types of such a note", f"{_mean(types):.2f}"])
    return Table("Errors by note", ["", ""], rows)


def unique_table(errors: Sequence[Error]) -> Table:
    """The same value missed again and again is one thing to mend."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for error in errors:
        values[error.category][error.value] += 1
    rows = [
        [kind, f"{found.total()}", f"{len(found)}", f"{max(found.values())}",
         f"{sum(count == 1 for count in found.values())}"]
        for kind, found in sorted(values.items())
    ]  # fmt: skip
    head = ["category", "errors", "unique", "of the most frequent", "seen once"]
    return Table("Unique errors", head, rows)


_MANY = 4


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def rounds_table(learned: Sequence[AnnotatedDocument], test: Sequence[AnnotatedDocument]) -> Table:
    """A model is trained, reads more notes, and learns again with those in which it errs most;
    beside it, one that gets as many notes at random. With the field, which trains in seconds."""
    learned, test = [*map(by_category, learned)], [*map(by_category, test)]
    order = random.Random(1).sample(learned, len(learned))
    rows = []
    with tempfile.TemporaryDirectory(prefix="incognote-papers-") as scratch:
        learn = learner(Path(scratch))
        for way in ("notes with errors", "random notes"):
            known, rest = order[:ROUND], order[ROUND : ROUND * POOL]
            for number in range(ROUNDS + 1):
                tag = learn(known)
                counts = word_table(pair(test, tag([doc.document for doc in test]))).counts()
                scores = [f"{each:.4f}" for each in (counts.precision, counts.recall, counts.f1)]
                rows.append([way, str(number), f"{len(known):,}", *scores])
                if way == "notes with errors":
                    found = pair(rest, tag([doc.document for doc in rest]))
                    wrong = {
                        one.document.id: _mistakes(one) / max(1, len(one.document.text))
                        for one in found
                    }
                    rest = sorted(rest, key=lambda doc: -wrong[doc.id])
                known, rest = [*known, *rest[:ROUND]], rest[ROUND:]
    head = ["added in each round", "round", "notes", "precision", "recall", "F1"]
    return Table(f"Iterative rounds, {ROUND} notes each, all labels", head, rows)


ROUND, ROUNDS, POOL = 60, 4, 12


def _mistakes(one: Pair) -> int:
    counts = word_table([one]).counts()
    return counts.fn + counts.fp


def throughput_table(documents: Sequence[AnnotatedDocument]) -> Table:
    """Processor time of one process, loading left out: a first note has been read before."""
    rows = []
    characters = sum(len(document.text) for document in documents)
    for name in (DEFAULT, "fast", "rules"):
        pipeline = Pipeline(load_policy(name))
        pipeline.detect([documents[0].document])
        started = process_time()
        pipeline.detect([document.document for document in documents])
        seconds = process_time() - started
        rows.append(
            [
                f"`{name}`",
                f"{len(documents):,}",
                f"{characters:,}",
                f"{len(documents) / seconds:,.1f}",
                f"{characters / seconds:,.0f}",
                f"{104e6 / (len(documents) / seconds) / 3600 / 24:,.0f}",
            ]
        )
    head = ["policy", "notes", "characters", "notes a second", "characters a second"]
    return Table("Throughput of one core", [*head, "core days for 104 million notes"], rows)


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
