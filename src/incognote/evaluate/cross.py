"""Does a detector trained on one corpus serve another? Every corpus against every other.

Within a corpus the answer comes from folds that share no patient, or from its fixed split; between
corpora, from training on all of one and testing on all of the other, unless they share documents.
Growing parts of a training corpus show how many notes are enough; growing parts of a second corpus
added to a first one, what a few notes of one's own bring. What learns is the caller's: this module
only deals the notes and counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.confidence import SHUFFLES, Test, randomisation
from incognote.evaluate.scoring.counts import Counts
from incognote.evaluate.scoring.pairs import Pair, pair
from incognote.evaluate.scoring.spans import span_table
from incognote.evaluate.scoring.subsets import ALL
from incognote.evaluate.scoring.tokens import DEFAULT
from incognote.evaluate.scoring.words import word_table

Tagger = Callable[[Sequence[Document]], list[AnnotatedDocument]]
Learner = Callable[[Sequence[AnnotatedDocument]], Tagger]

FOLDS = 10
ADDED = " + "  # "a + b": all of a and a share of b
_COUNTED = "strict"  # mentions have exactly these bounds and this label


@dataclass(frozen=True, slots=True)
class Split:
    """A corpus with a fixed split: learned from one part, tested on the other."""

    train: Sequence[AnnotatedDocument]
    test: Sequence[AnnotatedDocument]


Corpus = Sequence[AnnotatedDocument] | Split


@dataclass(frozen=True, slots=True)
class Cell:
    """Trained on so many notes of one corpus, tested on another (or on its own folds).

    Precision, recall and F1 are of words, PHI or not; `mentions` and `labels` of exact mentions
    with the right label, all together and label by label.
    """

    train: str
    test: str
    share: float
    notes: int
    precision: float
    recall: float
    f1: float
    mentions: Counts
    labels: Mapping[str, Counts]
    pairs: Sequence[Pair] = field(repr=False, compare=False)

    def as_row(self) -> dict[str, Any]:
        """What the files hold: scores, no text."""
        return {
            "train": self.train,
            "test": self.test,
            "share": self.share,
            "notes": self.notes,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "mention_precision": self.mentions.precision,
            "mention_recall": self.mentions.recall,
            "mention_f1": self.mentions.f1,
        }


def cross(
    corpora: Mapping[str, Corpus],
    learn: Learner,
    *,
    folds: int = FOLDS,
    shares: Sequence[float] = (1.0,),
    add: bool = False,
    tokeniser: str = DEFAULT,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Cell]:
    """A cell for each training corpus, share of it, and test corpus; with `add`, also for all of
    one corpus and growing shares of another, tested on that other."""
    if folds < 2:
        raise UsageError("cross-validation needs at least two folds")
    if any(not 0 < share <= 1 for share in shares):
        raise UsageError("shares of training notes are above 0 and at most 1")
    study = _Study(corpora, learn, folds, tokeniser, progress)
    cells = list(study.against_each_other(sorted(shares)))
    if add:
        cells += study.added(sorted(shares))
    return cells


@dataclass(frozen=True, slots=True)
class _Study:
    corpora: Mapping[str, Corpus]
    learn: Learner
    folds: int
    tokeniser: str
    progress: Callable[[str], None]
    # The last training: the same notes are mostly learned from for one test corpus after another.
    last: dict[tuple[int, ...], Tagger] = field(default_factory=dict)

    def against_each_other(self, shares: Sequence[float]) -> Iterator[Cell]:
        for name, corpus in self.corpora.items():
            for share in shares:
                for other, test in self.corpora.items():
                    self.progress(f"{name} ({share:.0%}) on {other}")
                    pairs, notes = self._tested(corpus, share, test)
                    yield self._cell(name, other, share, notes, pairs)

    def added(self, shares: Sequence[float]) -> Iterator[Cell]:
        """All of one corpus and none, some, all of another's training part."""
        for name, corpus in self.corpora.items():
            first = _shuffled(_learned_from(corpus))
            for other, test in self.corpora.items():
                if other == name:
                    continue
                for share in (0.0, *shares):
                    self.progress(f"{name}{ADDED}{share:.0%} of {other} on {other}")
                    pairs, notes = self._tested(test, share, test, first)
                    yield self._cell(f"{name}{ADDED}{other}", other, share, notes, pairs)

    def _tested(
        self,
        corpus: Corpus,
        share: float,
        test: Corpus,
        first: Sequence[AnnotatedDocument] = (),
    ) -> tuple[list[Pair], int]:
        """Corpora that share documents (a corpus and itself, or one made from the other) are
        tested in folds: no document is on both sides. Whatever the share to learn from, all are
        tested. Also how many notes were learned from: in folds, the mean."""
        order = _shuffled(_learned_from(corpus))
        by_id = {doc.id: doc for doc in (test.test if isinstance(test, Split) else test)}
        if not by_id.keys() & {doc.id for doc in (*order, *first)}:
            part = [*first, *_part(order, share)]
            return self._tagged(part, list(by_id.values())), len(part)
        if isinstance(test, Split):
            raise UsageError("the test part of a fixed split stands in a training part")
        found: list[Pair] = []
        sizes: list[int] = []
        for train, held in _folds(order, self.folds):
            hidden = {doc.id for doc in held}
            part = [*(doc for doc in first if doc.id not in hidden), *_part(train, share)]
            sizes.append(len(part))
            found += self._tagged(part, [by_id[doc.id] for doc in held if doc.id in by_id])
        return found, round(sum(sizes) / len(sizes))

    def _tagged(
        self, train: Sequence[AnnotatedDocument], test: Sequence[AnnotatedDocument]
    ) -> list[Pair]:
        if not test:
            return []
        key = tuple(map(id, train))  # corpora made from each other have the same names of notes
        if key not in self.last:
            self.last.clear()
            self.last[key] = self.learn(train)
        return pair(test, self.last[key]([doc.document for doc in test]))

    def _cell(self, train: str, test: str, share: float, notes: int, pairs: Sequence[Pair]) -> Cell:
        words = word_table(pairs, self.tokeniser).counts()
        spans = span_table(pairs)
        mentions, labels = spans.counts(_COUNTED), spans.by_label(_COUNTED)
        scores = words.precision, words.recall, words.f1
        return Cell(train, test, share, notes, *scores, mentions, labels, pairs)


def _learned_from(corpus: Corpus) -> Sequence[AnnotatedDocument]:
    return corpus.train if isinstance(corpus, Split) else corpus


def _part(documents: Sequence[AnnotatedDocument], share: float) -> Sequence[AnnotatedDocument]:
    """At least two notes, or nothing can be learned; none for no share."""
    return documents[: max(2, round(share * len(documents)))] if share else []


@dataclass(frozen=True, slots=True)
class Difference:
    """Two trainings, tested on the same notes."""

    test: str
    a: str
    b: str
    result: Test


def differences(cells: Sequence[Cell], *, shuffles: int = SHUFFLES) -> list[Difference]:
    """Every two trainings on all of their notes, label by label and together: exact mentions,
    approximate randomisation by note, Bonferroni's correction over all tests (Deleger et al. 2014,
    Table 5)."""
    full = max((cell.share for cell in cells), default=1.0)
    compared = []
    for test in dict.fromkeys(cell.test for cell in cells):
        group = [cell for cell in cells if cell.test == test and cell.share == full]
        compared += [(test, a, b) for a, b in combinations(group, 2)]
    found: list[Difference] = []
    for test, a, b in compared:
        names = {one.document.id for one in a.pairs}
        if names != {one.document.id for one in b.pairs}:
            continue
        order = {one.document.id: at for at, one in enumerate(a.pairs)}
        sides = [a.pairs, sorted(b.pairs, key=lambda one: order[one.document.id])]
        one, other = (span_table(pairs) for pairs in sides)
        labels = sorted({*a.labels, *b.labels})
        subsets = {label: {label} for label in labels}
        counted = {
            name: (one.by_document(_COUNTED, wanted), other.by_document(_COUNTED, wanted))
            for name, wanted in [(ALL, None), *subsets.items()]
        }
        tests = randomisation(counted, shuffles=shuffles)
        found += [Difference(test, a.train, b.train, result) for result in tests]
    return [_corrected(one, len(found)) for one in found]


def _corrected(one: Difference, tests: int) -> Difference:
    result = one.result
    adjusted = Test(
        result.subset, result.metric, result.a, result.b, result.p, min(1.0, result.p * tests)
    )
    return Difference(one.test, one.a, one.b, adjusted)


def predictions(cell: Cell) -> list[AnnotatedDocument]:
    """What was said of each note; the texts are left out, they are the test corpus's."""
    return [
        AnnotatedDocument(
            Document(one.document.id, ""),
            tuple(Span(span.start, span.end, span.label, span.score) for span in one.pred),
        )
        for one in cell.pairs
    ]


def _shuffled(documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    """The same random order on every machine; notes of one patient stay together."""
    return sorted(documents, key=lambda doc: (_drawn(_patient(doc)), doc.id))


def _patient(doc: AnnotatedDocument) -> str:
    return doc.document.patient_id or f"document {doc.id}"


def _drawn(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def _folds(
    documents: Sequence[AnnotatedDocument], folds: int
) -> Iterator[tuple[list[AnnotatedDocument], list[AnnotatedDocument]]]:
    patients = sorted({_patient(doc) for doc in documents}, key=_drawn)
    if len(patients) < 2:
        raise UsageError("cross-validation needs notes of at least two patients")
    fold_of = {patient: number % folds for number, patient in enumerate(patients)}
    for fold in range(min(folds, len(patients))):
        train = [doc for doc in documents if fold_of[_patient(doc)] != fold]
        test = [doc for doc in documents if fold_of[_patient(doc)] == fold]
        yield train, test
