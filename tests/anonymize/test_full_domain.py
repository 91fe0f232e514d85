"""Full-domain recoding against the answers of ARX, and its reuse on new data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.anonymize import adult

from incognote.anonymize import Conditions, from_rows, full_domain, intervals, shipped
from incognote.anonymize.release import Release
from incognote.core.errors import UsageError


# ARX aacd487f, TestUtilityMetricsLoss: attributes by rank, largest loss first.
def test_the_optimum_of_arx_by_loss(shared):
    table, quasi, trees = adult.of_arx(shared)
    found = full_domain(table, quasi, 5, hierarchies=trees, suppression=1.0)
    assert found.levels == (0, 3, 0, 0, 1, 0, 0, 0)
    losses = sorted(found.utility.loss, reverse=True)
    assert losses[:3] == pytest.approx([0.297248193, 0.29678055, 0.1297659306], abs=1e-9)


def test_the_optimum_of_arx_with_recursive_diversity(shared):
    table, quasi, trees = adult.of_arx(shared)
    conditions = Conditions(1, 5, "recursive", 4.0)
    found = full_domain(
        table,
        quasi,
        hierarchies=trees,
        suppression=0.05,
        conditions=conditions,
        sensitive="occupation",
    )
    assert found.levels == (0, 3, 0, 0, 3, 1, 2, 0)


# ARX, TestUtilityMetrics2; rows with native-country at level 1 are left out, for the hierarchy has
# changed since.
@pytest.mark.parametrize(
    ("levels", "k", "expected"),
    [
        ((0, 0, 0, 0, 0, 0, 0, 0), 5, 29.113899613899616),
        ((1, 2, 1, 2, 0, 2, 0, 1), 5, 93.96261682242991),
        ((0, 1, 1, 0, 0, 0, 0, 0), 5, 30.683621566632755),
        ((1, 4, 1, 2, 3, 2, 2, 1), 5, 30162.0),
    ],
)
def test_average_class_size_as_arx_has_it(shared, levels, k, expected):
    table, quasi, trees = adult.of_arx(shared)
    found = full_domain(table, quasi, k, hierarchies=trees, suppression=1.0, levels=levels)
    assert found.utility.class_size == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [((0, 0, 0, 0, 0, 0, 0, 0), 485_542), ((1, 1, 0, 1, 0, 2, 0, 0), 4_426_432)],
)
def test_discernibility_as_arx_has_it(shared, levels, expected):
    table, quasi, trees = adult.of_arx(shared)
    found = full_domain(table, quasi, 1, hierarchies=trees, suppression=1.0, levels=levels)
    assert found.utility.discernibility == expected


def people() -> dict[str, list[object]]:
    return {
        "age": [21, 22, 23, 24, 61, 62, 63, 64],
        "job": ["a", "b", "a", "b", "c", "d", "c", "d"],
    }


TREES = {
    "age": intervals("age", (10, 20)),
    "job": from_rows("job", [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")]),
}


def test_the_search_is_exact():
    """Against the best of all combinations, each tried by itself."""
    table = people()
    limit = 0.0
    found = full_domain(table, ["age", "job"], 3, hierarchies=TREES, suppression=limit)
    best = None
    for age in range(4):
        for job in range(3):
            try:
                tried = full_domain(
                    table, ["age", "job"], 3, hierarchies=TREES, suppression=0.0, levels=(age, job)
                )
            except UsageError:
                continue
            rank = sorted(tried.utility.loss, reverse=True)
            best = rank if best is None else min(best, rank)
    assert sorted(found.utility.loss, reverse=True) == best


rows = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 99)), st.sampled_from("abcd")),
    min_size=6,
    max_size=60,
)


@given(rows, st.integers(2, 4), st.randoms())
def test_every_class_has_k_members_that_lie_in_its_values_in_any_order(found, k, chance):
    def released(of):
        table = {"age": [age for age, _ in of], "job": [job for _, job in of]}
        made = full_domain(table, ["age", "job"], k, hierarchies=TREES, suppression=0.2)
        assert not len(made.sizes) or made.sizes.min() >= k
        for name, tree in TREES.items():
            for value, text in zip(table[name], made.column(name), strict=True):
                assert text in ("*", "" if value is None else text)
                assert value is None or text in tree.path(value)
        return made.levels, sorted(map(repr, zip(of, *made.columns().values(), strict=True)))

    shuffled = list(found)
    chance.shuffle(shuffled)
    assert released(found) == released(shuffled)


def test_reuse_checks_again(tmp_path):
    found = full_domain(people(), ["age", "job"], 4, hierarchies=TREES, suppression=0.0)
    Release.of(found, None, TREES).write(tmp_path / "r.json")
    release = Release.read(tmp_path / "r.json")
    again = release.apply(people())
    assert again.columns() == found.columns()
    fewer = {name: cells[:6] for name, cells in people().items()}
    with pytest.raises(UsageError, match="suppress more"):
        release.apply(fewer)
    unknown = {"age": people()["age"], "job": [*people()["job"][:7], "CANARYZEBU"]}
    with pytest.raises(UsageError, match="job, row 8") as error:
        release.apply(unknown)
    assert "CANARYZEBU" not in str(error.value)


def test_too_many_combinations_are_refused():
    names = [f"a{i}" for i in range(12)]
    table = {name: [1, 2, 3, 4] for name in names}
    trees = {name: intervals(name, (2, 4, 8)) for name in names}
    with pytest.raises(UsageError, match="combinations"):
        full_domain(table, names, 2, hierarchies=trees)


def test_the_hierarchies_that_ship():
    assert shipped("zip").path("02139") == ("02139", "021", "0", "*")
    assert shipped("zip").path("03601")[1] == "000"  # fewer than 20,000 people
    assert shipped("date").path("2024-05-17") == (
        "2024-05-17", "2024-05", "2024-Q2", "2024", "2020-2024", "*",
    )  # fmt: skip
    assert shipped("place").path("West Hartford, CT")[1:] == (
        "Hartford County, CT", "CT", "New England", "Northeast", "United States", "*",
    )  # fmt: skip
    assert shipped("diagnosis").path("E11.9")[1:3] == (
        "E11 Type 2 diabetes mellitus",
        "E08-E13 Diabetes mellitus",
    )
    assert shipped("profession").path("school bus driver")[1:4] == (
        "SOC 53-3050", "Motor vehicle operators", "Transportation and material moving",
    )  # fmt: skip
    assert shipped("profession").path("night shift nurse")[3] == "Healthcare practitioners"
    assert shipped("religion").path("Methodist")[1] == "Christian"
    assert shipped("marital").path("widowed")[1] == "Not partnered"
    assert shipped("ethnicity").path("Hmong")[1] == "Asian"


def test_what_no_list_has_is_one_group():
    assert (
        shipped("profession").path("dream interpreter of kings")[1:4] == ("Other occupation",) * 3
    )
    assert shipped("place").path("Atlantis")[1] == "other"
    assert shipped("diagnosis").path("not a code")[1] == "other"


@pytest.mark.parametrize(
    "name", ["zip", "place", "profession", "diagnosis", "religion", "marital", "age", "date"]
)
def test_a_shipped_hierarchy_has_one_parent_for_each_node(name):
    """Over many values: `tree` refuses a node with two parents."""
    from incognote.anonymize.shipped import _titles, _towns, icd_categories, trait_values
    from incognote.anonymize.table import encode

    values = {
        "zip": [f"{n:05d}" for n in range(0, 99999, 37)],
        "place": [f"{town.title()}, {state}" for state, town in list(_towns())[::11]],
        "profession": list(_titles()),
        "diagnosis": [f"{code}.1" for code in icd_categories()],
        "religion": [*trait_values("religion"), "pastafarian"],
        "marital": list(trait_values("marital")),
        "age": list(range(120)),
        "date": [f"20{y:02d}-{m:02d}-11" for y in range(30) for m in range(1, 13)],
    }[name]
    tree = shipped(name).tree(encode(name, values))
    assert tree.levels == shipped(name).levels
    assert tree.labels[-1] == ("*",)
