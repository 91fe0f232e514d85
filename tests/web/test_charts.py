"""Plots: what they draw, and what their axes say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from incognote.web.figures.charts import Series, _ticks, line_chart


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
