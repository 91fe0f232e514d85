"""A name of somebody in the note is a thing where the words beside it say so, and nowhere else."""

from __future__ import annotations

import pytest

from incognote.lexicon.eponyms import names_thing

THINGS = [
    "Has had |Addison|'s since 1998",
    "History of |Bell| palsy",
    "Diagnosed with |Crohn|'s at 19",
    "Probable |Crohn| with fistula",
    "Signs of |Paget| on film",
    "No stigmata of |Cushing|.",
    "|Hashimoto|'s thyroiditis",
    "her |Hashimoto|'s is stable",
    "s/p |Whipple| 2019",
    "pouch of |Douglas| is free",
    "|Gleason| 7 in two cores",
    "|Wells| score 4.5",
    "|Kawasaki| was ruled out",
    "|Barrett|’s oesophagus",
]
PEOPLE = [
    "Seen for |Wells|'s follow-up",
    "|Wells|'s pain is better",
    "|Bell|'s wife called",
    "Spoke with |Bell|'s wife",
    "|Bell| was present",
    "|Murphy| is negative about it",
    "Treatment of |Parkinson| was discussed",
    "|Young| returns on Monday",
    "Concern for |Lynch| at home",
    "|Addison| 555-0123",
    "The case of |Graves|",
    "by |Whipple| on Monday",
]


def _is_thing(marked: str) -> bool:
    before, name, behind = marked.split("|")
    return names_thing(before + name + behind, len(before), len(before + name))


@pytest.mark.parametrize("text", THINGS)
def test_a_thing(text: str) -> None:
    assert _is_thing(text)


@pytest.mark.parametrize("text", PEOPLE)
def test_a_person(text: str) -> None:
    assert not _is_thing(text)


def test_a_name_that_is_no_eponym_never_is() -> None:
    assert not _is_thing("history of |Okonkwo| disease")
