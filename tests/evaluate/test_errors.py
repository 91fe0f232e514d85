"""Error analysis, sensitivity and utility."""

from __future__ import annotations

import pytest
from tests.evaluate.notes import pair_of, span

from incognote.core.types import Document
from incognote.evaluate import errors
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.words import word_table
from incognote.evaluate.sensitivity import curve, fixed_sensitivity
from incognote.evaluate.utility import MEASURED, survival

PAIRS = [
    pair_of(
        "[[Ann Lee|PATIENT]] of [[Ada|CITY]] on [[3/4/20|DATE]]",
        "[[Ann|PATIENT]] Lee of [[Ada|STATE]] on 3/4/20",
        "1",
        note_type="letter",
    ),
    pair_of("[[MARTÍNEZ|DOCTOR]] gave aspirin", "[[MART|DOCTOR]]ÍNEZ gave [[aspirin|CITY]]", "2"),
    pair_of("none", "none", "3", note_type="letter"),
]
TABLE = word_table(PAIRS)


def test_confusion_has_a_column_for_misses_and_a_row_for_false_alarms() -> None:
    found = errors.confusion(TABLE)
    cells = {
        (row, column): int(found.counts[i][j])
        for i, row in enumerate(found.rows)
        for j, column in enumerate(found.columns)
        if found.counts[i][j]
    }
    assert cells == {
        ("PATIENT", "PATIENT"): 1,
        ("PATIENT", "missed"): 1,
        ("CITY", "STATE"): 1,
        ("DATE", "missed"): 3,
        ("DOCTOR", "missed"): 1,
        ("no PHI", "CITY"): 1,
    }


def test_contributions_sum_to_the_recall_error() -> None:
    rows = errors.contributions(TABLE)
    assert [(row.label, row.missed) for row in rows][:2] == [("DATE", 3), ("DOCTOR", 1)]
    assert sum(row.contribution for row in rows) == pytest.approx(1 - TABLE.counts().recall)
    assert sum(row.share_of_misses for row in rows) == pytest.approx(1)


def test_partial_finds() -> None:
    # "Lee" has a found neighbour, MARTÍNEZ is half covered, the date was not seen.
    assert errors.partial_finds(TABLE) == errors.Partial(1, 1, 3)


def test_errors_per_note_cumulate_to_all_notes() -> None:
    rows = errors.errors_per_note(TABLE)
    assert [(row.missed, row.notes) for row in rows] == [(0, 1), (1, 1), (4, 1)]
    assert rows[-1].cumulative == 1


def test_by_note_type() -> None:
    rows = errors.by_note_type(TABLE, PAIRS)
    assert rows["letter"]["notes"] == 2
    assert rows["letter"]["leaking"] == 1
    assert rows[errors.UNKNOWN]["missed"] == 1


def test_breakdowns_cover_all_phi_words() -> None:
    total = int((TABLE.gold > 0).sum())
    for rows in errors.breakdowns(TABLE, PAIRS).values():
        assert sum(one.words for one in rows.values()) == total
        assert sum(one.missed for one in rows.values()) == TABLE.counts().fn
    cases = errors.breakdowns(TABLE, PAIRS)["letter case"]
    assert {name: one.words for name, one in cases.items()} == {
        "UPPER": 1,
        "Title": 3,
        "no letters": 3,
    }


def test_names_by_list_ethnicity_and_sex() -> None:
    pairs = [
        pair_of("[[Maria Garcia|PATIENT]] [[Xqzvw|DOCTOR]] [[J|DOCTOR]]", "Maria Garcia Xqzvw J")
    ]
    found = errors.name_breakdowns(word_table(pairs), pairs)
    assert {name: one.words for name, one in found["names on the lists"].items()} == {
        errors.LISTED: 2,
        errors.NOT_LISTED: 1,
        errors.INITIAL: 1,
    }
    assert found["ethnicity of the name"]["hispanic"].words == 2
    assert found["sex of the first name"]["female"].missed == 1


def test_wilson_interval_holds_the_recall() -> None:
    one = errors.Slice(20, 1)
    low, high = one.interval()
    assert 0 <= low < one.recall < high <= 1
    assert errors.Slice(0, 0).interval() == (0.0, 1.0)


def test_examples_show_text_in_context() -> None:
    found = [one for one in errors.examples(TABLE, PAIRS) if one.label == "DATE"]
    assert [(one.text, one.before[-3:]) for one in found] == [("3/4/20", "on ")]


def scored(*scores: float) -> Pair:
    """Four PHI words and four others, with these scores where above 0."""
    text = "a b c d e f g h"
    gold = tuple(span(2 * i, 2 * i + 1, "IDNUM") for i in range(4))
    pred = tuple(span(2 * i, 2 * i + 1, "IDNUM", s) for i, s in enumerate(scores) if s)
    return Pair(Document("1", text), gold, pred)


def test_fixed_sensitivity_takes_the_strictest_threshold_that_does() -> None:
    points = curve(word_table([scored(0.9, 0.8, 0.7, 0.2, 0.85, 0.3, 0.1)]))
    assert [point.threshold for point in points] == pytest.approx(
        [0.9, 0.85, 0.8, 0.7, 0.3, 0.2, 0.1]
    )
    fixed = fixed_sensitivity(points, (1.0, 0.75, 0.5))
    assert [(p.threshold, p.counts.fp) for p in fixed.values() if p] == [
        (pytest.approx(0.2), 2),
        (pytest.approx(0.7), 1),
        (pytest.approx(0.8), 1),
    ]
    assert fixed[1.0] is not None
    assert fixed[1.0].false_per_1000 == pytest.approx(1000 * 2 / 8)


def test_a_sensitivity_that_is_never_reached_is_none() -> None:
    points = curve(word_table([scored(0.9, 0.8, 0.7, 0.0)]))
    assert fixed_sensitivity(points, (1.0,)) == {1.0: None}


def test_recall_never_falls_along_the_curve() -> None:
    recalls = [p.counts.recall for p in curve(word_table([scored(0.9, 0.1, 0.5, 0.5, 0.5, 0.9)]))]
    assert recalls == sorted(recalls)


def test_survival_of_clinical_words() -> None:
    pairs = [
        pair_of(
            "[[Ann|PATIENT]] has pneumonia of the lung, aspirin 81 mg daily, Parkinson disease",
            "[[Ann|PATIENT]] has pneumonia of the lung, [[aspirin 81|CITY]] mg daily, [[Parkinson|DOCTOR]] disease",
        )
    ]
    found = survival(word_table(pairs), pairs)
    assert (found["drugs"].words, found["drugs"].lost) == (1, 1)
    assert (found["anatomy"].words, found["anatomy"].lost) == (1, 0)
    assert found["eponyms"].lost == 1
    assert (found[MEASURED].words, found[MEASURED].lost) == (2, 1)
