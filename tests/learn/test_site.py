"""What a site's own notes teach: names by their consistency, and sentences worth a look."""

from __future__ import annotations

import json

from incognote.cli import main
from incognote.core.types import Document, Dropped, Result, Span
from incognote.corpus import read_corpus
from incognote.detect.dictionary import DictionaryDetector
from incognote.learn.harvest import frequent_sentences, review_file, templates
from incognote.learn.site import names_file, questions, questions_file, site_names
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import parse_markup


def result(marked, key, score=1.0, dropped=()):
    text, spans = parse_markup(marked)
    rated = tuple(Span(s.start, s.end, s.label, score) for s in spans)
    return Result(Document(key, text), rated, tuple(dropped))


def test_a_name_found_in_most_notes_is_proposed_for_all(tmp_path):
    notes = [result("Seen by [[Okwuosa|DOCTOR]] today.", f"d{i}") for i in range(5)]
    notes.append(result("Okwuosa was paged.", "missed"))
    notes += [result("Ward [[Hope|ROOM]] is full.", f"h{i}") for i in range(5)]
    (one,) = site_names(notes, documents=5)
    assert (one.term, one.label, one.documents, round(one.share, 2)) == (
        "okwuosa",
        "DOCTOR",
        5,
        0.83,
    )
    path = tmp_path / "names.csv"
    path.write_text(names_file([one]))
    views = prepare(Document("d", "Okwuosa was paged."), PrepareRules())
    assert DictionaryDetector(file=str(path)).detect(views) == [[]]  # nobody has signed it
    path.write_text(names_file([one]).replace("\n,okwuosa", "\nyes,okwuosa"))
    assert [s.label for s in DictionaryDetector(file=str(path)).detect(views)[0]] == ["DOCTOR"]


def test_a_name_that_is_mostly_something_else_is_not_proposed():
    notes = [result("Seen by [[Mercado|DOCTOR]].", f"d{i}") for i in range(5)]
    notes += [result("Went to the mercado again.", f"m{i}") for i in range(9)]
    assert site_names(notes, documents=5) == []


def test_a_form_is_proposed_although_a_detector_missed_an_initial_now_and_then():
    signed = "Electronically signed by [[Ada {}|DOCTOR]] MD on [[1/{}/20|DATE]]."
    missed = "Electronically signed by [[Ada|DOCTOR]] {} MD on [[1/{}/20|DATE]]."
    notes = [result(signed.format("KLMNOP"[i % 6], i + 1), f"d{i}") for i in range(20)]
    notes += [result(missed.format("QR"[i], i + 1), f"m{i}") for i in range(2)]
    (one,) = templates(notes, support=5)
    assert one.labels == ("DOCTOR", "DATE")
    assert one.agreement == round(20 / 22, 3)
    assert templates(notes, support=5, agreement=0.95) == []


def test_headings_and_claimed_sentences_may_be_signed():
    notes = [
        result(
            "History of Present Illness\n\nRubella: Yes\n\n[[Rocky|PATIENT]] Mountain fever.",
            f"d{i}",
        )
        for i in range(5)
    ]
    listed = {one.sentence: one for one in frequent_sentences(notes, claimed=True)}
    assert listed["History of Present Illness"].kind == "heading"
    assert listed["Rubella: Yes"].kind == "heading"
    assert listed["Rocky Mountain fever."].claims == ("PATIENT",)
    assert review_file(list(listed.values())).splitlines()[-1].startswith(",claimed,5,5,PATIENT,")
    assert "Rocky Mountain fever." not in {one.sentence for one in frequent_sentences(notes)}


def test_the_most_doubtful_sentence_of_each_shape_is_asked(tmp_path):
    lost = Dropped(Span(0, 5, "PATIENT", 0.9), "safe:accurate")
    notes = [
        result("Sees [[Quill|DOCTOR]] weekly.", "a", 0.6),
        result("Sees [[Marsh|DOCTOR]] weekly.", "b", 0.5),
        result("Lives in [[Leeds|CITY]] now, alone.", "c", 0.99),
        result("Grace is well, thank God.", "d", dropped=[lost]),
    ]
    first, second = questions(notes)
    assert (first.document, first.alike, first.doubt) == ("b", 2, 0.5)
    assert second.document == "d"
    path = tmp_path / "questions.jsonl"
    path.write_text(questions_file([first, second]))
    docs = read_corpus(path)  # corrected, it is training data
    assert [doc.id for doc in docs] == ["b@0", "d@0"]
    assert docs[0].text[docs[0].spans[0].start : docs[0].spans[0].end] == "Marsh"


def test_the_verb_writes_proposals_and_a_policy_that_uses_them(tmp_path, capsys):
    notes = tmp_path / "notes"
    notes.mkdir()
    for i in range(6):
        text = f"Seen at Riverbend General Hospital on 3/{i + 1}/2020.\n\nLungs are clear today.\n"
        (notes / f"n{i}.txt").write_text(text)
    out = tmp_path / "site"
    assert main(["learn", str(notes), "-o", str(out), "--policy", "i2b2-2014+rules"]) == 0
    assert "6 documents read" in capsys.readouterr().err
    assert "Lungs are clear today." in (out / "inclusion.csv").read_text()
    assert "riverbend general hospital" in (out / "names.csv").read_text()
    for line in (out / "questions.jsonl").read_text().splitlines():
        assert json.loads(line)["text"]
    assert 'extends = "i2b2-2014' in (out / "policy.toml").read_text()
