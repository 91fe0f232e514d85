"""The word table: what counts as found, missed, false and neutral."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.notes import pair_of, span

from incognote.core.labels import in_group
from incognote.core.types import Document
from incognote.evaluate.scoring.counts import Counts
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.tokens import token_bounds, tokens_of
from incognote.evaluate.scoring.words import by_label, word_table

CASES = {
    "found": ("Dr. [[Ann Lee|DOCTOR]]", "Dr. [[Ann Lee|DOCTOR]]", (2, 0, 0)),
    "half a name": ("[[Ann Lee|DOCTOR]]", "[[Ann|DOCTOR]] Lee", (1, 0, 1)),
    "half a word is a miss": ("[[Martínez|DOCTOR]]", "[[Mart|DOCTOR]]ínez", (0, 0, 1)),
    "only PHI characters must be covered": ("[[67|AGE]]yo", "[[67|AGE]]yo", (1, 0, 0)),
    "too long is one false alarm": ("on [[3/4/20|DATE]]", "[[on 3/4/20|DATE]]", (3, 1, 0)),
    "punctuation is no word": ("[[3/4|DATE]]", "[[3|DATE]]/[[4|DATE]]", (2, 0, 0)),
    "a time found is nothing": ("at [[10:30|TIME]]", "at [[10:30|TIME]]", (0, 0, 0)),
    "a time missed is nothing": ("at [[10:30|TIME]]", "at 10:30", (0, 0, 0)),
    "a time called a date is nothing": ("at [[10:30|TIME]]", "at [[10:30|DATE]]", (0, 0, 0)),
    "a date called a time is missed": ("on [[3/4|DATE]]", "on [[3/4|TIME]]", (0, 0, 2)),
    "two spans may share a word": ("[[ab12|IDNUM]]", "[[ab|DOCTOR]][[12|AGE]]", (1, 0, 0)),
    "a plain note": ("nothing here", "nothing here", (0, 0, 0)),
}


@pytest.mark.parametrize("case", CASES)
def test_phi_or_not(case: str) -> None:
    gold, pred, expected = CASES[case]
    assert word_table([pair_of(gold, pred)]).counts() == Counts(*expected)


def test_a_wrong_label_is_a_typed_miss_and_a_typed_false_alarm() -> None:
    table = word_table(
        [pair_of("[[Lee|DOCTOR]] of [[Ada|CITY]]", "[[Lee|PATIENT]] of [[Ada|CITY]]")]
    )
    assert table.counts() == Counts(2, 0, 0)
    assert table.counts(typed=True) == Counts(1, 1, 1)


def test_a_group_acts_like_a_policy_limited_to_it() -> None:
    gold = "[[Lee|DOCTOR]] [[Ann|PATIENT]] [[cook|PROFESSION]] x"
    pred = "[[Lee|PROFESSION]] [[Ann|PATIENT]] [[cook|CITY]] [[x|CITY]]"
    table = word_table([pair_of(gold, pred)])
    # DOCTOR is in B and missed there, for a span of group D hides nothing; "cook" is neutral.
    assert table.counts(in_group("B")) == Counts(1, 1, 1)
    assert table.counts(in_group("A")) == Counts(1, 1, 0)
    assert table.counts() == Counts(3, 1, 0)


def test_documents_that_leak() -> None:
    table = word_table(
        [
            pair_of("[[Ann|PATIENT]] [[Lee|PATIENT]]", "Ann Lee", "1"),
            pair_of("[[Ann|PATIENT]]", "[[Ann|PATIENT]]", "2"),
            pair_of("none", "none", "3"),
        ]
    )
    assert table.leaking() == 1
    assert table.by_document().fn.tolist() == [2, 0, 0]
    assert table.by_document().tp.tolist() == [0, 1, 0]


def test_misses_count_for_the_gold_label_and_false_alarms_for_the_predicted() -> None:
    table = word_table([pair_of("[[Ann|PATIENT]] at ten", "Ann at [[ten|AGE]]")])
    assert by_label(table) == {"PATIENT": Counts(0, 0, 1), "AGE": Counts(0, 1, 0)}


def test_the_score_of_a_word_is_its_weakest_cover() -> None:
    doc = Document("1", "Annabel x")
    pred = (span(0, 3, "PATIENT", 0.9), span(3, 7, "PATIENT", 0.4), span(8, 9, "CITY", 0.2))
    table = word_table([Pair(doc, (span(0, 7, "PATIENT"),), pred)])
    assert table.score.tolist() == pytest.approx([0.4, 0.2])


def test_the_tokeniser_is_carried_along() -> None:
    pair = pair_of("[[a-b_c|IDNUM]]", "[[a-b_c|IDNUM]]")
    counts = {
        name: word_table([pair], name).counts().tp for name in ("word", "whitespace", "ascii")
    }
    assert counts == {"word": 2, "whitespace": 1, "ascii": 3}
    assert word_table([pair], "ascii").tokeniser == "ascii"


@st.composite
def layers(draw: st.DrawFn) -> Pair:
    text = draw(st.text("ab 1.", min_size=1, max_size=30))
    bounds = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 6), st.sampled_from("AB"))
    made = st.lists(bounds.map(lambda b: span(b[0], min(len(text), b[0] + b[1]), b[2])), max_size=5)
    return Pair(Document("1", text), tuple(draw(made)), tuple(draw(made)))


@settings(deadline=None)
@given(layers())
def test_counts_agree_with_a_plain_reading_of_the_definition(pair: Pair) -> None:
    import re

    gold = {i for s in pair.gold for i in range(s.start, s.end)}
    pred = {i for s in pair.pred for i in range(s.start, s.end)}
    words = [set(range(*word.span())) for word in re.finditer(r"\w+", pair.document.text)]
    tp = sum(bool(word & gold) and word & gold <= pred for word in words)
    fn = sum(bool(word & gold) and not word & gold <= pred for word in words)
    fp = sum(not word & gold and bool(word & pred) for word in words)
    assert word_table([pair]).counts() == Counts(tp, fp, fn)


@pytest.mark.parametrize(
    ("tokeniser", "pattern"),
    [("word", r"\w+"), ("whitespace", r"\S+"), ("ascii", r"[a-zA-Z0-9]+")],
)
@given(text=st.text(st.characters(codec="utf-32-le") | st.sampled_from("aZ9_ \n.é字😀")))
def test_tokens_are_what_the_pattern_finds(tokeniser: str, pattern: str, text: str) -> None:
    expected = [(token.span(), token[0]) for token in re.finditer(pattern, text)]
    bounds = zip(*(edge.tolist() for edge in token_bounds(text, tokeniser)), strict=True)
    assert list(zip(bounds, tokens_of(text, tokeniser), strict=True)) == expected


def test_by_label_typed_or_not() -> None:
    table = word_table([pair_of("[[Ann|DOCTOR]] in [[Rome|CITY]]", "[[Ann|PATIENT]] in Rome")])
    assert by_label(table) == {"DOCTOR": Counts(1, 0, 0), "CITY": Counts(0, 0, 1)}
    assert by_label(table, typed=True) == {
        "PATIENT": Counts(0, 1, 0),
        "DOCTOR": Counts(0, 0, 1),
        "CITY": Counts(0, 0, 1),
    }
