"""Which records are one person's: by what is stated, exactly, probably."""

from __future__ import annotations

import random
from collections import Counter
from math import ceil

import pytest
from tests.persons.generated import cluster_scores, people_and_records

from incognote.core.errors import MissingExtra
from incognote.persons.identity import Identity, root_of
from incognote.persons.linking import NOBODY, cluster
from incognote.risk.singling import SPLIT


def test_stated_ids_are_never_overruled():
    records = [
        Identity(stated="A", mrn="1", given="ann", family="lee"),
        Identity(stated="B", mrn="1", given="ann", family="lee"),
        Identity(stated="A", given="bob", family="ray"),
    ]
    found = cluster(records)
    assert found.of[0] == found.of[2] != found.of[1]
    assert found.conflicts == 1  # one number, two stated persons
    assert found.contradicting == (True, True, False)


def test_a_number_joins_unless_name_or_birth_date_contradict():
    same = Identity(mrn="77", given="robert", family="lee", birth_date="1960-01-02")
    nick = Identity(mrn="77", given="bob", family="lee")
    other = Identity(mrn="77", given="susan", family="ray")
    later = Identity(mrn="77", given="robert", family="lee", birth_date="1999-01-02")
    found = cluster([same, nick, other, later])
    assert found.of[0] == found.of[1]
    assert len({found.of[0], found.of[2], found.of[3]}) == 3
    assert found.conflicts == 2
    assert all(found.contradicting)


def test_no_link_without_a_number_or_splink():
    twins = [Identity(given="ann", family="lee"), Identity(given="ann", family="lee")]
    assert cluster(twins).count == 2


def test_nicknames_have_one_root():
    assert root_of("bob") == root_of("robert")
    assert root_of("x") == "x"


@pytest.fixture(scope="module")
def generated():
    pytest.importorskip("splink")
    records, owners = people_and_records(2000, 5000, seed=7)
    return records, owners, cluster(records, "probable")


def test_five_thousand_records_of_two_thousand_people(generated):
    """The specification asks for precision .99 at recall .85."""
    _, owners, found = generated
    precision, recall, _ = cluster_scores(list(found.of), owners)
    assert precision >= 0.99
    assert recall >= 0.85


def test_errors_never_make_people_look_more_numerous_than_the_cautious_count(generated):
    """A person split in two makes k look better. The cautious clusters are never finer."""
    _, owners, found = generated
    assert found.count > 2000 >= found.cautious_count
    for fine, wide in zip(found.of, found.cautious, strict=True):
        assert found.cautious[fine] == wide  # each fine cluster lies in one cautious cluster
    kept = [at for at, wide in enumerate(found.cautious) if wide != NOBODY]
    owned = [owners[at] for at in kept]
    _, recall, _ = cluster_scores([found.of[at] for at in kept], owned)
    _, cautious_recall, _ = cluster_scores([found.cautious[at] for at in kept], owned)
    assert cautious_recall > recall


def test_people_are_counted_cautiously_by_default(generated):
    """No method but the widest: the cautious count is that of the widest all the same."""
    records, _, widest = generated
    found = cluster(records)
    assert found.count > widest.count
    assert found.cautious_count <= widest.cautious_count
    assert not found.why


def test_the_smallest_class_never_looks_better_than_it_is(generated):
    """Of 60 attributes, each with 20 to 100 values that all records of a person share, the
    smallest class of the cautious count is never larger than the true one."""
    _, owners, found = generated
    better = 0
    for number in range(60):
        chance = random.Random(number)
        value = [chance.randrange((20, 40, 100)[number % 3]) for _ in range(2000)]
        true = Counter(value)
        cluster_value = {
            wide: value[owner]
            for owner, wide in zip(owners, found.cautious, strict=True)
            if wide != NOBODY
        }
        counted = Counter(cluster_value.values())
        better += min(n - ceil(SPLIT * n) for n in counted.values()) > min(true.values())
    assert better == 0


def test_stated_ids_need_no_cautious_count():
    records = [Identity(stated=f"P{n}", given="ann", family="lee") for n in range(30)]
    found = cluster(records)
    assert (found.count, found.cautious_count, found.why) == (30, 30, "")


def test_who_may_be_anybody_is_no_person_of_the_cautious_count():
    records = [
        *(Identity(given=f"{n}nn", family="lee", mrn=n) for n in "abc"),
        Identity(given="ann", family="ray"),
        Identity(sex="male"),
    ]
    found = cluster(records)
    assert (found.count, found.cautious_count) == (5, 3)


def test_where_nothing_can_be_estimated_all_that_would_be_compared_is_one_person():
    few = [Identity(given="ann", family="lee", mrn="1"), Identity(given="ann", family="lee")]
    assert cluster(few).cautious_count == 1
    pytest.importorskip("splink")
    alike = [Identity(given="ann", family="lee", birth_date="1960-01-02")] * 30
    assert cluster(alike).cautious_count == 1


def test_without_the_extra_the_cautious_count_is_missing_with_a_reason(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "splink", None)
    found = cluster([Identity(given="ann", family=f"lee{n}") for n in range(30)])
    assert found.cautious == ()
    assert "incognote[link]" in found.why
    with pytest.raises(MissingExtra):
        cluster([Identity(given="ann", family=f"lee{n}") for n in range(30)], "probable")


def test_the_order_of_records_changes_nothing():
    pytest.importorskip("splink")
    records, _ = people_and_records(120, 300, seed=3)
    order = list(range(len(records)))
    random.Random(1).shuffle(order)
    plain = cluster(records, "exact")
    moved = cluster([records[at] for at in order], "exact")
    together = {
        frozenset(at for at in range(len(records)) if plain.of[at] == root) for root in plain.of
    }
    shuffled = {
        frozenset(order[at] for at in range(len(order)) if moved.of[at] == root)
        for root in moved.of
    }
    assert together == shuffled
