"""Classes, attackers and population uniqueness against the answers of ARX and pyCANON."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.anonymize import adult

from incognote.anonymize import mondrian
from incognote.anonymize.table import read_table
from incognote.core.errors import UsageError
from incognote.risk.attributes import attribute_risks, unique_by_any
from incognote.risk.classes import Classes, risks
from incognote.risk.diversity import diversity
from incognote.risk.population import pitman, population_uniqueness, zayatz


@pytest.fixture(scope="module")
def arx(shared):
    table = read_table(adult.folder(shared, "arx") / "adult.csv")
    return Classes.of(table, list(table))


# ARX aacd487f, TestRiskMetrics: nine attributes of adult.csv.
def test_average_risk_and_uniques_as_arx_has_them(arx):
    prosecutor = risks(arx)[0]
    assert prosecutor.average == pytest.approx(0.6465751607983555, rel=1e-14)
    assert arx.uniques == pytest.approx(0.5142895033485844, rel=1e-14)
    assert prosecutor.largest == 1.0


@pytest.mark.parametrize(
    ("fraction", "expected"), [(0.01, 0.14460835), (0.1, 0.27684994), (0.2, 0.35770992)]
)
def test_population_uniqueness_as_arx_has_it(arx, fraction, expected):
    assert population_uniqueness(arx.sizes, fraction) == pytest.approx(expected, abs=5e-9)


# ARX, TestRiskQuasiIdentifiers, calculated there by hand.
def test_distinction_and_separation_as_arx_has_them():
    people = {
        "age": ["20", "30", "40", "20", "40"],
        "sex": ["Female", "Female", "Female", "Male", "Male"],
        "state": ["CA", "CA", "TX", "NY", "CA"],
    }
    found = {
        each.attributes: (each.distinction, each.separation)
        for each in attribute_risks(people, ["sex", "age", "state"])
    }
    assert found == {
        ("sex",): (0.4, 0.6),
        ("state",): (0.6, 0.7),
        ("age",): (0.6, 0.8),
        ("sex", "state"): (0.8, 0.9),
        ("age", "state"): (1.0, 1.0),
        ("sex", "age"): (1.0, 1.0),
        ("sex", "age", "state"): (1.0, 1.0),
    }


def test_who_is_alone_by_some_one_two_or_three_attributes():
    people = {
        "age": [20, 20, 30, 30, 40],
        "sex": ["F", "M", "F", "F", "M"],
        "state": ["CT", "CT", "CT", "MA", "CT"],
    }
    found = unique_by_any(people, attribute_risks(people, list(people)))
    # Alone by age: the fifth; by state: the fourth. By age and sex: the first two; by age and
    # state, or by sex and state: the third and the fourth.
    assert found == {1: 0.4, 2: 1.0, 3: 1.0}


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=30))
def test_who_is_alone_as_a_comparison_of_all_pairs_says(people):
    data = {f"a{n}": [row[n] for row in people] for n in range(4)}
    found = unique_by_any(data, attribute_risks(data, list(data)))
    for count in (1, 2, 3):
        alone = sum(
            any(
                sum(all(row[n] == other[n] for n in chosen) for other in people) == 1
                for chosen in combinations(range(4), count)
            )
            for row in people
        )
        assert found[count] == pytest.approx(alone / len(people))


# pyCANON 3561f350 on its own anonymised tables; recorded, for its pins keep it out of `dev`.
@pytest.mark.parametrize(("k", "t"), [(3, 0.71356), (10, 0.63494), (20, 0.66845)])
def test_k_and_t_as_pycanon_has_them(shared, k, t):
    table = read_table(adult.folder(shared, "pycanon") / f"adult_anonymized_{k}.csv")
    quasi = [name for name in table if name != "salary-class"]
    classes = Classes.of(table, quasi)
    assert classes.smallest == k
    assert round(diversity(table, "salary-class", classes).t, 5) == pytest.approx(t, abs=1.1e-5)


rows = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=4, max_size=60)


@given(rows, st.integers(2, 4))
def test_what_mondrian_makes_has_no_risk_above_one_by_k(found, k):
    data = {"age": [age for age, _ in found], "sex": [sex for _, sex in found]}
    if len(found) < k:
        return
    released = mondrian(data, ["age", "sex"], k)
    classes = Classes.of(released.columns(), ["age", "sex"])
    assert classes.smallest >= k
    assert risks(classes)[0].largest <= 1 / k + 1e-12


def test_a_threshold_means_itself_and_nine_hundredths_classes_of_eleven():
    of_eleven = Classes(("age",), np.zeros(11, np.int64), np.array([11]))
    assert risks(of_eleven)[0].above == 0.0
    assert risks(of_eleven, threshold=0.0901)[0].above == 1.0
    of_hundred = Classes(("age",), np.zeros(101, np.int64), np.array([101]))
    assert risks(of_hundred, threshold=0.005)[0].above == 1.0


@given(st.lists(st.integers(1, 40), min_size=2, max_size=200), st.floats(0.01, 1.0))
@example([1, 1], 0.375)  # rounding passed one
def test_population_uniqueness_is_a_share(sizes, fraction):
    assert 0.0 <= population_uniqueness(np.array(sizes), fraction) <= 1.0


def test_pitman_says_when_it_does_not_fit():
    assert pitman(np.array([5, 5, 5]), 0.1) is None
    assert 0 <= zayatz(np.array([1, 1, 2, 5]), 0.5) <= 1


def test_missing_values_as_one_of_their_own_or_as_any():
    data = {"age": [30, 30, None], "sex": ["F", "F", "F"]}
    assert Classes.of(data, ["age", "sex"]).smallest == 1
    wild = Classes.of(data, ["age", "sex"], missing="wildcard")
    assert wild.smallest == 3


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 3), min_size=1, max_size=40))
def test_wildcards_match_as_a_comparison_of_all_pairs_says(people):
    data = {f"a{n}": [row[n] for row in people] for n in range(3)}
    found = Classes.of(data, list(data), missing="wildcard").of_person.tolist()
    expected = [
        sum(
            all(a is None or b is None or a == b for a, b in zip(x, y, strict=True)) for y in people
        )
        for x in people
    ]
    assert found == expected


def test_suppressed_rows_are_no_class():
    data = {"age": [30, 30, 99]}
    found = Classes.of(data, ["age"], np.array([False, False, True]))
    assert (found.smallest, found.suppressed, found.persons) == (2, 1, 2)


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"l": 0}, {"threshold": 0.0}, {"leaking_notes": 1.5}, {"t": -0.1}]
)
def test_limits_that_anything_would_meet_are_refused(wrong):
    from incognote.risk import Limits

    with pytest.raises(UsageError, match="must"):
        Limits(**wrong)


def test_eleven_meets_nine_percent_and_ten_does_not():
    eleven, ten = ({"a": [1] * n} for n in (11, 10))
    assert risks(Classes.of(eleven, ["a"]))[0].above == 0.0
    assert risks(Classes.of(ten, ["a"]))[0].above == 1.0


def test_a_population_lowers_the_journalists_risk_only():
    classes = Classes.of({"a": [1, 1, 2, 2]}, ["a"])
    prosecutor, journalist, marketer = risks(classes, population=400)
    assert prosecutor.largest == 0.5
    assert journalist.largest == pytest.approx(0.005)
    assert marketer.average == pytest.approx(0.005)
    with pytest.raises(UsageError, match="smaller than the release"):
        risks(classes, population=3)


def test_of_plain_and_cautious_links_the_worse_counts():
    """Two halves of one person look like a class of two: linked cautiously they are alone."""
    from incognote.persons.mentions import Mention
    from incognote.persons.view import Note, build
    from incognote.risk.singling import of_view

    notes = [
        Note(f"n{n}", f"P{n}", "", (Mention(f"n{n}", 0, 2, "AGE", "age", age, "patient", 1.0),))
        for n, age in enumerate(["40", "40", "50", "50"])
    ]
    view = build(notes, b"a key of a test, long")
    assert of_view(view, {}, 2).worst.smallest == 2
    same = {**view.cautious, "n3": view.cautious["n2"]}
    linked = dict.fromkeys(view.how, ("exact", 1.0))
    joined = of_view(replace(view, cautious=same, how=linked), {}, 2)
    assert joined.worst.smallest == 1
    assert joined.risks[0].largest == 1.0
    assert joined.as_dict()["persons_cautious"] == 3


def test_a_class_of_the_cautious_count_is_taken_for_a_little_smaller():
    """A few people may be in it twice, whom no linker knows again."""
    from incognote.persons.mentions import Mention
    from incognote.persons.view import Note, build
    from incognote.risk.singling import of_view

    notes = [
        Note(f"n{n}", f"P{n}", "", (Mention(f"n{n}", 0, 2, "AGE", "age", "40", "patient", 1.0),))
        for n in range(11)
    ]
    view = build(notes, b"a key of a test, long")
    assert of_view(view, {}, 11).worst.smallest == 11
    linked = replace(view, how=dict.fromkeys(view.how, ("exact", 1.0)))
    assert of_view(linked, {}, 11).worst.smallest == 10
