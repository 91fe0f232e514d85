"""Where others measure the same, the numbers are the same: seqeval, scikit-learn, scipy."""

from __future__ import annotations

import random
import re
import warnings

import numpy as np
import pytest

from incognote.core.types import Document, Span
from incognote.corpus.describe import chi_square, chi_square_tail
from incognote.evaluate.agreement import kappa
from incognote.evaluate.confidence import upper_bound
from incognote.evaluate.scoring.counts import Counts, Macro
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.spans import span_table
from incognote.evaluate.scoring.words import by_label as words_by_label
from incognote.evaluate.scoring.words import word_table

LABELS = ("DATE", "DOCTOR", "CITY")


def random_pairs(seed: int) -> list[Pair]:
    """Words "w0 w1 ...", with spans of whole words on both sides."""
    rng = random.Random(seed)
    pairs = []
    for number in range(8):
        text = " ".join(f"w{i}" for i in range(rng.randint(3, 30)))
        words = [m.span() for m in re.finditer(r"\w+", text)]
        pairs.append(Pair(Document(str(number), text), _spans(rng, words), _spans(rng, words)))
    return pairs


def _spans(rng: random.Random, words: list[tuple[int, int]]) -> tuple[Span, ...]:
    spans, at = [], 0
    while at < len(words):
        size = rng.randint(1, 3)
        if rng.random() < 0.4 and at + size <= len(words):
            spans.append(Span(words[at][0], words[at + size - 1][1], rng.choice(LABELS)))
        at += size
    return tuple(spans)


def tags(pair: Pair, spans: tuple[Span, ...]) -> list[str]:
    made = []
    for word in re.finditer(r"\w+", pair.document.text):
        own = [s for s in spans if s.start <= word.start() < s.end]
        made.append(
            f"{'B' if own[0].start == word.start() else 'I'}-{own[0].label}" if own else "O"
        )
    return made


LAST_DIGIT = 1e-15  # of a 64-bit number below 1: both sides may round once


@pytest.mark.parametrize("seed", range(5))
def test_strict_mentions_agree_with_seqeval(seed: int) -> None:
    """All together, label by label, and the means over labels."""
    metrics = pytest.importorskip("seqeval.metrics")
    scheme = pytest.importorskip("seqeval.scheme").IOB2
    pairs = random_pairs(seed)
    gold, pred = [tags(p, p.gold) for p in pairs], [tags(p, p.pred) for p in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = metrics.classification_report(
            gold, pred, mode="strict", scheme=scheme, output_dict=True
        )
    table = span_table(pairs)
    ours = {"micro avg": table.counts("strict")} | table.by_label("strict")
    for name, counts in ours.items():
        assert scores(counts) == pytest.approx(theirs(expected[name]), abs=LAST_DIGIT), name
    means = [sum(each) / len(LABELS) for each in zip(*map(scores, _by_label(ours)), strict=True)]
    assert tuple(means) == pytest.approx(theirs(expected["macro avg"]), abs=LAST_DIGIT)


def scores(counts: Counts) -> tuple[float, float, float]:
    return counts.precision, counts.recall, counts.f1


def theirs(row: dict[str, float]) -> tuple[float, ...]:
    return tuple(float(row[name]) for name in ("precision", "recall", "f1-score"))


def _by_label(counts: dict[str, Counts]) -> list[Counts]:
    return [counts[label] for label in LABELS]


@pytest.mark.parametrize("seed", range(5))
def test_words_agree_with_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    table = word_table(random_pairs(seed))
    gold, pred = table.gold > 0, table.pred > 0
    expected = metrics.precision_recall_fscore_support(gold, pred, average="binary")[:3]
    counts = table.counts()
    assert scores(counts) == pytest.approx(expected, abs=LAST_DIGIT)
    both = int((gold & pred).sum()), int((gold & ~pred).sum()), int((~gold & pred).sum())
    ours = kappa(*both, int((~gold & ~pred).sum()))
    assert ours == pytest.approx(metrics.cohen_kappa_score(gold, pred), abs=LAST_DIGIT)
    f2 = metrics.fbeta_score(gold, pred, beta=2)
    assert counts.f2 == pytest.approx(f2, abs=LAST_DIGIT)


@pytest.mark.parametrize("seed", range(5))
def test_words_with_their_labels_agree_with_scikit_learn(seed: int) -> None:
    """A wrong label is a miss of one and a false alarm of the other."""
    metrics = pytest.importorskip("sklearn.metrics")
    table = word_table(random_pairs(seed))
    numbers = [table.labels.index(label) for label in LABELS]
    report = metrics.precision_recall_fscore_support
    expected = report(table.gold, table.pred, labels=numbers, average="micro")[:3]
    assert scores(table.counts(typed=True)) == pytest.approx(expected, abs=LAST_DIGIT)
    columns = report(table.gold, table.pred, labels=numbers)[:3]
    found = words_by_label(table, typed=True)
    for label, *row in zip(LABELS, *columns, strict=True):
        assert scores(found[label]) == pytest.approx(tuple(row), abs=LAST_DIGIT), label
    macro = report(table.gold, table.pred, labels=numbers, average="macro")[:3]
    means = Macro.of(list(found.values()))
    ours = (means.precision, means.recall, means.f1)
    assert ours == pytest.approx(macro, abs=LAST_DIGIT)


@pytest.mark.parametrize(
    ("leaks", "notes"), [(0, 1), (0, 60), (3, 60), (59, 60), (60, 60), (40, 9000)]
)
def test_the_upper_bound_is_clopper_and_pearsons(leaks: int, notes: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = 1.0 if leaks == notes else stats.beta.ppf(0.95, leaks + 1, notes - leaks)
    assert upper_bound(leaks, notes) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 3, 8, 29])
def test_the_tail_of_chi_square(degrees: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    for statistic in (0.1, 1.0, 5.0, 40.0, 300.0):
        expected = stats.chi2.sf(statistic, degrees)
        assert chi_square_tail(statistic, degrees) == pytest.approx(expected, rel=1e-9)


def test_chi_square_between_two_corpora() -> None:
    stats = pytest.importorskip("scipy.stats")
    one, other = {"DATE": 30, "CITY": 5, "AGE": 9}, {"DATE": 20, "CITY": 25, "ZIP": 2}
    found = chi_square(one, other)
    labels = sorted(one | other)
    table = np.array([[row.get(label, 0) for label in labels] for row in (one, other)])
    expected = stats.chi2_contingency(table, correction=False)
    assert (found.statistic, found.degrees) == (pytest.approx(expected.statistic), expected.dof)
    assert found.p == pytest.approx(expected.pvalue)
    for label, residual in found.residuals.items():
        mine, theirs = one.get(label, 0), other.get(label, 0)
        alone = [[mine, sum(one.values()) - mine], [theirs, sum(other.values()) - theirs]]
        square = stats.chi2_contingency(alone, correction=False).statistic
        assert residual**2 == pytest.approx(square)
        assert (residual > 0) == (mine / sum(one.values()) > theirs / sum(other.values()))
