"""Annotators: kappa, span F1 and what is left to decide."""

from __future__ import annotations

import pytest
from tests.evaluate.notes import annotated

from incognote.core.errors import UsageError
from incognote.evaluate.agreement import agreement, disputes, kappa


def test_the_published_agreement_matrix() -> None:
    """185,455 words both marked, 4,919 and 5,411 only one of them, 1,483,221 neither."""
    assert round(kappa(185_455, 4_919, 5_411, 1_483_221), 4) == 0.9694


@pytest.mark.parametrize(
    ("matrix", "value"),
    [((10, 0, 0, 10), 1.0), ((0, 10, 10, 0), -1.0), ((5, 5, 5, 5), 0.0), ((0, 0, 0, 9), 1.0)],
)
def test_kappa(matrix: tuple[int, int, int, int], value: float) -> None:
    assert kappa(*matrix) == pytest.approx(value)


ONE = [annotated("[[Ann Lee|PATIENT]] saw [[Dr Bo|DOCTOR]] at [[10:30|TIME]]")]
OTHER = [annotated("[[Ann Lee|PATIENT]] saw Dr [[Bo|PATIENT]] at 10:30")]


def test_two_annotators() -> None:
    [found] = agreement({"a": ONE, "b": OTHER})
    assert found.matrix == (3, 3, 0, 2)
    assert found.span_f1 == pytest.approx(2 * 1 / (3 + 2))
    assert found.kappa == pytest.approx((5 / 8 - 7 / 16) / (1 - 7 / 16))
    assert found.kappa_labels == pytest.approx((4 / 8 - 16 / 64) / (1 - 16 / 64))
    assert found.kappa_by_label["TIME"] == 0


def test_three_annotators_make_three_pairs() -> None:
    found = agreement({"a": ONE, "b": OTHER, "c": ONE})
    assert [(one.one, one.other) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[1].kappa == found[1].span_f1 == 1.0


def test_disputes_are_the_places_where_they_differ() -> None:
    found = disputes({"a": ONE, "b": OTHER})
    assert [(one.start, one.end) for one in found] == [(12, 17), (21, 26)]
    assert found[0].marks == {"a": ("DOCTOR 12-17",), "b": ("PATIENT 15-17",)}
    assert found[1].marks == {"a": ("TIME 21-26",), "b": ()}
    assert disputes({"a": ONE, "b": ONE}) == []


def test_annotators_of_other_texts_are_refused() -> None:
    with pytest.raises(UsageError, match="different texts"):
        agreement({"a": ONE, "b": [annotated("another text")]})
