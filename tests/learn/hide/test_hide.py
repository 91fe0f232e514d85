"""HIDE's CRF: tokens, features, sampling and scores as the papers describe them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.marked import annotated

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.registry import load
from incognote.core.types import AnnotatedDocument, Span
from incognote.corpus import write_corpus
from incognote.detect.learned.model_folder import OperatingPoint, open_model
from incognote.policy import PrepareRules
from incognote.prepare import prepare

pytest.importorskip("pycrfsuite", reason="needs the extra 'crf'")

from incognote.detect.learned.hide.features import GROUPS, REGEXES, HideFeatures, Phrases
from incognote.detect.learned.hide.tokens import labels_of, spans_of, tokens_of
from incognote.learn.hide.crf import (
    HideTraining,
    TokenScores,
    cross_validate,
    examples,
    folded,
    score,
    train,
)
from incognote.learn.hide.folder import Study
from incognote.learn.hide.sampling import Sampling


def marked_as(doc_id: str, text: str) -> AnnotatedDocument:
    return annotated(text, doc_id)


NOTE = "Seen by Dr. [[Ann Lee|DOCTOR]] on [[3/4/20|DATE]]."


def test_tokens_and_labels() -> None:
    document = marked_as("n", NOTE)
    tokens = tokens_of(document.text)
    labels = labels_of(tokens, document.spans)
    assert list(zip(tokens.words, labels, strict=True)) == [
        ("Seen", "O"), ("by", "O"), ("Dr", "O"), (".", "O"), ("Ann", "B-DOCTOR"),
        ("Lee", "I-DOCTOR"), ("on", "O"), ("3", "B-DATE"), ("/", "I-DATE"), ("4", "I-DATE"),
        ("/", "I-DATE"), ("20", "I-DATE"), (".", "O"),
    ]  # fmt: skip
    assert [(span.start, span.end, span.label) for span in spans_of(tokens, labels)] == [
        (span.start, span.end, span.label) for span in document.spans
    ]


def test_neighbours_of_one_kind_stay_apart() -> None:
    tokens = tokens_of("Ann Bo")
    assert spans_of(tokens, ["B-PATIENT", "B-PATIENT"]) == [
        Span(0, 3, "PATIENT"),
        Span(4, 6, "PATIENT"),
    ]
    assert spans_of(tokens, ["O", "I-PATIENT"]) == [Span(4, 6, "PATIENT")]


@pytest.mark.parametrize(
    ("word", "wanted", "unwanted"),
    [
        ("Smith", {"ALPHA", "INITCAPS", "UPPER-LOWER"}, {"ALLCAPS", "HASDIGIT"}),
        ("MRI", {"ALLCAPS", "INITCAPS"}, {"ROMAN", "MIXEDCAPS"}),
        ("McDonald", {"MIXEDCAPS"}, {"ALLCAPS"}),
        ("2024", {"QUADDIGIT", "NUMBER", "REALNUMBER"}, {"TRIPLEDIGIT", "ALPHA"}),
        ("A12", {"ALPHANUMERIC", "LETTERS-NUMBERS"}, {"NUMBERS-LETTERS"}),
        ("7B", {"ALPHANUMERIC", "NUMBERS-LETTERS"}, {"LETTERS-NUMBERS"}),
        ("/", {"ISPUNCT", "HASSLASH"}, {"ALPHA"}),
        ("XIV", {"ROMAN", "ALLCAPS"}, {"HASDIGIT"}),
    ],
)
def test_regular_expressions(word: str, wanted: set[str], unwanted: set[str]) -> None:
    found = {name for name, pattern in REGEXES.items() if pattern.search(word)}
    assert wanted <= found
    assert not unwanted & found


def test_groups_can_be_left_out_and_the_word_too() -> None:
    words = ["Seen", "by", "Ann"]
    everything = HideFeatures().read(words)[2]
    assert {"w=ann", "re=INITCAPS", "pre=an", "suf=nn", "-1=by", "-2=seen"} <= set(everything)
    without = HideFeatures(groups=("regex",)).read(words)[2]
    assert not [
        each for each in without if "ann" in each or each.startswith(("-", "+", "pre", "suf"))
    ]


def test_history_and_affixes_are_parameters() -> None:
    words = ["a", "b", "c", "dddddd"]
    row = HideFeatures(history=1, ahead=0, affixes=2).read(words)[3]
    assert "-1=c" in row
    assert "-2=b" not in row
    assert "suf=dd" in row
    assert "suf=ddd" not in row


def test_any_number_of_phrase_dictionaries() -> None:
    lists = {
        "hospital": Phrases(["Mercy General", "Mercy General Hospital"]),
        "city": Phrases(["Mercy"]),
    }
    rows = HideFeatures(groups=("dictionary",), dictionaries=lists).read(
        ["at", "Mercy", "General", "Hospital", "today"]
    )
    assert "dict=hospital:B:3" in rows[1]
    assert "dict=city:B:1" in rows[1]
    assert "dict=hospital:I:3" in rows[3]
    assert rows[4] == {"bias": 1.0}


LABELS = ["O"] * 10 + ["B-DATE", "I-DATE"] + ["O"] * 10


def test_window_sampling_keeps_the_window_alone() -> None:
    assert Sampling(window=2).keeps(LABELS, random.Random(1)) == [8, 9, 10, 11, 12, 13]
    assert Sampling(window=0).keeps(LABELS, random.Random(1)) == [10, 11]


def test_random_sampling_keeps_a_history_of_four() -> None:
    assert Sampling(share=0.0).keeps(LABELS, random.Random(1)) == [6, 7, 8, 9, 10, 11]
    half = Sampling(share=0.5, history=0).keeps(LABELS * 200, random.Random(1))
    outside = [number for number in half if LABELS[number % len(LABELS)] == "O"]
    assert 0.45 < len(outside) / (20 * 200) < 0.55


def test_both_are_the_window_and_a_sample_of_the_rest() -> None:
    """Not their intersection: the window stays whole, and some of the rest joins it."""
    kept = Sampling(share=0.3, window=2).keeps(LABELS * 200, random.Random(1))
    inside = {number % len(LABELS) for number in kept}
    assert {8, 9, 10, 11, 12, 13} <= inside
    counts = [sum(number % len(LABELS) == place for number in kept) for place in (9, 3)]
    assert counts[0] == 200
    assert 40 < counts[1] < 80


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sampling(share=1.5),
        lambda: Sampling(window=-1),
        lambda: Sampling(history=-1),
        lambda: HideFeatures(groups=()),
        lambda: HideFeatures(groups=("letters",)),
        lambda: HideFeatures(history=-1),
        lambda: HideTraining(iterations=0),
        lambda: folded(["a"], 10, 1),
        lambda: HideTraining(l2=-1),
        lambda: HideFeatures(groups=("regex", "regex")),
        lambda: HideFeatures(affixes=-1),
    ],
)
def test_bad_values_are_refused(make) -> None:
    with pytest.raises(UsageError):
        make()


@pytest.fixture(scope="module")
def notes():
    names = "Abel Boyd Cruz Dunn Ekman Farr Gale Hobb Ivey Jett Kirk Lund".split()
    return [
        marked_as(
            f"n{n}",
            f"Seen by Dr. [[{name}|DOCTOR]] on [[{n + 1}/4/20|DATE]]. Stable on lisinopril {n} mg.",
        )
        for n, name in enumerate(names)
    ]


def test_how_often_a_token_stands_in_the_note_is_scaled_by_its_length() -> None:
    row = HideFeatures(groups=("context",)).read(["a", "b", "a", "c"])[0]
    assert row["count"] == 50  # in a hundred tokens
    assert "count" not in HideFeatures(groups=("regex",)).read(["a"])[0]


def test_a_model_learns_and_is_scored_by_tokens(notes, tmp_path: Path) -> None:
    given = examples(notes, HideTraining())
    tagger, _, kept = train(given, tmp_path / "model", HideTraining())
    assert kept == sum(len(tokens_of(note.text)) for note in notes)
    found = score(tagger, given)
    assert found.recall("DOCTOR") == 1
    assert found.precision() == 1
    assert found.confusion["B-DATE", "B-DATE"] == 12
    assert found.mixed_up() == []
    assert {span.label for span in tagger.tag(notes[0]).spans} == {"DOCTOR", "DATE"}


def test_confusions_tell_b_from_i_and_leave_true_negatives_out() -> None:
    found = TokenScores(
        Counter(DATE=2), Counter(DATE=3), Counter(DATE=4),
        Counter({("B-DATE", "B-DATE"): 1, ("B-DATE", "I-DATE"): 1, ("I-DATE", "O"): 2,
                 ("O", "I-DATE"): 1, ("O", "O"): 90}),
    )  # fmt: skip
    assert found.mixed_up() == [
        ("I-DATE", "O", 2), ("B-DATE", "I-DATE", 1), ("O", "I-DATE", 1),
    ]  # fmt: skip
    assert (found.precision(), found.recall()) == (2 / 3, 2 / 4)


def test_folds_share_no_patient_and_cover_every_note(notes) -> None:
    owners = [f"patient {number % 5}" for number in range(20)]
    dealt = folded(owners, 4, 1)
    assert sorted(dealt) == sorted(set(owners))
    assert set(dealt.values()) == {0, 1, 2, 3}
    total = cross_validate(notes, HideTraining(features=HideFeatures(groups=GROUPS)), folds=3)
    assert total.recall("DATE") == 1
    assert sum(total.true.values()) == 12 * 6


def test_studies_leave_the_word_out_and_train_what_they_share_once(notes) -> None:
    said: list[str] = []
    study = Study(notes, 2, said.append)
    options = HideTraining(HideFeatures(groups=("word", "regex", "affix")))
    (trials,) = dict(study.tables("features", options)).values()
    assert [trial.name for trial in trials] == [
        "regex", "affix", "regex+affix", "all and the word itself",
    ]  # fmt: skip
    tables = dict(study.tables("sampling", options))
    assert [len(each) for each in tables.values()] == [5, 5, 6]
    (history,) = dict(study.tables("history", options)).values()
    assert [trial.name for trial in history] == ["0", "1", "2", "4", "6"]
    assert history[-1].seconds > 0
    assert len(said) == 4 + 16 - 1 + 5 - 1  # the whole training stands in three tables


def test_a_folder_by_hides_recipe_runs_in_a_policy(notes, tmp_path: Path, capsys) -> None:
    data, phrases = tmp_path / "gold.jsonl", tmp_path / "staff.txt"
    write_corpus(notes, data, "jsonl")
    phrases.write_text("Abel\nBoyd\n", "utf-8")
    common = ["train", "crf", "--recipe", "hide", "--data", str(data)]
    made = [*common, "--out", str(tmp_path / "model"), "--history", "2", "--affixes", "3"]
    made += ["--dictionary", f"staff={phrases}", "--window", "4", "--keep-outside", "0.5"]
    assert main([*made, "--folds", "3"]) == 0
    printed = capsys.readouterr().out
    assert "Tokens of 3 folds by patient" in printed
    assert "| DOCTOR | " in (tmp_path / "model" / "cross-validation.md").read_text("utf-8")
    folder = open_model(str(tmp_path / "model"), "crf")
    assert (folder.settings["recipe"], folder.settings["history"]) == ("hide", 2)
    detector = load("detector", "crf")(str(folder.path), sensitivity=0.95)
    (spans,) = detector.detect([prepare(notes[0].document, PrepareRules())[0]])
    assert {"DOCTOR", "DATE"} <= {span.label for span in spans}
    assert main([*common, "--out", str(tmp_path / "study"), "--experiment", "history",
                 "--folds", "2"]) == 0  # fmt: skip
    assert "Training time against history" in (tmp_path / "study" / "history.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--history", "2"], "--history needs --recipe hide"),
        (["--experiment", "history"], "--experiment history needs --recipe hide"),
        (["--recipe", "hide", "--window", "-1"], "the window must be 0 or more"),
        (["--recipe", "hide", "--keep-outside", "1.5"], "from 0 to 1"),
        (["--recipe", "hide", "--groups", "smell"], "feature groups are"),
        (["--recipe", "hide", "--affixes", "-1"], "affixes must be 0 or more"),
        (["--recipe", "hide", "--folds", "1"], "--folds must be 2 or more"),
        (["--recipe", "hide", "--iterations", "0"], "at least one iteration"),
        (["--recipe", "hide", "--dictionary", "names"], "it takes NAME=FILE"),
        (["--recipe", "hide", "--dictionary", "a=/no/such"], "cannot be read"),
    ],
)
def test_bad_options_are_refused(
    options: list[str], says: str, notes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "gold.jsonl"
    write_corpus(notes, data, "jsonl")
    assert main(["train", "crf", "--data", str(data), "--out", str(tmp_path / "m"), *options]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_an_operating_point_that_no_threshold_reaches_says_so() -> None:
    reached = OperatingPoint(0.95, {}, 0.951, 0.9, 3.0)
    missed = OperatingPoint(0.999, {}, 0.971, 0.4, 90.0)
    assert (reached.is_reached, missed.is_reached) == (True, False)
    assert "0.95: " in str(reached)
    assert str(missed).startswith("sensitivity 0.999 is not reached: 97.1%")
