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
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.spans import span_table
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


@pytest.mark.parametrize("seed", range(5))
def test_strict_mentions_agree_with_seqeval(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metrics = pytest.importorskip("seqeval.metrics")
        scheme = pytest.importorskip("seqeval.scheme").IOB2
        pairs = random_pairs(seed)
        gold, pred = [tags(p, p.gold) for p in pairs], [tags(p, p.pred) for p in pairs]
        expected = [
            score(gold, pred, mode="strict", scheme=scheme)
            for score in (metrics.precision_score, metrics.recall_score, metrics.f1_score)
        ]
    counts = span_table(pairs).counts("strict")
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("seed", range(5))
def test_words_agree_with_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    table = word_table(random_pairs(seed))
    gold, pred = table.gold > 0, table.pred > 0
    expected = metrics.precision_recall_fscore_support(gold, pred, average="binary")[:3]
    counts = table.counts()
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(expected)
    both = int((gold & pred).sum()), int((gold & ~pred).sum()), int((~gold & pred).sum())
    ours = kappa(*both, int((~gold & ~pred).sum()))
    assert ours == pytest.approx(metrics.cohen_kappa_score(gold, pred))
    f2 = metrics.fbeta_score(gold, pred, beta=2)
    assert counts.f2 == pytest.approx(f2)


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
