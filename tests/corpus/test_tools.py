"""Label maps, description, splits and near-duplicates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.marked import annotated

from incognote.core.errors import UsageError
from incognote.core.labels import SCHEMES, in_group
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.describe import NO_TYPE, check, describe, repetitions
from incognote.corpus.duplicates import Duplicate, clusters, duplicates
from incognote.corpus.labelmaps import label_map, map_names
from incognote.corpus.split import split

MAPPED = {
    "physionet": ("HCPName", "DOCTOR"),
    "i2b2-2006": ("LOCATION", "CITY"),
    "cchmc": ("IDNUM", "IDNUM"),
    "hipaa-18": ("DATES", "DATE"),
    "presidio": ("LOCATION", "CITY"),
    "i2b2-2006>i2b2-2014": ("PATIENT", "PATIENT"),
    "incognote>hipaa-18": ("DATE", "DATES"),
    "categories": ("MEDICALRECORD", "ID"),
    "meddocan": ("CALLE", "STREET"),
    "incognote>i2b2-2014": ("TIME", ""),
}


@pytest.mark.parametrize("name", MAPPED)
def test_maps(name: str) -> None:
    label, target = MAPPED[name]
    assert label_map(name).labels[label] == target


def test_cchmc_has_twelve_classes_and_each_of_ours_its_own() -> None:
    to_cchmc = label_map("incognote>cchmc").labels
    wanted = {
        "URL": "IPADDRESS", "ROOM": "INSTITUTION", "HOSPITAL": "INSTITUTION", "FAX": "PHONE",
        "CITY": "LOCATION", "ZIP": "LOCATION", "DOCTOR": "NAME", "MEDICALRECORD": "IDNUM",
        "SSN": "SSN", "PROFESSION": "OTHER", "TIME": "",
    }  # fmt: skip
    assert {name: to_cchmc[name] for name in wanted} == wanted
    assert len(set(to_cchmc.values()) - {""}) == 12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_coarse_label_stands_for_what_hides_in_group_a(scheme: str) -> None:
    """A corpus that says LOCATION must not fall out of group A because ROOM comes first."""
    mapping = label_map(scheme)
    for foreign, choices in mapping.ambiguous.items():
        if {"CITY", "IDNUM", "DATE"} & set(choices):
            assert mapping.labels[foreign] in in_group("A"), foreign


@pytest.mark.parametrize("name", map_names())
def test_every_map_can_be_loaded(name: str) -> None:
    assert label_map(name).labels


def test_what_a_map_loses_is_said() -> None:
    doc = AnnotatedDocument(
        Document("1", "a b c d"),
        (Span(0, 1, "CITY"), Span(2, 3, "ZIP"), Span(4, 5, "PROFESSION"), Span(6, 7, "DATE")),
    )
    mapping = label_map("incognote>i2b2-2006")
    losses = mapping.losses([doc])
    assert losses.dropped == {"PROFESSION": 1}
    assert losses.merged == {"LOCATION": {"CITY": 1, "ZIP": 1}}
    assert [span.label for span in mapping.apply(doc).spans] == ["LOCATION", "LOCATION", "DATE"]


def test_a_label_with_several_targets_is_called_guessed() -> None:
    doc = AnnotatedDocument(Document("1", "a"), (Span(0, 1, "ID"),))
    options, count = label_map("i2b2-2006").losses([doc]).guessed["ID"]
    assert count == 1
    assert {"SSN", "MEDICALRECORD"} <= set(options)


def test_a_map_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[labels]\nNAAM = "PATIENT"\nGESLACHT = ""\n')
    doc = AnnotatedDocument(Document("1", "ab"), (Span(0, 1, "NAAM"), Span(1, 2, "GESLACHT")))
    assert label_map(str(path)).apply(doc).spans == (Span(0, 1, "PATIENT"),)


@pytest.mark.parametrize(
    ("content", "says"), [("x = ", "not TOML"), ("[labels]\n[more]\n", "a label map has")]
)
def test_bad_maps_are_refused(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=says):
        label_map(str(path))


@pytest.mark.parametrize("name", ["nothing", "nothing>incognote"])
def test_unknown_maps_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="there are"):
        label_map(name)


def test_a_label_outside_the_map_is_an_error() -> None:
    with pytest.raises(UsageError, match="'DATE'"):
        label_map("meddocan").apply(annotated("[[x|DATE]]"))


def test_description_counts() -> None:
    facts = describe(
        [
            annotated("[[Ann Lee|PATIENT]] saw [[ann  lee|PATIENT]]", "1", note_type="letter"),
            annotated("plain words here", "2", patient_id="p"),
            annotated("again", "3", patient_id="p"),
        ]
    )
    assert (facts.documents, facts.patients, facts.words, facts.mentions) == (3, 2, 9, 2)
    assert facts.documents_without_phi == 2
    assert facts.labels["PATIENT"].unique == 1
    assert facts.note_types["letter"].per_1000_words == pytest.approx(400)
    assert facts.note_types[NO_TYPE].documents == 2


PROBLEMS = {
    "out of range": Span(0, 99, "DATE"),
    "blank at an edge": Span(3, 7, "DATE"),
    "cuts a word": Span(0, 2, "DATE"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_impossible_annotations_are_found(problem: str) -> None:
    [found] = check([AnnotatedDocument(Document("1", "Ann Lee 67yo"), (PROBLEMS[problem],))])
    assert found.problem == problem


def test_possible_annotations_are_not_found() -> None:
    spans = (Span(0, 7, "PATIENT"), Span(8, 10, "AGE"))
    assert check([AnnotatedDocument(Document("1", "Ann Lee 67yo"), spans)]) == []
    overlapping = (Span(0, 7, "PATIENT"), Span(4, 7, "CITY"))
    [found] = check([AnnotatedDocument(Document("1", "Ann Lee 67yo"), overlapping)])
    assert (found.problem, found.start, found.end) == ("overlap", 4, 7)


TEXT = " ".join(f"word{i} of the note" for i in range(40))


def test_near_duplicates_are_found_whatever_stands_between_them() -> None:
    docs = [annotated(TEXT, "a"), annotated("quite another text about nothing at all", "b")]
    docs.append(annotated(TEXT.replace("word7", "changed"), "c"))
    [pair] = duplicates(docs)
    assert (pair.one, pair.other) == ("a", "c")
    assert 0.9 < pair.similarity < 1


def test_clusters_join_what_is_joined_in_steps() -> None:
    found = clusters("abcd", [Duplicate("a", "b", 1), Duplicate("c", "b", 1)])
    assert found == {"a": "a", "b": "a", "c": "a", "d": "d"}


@settings(max_examples=30, deadline=None)
@given(
    patients=st.lists(st.integers(0, 9), min_size=12, max_size=60),
    seed=st.integers(0, 3),
)
def test_a_split_loses_nothing_and_shares_no_patient(patients: list[int], seed: int) -> None:
    docs = [
        annotated(f"note {n} x{n}y", str(n), patient_id=str(p), note_type="ab"[n % 2])
        for n, p in enumerate(patients)
    ]
    if len(set(patients)) < 3:
        with pytest.raises(UsageError):
            split(docs, {"train": 8, "dev": 1, "test": 1}, seed=seed)
        return
    parts = split(docs, {"train": 8, "dev": 1, "test": 1}, seed=seed)
    assert Counter(d.id for part in parts.values() for d in part) == Counter(d.id for d in docs)
    owners = [{d.document.patient_id for d in part} for part in parts.values()]
    assert sum(map(len, owners)) == len(set(patients))


def test_shares_and_note_types_are_kept_where_patients_allow() -> None:
    docs = [
        annotated(f"n{n} {'abc'[n % 3] * 3} w{n * 7}", str(n), note_type="abc"[n % 3])
        for n in range(300)
    ]
    parts = split(docs, {"train": 0.8, "test": 0.2})
    assert len(parts["train"]) == 240
    kinds = Counter(d.document.meta["note_type"] for d in parts["test"])
    assert set(kinds.values()) == {20}


def test_duplicates_never_part() -> None:
    docs = [annotated(TEXT, f"same{i}") for i in range(5)]
    docs += [annotated(f"other {i} " * 9, f"o{i}") for i in range(15)]
    parts = split(docs, {"train": 0.5, "test": 0.5})
    homes = {part for part, own in parts.items() for d in own if d.id.startswith("same")}
    assert len(homes) == 1


def test_a_split_depends_on_its_seed_alone() -> None:
    docs = [annotated(f"note {n} z{n}", str(n)) for n in range(40)]
    shares = {"train": 0.5, "test": 0.5}
    assert split(docs, shares, seed=1) == split(docs, shares, seed=1)
    assert split(docs, shares, seed=1) != split(docs, shares, seed=2)


def test_a_split_needs_two_parts() -> None:
    with pytest.raises(UsageError, match="two or more"):
        split([annotated("x")], {"train": 1.0})


def test_words_marked_elsewhere_in_the_note_are_found() -> None:
    docs = [
        annotated(
            "Dr. [[Ana Parkinson|DOCTOR]] treats Parkinson disease; Ana. At [[12|AGE]], 12 mg.", "1"
        ),
        annotated("Parkinson again; [[Bo|PATIENT]] Bo [[Bob|PATIENT]] Bobby", "2"),
    ]
    assert [
        (f.document_id, docs[0].text[f.start : f.end], f.detail) for f in repetitions(docs)
    ] == [("1", "Parkinson", "DOCTOR")]
    assert (
        repetitions([annotated("[[Al Ito|PATIENT]] and Al Ito")])[0].problem == "marked elsewhere"
    )
