from __future__ import annotations

import pickle

import pytest

from incognote.core.errors import UsageError
from incognote.core.labels import GROUPS, SCHEMES, all_labels, from_scheme, in_group, label

# 45 CFR 164.514(b)(2)(i), letters A to R; Q is photographs, which text does not hold.
LETTERS = set("ABCDEFGHIJKLMNOPR")


def test_every_letter_of_safe_harbor_has_a_label():
    assert {row.hipaa for row in all_labels().values()} - {""} == LETTERS


def test_groups_grow():
    sizes = [len(in_group(group)) for group in GROUPS]
    assert sizes == sorted(set(sizes))
    assert "DOCTOR" not in in_group("A")
    assert "DOCTOR" in in_group("B")
    assert "HOSPITAL" in in_group("C") - in_group("B")
    assert "PROFESSION" in in_group("D") - in_group("C")


def test_optional_labels_are_in_no_group():
    assert not [row.name for row in all_labels().values() if row.optional and row.group]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_alias_leads_back(scheme):
    for name, row in all_labels().items():
        for alias in row.aliases.get(scheme, ()):
            assert name in from_scheme(scheme, alias)


@pytest.mark.parametrize("name", ["PATIENT", "LOCATION-OTHER", "IDNUM"])
def test_i2b2_2014_types_are_our_names(name):
    assert name in from_scheme("i2b2-2014", name)


def test_unknown_names_are_usage_errors():
    for call in (lambda: label("DAT"), lambda: in_group("E"), lambda: from_scheme("x", "y")):
        with pytest.raises(UsageError):
            call()


def test_a_label_pickles_to_itself():
    assert pickle.loads(pickle.dumps(label("DATE"))) == label("DATE")
