"""Which label is right, and what was missed."""

from __future__ import annotations

import pytest
from tests.link.conftest import document, labels, linked, people

from incognote.core.types import Dropped, Span
from incognote.link import link

RELABELLED = [
    # a strange given name before a name that does something
    ("Stent out. Woodlyne [[Charles|PATIENT]] interpreted.", ("Woodlyne Charles", "PATIENT")),
    # a town that is somebody's family name before a given name
    ("[[SMITH|CITY]], [[JOHN|PATIENT]] returns.", ("SMITH, JOHN", "PATIENT")),
    ("Surgeon: [[STERN|DOCTOR]], [[ISRAEL|COUNTRY]]\n", ("STERN, ISRAEL", "DOCTOR")),
    # a month that is a given name, in a cell of a table
    ("3104   [[Winters|PATIENT]], [[April|DATE]]   29   F   full", ("Winters, April", "PATIENT")),
    ("Ordering: [[Dare|HOSPITAL]], [[Virginia|STATE]].", ("Dare, Virginia", "DOCTOR")),
    # a month that is somebody's name
    ("[[April Winters|PATIENT]] came. [[April|DATE]] coughs.", ("April", "PATIENT")),
    ("Seen by Dr. [[August|DOCTOR]] [[March|DATE]]. Stable.", ("August March", "DOCTOR")),
    ("I, [[August March|DATE]], spoke with his sons.", ("August March", "PATIENT")),
    # a place that does what people do
    ("0930 [[Olive|ORGANIZATION]] changed the dressing.", ("Olive", "PATIENT")),
    ("Port placed by [[Castle|HOSPITAL]] last week.", ("Castle", "PATIENT")),
    ("Present: [[Daniel Park|LOCATION-OTHER]], a cousin.", ("Daniel Park", "PATIENT")),
    ("Teaching to [[Mary|CITY]] and her son.", ("Mary", "PATIENT")),
    # a full name that was taken for an institution, where somebody is met
    ("Findings phoned to [[Charity Wells|HOSPITAL]] today.", ("Charity Wells", "PATIENT")),
    ("[[Sun-Hee Park|HOSPITAL]] POD1 after wedge.", ("Sun-Hee Park", "PATIENT")),
    ("Seen in two weeks by [[Noble Hand|ORGANIZATION]]. Stable.", ("Noble Hand", "PATIENT")),
    ("[[Duke Fountain|ORGANIZATION]] is exhausted; respite.", ("Duke Fountain", "PATIENT")),
    # a month that is spoken to, complains, or feels
    ("Then I phoned [[June|DATE]] on Monday.", ("June", "PATIENT")),
    ("0930 [[August|DATE]] c/o dysphagia.", ("August", "PATIENT")),
    ("He states [[June|DATE]] was lightheaded.", ("June", "PATIENT")),
    # a hamlet that has the name of somebody here
    ("Dr. [[Field|DOCTOR]] called. Will route to [[Field|CITY]].", ("Field", "DOCTOR")),
    # halves of one name
    ("Then [[Sun|ORGANIZATION]]-[[Hee|PATIENT]] left.", ("Sun-Hee", "PATIENT")),
    ("Recipient: [[XIONG|DOCTOR]], PA [[HOUA|PATIENT]]. Stable.", ("XIONG, PA HOUA", "PATIENT")),
    # one person, one label
    ("[[Ann Lee|DOCTOR]], MD. d/w [[Ann Lee|PATIENT]].", ("Ann Lee", "DOCTOR")),
]


@pytest.mark.parametrize(("marked", "expected"), RELABELLED)
def test_a_person_is_relabelled(marked, expected):
    found = labels(marked)
    assert expected in found
    assert all(label in ("PATIENT", "DOCTOR") for _, label in found)


STAY = [
    "Mr. [[Jackson|PATIENT]] was born in [[Jackson|CITY]].",
    "[[Madison Lee|PATIENT]] moved to [[Madison|CITY]], [[WI|STATE]].",
    "[[April Winters|PATIENT]] fell in [[April|DATE]].",
    "[[June Castle|DOCTOR]] starts [[June 3|DATE]].",
    "Dr. [[Mercy Boateng|DOCTOR]] trained at [[Mercy Hospital|HOSPITAL]].",
    "[[Virginia|STATE]] license, seen by [[Bo Lee|DOCTOR]]",
    "Transferred from [[Henry Ford|HOSPITAL]] by ambulance.",
    "Dr. [[Bo Lee|DOCTOR]] saw her in [[June|DATE]]. [[June|DATE]] was warm.",
    "Dr. [[Bo Lee|DOCTOR]] called [[June 3|DATE]].",
    "Seen by [[Bo Lee|DOCTOR]], PA. [[Ann Cole|PATIENT]] agrees.",
]


@pytest.mark.parametrize("marked", STAY)
def test_a_town_named_after_a_person_stays(marked):
    _, before = document(marked)
    assert [label for _, label in labels(marked)] == [span.label for span in before]


def test_what_the_source_states_outranks_all():
    text = "SMITH, JOHN"
    given = (Span(0, 5, "CITY", 1.0, ("given",)), Span(7, 11, "PATIENT", 1.0, ("accurate",)))
    doc, _ = document(text)
    assert link(doc, given).spans == given


MISSED = [
    ("[[John Smith|PATIENT]] was seen. Smith J left.", "Smith J"),
    ("Dr. [[Frank Baker|DOCTOR]] called. Told Baker about it.", "Baker"),
    ("[[John Smith|PATIENT]] was seen. J.S. left.", "J.S."),
    ("[[John Smith|PATIENT]] came; login jsmith", "jsmith"),
    ("[[John Quackenbush|PATIENT]] came. Quackenbsuh left.", "Quackenbsuh"),
    ("[[Wei-Ling Chen|PATIENT]] came. Then Wei-Ling left.", "Wei-Ling"),
    ("[[Penny Lane|DOCTOR]], PA-C assisted. Lane closed.", "Lane"),
    ("[[Sky Walker|DOCTOR]] RN flew. Walker left at 2210.", "Walker"),
    ("[[Merry Gentle|DOCTOR]] rounds. Gentle managing delirium.", "Gentle"),
    ("[[JOHN BROWN|PATIENT]] CAME. DR. BROWN IS HIS SON.", "BROWN"),
    ("Mr. [[Okonkwo|PATIENT]] came. OKONKWO was weak.", "OKONKWO"),
    # names without any cue
    ("Wound clean. Emily gaining weight.", "Emily"),
    ("Drain infection resolved per P. Lane.", "P. Lane"),
    ("Sternum stable per Cutter.", "Cutter"),
    ("Misty holds Charity while she sleeps.", "Charity"),
    ("Smear was positive. Hardy paged: artesunate.", "Hardy"),
    ("Name is unclear. Stokes to call.", "Stokes"),
    ("Pressures good at home. Ward could not come.", "Ward"),
    ("They are visiting; Autumn d/c'd home.", "Autumn"),
    ("Count is stable. Walker (goes by middle name) is up.", "Walker"),
    ("PROCEDURE: bypass   ANESTHESIA: Read\nConsent was signed.", "Read"),
    ("Case was discussed. Surgery (Hope): wedge.", "Hope"),
    ("CT of the chest. REF: WELLS, CHARITY. Compared.", "WELLS, CHARITY"),
    ("CT of the chest. PT: PARK, SUN-HEE. Compared.", "PARK, SUN-HEE"),
    ("Doses were wasted with P. Fountain.", "P. Fountain"),
    ("Dr. [[Grace Field|DOCTOR]] came. Labs drawn. Field renews. Home soon.", "Field"),
    # initials of two family names, and a given name that grows to its left
    ("[[RUIZ ORTEGA, MARIA|PATIENT]] came. M.R. sleeps.", "M.R."),
    ("Mrs. [[Hale|PATIENT]] left. 7/20 Walker [[Hale|PATIENT]] healed.", "Walker Hale"),
]


@pytest.mark.parametrize(("marked", "missed"), MISSED, ids=[m[1] for m in MISSED])
def test_a_missed_mention_is_found(marked, missed):
    if not marked.count("[["):
        marked = "[[Bo Lee|DOCTOR]], RN. " + marked
    assert missed in [text for text, _ in labels(marked)]


HARMLESS = [
    "Dr. [[Frank Baker|DOCTOR]] treats a baker.",
    "Dr. [[Whitney Black|DOCTOR]] came. Black stool may persist.",
    "Dr. [[Ivory Key|DOCTOR]] came. Key findings: clear margins.",
    "Dr. [[Glenn Rice|DOCTOR]] came. Diet: rice and fruit.",
    "[[April Winters|PATIENT]] coughs since April.",
    "Dr. [[Bell|DOCTOR]] saw a Bell's palsy.",
    "Dr. [[Ada Wood|DOCTOR]] came. Wood ramp needed.",
    "[[Charity Begay|PATIENT]] left. Charity care form given.",
    "[[Jackson Hale|PATIENT]] lives in Jackson.",
    "[[Rosa Nolan|PATIENT]] came. The RN gave heads up.",
    "[[Ann Zito|PATIENT]] came. She moved to AZ.",
    "Dr. [[Whitney Black|DOCTOR]] came. Black stools. Diet as before.",
    # things that are named after people do not call
    "Dr. [[Bo Lee|DOCTOR]] came. Foley changed, Foley to gravity.",
    "Dr. [[Bo Lee|DOCTOR]] came. Exercise thallium, Bruce, 10 min.",
    "Dr. [[Bo Lee|DOCTOR]] came. Bidirectional Glenn at 5 months.",
    "[[Bo Lee|DOCTOR]], RN. ANESTHESIA: General\nSurgery (Whipple): planned.",
    "Brought in by Nan, mother of [[Bo Lee|PATIENT]].",
    "[[RUIZ, MARIA|PATIENT]] came. M.R. is mild.",
]


@pytest.mark.parametrize("marked", HARMLESS)
def test_a_word_is_excused_by_its_own_context(marked):
    _, before = document(marked)
    assert len(labels(marked)) == len(before)


def test_no_vote_speaks_against_a_name_that_was_found():
    doc, spans = document("[[John Smith|PATIENT]] was seen. Smith left.")
    dropped = [Dropped(Span(21, 26, "PATIENT", 0.5, ("repetition",)), "safe:accurate")]
    assert [span.start for span in link(doc, spans, dropped).spans] == [0, 21]


def test_what_the_policy_says_is_no_phi_is_not_looked_at_again():
    doc, spans = document("[[John Smith|PATIENT]] was seen. Smith left.")
    dropped = [Dropped(Span(21, 26, "PATIENT", 0.5, ("names",)), "never:0")]
    assert [span.start for span in link(doc, spans, dropped).spans] == [0]


def test_a_name_that_lost_to_a_place_is_restored():
    doc, spans = document("[[ROSENBERG|CITY]], [[ABRAHAM|STATE]]. Sepsis. Dr. [[Bo Lee|DOCTOR]]")
    dropped = [Dropped(Span(0, 18, "PATIENT", 0.9, ("names/last-first",)), "overlap:CITY@0-9")]
    first = link(doc, spans, dropped).spans[0]
    assert (first.start, first.end, first.label) == (0, 18, "PATIENT")


def test_a_mention_says_what_it_was_and_why():
    _, found = linked("[[April Winters|PATIENT]] came. [[April|DATE]] coughs. Winters left.")
    [april] = found.people
    assert [(m.was, m.reason) for m in april.mentions] == [
        ("", "first-named"),
        ("DATE", "part-of-name"),
        ("missed", "part-of-name"),
    ]


def test_what_the_record_states_is_looked_for():
    stated = (("PATIENT", "Charity Begay"), ("DOCTOR", "Hope Summers"))
    text, found = linked("Seen today. Charity well; d/w Summers.", known=stated)
    assert [(text[span.start : span.end], span.label) for span in found.spans] == [
        ("Charity", "PATIENT"),
        ("Summers", "DOCTOR"),
    ]


def test_the_patient_of_the_record_is_the_patient_of_the_note():
    record = people("Patient: [[Ann Lee|PATIENT]], her son [[Bo|PATIENT]]")
    marked = "[[Bo|PATIENT]] called twice. [[Bo|PATIENT]] says that [[Ann|PATIENT]] fell."
    _, alone = linked(marked)
    assert [person.role for person in alone.people] == ["patient", "other"]
    _, found = linked(marked, people=record)
    assert [person.role for person in found.people] == ["other", "patient"]
