from __future__ import annotations

import csv
import io

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Dropped, Result, Span
from incognote.detect.templates import TemplateDetector, read_templates, syntax_of
from incognote.learn.harvest import frequent_sentences, review_file, template_file, templates
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup


def result(marked, doc_id="d", dropped=()):
    text, spans = parse_markup(marked)
    return Result(Document(doc_id, text), spans, tuple(dropped))


class TestInclusion:
    def test_frequent_sentences_in_several_documents(self):
        results = [
            result(
                "He is doing well today. [[Fox|PATIENT]] came today. Heart is regular. Heart is regular."
            ),
            result("He is doing well today. The rest differs here."),
        ]
        found = frequent_sentences(results, documents=2)
        assert [(one.sentence, one.count, one.documents) for one in found] == [
            ("He is doing well today.", 2, 2)
        ]

    def test_a_sentence_in_which_anything_was_ever_claimed_is_out(self):
        claimed = [Dropped(Span(0, 4, "PATIENT"), "overlap:X")]
        results = [
            result("Will come again soon."),
            result("Will come again soon.", dropped=claimed),
        ]
        assert frequent_sentences(results, documents=1) == []

    @pytest.mark.parametrize("text", ["Assessment and plan:", "Came."], ids=["heading", "short"])
    def test_headings_are_listed_as_such(self, text):
        (one,) = frequent_sentences([result(text)], documents=1)
        assert one.kind == "heading"

    def test_long_numbers_are_out(self):
        assert frequent_sentences([result("Call 5551234 for help now.")], documents=1) == []

    def test_review_file_keeps_clinical_sentences_apart_and_signs_nothing(self):
        results = [
            result(
                "Patient has hypertension today. He went home yesterday. She takes lisinopril daily."
            )
        ]
        rows = list(
            csv.DictReader(io.StringIO(review_file(frequent_sentences(results, documents=1))))
        )
        assert [row["kind"] for row in rows] == ["plain", "clinical", "clinical"]
        assert {row["keep"] for row in rows} == {""}


SIGNED = "Electronically signed by: [[{0}, {1}|DOCTOR]] on [[{2}|DATE]] at clinic"
FORMS = [
    SIGNED.format("SMITH", "JOHN", "01/02/1980"),
    SIGNED.format("FOX", "ANA", "11/12/2001"),
    SIGNED.format("LEE", "BO", "1/2/99"),
]


class TestTemplates:
    def test_a_form_becomes_a_rule(self):
        [found] = templates(map(result, FORMS), support=3)
        assert found.labels == ("DOCTOR", "DATE")
        assert found.support == 3
        assert not found.keep
        assert "signed" in found.pattern
        assert "SMITH" not in found.pattern

    def test_too_little_support(self):
        assert templates(map(result, FORMS), support=4) == []

    def test_a_form_that_is_also_tagged_otherwise_is_no_rule(self):
        other = "Electronically signed by: NOBODY, ELSE on [[1/2/99|DATE]] at clinic"
        assert templates(map(result, [*FORMS, other]), support=3) == []

    def test_another_form_of_the_same_shape_does_not_disturb(self):
        other = "Results were faxed: SODIUM, LOW on 1/2/99 at night"
        assert len(templates(map(result, [*FORMS, other]), support=3)) == 1

    def test_a_capital_that_is_always_the_same_is_no_word_of_a_form(self):
        """The ensemble took the initial A for an article: no rule may say that it is harmless."""
        missed = [f"Signed by: [[{name}, {name}|DOCTOR]] A on ward" for name in ("Fox", "Lee")]
        assert templates(map(result, missed), support=2)[0].pattern.count("A") == 0
        right = "Signed by: [[Roth, Ana B|DOCTOR]] on ward"
        assert templates(map(result, [*missed, right]), support=2) == []

    def test_a_shape_without_a_word_of_its_own_is_no_form(self):
        assert templates([result("[[1/2/99|DATE]]")] * 9, support=3) == []

    def test_sentences_without_phi_are_no_rule(self):
        assert templates([result("All is well here.")] * 9, support=3) == []

    def test_a_signed_rule_tags_and_an_unsigned_one_does_not(self, tmp_path):
        path = tmp_path / "templates.toml"
        path.write_text(template_file(templates(map(result, FORMS), support=3)), encoding="utf-8")
        text = "Electronically signed by:  VON, ROTH on 3/4/2020 at clinic"
        [view] = prepare(Document("d", text), PrepareRules())
        assert TemplateDetector(str(path)).detect([view]) == [[]]
        path.write_text(path.read_text("utf-8").replace("keep = false", "keep = true"), "utf-8")
        [spans] = TemplateDetector(str(path)).detect([view])
        assert (
            render_markup(text, spans)
            == "Electronically signed by:  [[VON, ROTH|DOCTOR]] on [[3/4/2020|DATE]] at clinic"
        )
        assert spans[0].sources == ("templates/0",)


SYNTAX = {"Mr. Fox": "W . W", "on 01/02/1980": "W N / N / N", "bed 4B_x": "W A _ W"}


@pytest.mark.parametrize(("sentence", "syntax"), SYNTAX.items(), ids=SYNTAX)
def test_syntax(sentence, syntax):
    assert syntax_of(sentence) == syntax


BROKEN = {
    "not toml": "x",
    "unknown key": "[[template]]\nlabels=[]\nsyntax=''\npattern=''\nnope=1",
    "group without label": "[[template]]\nlabels=[]\nsyntax='W'\npattern='(a)'",
    "unknown label": "[[template]]\nlabels=['NOPE']\nsyntax='W'\npattern='(a)'",
    "broken pattern": "[[template]]\nlabels=[]\nsyntax='W'\npattern='('",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_broken_template_file(tmp_path, content):
    (tmp_path / "t.toml").write_text(content, encoding="utf-8")
    with pytest.raises(PolicyError, match=r"t\.toml"):
        read_templates(tmp_path / "t.toml")


def test_one_miss_in_many_does_not_keep_a_form_from_being_proposed():
    """What the ensemble missed here and there, the signed form then finds."""
    names = [f"{first}{second}ER, {first}O" for first in "BFGLM" for second in ("AK", "OL")]
    tagged = [SIGNED.format(*name.split(", "), "1/2/99") for name in names]
    missed = "Electronically signed by: QUILL, BO on [[1/2/99|DATE]] at clinic"
    [form] = templates(map(result, [*tagged, missed]), support=3)
    assert form.labels == ("DOCTOR", "DATE")
    assert form.support == 10
    assert templates(map(result, [*tagged, missed]), support=3, agreement=1.0) == []
    assert templates(map(result, [*tagged[:4], missed]), support=3) == []  # one in five


def test_sentences_that_somebody_claims_are_listed_on_request_with_what_was_claimed():
    """False alarms in every note are what the list should cure."""
    wrong = [Dropped(Span(0, 7, "PATIENT"), "overlap:X")]
    results = [result("History of Present Illness", doc_id=str(n), dropped=wrong) for n in range(3)]
    assert frequent_sentences(results, documents=2) == []
    (one,) = frequent_sentences(results, documents=2, claimed=True)
    assert (one.kind, one.claims, one.documents) == ("claimed", ("PATIENT",), 3)
    rows = list(csv.DictReader(io.StringIO(review_file([one]))))
    assert (rows[0]["kind"], rows[0]["keep"]) == ("claimed", "")
