from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transform.conftest import deid

CASES = [
    ("[[94|AGE]] year old", "90+ year old"),
    ("[[94|AGE]]yo", "90+yo"),
    ("[[89|AGE]] year old", "89 year old"),
    ("[[90|AGE]]-year-old", "90+-year-old"),
    ("[[104|AGE]] y.o.", "90+ y.o."),
    ("in her [[90s|AGE]]", "in her 90s or older"),
    ("in her [[80s|AGE]]", "in her 80s"),
    ("in his late [[teens|AGE]]", "in his late teens"),
    ("[[ninety-four|AGE]] years old", "ninety-plus years old"),
    ("in his [[nineties|AGE]]", "in his nineties or older"),
    ("[[eighty three|AGE]]", "eighty three"),
    ("[[95|AGE]]-month-old", "95-month-old"),
    ("[[92|AGE]] days", "92 days"),
    ("[[100|AGE]] weeks", "100 weeks"),
    ("[[a hundred|AGE]]", "ninety-plus"),
    ("between [[85-96|AGE]]", "between 85-90+"),
    ("[[94.5|AGE]] years", "90+ years"),
    ("[[95+|AGE]]", "90+"),
    ("[[9\u200b5|AGE]] years", "90+ years"),
    ("[[8\u200b5|AGE]] years", "8\u200b5 years"),
    ("[[noventa y cinco|AGE]] años", "noventa o más años"),
    ("[[XCV|AGE]]", "[AGE]"),
]


@pytest.mark.parametrize("action", ["surrogate", "age90"])
@pytest.mark.parametrize(("marked", "expected"), CASES, ids=[c[0] for c in CASES])
def test_over_89_is_one_group(marked, expected, action):
    assert deid(marked, labels={"AGE": action}).text == expected


@given(st.integers(1, 120))
def test_nobody_over_89_shows(age):
    text = deid(f"[[{age}|AGE]] years").text
    assert text == (f"{age} years" if age <= 89 else "90+ years")


@given(st.integers(1, 120))
def test_bands(age):
    rule = {"action": "generalize", "width": 10}
    text = deid(f"[[{age}|AGE]] years", labels={"AGE": rule}).text
    low = age // 10 * 10
    assert text == ("90+ years" if age > 89 else f"{low}-{low + 9} years")


@given(st.integers(1, 89), st.integers(1, 9))
def test_perturbed_ages_move_a_little_and_never_stay(age, by):
    text = deid(f"[[{age}|AGE]]", labels={"AGE": {"action": "shift", "by": by}}).text
    assert 1 <= abs(int(text) - age) <= by
    assert 1 <= int(text) <= 89
