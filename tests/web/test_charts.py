"""Plots and their figures: what they draw, what their axes say, from which notes they come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.types import AnnotatedDocument, Span
from incognote.core.types import Document as Note
from incognote.web.figures.charts import Series, _ticks, line_chart
from incognote.web.figures.progress import Settled, by_batch


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_ticks_are_few_and_hold_the_values(low: float, spread: float):
    ticks = _ticks(low, low + spread)
    assert 2 <= len(ticks) <= 9
    assert ticks == sorted(set(ticks))
    room = 1e-6 * max(1.0, abs(low), spread)
    assert ticks[0] <= low + room
    assert ticks[-1] >= low + spread - room


def test_shares_stay_between_nothing_and_all():
    assert _ticks(1.0, 1.0)[-1] == 1.0
    assert _ticks(0.0, 0.0)[0] == 0.0
    assert _ticks(0.632, 0.95)[-1] <= 1.0
    assert _ticks(0.632, 0.95) == [0.6, 0.7, 0.8, 0.9, 1.0]


def test_a_chart_escapes_its_words_and_names_its_series():
    chart = line_chart(
        "<b>", "notes", "F1", [Series("kappa", [(1, 0.5), (2, 0.6)]), Series("a&b", [(1, 0.4)])]
    )
    assert "<b>" not in chart
    assert "&lt;b&gt;" in chart
    assert ">kappa</text>" in chart
    assert ">a&amp;b</text>" in chart
    assert line_chart("nothing", "x", "y", []) == ""


def _note(number: int, purpose: str, gold: int, found: int) -> Settled:
    """A note of two names, of which so many are PHI and so many were suggested."""
    spans = (Span(0, 4, "PATIENT"), Span(5, 9, "DOCTOR"))
    note = Note(str(number), "Anna Bell")
    return Settled(
        number,
        1,
        purpose,
        AnnotatedDocument(note, spans[:gold]),
        AnnotatedDocument(note, spans[:found]),
    )


def test_figures_of_a_batch_come_from_its_measuring_notes():
    """On the others people began with what was suggested."""
    (batch,) = by_batch([_note(1, "learn", 2, 2), _note(2, "measure", 2, 1)])
    assert batch.notes == 2
    assert batch.scores is not None
    assert (batch.scores.notes, batch.scores.recall) == (1, 0.5)


@pytest.mark.parametrize("notes", [[_note(1, "learn", 2, 2)], [_note(1, "measure", 0, 0)]])
def test_no_figure_where_nothing_is_measured(notes: list[Settled]):
    assert by_batch(notes)[0].scores is None
