"""HIDE: which features and which samples of the training tokens serve a CRF best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.papers.material import Material, open_corpus
from bench.papers.page import About, Table, say
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument
from incognote.detect.learned.hide.features import HideFeatures, Phrases
from incognote.learn.crf import Trial
from incognote.learn.hide.crf import HideTraining, TokenScores
from incognote.learn.hide.folder import Study
from incognote.learn.hide.studies import STUDIES
from incognote.lexicon import lexicon

MOST = 15

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
        "```sh\npython -m bench.papers hide --notes 30 --write\n```\n\n"
        "`incognote train crf --recipe hide` has the papers' tokens, features, samplings and "
        "scores, and the same studies by `--experiment`. Each table "
        "changes one thing and keeps the rest. Labels are our categories (names, places, dates, "
        "numbers and so on), about as fine as those of the papers. Dictionaries are first names, "
        "surnames and cities "
        "of our lexicon."
    ),
    differs=(
        "The papers' corpora (i2b2 2006, PhysioNet) need agreements; with them, `--i2b2 DIR` and "
        "`--physionet DIR` give the tables on that data. Here few notes were taken, evenly drawn: "
        "every row is ten trainings, and all of the corpus would take about a hundred times as "
        "long; so compare rows, and expect far better scores of more notes. Ours is denser in PHI, "
        "so precision falls less when tokens are left out. Numbers that the papers show only in "
        "figures are not repeated here. The library is CRFsuite: L-BFGS until the gain of ten "
        "steps is below 1e-5."
    ),
    folded=True,
)


def own_material() -> list[Material]:
    return [open_corpus("train")]


def run(material: Material, folds: int) -> Iterator[Table]:
    documents = [*map(_by_category, material.train), *map(_by_category, material.test)]
    options = HideTraining(HideFeatures(dictionaries=dictionaries()))
    study = Study(documents, folds, say)
    for which in STUDIES:
        for title, trials in study.tables(which, options):
            yield Table(title, _HEAD, [_row(trial) for trial in trials])
    whole = study.scores(options)
    yield Table("All features, by category", *_categories(whole))
    yield Table("Tokens with another label than theirs", *_confusion(whole))


_HEAD = ["", "precision", "recall", "F1", "training s", "tokens"]


def _row(trial: Trial) -> list[str]:
    scores = (trial.precision, trial.recall, trial.f1)
    cells = [f"{each:.4f}" for each in scores]
    return [trial.name, *cells, f"{trial.seconds:.1f}", f"{trial.kept:,}"]


def _by_category(document: AnnotatedDocument) -> AnnotatedDocument:
    """HIDE's corpora have a handful of kinds of PHI, as our categories."""
    spans = [replace(span, label=all_labels()[span.label].category) for span in document.spans]
    return replace(document, spans=tuple(spans))


def dictionaries() -> dict[str, Phrases]:
    return {
        "first": Phrases(lexicon().first_names()),
        "last": Phrases(lexicon().surnames()),
        "city": Phrases(city.name for city in lexicon().us_cities),
    }


def _categories(found: TokenScores) -> tuple[list[str], list[list[str]]]:
    rows = []
    for label in sorted(found.true):
        scores = (found.precision(label), found.recall(label), found.f1(label))
        rows.append([label, *(f"{each:.4f}" for each in scores), f"{found.true[label]:,}"])
    return ["", "precision", "recall", "F1", "tokens"], rows


def _confusion(found: TokenScores) -> tuple[list[str], list[list[str]]]:
    """The largest confusions; B- against I- of one label in any case."""
    rows = [
        [expected, given, f"{count:,}"]
        for number, (expected, given, count) in enumerate(found.mixed_up())
        if number < MOST or expected[2:] == given[2:]
    ]
    return ["true", "found", "tokens"], rows
