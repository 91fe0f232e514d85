from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.types import Document
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.prepare.truecase import lacks_case

CASES = {
    "capitals": (
        "MR. JOHN KOWALSKI WAS SEEN BY DR. PATEL IN BOSTON. HE DENIES CHEST PAIN AND TAKES ASPIRIN.",
        "Mr. John Kowalski was seen by Dr. Patel in Boston. He denies chest pain and takes aspirin.",
    ),
    "codes": (
        "THE PATIENT IN BED 7W HAS THE NUMBER AB-10293 AND TAKES ASPIRIN DAILY.",
        "The patient in bed 7W has the number AB-10293 and takes aspirin daily.",
    ),
    "none": (
        "patient seen by dr. patel today. denies chest pain. daughter maria called from phoenix.",
        "Patient seen by Dr. Patel today. Denies chest pain. Daughter Maria called from Phoenix.",
    ),
    "login": (
        "signed by jsmith3 after the visit, the patient left well.",
        "Signed by jsmith3 after the visit, the patient left well.",
    ),
    "apostrophe": (
        "mrs. o'brien came to the clinic today for a visit.",
        "Mrs. O'Brien came to the clinic today for a visit.",
    ),
}


def cased(text, **rules):
    [view] = prepare(Document("d", text), PrepareRules(**rules))
    return view.cased


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_true_case(case):
    typed, expected = case
    assert cased(typed) == expected


def test_text_with_both_cases_stays():
    text = "SEEN: Mr. Kowalski was here and left again, WELL."
    assert cased(text) == text


def test_too_little_to_judge_stays():
    assert cased("MRN 1234 KG") == "MRN 1234 KG"


def test_policy_switches_it_off():
    text = CASES["capitals"][0]
    assert cased(text, truecase=False) == text


def test_a_few_small_letters_do_not_make_a_text_cased():
    assert lacks_case("PATIENT TAKES 20 mg OF LISINOPRIL DAILY AND FEELS WELL")


letters = st.text(st.sampled_from("ABßİJ' .\n12é"), max_size=60)


@given(letters)
def test_only_letter_case_changes(text):
    for view in prepare(Document("d", text), PrepareRules()):
        assert len(view.cased) == len(view.text)
        assert view.cased.casefold() == view.text.casefold()
