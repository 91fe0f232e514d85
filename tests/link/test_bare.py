"""Names that no detector found and nothing but their place shows."""

from __future__ import annotations

import pytest
from tests.link.conftest import groups, labels

FOUND = [
    # Who holds a role, or has a credential.
    ("Case started 0730. Surgeon Marsh. Marsh left at noon.", ["Marsh", "Marsh"]),
    ("Trauma Lake, anesthesia to follow.", ["Lake"]),
    ("Endoscopist: FROST. Tech: none.", ["FROST"]),
    ("Heather Street RN gave report. Street clothes on.", ["Heather Street"]),
    ("Line removed. Will Banks, PA-C, sutured it.", ["Will Banks"]),
    ("F/u Heather Banks 4/12 for staples.", ["Heather Banks"]),
    ("f/u Walker 3 wks with films.", ["Walker"]),
    ("f/u Bishop 3 wks with films.", ["Bishop"]),
    # What only people do, and how only they are.
    ("Bruise on the arm. Little notified.", ["Little"]),
    ("Zsofi anxious today; husband calm and kind.", ["Zsofi"]),
    ("F/u 3/12/19 Meadow well. Smokes less.", ["Meadow"]),
    ("No smoke at home now, Hunter too. Ate well.", ["Hunter"]),
    ("Cord clamped late. Guðrún helped hold.", ["Guðrún"]),
    ("Wound clean. Stone at bedside.", ["Stone"]),
    ("No fever. Day called the family back.", ["Day"]),
    ("Vitals stable. Banks ordered films.", ["Banks"]),
    ("IV removed. Hope and Joy updated.", ["Hope", "Joy"]),
    ("Eating well. Joy very happy with the food.", ["Joy"]),
    ("Dose held. Meadow also febrile.", ["Meadow"]),
    ("Sleeping at 0300. Selamawit in school today.", ["Selamawit"]),
    ("Grade 2 rash. Keisha atopic.", ["Keisha"]),
    ("POD3 Castillo. Drain out.", ["Castillo"]),
    ("Plan reviewed. Banks-Osei: second opinion.", ["Banks-Osei"]),
]


@pytest.mark.parametrize(("text", "found"), FOUND, ids=[each[0][:32] for each in FOUND])
def test_a_name_that_stands_alone_is_found(text, found):
    assert [name for name, _ in labels(text)] == found


HARMLESS = [
    "Surgery Center. Trauma Bay. Anesthesia Start.",
    "Charge RN aware. Day RN gave report.",
    "Foley at bedside. Foley well secured.",
    "Stone passed. Street drugs denied. Wood smoke.",
    "Daily visits. He called. You asked about pain.",
    "Extubated awake. Nephrology aware. Ortho to see.",
    "f/u Nurse 2 wks. Nephrology happy. Labs too.",
    "Case done. Page 2 of 3. Close follow-up.",
    "POD3 Foley. Drain out.",
    "Baden-Walker: grade 2. Miller-Fisher was ruled out.",
    "Penrose, Blake, Foley, Malecot in the drawer of the room.",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_name_stays(text):
    assert labels(text) == []


def test_the_others_in_a_list_of_people_are_people():
    text = "MEETING: [[RIVERA|PATIENT]], STREET, [[OSEI|DOCTOR]], [[NGUYEN|PATIENT]], BANKS. No new plan."
    assert [name for name, _ in labels(text)] == ["RIVERA", "STREET", "OSEI", "NGUYEN", "BANKS"]


def test_a_short_name_is_found_again_as_it_is_written():
    text = '[[Edward Lim|PATIENT]] ("[[Ed|PATIENT]]") is here. Let Ed carry it. To the ED now.'
    assert [name for name, _ in labels(text)] == ["Edward Lim", "Ed", "Ed"]


def test_initials_right_behind_their_name_are_its():
    text = "Read by: [[Henry Dale|DOCTOR]] / HD\nLine: HD catheter."
    assert labels(text) == [("Henry Dale", "DOCTOR"), ("HD", "DOCTOR")]


def test_junior_alone_is_the_son():
    [names] = groups("Son [[John Osei Jr.|PATIENT]] came. Later [[Jr.|PATIENT]] drove.")
    assert names == ["John Osei Jr.", "Jr."]


def test_a_month_that_begins_a_sentence_is_no_part_of_the_date_before():
    text = "[[June Osei|PATIENT]] starts on [[June|DATE]] [[8. June|DATE]] will drive her son."
    assert labels(text)[1:] == [("June 8", "DATE"), ("June", "PATIENT")]


def test_an_ordinary_word_of_a_spanish_note_is_no_given_name():
    spanish = (
        "El paciente refiere dolor y tos sin fiebre. Se inmoviliza. Alta a las 04:15 h del 23."
    )
    assert labels(spanish) == []
    assert labels("She was tearful today. Alta held her hand and cried.") != []
