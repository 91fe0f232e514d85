"""Gold and prediction that do not belong together: an error that says which."""

from __future__ import annotations

import pytest
from tests.evaluate.notes import annotated

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.scoring.pairs import pair

GOLD = [annotated("[[Ann|PATIENT]] SECRET", "1"), annotated("Bo", "2")]

WRONG = {
    "a missing document": ([GOLD[0]], "prediction lacks document '2'"),
    "one too many": ([*GOLD, annotated("x", "3")], "gold lacks document '3'"),
    "a doubled id": ([*GOLD, GOLD[0]], "more than one document '1'"),
    "another text": ([annotated("other SECRET", "1"), GOLD[1]], "different texts for document '1'"),
    "a span outside": (
        [AnnotatedDocument(Document("1", ""), (Span(5, 50, "DATE"),)), GOLD[1]],
        "outside the text of document '1'",
    ),
    "nothing": ([], "has no documents"),
    "many": ([annotated("x", str(n)) for n in range(3, 12)], "'1', '2'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_belong_together_is_named(case: str) -> None:
    pred, says = WRONG[case]
    with pytest.raises(UsageError, match=says) as caught:
        pair(GOLD, pred)
    assert "SECRET" not in str(caught.value)


def test_a_gold_without_texts_says_how_to_get_them() -> None:
    bare = [AnnotatedDocument(Document("1", ""), (Span(0, 3, "PATIENT"),))]
    with pytest.raises(UsageError, match=r"--with-text.* document '1'"):
        pair(bare, bare)


def test_order_does_not_matter_and_texts_may_be_left_out() -> None:
    pred = [annotated("Bo", "2"), AnnotatedDocument(Document("1", ""), (Span(0, 3, "PATIENT"),))]
    pairs = pair(GOLD, pred)
    assert [one.document.id for one in pairs] == ["1", "2"]
    assert pairs[0].pred == (Span(0, 3, "PATIENT"),)
