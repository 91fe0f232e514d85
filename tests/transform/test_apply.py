from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transform.conftest import KEY, deid, new_values, policy, surrogate

from incognote.core.errors import OffsetError, UsageError
from incognote.core.types import Document, Span
from incognote.testing import parse_markup
from incognote.transform import Transformer, new_spans

LABELS = ["PATIENT", "DOCTOR", "HOSPITAL", "CITY", "DATE", "PHONE", "MEDICALRECORD", "PROFESSION"]


@st.composite
def marked_documents(draw):
    text = draw(st.text(min_size=1, max_size=120))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [
        Span(a, b, draw(st.sampled_from(LABELS)))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    return Document("d", text), spans


@given(marked_documents())
def test_text_outside_spans_is_identical_and_new_offsets_are_right(marked):
    document, spans = marked
    labels = {"default": "tag"}
    result = Transformer(policy(labels), KEY).apply(document, spans)
    moved = new_spans(result)
    assert len(moved) == len(result.spans)
    at = new_at = 0
    for span, new in zip(result.spans, moved, strict=True):
        assert document.text[at : span.start] == result.text[new_at : new.start]
        assert result.text[new.start : new.end] == f"[{span.label}]"
        at, new_at = span.end, new.end
    assert document.text[at:] == result.text[new_at:]


def test_removed_spans_have_no_new_place():
    result = deid("a [[Ann|PATIENT]] b [[Bea|DOCTOR]]", labels={"PATIENT": "remove"})
    assert [span.label for span in new_spans(result)] == ["DOCTOR"]


def test_kept_labels_are_reported_and_stay():
    result = deid("at [[10:30|TIME]] by [[Ann Lee|PATIENT]]")
    assert [span.label for span in result.spans] == ["TIME", "PATIENT"]
    assert [each.span.label for each in result.replacements] == ["PATIENT"]
    assert result.text.startswith("at 10:30 by ")
    assert result.replacements[0].how == "surrogate"


@pytest.mark.parametrize("spans", [[Span(0, 3, "CITY"), Span(2, 5, "CITY")], [Span(3, 99, "CITY")]])
def test_spans_that_overlap_or_lie_outside_stop_the_document(spans):
    with pytest.raises(OffsetError):
        Transformer(policy(), KEY).apply(Document("d", "Springfield"), spans)


def test_a_short_key_is_refused():
    with pytest.raises(UsageError):
        Transformer(policy(), b"short")


MARKED = "[[John Smith|PATIENT]] of [[Dayton|CITY]], seen [[3/5/2014|DATE]], MRN [[4417-22|MEDICALRECORD]]"


def test_scopes():
    text, spans = parse_markup(MARKED)

    def run(scope: str, doc_id: str, patient: str | None) -> str:
        meta = {"patient_id": patient} if patient else {}
        return Transformer(policy(scope=scope), KEY).apply(Document(doc_id, text, meta), spans).text

    assert run("patient", "d1", "p") == run("patient", "d2", "p") != run("patient", "d1", "q")
    # Without a patient a document stands alone.
    assert run("patient", "d1", None) == run("document", "d1", "p") != run("patient", "d2", None)
    assert run("corpus", "d1", "p") == run("corpus", "d2", "q")


def test_order_and_company_change_nothing():
    text, spans = parse_markup(MARKED)
    documents = [Document(f"d{i}", text, {"patient_id": f"p{i % 7}"}) for i in range(40)]
    straight = Transformer(policy(), KEY)
    expected = [straight.apply(document, spans).text for document in documents]
    order = list(range(40))
    random.Random(1).shuffle(order)
    mixed = Transformer(policy(), KEY)
    for i in order:
        assert mixed.apply(documents[i], spans).text == expected[i]


def test_a_fresh_key_gives_other_surrogates():
    assert deid(MARKED).text == deid(MARKED).text != deid(MARKED, key=b"another key of 16").text


def test_results_show_no_clinical_text_and_can_be_pickled():
    result = deid(MARKED)
    for value in (*new_values(result), "John", "Dayton", "4417"):
        assert value not in repr(result)
    assert pickle.loads(pickle.dumps(result)) == result


@settings(max_examples=600)
@given(st.sampled_from(LABELS), st.text(min_size=1, max_size=20))
def test_every_generator_survives_any_text(label, text):
    document = Document("d", text)
    result = Transformer(policy(), KEY).apply(document, [Span(0, len(text), label)])
    assert result.text is not None


@pytest.mark.parametrize("label", ["PATIENT", "HOSPITAL", "CITY", "MEDICALRECORD", "PHONE"])
def test_what_has_no_letter_or_digit_is_still_replaced_or_refused(label):
    assert surrogate("---", label) != "---"


def test_marks_that_nobody_sees_change_no_surrogate():
    plain, hidden = deid("[[John Smith|PATIENT]]"), deid("[[Jo\u00adhn Sm\u200bith|PATIENT]]")
    assert hidden.text == plain.text


def test_what_is_kept_keeps_its_marks():
    text = deid("[[Jo\u00adhn|PATIENT]]", labels={"PATIENT": "keep"}).text
    assert text == "Jo\u00adhn"


def test_a_field_that_comes_again_keeps_its_own_document():
    transformer = Transformer(policy({"default": "surrogate"}), KEY)
    given = (Span(0, 3, "PATIENT"),)
    fields = [
        Document(name, "Ann", {"patient_id": patient}, given=given, free_text=False)
        for name, patient in (("m:1", "p1"), ("m:2", "p1"), ("m:3", "p2"))
    ]
    first, again, other = (transformer.apply(field, given) for field in fields)
    assert [result.document.id for result in (first, again, other)] == ["m:1", "m:2", "m:3"]
    assert (
        first.text
        == again.text
        == Transformer(transformer.policy, KEY).apply(fields[1], given).text
    )
    assert other.text == Transformer(transformer.policy, KEY).apply(fields[2], given).text
