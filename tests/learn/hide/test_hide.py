"""HIDE's CRF: tokens, features, sampling and scores as the papers describe them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.marked import annotated

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Span

pytest.importorskip("pycrfsuite", reason="needs the extra 'crf'")

from incognote.learn.hide.crf import (
    HideTraining,
    cross_validate,
    folded,
    score,
    train,
)
from incognote.learn.hide.features import GROUPS, REGEXES, HideFeatures, Phrases
from incognote.learn.hide.sampling import Sampling
from incognote.learn.hide.tokens import labels_of, spans_of, tokens_of


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
    assert rows[4] == ["bias"]


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
        lambda: list(folded([marked_as("a", NOTE)], 10, 1)),
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


def test_a_model_learns_and_is_scored_by_tokens(notes, tmp_path: Path) -> None:
    tagger, _, kept = train(notes, tmp_path / "model", HideTraining())
    assert kept == sum(len(tokens_of(note.text)) for note in notes)
    found = score(tagger, notes)
    assert found.recall("DOCTOR") == 1
    assert found.precision() == 1
    assert found.confusion["B-DATE", "B-DATE"] == 12
    assert {span.label for span in tagger.tag(notes[0]).spans} == {"DOCTOR", "DATE"}


def test_folds_share_no_patient_and_cover_every_note(notes) -> None:
    seen = [document.id for _, held in folded(notes, 4, 1) for document in held]
    assert sorted(seen) == sorted(note.id for note in notes)
    total = cross_validate(notes, HideTraining(features=HideFeatures(groups=GROUPS)), folds=3)
    assert total.recall("DATE") == 1
    assert sum(total.true.values()) == 12 * 6
