"""Training data is checked before training starts, and held out by whole notes."""

from __future__ import annotations

import pytest

from incognote.core.errors import UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.learn.data import (
    TYPES,
    Note,
    check_notes,
    hold_out,
    labels_of,
    labels_of_types,
    notes_of,
)
from incognote.learn.recipe import prepare_data


def documents(notes):
    return [
        AnnotatedDocument(Document(n.id, n.text), tuple(Span(*mark) for mark in n.marks))
        for n in notes
    ]


OTHER = Note("b", "on 3/4/20", ((3, 9, "DATE"),))


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        pytest.param([OTHER], "at least 2", id="one-document"),
        pytest.param([Note("a", "x", ()), Note("b", "y", ())], "no spans", id="no-spans"),
        pytest.param([Note("a", "abc", ((1, 4, "DATE"),)), OTHER], "outside", id="out-of-range"),
        pytest.param(
            [Note("a", "abcdef", ((0, 3, "DATE"), (2, 5, "AGE"))), OTHER], "overlaps", id="overlap"
        ),
        pytest.param([Note("a", "abc", ((0, 3, "NOSE"),)), OTHER], "no label 'NOSE'", id="label"),
    ],
)
def test_bad_data_is_explained(notes, message):
    with pytest.raises(UsageError, match=message):
        check_notes(notes)


def test_messages_never_carry_the_text():
    secret = Note("a", "Zebulon", ((2, 9, "PATIENT"),))
    with pytest.raises(UsageError) as caught:
        check_notes([secret, OTHER])
    assert "Zebulon" not in str(caught.value)
    assert "Zebulon" not in repr(secret)


def test_rare_labels_are_named(notes):
    rare = Note("z", "aged 90", ((5, 7, "AGE"),))
    assert any("AGE" in warning for warning in check_notes([*notes, rare]))


def test_labels_without_an_example_are_named(notes):
    (lacking, *_) = check_notes(notes)
    assert "no example of" in lacking
    assert "AGE" in lacking
    assert "PATIENT" not in lacking
    assert not any("no example" in w for w in check_notes(notes, wanted=["PATIENT", "DATE"]))


@pytest.mark.parametrize(
    ("types", "labels"),
    [
        (["names"], ("DOCTOR", "PATIENT")),
        (["names", "DATE"], ("DATE", "DOCTOR", "PATIENT")),
        (["MEDICALRECORD"], ("MEDICALRECORD",)),
    ],
)
def test_a_model_may_learn_some_types_alone(notes, types, labels):
    data = prepare_data(documents(notes), types=types)
    assert labels_of(data.notes) == labels
    assert labels_of(data.held) == labels
    assert data.card["types"] == ", ".join(types)


@pytest.mark.parametrize(
    ("types", "message"), [(["smells"], "no type or label"), (["ages"], "no spans at all")]
)
def test_types_that_cannot_be_learned_are_refused(notes, types, message):
    with pytest.raises(UsageError, match=message):
        prepare_data(documents(notes), types=types)


def test_every_type_is_made_of_labels():
    assert labels_of_types(TYPES) == sorted(set().union(*TYPES.values()))
    assert set().union(*TYPES.values()) <= set(all_labels())


def test_hold_out_takes_whole_notes_from_every_group(notes):
    kept, held = hold_out(notes, 6, seed=1)
    assert len(kept) + len(held) == len(notes)
    assert not {n.id for n in kept} & {n.id for n in held}
    assert {n.id.partition("_")[0] for n in held} == {"g0", "g1", "g2"}
    assert hold_out(notes, 6, seed=1)[1] == held
    assert hold_out(notes, 6, seed=2)[1] != held


def test_annotated_documents_become_notes():
    span = Span(3, 9, "DATE")
    (note,) = notes_of([AnnotatedDocument(Document("b", "on 3/4/20"), (span,))])
    assert note == OTHER
    assert labels_of([note]) == ("DATE",)


@pytest.mark.parametrize("count", [0, 60, 99])
def test_something_must_be_on_either_side(notes, count):
    documents = [
        AnnotatedDocument(Document(n.id, n.text), tuple(Span(*mark) for mark in n.marks))
        for n in notes
    ]
    with pytest.raises(UsageError, match="hold out"):
        prepare_data(documents, held_out=count)


def test_the_card_tells_the_data_apart(notes):
    documents = [
        AnnotatedDocument(Document(n.id, n.text), tuple(Span(*mark) for mark in n.marks))
        for n in notes
    ]
    one, same = prepare_data(documents), prepare_data(documents)
    other = prepare_data(documents[1:])
    assert one.card["data_sha256"] == same.card["data_sha256"] != other.card["data_sha256"]
    assert one.card["notes"] == 57
