"""The rules: states, roles, edits, ordering, the draw."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.web.flow import adjudication, draw, effort, ordering, roles, states
from incognote.web.flow.edits import BadEdit, Edit, Stale, applied, flat, is_flat

LABELS = ("DATE", "PATIENT", "CITY")
LENGTH = 60

NOTE_MOVES = {
    ("new", "suggest"): "suggested", ("suggested", "suggest"): "suggested", ("failed", "suggest"): "suggested",
    ("new", "assign"): "assigned", ("suggested", "assign"): "assigned", ("assigned", "assign"): "assigned",
    ("assigned", "release"): "suggested", ("assigned", "annotate"): "annotated",
    ("assigned", "agree"): "agreed", ("annotated", "agree"): "agreed",
    ("assigned", "dispute"): "disputed", ("annotated", "dispute"): "disputed",
    ("annotated", "settle"): "gold", ("agreed", "settle"): "gold", ("disputed", "settle"): "gold",
    ("new", "import gold"): "gold", ("suggested", "import gold"): "gold",
    ("gold", "readjudicate"): "disputed",
    **{(state, "reopen"): "assigned" for state in ("annotated", "agreed", "disputed", "gold", "skipped", "failed")},
    ("skipped", "put back"): "suggested",
    **{(state, "skip"): "skipped" for state in states.NOTE_STATES if state not in ("skipped", "failed")},
    **{(state, "fail"): "failed" for state in states.NOTE_STATES if state != "failed"},
}  # fmt: skip
RELEASE_MOVES = {
    ("drafted", "ask"): "in review", ("in review", "approve"): "approved", ("in review", "return"): "returned",
    ("approved", "return"): "returned", ("approved", "export"): "exported", ("exported", "export"): "exported",
}  # fmt: skip


@pytest.mark.parametrize("state", states.NOTE_STATES)
@pytest.mark.parametrize("event", states.NOTE_EVENTS)
def test_every_state_and_event_of_a_note(state: str, event: str):
    if (state, event) in NOTE_MOVES:
        assert states.note_after(state, event) == NOTE_MOVES[state, event]
    else:
        with pytest.raises(states.Refused):
            states.note_after(state, event)


@pytest.mark.parametrize("state", states.RELEASE_STATES)
@pytest.mark.parametrize("event", states.RELEASE_EVENTS)
def test_every_state_and_event_of_a_release(state: str, event: str):
    if (state, event) in RELEASE_MOVES:
        assert states.release_after(state, event) == RELEASE_MOVES[state, event]
    else:
        with pytest.raises(states.Refused):
            states.release_after(state, event)


def test_roles():
    assert not roles.may("read notes", {"auditor"})
    assert not roles.may("manage", {"annotator", "adjudicator", "reviewer", "auditor"})
    assert not roles.may("see project", set())
    assert not roles.may_adjudicate(1, [1, 2])
    assert not roles.may_review(1, 1)


mark = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12), st.sampled_from(LABELS)).map(
    lambda t: (t[0], min(LENGTH, t[0] + t[1]), t[2])
)


@st.composite
def histories(draw_):
    """Edits as an annotator makes them, one after another, from some first layer."""
    start = flat(draw_(st.lists(mark, max_size=6)))
    spans, edits = start, []
    for number in range(1, draw_(st.integers(1, 8)) + 1):
        new = draw_(mark)
        gone = tuple(m for m in spans if m[0] < new[1] and new[0] < m[1])
        after = (new,) if draw_(st.booleans()) else ()
        edit = Edit(number, "edit", gone, after)
        edits.append(edit)
        spans = applied(spans, edit, LENGTH, LABELS)
    return start, edits, spans


@given(histories())
def test_undo_restores(history):
    start, edits, spans = history
    for edit in reversed(edits):
        spans = applied(spans, edit.inverse, LENGTH, LABELS)
    assert spans == tuple(sorted(start))


@given(histories())
def test_layers_stay_flat(history):
    assert is_flat(history[2])


def test_bad_edits_are_refused():
    there = ((0, 4, "DATE"),)
    with pytest.raises(Stale):
        applied(there, Edit(1, "remove", ((0, 5, "DATE"),)), LENGTH, LABELS)
    for after in (
        (2, 6, "CITY"),
        (5, 5, "CITY"),
        (5, LENGTH + 1, "CITY"),
        (-1, 2, "CITY"),
        (6, 8, "NONE"),
    ):
        with pytest.raises(BadEdit):
            applied(there, Edit(1, "add", (), (after,)), LENGTH, LABELS)


@given(histories(), st.randoms())
def test_repeated_and_late_edits_give_the_same_spans(history, rng: random.Random):
    """What the server does with edits that come twice, or after others that overtook them."""
    start, edits, wanted = history
    revision, spans = 0, start
    sent = [edit for edit in edits for _ in range(rng.randint(1, 3))]
    queue = sorted(sent, key=lambda edit: edit.number + rng.random() * 3)
    waiting = list(queue)
    for _ in range(len(queue) * len(edits) + 1):
        for edit in list(waiting):
            if edit.number <= revision:
                waiting.remove(edit)  # confirmed
            elif edit.number == revision + 1:
                spans, revision = applied(spans, edit, LENGTH, LABELS), edit.number
                waiting.remove(edit)
    assert waiting == []
    assert spans == wanted


@given(st.lists(mark, max_size=8).map(flat), st.lists(mark, max_size=8).map(flat))
def test_agreed_and_disputed_cover_everything(a, b):
    agreed = adjudication.agreed(a, b)
    places = adjudication.disputed(a, b)
    for one in {*a, *b}:
        inside = any(place.start <= one[0] and one[1] <= place.end for place in places)
        assert inside != (one in agreed)


def test_actions_needed():
    before = [(0, 4, "DATE"), (10, 14, "CITY"), (20, 24, "CITY")]
    after = [(0, 4, "PATIENT"), (10, 16, "CITY"), (30, 33, "DATE")]
    assert effort.actions_needed(before, after) == 5  # relabel, stretch, remove; choose and label
    assert effort.actions_needed(before, before) == 0


def test_long_pauses_are_cut():
    assert effort.active(10_000_000) == 60_000
    assert effort.active(-5) == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=80
    )
)
def test_an_order_holds_every_note_once(rows):
    notes = [
        ordering.Waiting(i, f"p{who}", doubt, drawn) for i, (who, doubt, drawn) in enumerate(rows)
    ]
    for how in ordering.ORDERINGS:
        assert sorted(ordering.order(notes, how, batch=10)) == list(range(len(notes)))


def test_doubtful_notes_come_first_and_patients_are_spread():
    notes = [
        ordering.Waiting(i, f"p{i % 10}", doubt=i / 100, draw=(i * 7 % 100) / 100)
        for i in range(100)
    ]
    first = ordering.order(notes, ordering.DOUBT, batch=10)[:10]
    chosen = [key for at, key in enumerate(first) if at % 5 != 4]
    assert min(chosen) > 80
    same = [ordering.Waiting(i, "one", 1.0, 0.5) for i in range(5)]
    other = [ordering.Waiting(10 + i, f"p{i}", 0.1, 0.5) for i in range(8)]
    first = ordering.order([*same, *other], ordering.DOUBT, batch=10)[:8]
    assert sum(key < 5 for key in first) <= 3  # two by doubt; the draw at random may add one


def test_twins_do_not_stand_in_one_batch():
    notes = [
        ordering.Waiting(i, f"p{i}", 1 - i / 100, i / 100, twin="t" if i < 4 else f"t{i}")
        for i in range(20)
    ]
    first = ordering.order(notes, ordering.DOUBT, batch=5)[:4]
    assert sum(key < 4 for key in first) == 1


@given(
    st.lists(st.integers(), unique=True, max_size=40),
    st.lists(st.integers(100, 200), unique=True, max_size=12),
)
def test_measuring_notes_are_spread(learn, measure):
    learn = [key for key in learn if not 100 <= key <= 200]
    woven = ordering.woven(learn, measure)
    assert sorted(woven) == sorted([*learn, *measure])
    assert [key for key in woven if key in measure] == measure


def test_the_measuring_set():
    sizes = {f"p{i}": 1 + i % 3 for i in range(400)}
    chosen = draw.measuring(sizes, b"key of a project")
    held = sum(sizes[name] for name in chosen)
    assert sum(sizes.values()) // 5 - 3 <= held <= sum(sizes.values()) // 5 + 20
    assert chosen == draw.measuring(sizes, b"key of a project")
    assert chosen != draw.measuring(sizes, b"another key of it")
    many = {f"p{i}": 1 for i in range(5000)}
    assert len(draw.measuring(many, b"key")) == 299
    assert draw.measuring({"p": 500, "q": 1, "r": 500}, b"key") in (frozenset({"q"}), frozenset())
