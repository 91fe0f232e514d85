"""HIDE: which features and which samples of the training tokens serve a CRF best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

from bench.papers.page import About, Table
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument
from incognote.learn.hide.crf import HideTraining, TokenScores, cross_validate
from incognote.learn.hide.features import GROUPS, HideFeatures, Phrases
from incognote.learn.hide.sampling import Sampling
from incognote.lexicon import lexicon

SHARES = (0.1, 0.3, 0.5, 0.7, 1.0)
WINDOWS = (1, 2, 4, 8, 16)
HISTORIES = (0, 1, 2, 4, 6)

CORPUS = "train"
ABOUT = About(
    title="HIDE: features and sampling for a CRF",
    source=(
        "J. Gardner, L. Xiong, F. Wang, A. Post, J. Saltz, T. Grandison: An evaluation of feature "
        "sets and sampling techniques for de-identification of medical records. ACM IHI 2010. "
        "J. Gardner, L. Xiong: HIDE, an integrated system for health information "
        "de-identification. IEEE CBMS 2008."
    ),
    did=(
        "A conditional random field tags tokens as B-, I- or O. Features come in groups: regular "
        "expressions, affixes, dictionaries, context. Tokens outside PHI are sampled at random, by "
        "a window around PHI, or both, which trains faster and raises recall at some cost of "
        "precision. Ten-fold cross-validation; precision, recall and F over tokens, without true "
        "negatives."
    ),
    here=(
        "```sh\npython -m bench.papers hide --notes 24 --folds 2 --write\n```\n\n"
        "`incognote.learn.hide` has the papers' tokens, features, samplings and scores. Each table "
        "changes one thing and keeps the rest. Labels are our categories (names, places, dates, "
        "numbers and so on), about as fine as those of the papers. Dictionaries are first names, "
        "surnames and cities "
        "of our lexicon."
    ),
    differs=(
        "The papers' corpora (i2b2 2006, PhysioNet) need agreements; with them, `--corpus PATH` "
        "gives the tables on that data. Ours is denser in PHI, so precision falls less when tokens "
        "are left out. Numbers that the papers show only in figures are not repeated here. The "
        "library is CRFsuite instead of Mallet: same model and optimiser (L-BFGS to 1e-5), other "
        "pruning of features."
    ),
    folded=True,
)


def run(documents: Sequence[AnnotatedDocument], folds: int) -> Iterator[Table]:
    documents = [_by_category(document) for document in documents]
    head = ["", "precision", "recall", "F1", "training s", "tokens"]

    def table(title: str, runs: Iterator[tuple[str, HideTraining]]) -> Table:
        rows = [_row(name, cross_validate(documents, chosen, folds)) for name, chosen in runs]
        return Table(title, head, rows)

    yield table("Groups of features", _subsets())
    yield table(
        "Random sampling: share of tokens outside PHI",
        ((f"{share:.0%}", HideTraining(features(), Sampling(share=share))) for share in SHARES),
    )
    yield table(
        "Window sampling: tokens on each side of PHI",
        ((str(size), HideTraining(features(), Sampling(window=size))) for size in WINDOWS),
    )
    yield table(
        "Both: a window and a sample of the rest",
        (
            (f"{size}, {share:.0%}", HideTraining(features(), Sampling(share, size)))
            for size in WINDOWS[::2]
            for share in SHARES[:2]
        ),
    )
    yield table(
        "Training time against history",
        (
            (str(history), HideTraining(features(history=history, ahead=history)))
            for history in HISTORIES
        ),
    )
    yield _confusion(cross_validate(documents, HideTraining(features()), folds))


def _by_category(document: AnnotatedDocument) -> AnnotatedDocument:
    """HIDE's corpora have a handful of kinds of PHI, as our categories."""
    spans = [replace(span, label=all_labels()[span.label].category) for span in document.spans]
    return replace(document, spans=tuple(spans))


def features(groups: tuple[str, ...] = GROUPS, history: int = 4, ahead: int = 4) -> HideFeatures:
    return HideFeatures(groups, history, ahead, dictionaries=_dictionaries())


@cache
def _dictionaries() -> dict[str, Phrases]:
    return {
        "first": Phrases(lexicon().first_names()),
        "last": Phrases(lexicon().surnames()),
        "city": Phrases(city.name for city in lexicon().us_cities),
    }


def _subsets() -> Iterator[tuple[str, HideTraining]]:
    without = tuple(group for group in GROUPS if group != "word")
    for size in (1, 2, 3, 4):
        for groups in combinations(without, size):
            yield "+".join(groups), HideTraining(features(groups))
    yield "all and the word itself", HideTraining(features())


def _row(name: str, found: TokenScores) -> list[str]:
    scores = (found.precision(), found.recall(), found.f1())
    return [name, *(f"{each:.4f}" for each in scores), f"{found.seconds:.1f}", f"{found.tokens:,}"]


def _confusion(found: TokenScores) -> Table:
    """B- against I- of one label, and the largest other confusions."""
    rows = [
        [expected, given, f"{count:,}"]
        for (expected, given), count in found.confusion.most_common()
        if expected != given
    ]
    return Table("Tokens with another label than theirs", ["true", "found", "tokens"], rows[:15])
