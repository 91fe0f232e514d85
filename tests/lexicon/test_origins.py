"""Where names come from."""

from __future__ import annotations

import pytest

from incognote.lexicon import ORIGINS, lexicon
from incognote.lexicon.name_words import likely_pool, name_part

LAST = {
    "arabic": "Hassan Khan Ahmed Hosseini",
    "north indian": "Patel Sharma Banerjee Gupta",
    "south indian": "Raghunathan Srinivasan Nair Reddy",
    "chinese": "Zhang Huang Chen Liu",
    "korean": "Kim Choi Yoon Hwang",
    "japanese": "Yamamoto Watanabe Suzuki",
    "vietnamese": "Nguyen Tran Huynh",
    "hispanic": "Garcia Hernandez Rodriguez",
    "slavic": "Kowalski Novak Wisniewski",
    "jewish": "Goldberg Cohen Rosenthal",
    "african": "Okonkwo Mensah Diallo",
    "native american": "Begay Yazzie Tsosie",
    "anglo": "Smith Johnson Taylor",
    "italian": "Esposito Rossi Lombardi",
    "greek": "Papadopoulos Pappas",
}
FIRST = {
    "arabic": "Fatima Mohammad Hassan",
    "north indian": "Priya Rajesh Sandeep",
    "south indian": "Lakshmi Karthik Srinivas",
    "hispanic": "Jose Guadalupe Maria",
    "korean": "Jihoon Minjung",
    "japanese": "Keiko Hiroshi",
    "anglo": "John Mary Jennifer",
    "slavic": "Svetlana Vladimir",
}


@pytest.mark.parametrize(("kind", "table"), [("last", LAST), ("first", FIRST)])
def test_names_everybody_knows(kind, table):
    found = {
        name: lexicon().origin(kind, name)
        for origin, names in table.items()
        for name in names.split()
        if lexicon().origin(kind, name) != origin
    }
    assert found == {}


def test_names_on_no_list_are_judged_by_their_letters():
    assert lexicon().surname("Venkataramanujam") is None
    assert lexicon().origin("last", "Venkataramanujam") == "south indian"
    assert lexicon().origin("last", "Brzezczynowski") == "slavic"


TAUGHT = {"Etxeberria": "family", "Goikoetxea": "family", "Itsaso": "female", "Joseba": "male"}


@pytest.mark.parametrize(("name", "what"), TAUGHT.items())
def test_what_no_list_has_may_be_taught(name, what):
    assert lexicon().surname_bearers(name) is lexicon().first_name_bearers(name) is None
    assert lexicon().origin("last", name) == lexicon().origin("first", name) == "hispanic"
    pool = "family" if what == "family" else "given"
    assert likely_pool(name.lower()) == pool
    if pool == "given":
        assert name_part(name.lower(), "given").sex == what


def test_letters_alone_never_suggest_what_they_do_not_show():
    names = [f"{a}{b}{c}" for a in ("Brad", "Quil") for b in ("en", "or") for c in ("wick", "xa")]
    assert "african american" not in {lexicon().origin("last", name) for name in names}


def test_every_origin_has_names():
    table = lexicon().name_table("last")
    some = {lexicon().origin("last", table.key(row)) for row in range(0, len(table), 7)}
    assert some == set(ORIGINS)
