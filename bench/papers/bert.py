"""BERT-deid: which encoder, how trained, how it carries over, what a wanted sensitivity costs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from bench.papers.cincinnati import by_category, two_institutions
from bench.papers.page import About, Table
from incognote.cli.learning.cross import tagger
from incognote.core.types import AnnotatedDocument
from incognote.corpus.split import split
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.transformer import TransformerScorer
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import WordTable, word_table
from incognote.evaluate.sensitivity import curve, fixed_sensitivity
from incognote.learn import recipe
from incognote.learn.network.base import Base, find_base, open_base, slimmed
from incognote.learn.transformer import Training

CORPUS = "train"
WINDOW, OVERLAP = 100, 40
EPOCHS = 3
RATES = (5e-5, 2e-4)
FEWEST = 10
ABOUT = About(
    title="BERT-deid: an encoder fine-tuned",
    source=(
        "A. E. W. Johnson, L. Bulgarelli, T. J. Pollard: Deidentification of free-text medical "
        "records using pre-trained bidirectional transformers. ACM CHIL 2020."
    ),
    did=(
        "BERT models of two sizes, with and without case, and of several domains were fine-tuned "
        "to tag word pieces, in windows of 100 that overlap by 40; learning rate, warm-up and "
        "frozen layers were studied. Models were trained on one corpus and tested on others with "
        "harmonised labels, all and names alone. Precision at fixed sensitivities, up to 100 %, "
        "and the words around errors were analysed."
    ),
    here=(
        "```sh\npython -m bench.papers bert --notes 60 --write\n```\n\n"
        "`--base DIR` (once or more) names encoders to study: folders as the model hub has them. "
        "Without one, the encoder of the shipped model `accurate` serves, whole and with two of "
        "its six layers. Frozen means that only the new layers learn. Notes are split 70 to 30 by "
        "patient; labels are our categories."
    ),
    differs=(
        "The encoders of the paper are on a model hub, which the machine that wrote this page "
        "cannot reach. The encoder that ships has seen these very notes in its training: the "
        "numbers show that the experiment runs and what frozen layers cost, and are no ranking of "
        "encoders. For that, give `--base` encoders that never saw the corpus. Windows of 100 "
        "pieces are cut anew in every epoch and overlap by 40 when the model reads; in the paper "
        "they overlap in training, too. Warm-up is 4 % of the steps; instead of dropout, 6 % of "
        "the pieces are blanked."
    ),
)
BASES: dict[str, Callable[[], Base]] = {
    "accurate": lambda: open_base(find_base("accurate")),
    "accurate, 2 layers": lambda: slimmed(open_base(find_base("accurate")), [0, 5], 12, 768),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to train."""

    base: str
    rate: float

    @property
    def name(self) -> str:
        return f"{self.base}, {f'rate {self.rate:g}' if self.rate else 'frozen'}"


def run(documents: Sequence[AnnotatedDocument], _folds: int) -> Iterator[Table]:
    recipe.require_training()
    parts = split([by_category(doc) for doc in documents], {"train": 0.7, "test": 0.3})
    trials = [Trial(base, rate) for base in BASES for rate in (*RATES, 0.0)]
    with tempfile.TemporaryDirectory(prefix="incognote-papers-") as scratch:
        learner = _Learner(Path(scratch))
        models = {trial: learner.model(trial, parts["train"]) for trial in trials}
        tables = {trial: words_of(models[trial], parts["test"]) for trial in trials}
        yield study_table(tables)
        best = max(tables, key=lambda trial: tables[trial].counts().f1)
        here, there = two_institutions(documents)
        if min(len(here), len(there)) >= FEWEST:
            yield cross_table({"ours": here, "informal": there}, best, learner)
        yield sensitivity_table(words_of(models[best], parts["test"], _ANY))
        yield neighbours_table(tables[best])


class _Learner:
    """Trains in a folder of its own each time."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._numbers = count()

    def model(self, trial: Trial, documents: Sequence[AnnotatedDocument]) -> ModelFolder:
        options = Training(
            epochs=EPOCHS,
            window=WINDOW,
            overlap=OVERLAP,
            rate=trial.rate,
            averaging=0.9,  # so few steps would hardly move a slower average
        )
        out = self._scratch / str(next(self._numbers))
        data = recipe.prepare_data(documents)
        return recipe.train_transformer(data, BASES[trial.base](), out, options, lambda _: None)


_ANY = 0.01  # whatever may be PHI, with its score: the curve needs it all
_LIKELY = 0.5


def words_of(
    model: ModelFolder, test: Sequence[AnnotatedDocument], threshold: float = _LIKELY
) -> WordTable:
    tag = tagger(model, TransformerScorer(model), threshold)
    return word_table(pair(test, tag([doc.document for doc in test])))


def study_table(tables: dict[Trial, WordTable]) -> Table:
    rows = []
    for trial, words in tables.items():
        counts = words.counts()
        scores = (counts.precision, counts.recall, counts.f1)
        rows.append([trial.name, *(f"{each:.4f}" for each in scores)])
    return Table(f"Encoders, rates, frozen layers ({EPOCHS} epochs)", _HEAD, rows)


_HEAD = ["", "precision", "recall", "F1"]


def cross_table(
    corpora: dict[str, Sequence[AnnotatedDocument]], trial: Trial, learner: _Learner
) -> Table:
    parts = {name: split(docs, {"train": 0.7, "test": 0.3}) for name, docs in corpora.items()}
    rows = []
    for name, own in parts.items():
        model = learner.model(trial, own["train"])
        for other, theirs in parts.items():
            words = words_of(model, theirs["test"])
            both = [words.counts(), words.counts({"PATIENT"})]
            scores = [each for c in both for each in (c.precision, c.recall, c.f1)]
            rows.append([name, other, *(f"{each:.4f}" for each in scores)])
    head = ["trained on", "tested on", "precision", "recall", "F1"]
    return Table(
        f"Between corpora ({trial.name}): all categories, then names alone",
        [*head, "names: precision", "names: recall", "names: F1"],
        rows,
    )


def sensitivity_table(words: WordTable) -> Table:
    rows = []
    for target, point in fixed_sensitivity(curve(words)).items():
        if point is None:
            rows.append([f"{target:.1%}", "not reached at any threshold", "", "", ""])
            continue
        rows.append(
            [
                f"{target:.1%}",
                f"{point.threshold:.4f}",
                f"{point.counts.precision:.4f}",
                f"{point.missed_per_1000:.2f}",
                f"{point.false_per_1000:.2f}",
            ]
        )
    head = ["sensitivity", "threshold", "precision", "missed per 1,000 words", "false per 1,000"]
    return Table("Fixed sensitivity", head, rows)


def neighbours_table(words: WordTable) -> Table:
    """Errors by whether the word before or behind is PHI: models lean on what stands beside."""
    outcome = words.outcome()
    phi = words.gold > 0
    same = words.document[1:] == words.document[:-1]
    beside = np.zeros(len(phi), bool)
    beside[1:] |= phi[:-1] & same
    beside[:-1] |= phi[1:] & same
    rows = []
    for name, chosen in (("beside PHI", beside), ("away from PHI", ~beside)):
        true, missed = int((phi & chosen).sum()), int((outcome.missed & chosen).sum())
        others, false = int((~phi & chosen).sum()), int((outcome.false & chosen).sum())
        rows.append(
            [
                name,
                f"{true:,}",
                f"{missed:,}",
                f"{missed / max(1, true):.2%}",
                f"{others:,}",
                f"{false:,}",
                f"{false / max(1, others):.2%}",
            ]
        )
    head = ["word", "PHI", "missed", "share", "no PHI", "false", "share"]
    return Table("Neighbouring words", head, rows)
