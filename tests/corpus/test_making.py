"""Corpora made anew: resynthesis with its rules, and synthesis from templates."""

from __future__ import annotations

import json
import random
import re
from datetime import date
from pathlib import Path

import pytest
from tests.marked import annotated

from incognote.cli import main
from incognote.core.errors import ReadError, UsageError
from incognote.core.types import AnnotatedDocument, Document, Replacement, Result, Span
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.classes import ClassCounts, class_rules
from incognote.corpus.resynthesise import resynthesise
from incognote.corpus.rules import check
from incognote.corpus.synth import carriers, fill_masks, masks, synthesise, templates

KEY = b"a key that is long enough to use"


CORPUS = [
    annotated(
        "[[Laura Bennett|PATIENT]], [[66|AGE]], of [[Dayton|CITY]], [[Ohio|STATE]] saw Dr. "
        "[[Okafor|DOCTOR]] on [[3/4/2020|DATE]]. MRN [[4471902|MEDICALRECORD]]. "
        "Ms. [[Bennett|PATIENT]] was well.",
        "1",
        patient_id="real-17",
        note_type="letter",
        site="secret",
    ),
    annotated(
        "Seen [[5/6/2021|DATE]], call [[937-555-0142|PHONE]]. [[Bennett|PATIENT]].",
        "2",
        patient_id="real-17",
    ),
    annotated("[[Henry Walsh|PATIENT]] came [[7/8/2019|DATE]].", "3"),
]


def test_a_resynthesised_corpus_keeps_its_rules() -> None:
    made, report = resynthesise(CORPUS, KEY)
    assert {rule.name: rule.broken for rule in report.rules if rule.broken} == {}
    assert sum(rule.cases for rule in report.rules) > 15
    assert [[s.label for s in d.spans] for d in made] == [
        [s.label for s in d.spans] for d in CORPUS
    ]
    assert all(s.end <= len(d.text) for d in made for s in d.spans)
    whole = "\n".join(d.text for d in made)
    for real in ("Bennett", "Okafor", "Dayton", "4471902", "937-555-0142", "Walsh"):
        assert real not in whole


def test_a_patient_keeps_one_name_and_loses_the_old_id() -> None:
    made, _ = resynthesise(CORPUS, KEY)
    names = [[d.text[s.start : s.end] for s in d.spans if s.label == "PATIENT"] for d in made]
    assert names[0][0].split()[-1] == names[0][1] == names[1][0]
    assert made[0].document.meta == {"patient_id": "patient-1", "note_type": "letter"}
    assert made[2].document.meta == {}


def test_ids_of_documents_are_mapped_one_to_one() -> None:
    old = [f"MRN2143{number}-01" for number in range(10, 30)]
    docs = [annotated("Seen by Dr. [[Okafor|DOCTOR]].", each) for each in old]
    made, report = resynthesise(docs, KEY)
    new = [doc.id for doc in made]
    assert len(set(new)) == len(old)
    assert set(new).isdisjoint(old)
    assert any("id of its own" in rule.name and rule.cases == len(old) for rule in report.rules)


def test_notes_of_a_patient_agree_about_everybody() -> None:
    docs = [
        annotated("Her son [[Wendell|PATIENT]] called.", "1", patient_id="p"),
        annotated("Spoke with [[Wendell|PATIENT]]. She is worried.", "2", patient_id="p"),
        annotated("Mr. [[Wendell|PATIENT]] agreed.", "3", patient_id="p"),
    ]
    made, _ = resynthesise(docs, KEY)
    assert len({d.text[s.start : s.end] for d in made for s in d.spans}) == 1
    assert [d.text.partition(" ")[0] for d in made] == ["Her", "Spoke", "Mr."]


def test_no_first_name_of_the_corpus_comes_back() -> None:
    given = ("Mary", "Linda", "Susan", "Karen", "Nancy", "Lisa", "Betty", "Sandra", "Ashley", "Kim")
    docs = [annotated(f"[[{name}|PATIENT]] came.", str(i)) for i, name in enumerate(given * 4)]
    made, report = resynthesise(docs, KEY)
    assert not {d.text.partition(" ")[0] for d in made} & set(given)
    assert not any(rule.broken for rule in report.rules)


SCANNED = ["O4/l2/1937", "l2/3O/1988", "lunes 14 de abril", "Jan 9 2O24", "the l9th"]


def test_dates_that_nobody_can_read_keep_their_pattern() -> None:
    docs = [annotated(f"[[{date}|DATE]]", str(i)) for i, date in enumerate(SCANNED)]
    made, report = resynthesise(docs, KEY)
    assert not any(rule.broken for rule in report.rules)
    assert not {d.text for d in made[2:]} & set(SCANNED)


def test_dates_come_from_the_corpus_in_the_same_form() -> None:
    corpus = [*CORPUS, annotated("[[1/2/2018|DATE]], [[7/9/2018|DATE]]", "4")]
    made, _ = resynthesise(corpus, KEY)
    old, new = (
        [d.text[s.start : s.end] for d in docs for s in d.spans if s.label == "DATE"]
        for docs in (corpus, made)
    )
    assert set(new) <= set(old)
    assert not set(new[:2]) & set(old[:2])  # the two notes of one patient
    assert new[0] != new[1]
    assert not set(new[3:]) & set(old[3:])


def test_foreign_labels_must_be_harmonised_first() -> None:
    doc = AnnotatedDocument(Document("9", "Ann"), (Span(0, 3, "PTName"),))
    with pytest.raises(UsageError, match=r"'9'.*harmonise"):
        resynthesise([doc], KEY)


def replaced(doc: AnnotatedDocument, *new: str) -> Result:
    """A result that some bad transformer might give."""
    text, at, parts, made = doc.text, 0, [], []
    for span, value in zip(doc.spans, new, strict=True):
        parts += [text[at : span.start], value]
        at = span.end
        made.append(Replacement(span, value))
    return Result(
        doc.document, doc.spans, replacements=tuple(made), text="".join([*parts, text[at:]])
    )


BROKEN = {
    "no surrogate is an original of the corpus": (
        [annotated("[[Ann Lee|PATIENT]]", "1"), annotated("[[Bo Woods|PATIENT]]", "2")],
        [["Bo Woods"], ["Cy Hill"]],
        ["1"],
    ),
    "no telling original is left in any text": (
        [
            annotated("[[Ann Lee|PATIENT]] and Bo Woods", "1"),
            annotated("[[Bo Woods|PATIENT]]", "2"),
        ],
        [["Di Fox"], ["Cy Hill"]],
        ["1"],
    ),
    "numbers and dates keep their pattern": (
        [annotated("[[937-555-0142|PHONE]]", "1")],
        [["937 555 0199"]],
        ["1"],
    ),
    "one value of a patient has one surrogate": (
        [annotated("[[Ann|PATIENT]] [[Ann|PATIENT]]", "1")],
        [["Bea", "Cleo"]],
        ["1"],
    ),
    "a date is replaced by one from elsewhere": (
        [annotated("[[3/4|DATE]] [[5/6|DATE]]", "1")],
        [["7/8", "3/4"]],
        ["1"],
    ),
    "no two places stand together as before": (
        [
            annotated("[[Erie|CITY]], [[PA|STATE]]", "1"),
            annotated("[[Ada|CITY]], [[OH|STATE]]", "2"),
        ],
        [["Ada", "OH"], ["Xenia", "TX"]],
        ["1"],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_reported_with_its_document(name: str) -> None:
    docs, values, where = BROKEN[name]
    results = [replaced(doc, *new) for doc, new in zip(docs, values, strict=True)]
    rule = next(rule for rule in check(docs, results) if rule.name == name)
    assert (rule.broken, list(rule.where)) == (1, where)
    assert rule.kept < 1


def test_a_number_inside_a_longer_one_is_not_left() -> None:
    docs = [annotated("[[555-01687|PHONE]]", "1"), annotated("call [[619-555-0199|PHONE]]", "2")]
    results = [replaced(docs[0], "555-01222"), replaced(docs[1], "(619) 555-01687")]
    rule = next(r for r in check(docs, results) if "telling" in r.name)
    assert rule.broken == 0


OTHER_VALUES = {
    "a part of a longer name": ("[[State Police|ORGANIZATION]]", "Ashford State Police"),
    "a town that an institution is named after": ("[[White Rock|CITY]]", "White Rock"),
    "numbers of films": ("[[919-555-0142|PHONE]]", "919-555-0142"),
    "what everybody belongs to": ("[[Weight Watchers|ORGANIZATION]]", "Weight Watchers"),
}


@pytest.mark.parametrize("case", OTHER_VALUES)
def test_what_is_not_the_original_though_it_looks_like_it(case: str) -> None:
    marked, new = OTHER_VALUES[case]
    label = marked.partition("|")[2].rstrip("]")
    docs = [
        annotated(marked.replace("CITY", "HOSPITAL"), "1"),
        annotated(f"[[Other value|{label}]]", "2"),
    ]
    results = [replaced(docs[0], "Quite different"), replaced(docs[1], new)]
    assert not any(rule.broken for rule in check(docs, results)[:2])


def test_overlooked_mentions_are_replaced_but_not_annotated() -> None:
    """The new annotation is the old one: as many mentions of each class as before."""
    doc = annotated("[[Quackenbush|PATIENT]] came. Quackenbush was well.", "1")
    made, report = resynthesise([doc], KEY)
    assert "Quackenbush" not in made[0].text
    assert len(made[0].spans) == 1
    (unseen,) = (rule for rule in report.rules if rule.name.startswith("every original is"))
    assert (unseen.broken, unseen.where) == (1, ("1",))
    assert [row.mentions for row in report.classes] == [(1, 1)]


KINDS_OF_DATE = {
    "weekdays": ("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", r"[A-Z][a-z]+day"),
    "weekdays of every week": ("Mondays Tuesdays Thursdays", r"[A-Z][a-z]+days"),
    "months": ("January March June August October December", r"[A-Z][a-z]+(?<!day)(?<!days)"),
    "months, short": ("Jan Mar Aug Oct Dec", r"[A-Z][a-z]{2,3}"),
}


@pytest.mark.parametrize("kind", KINDS_OF_DATE)
def test_a_weekday_stays_a_weekday_and_a_month_a_month(kind: str) -> None:
    values, shape = KINDS_OF_DATE[kind]
    docs = [
        annotated(f"Seen in clinic on [[{value}|DATE]] again.", f"{value}{number}")
        for value in values.split()
        for number in range(3)
    ]
    made, _ = resynthesise(docs, KEY)
    new = [doc.text[span.start : span.end] for doc in made for span in doc.spans]
    assert len(new) == len(docs)
    holidays = {"Halloween", "Thanksgiving", "Christmas", "Easter"}
    assert [value for value in new if not re.fullmatch(shape, value) or value in holidays] == []


def test_visits_become_visits_and_no_date_becomes_one_that_is_none() -> None:
    """Neither a birthday of somebody else, long before the patient's own birth, nor 00/00/1968."""
    births = ["00/00/1968", "01/05/1947", "11/30/1951", "02/30/1950"]
    visits = ["03/14/2025", "07/09/2024", "00/00/2024", "12/01/2024", "05/28/2025"]
    docs = [
        annotated(f"[[78|AGE]]-year-old, DOB [[{birth}|DATE]], seen [[{visit}|DATE]].", f"d{n}-{m}")
        for n, birth in enumerate(births)
        for m, visit in enumerate(visits)
    ]
    made, _ = resynthesise(docs, KEY)
    for doc in made:
        born, seen = (doc.text[span.start : span.end] for span in doc.spans if span.label == "DATE")
        month, day, year = map(int, born.split("/"))
        assert date(year, month, day).year < 1970
        month, day, year = map(int, seen.split("/"))
        assert date(year, month, day).year > 2020


def test_a_corpus_keeps_as_many_jobs_countries_and_numbered_roads() -> None:
    """Classes whose lists are shorter than what people write."""
    jobs = "net mender, organ tuner, hat blocker, chair caner, kite maker, bell ringer, wool sorter"
    lands = "Bangladesh, Honduras, Sri Lanka, Taiwan, Mongolia, Nigeria, Iraq, Jordan, Jamaica"
    roads = "Rt 2 Box 118, RR 4 Box 9, 400 South, 1402 County Road 2300, HC 61 Box 38, Apt 9"
    docs = [
        annotated(f"Notes: [[{value}|{label}]].", f"{label}{number}")
        for label, values in (("PROFESSION", jobs), ("COUNTRY", lands), ("STREET", roads))
        for number, value in enumerate(values.split(", "))
    ]
    made, report = resynthesise(docs, KEY)
    assert {row.label: row.p > 0.05 for row in report.classes} == dict.fromkeys(
        ("COUNTRY", "PROFESSION", "STREET"), True
    )
    assert not any("[" in doc.text for doc in made)


@pytest.mark.parametrize(
    ("before", "after"), [(100, 100), (1257, 351), (1108, 957), (159, 82), (7, 0), (30, 41)]
)
def test_unique_values_are_compared_as_scipy_does(before: int, after: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = ClassCounts("X", (0, 0), (before, after))
    expected = stats.chisquare([before, after])
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_unique_values_by_hand() -> None:
    """120 values before, 90 after: (120 - 90)^2 / 210 = 4.2857, above 3.841."""
    row = ClassCounts("CITY", (200, 200), (120, 90))
    assert row.chi_square == pytest.approx(900 / 210)
    broken = {rule.name: rule.where for rule in class_rules([row])}
    assert list(broken.values()) == [(), ("CITY",)]


def test_the_verb_resynthesises(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("INCOGNOTE_KEY", KEY.decode())
    write_corpus(CORPUS, tmp_path / "gold.jsonl", "jsonl")
    out, report = tmp_path / "new.jsonl", tmp_path / "rules.json"
    call = ["corpus", "resynthesise", str(tmp_path / "gold.jsonl"), "-o", str(out)]
    assert main([*call, "--report", str(report)]) == 0
    assert len(read_corpus(out)) == 3
    assert all(rule["kept"] == 1 for rule in json.loads(report.read_text())["rules"])
    classes = {row["label"]: row for row in json.loads(report.read_text())["classes"]}
    assert classes["PATIENT"]["mentions"] == [4, 4]
    assert classes["PATIENT"]["p"] == 1
    assert "Bennett" not in capsys.readouterr().out


def test_synthetic_notes_are_annotated_and_differ() -> None:
    made = list(synthesise(templates(), 60, seed=1))
    assert len({doc.text for doc in made}) == 60
    assert len({doc.id for doc in made}) == 60
    assert {span.label for doc in made for span in doc.spans} >= {"PATIENT", "DOCTOR", "AGE", "SSN"}
    for doc in made:
        for span in doc.spans:
            surface = doc.text[span.start : span.end]
            assert surface == surface.strip()
            assert surface


def test_the_same_seed_gives_the_same_notes() -> None:
    one, two, other = (list(synthesise(templates(), 5, seed=seed)) for seed in (3, 3, 4))
    assert one == two
    assert one != other


def test_only_marks_change() -> None:
    source = annotated("Plain [[Ann Lee|PATIENT]] words [[12|AGE]] stay", "t")
    [made] = synthesise([source], 1)
    first, second = made.spans
    parts = made.text[: first.start], made.text[first.end : second.start], made.text[second.end :]
    assert parts == ("Plain ", " words ", " stay")
    assert int(made.text[second.start : second.end]) < 18


def test_masks_become_mentions() -> None:
    text = "Dr. X saw Mr. ABCD, a XX-year-old, on MM/DD/YYYY at ABCD Hospital. Vitamin D. X-ray ok."
    doc = fill_masks("r", text, masks(), random.Random(1))
    assert [s.label for s in doc.spans] == ["DOCTOR", "PATIENT", "AGE", "DATE", "HOSPITAL"]
    assert "Vitamin D. X-ray ok." in doc.text
    assert "ABCD" not in doc.text


def test_own_templates_and_carriers(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Seen by Dr. [[Chen|DOCTOR]].")
    [made] = synthesise(templates(tmp_path), 1)
    assert made.document.meta["note_type"] == "mine"
    (tmp_path / "mine.txt").write_text("Seen by Dr. X.")
    assert [s.label for s in carriers(tmp_path)[0].spans] == ["DOCTOR"]


def test_bad_templates_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no \.txt"):
        templates(tmp_path)
    (tmp_path / "bad.txt").write_text("[[x|NOLABEL]]")
    with pytest.raises(ReadError, match=r"bad.*NOLABEL"):
        templates(tmp_path)


@pytest.mark.parametrize("template", templates(), ids=lambda doc: doc.id)
def test_every_shipped_template_makes_notes(template: AnnotatedDocument) -> None:
    made = list(synthesise([template], 3))
    assert [len(doc.spans) for doc in made] == [len(template.spans)] * 3


def test_the_verb_makes_notes_from_any_corpus(tmp_path: Path) -> None:
    write_corpus(CORPUS, tmp_path / "gold.jsonl", "jsonl")
    out = tmp_path / "out.jsonl"
    call = ["corpus", "synth", "-o", str(out), "--notes", "4", "--templates"]
    assert main([*call, str(tmp_path / "gold.jsonl")]) == 0
    assert len(read_corpus(out)) == 4
