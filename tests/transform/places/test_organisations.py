from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
from tests.transform.conftest import deid, new_values, surrogate

from incognote.lexicon import fold_place, lexicon
from incognote.transform.places.organisations import known_group
from incognote.transform.spelling import squeeze
from incognote.transform.word_data import groups_of

PATIENTS = [f"p{i}" for i in range(20)]


def values(marked: str, patient: str = "p1") -> list[str]:
    return new_values(deid(marked, patient))


def test_a_short_name_follows_the_long_one():
    long, short = values("[[Seacrest Manor|HOSPITAL]], later [[Seacrest|HOSPITAL]]")
    assert long.split()[0] == short


@pytest.mark.parametrize("patient", PATIENTS)
def test_an_abbreviation_follows_its_name(patient):
    long, short = values("[[Massachusetts General Hospital|HOSPITAL]] ([[MGH|HOSPITAL]])", patient)
    assert short == "".join(word[0] for word in long.split())
    assert short != "MGH"


def test_a_city_in_a_name_follows_the_city():
    city, school = values("[[Port Ellery|CITY]]: [[Port Ellery Public Schools|ORGANIZATION]]")
    assert school == f"{city} Public Schools"


@pytest.mark.parametrize(
    ("text", "form"),
    [("Room 412B", r"Room \d{3}[A-Z]"), ("7 West", r"\d (North|South|East|West)"), ("bed 5", r"bed \d"),
     ("ICU-09", r"ICU-0\d"), ("Pod C", r"Pod [A-Z]"), ("8 Lowell", r"\d [A-Z][\w ]+")],
)  # fmt: skip
def test_rooms_keep_their_form(text, form):
    for patient in PATIENTS:
        new = surrogate(text, "ROOM", patient)
        assert re.fullmatch(form, new), new
        assert new != text


@pytest.mark.parametrize(
    ("text", "words"), [("plumber", 1), ("PLUMBER", 1), ("bus driver", 2), ("Trooper", 1)]
)
def test_jobs_are_jobs_of_as_many_words(text, words):
    for patient in PATIENTS:
        new = surrogate(text, "PROFESSION", patient)
        assert (len(new.split()) > 1) == (words > 1)
        assert (new.isupper(), new.islower()) == (text.isupper(), text.islower())


@pytest.mark.parametrize(
    "text",
    ["Meals on Wheels", "Council on Aging", "U.S. Army", "VA", "Walmart", "CVS", "Red Cross"],
)
def test_what_everybody_knows_becomes_another_such_name(text):
    group = known_group(text, whole=True)
    new = {surrogate(text, "ORGANIZATION", patient) for patient in PATIENTS}
    assert new <= set(group)
    assert len(new) > 1


def test_a_known_name_inside_a_name():
    for patient in PATIENTS:
        new = surrogate("Walgreens Pharmacy #1442", "HOSPITAL", patient)
        assert re.fullmatch(r"[A-Z][\w-]+ Pharmacy #\d{4}", new)


def test_no_two_words_of_a_name_become_the_same():
    for patient in PATIENTS * 5:
        new = surrogate(f"Maple Quarry Sunset {patient} Clinic", "HOSPITAL", patient).split()
        assert len(set(new[:3])) == 3


@pytest.mark.parametrize(
    ("text", "form"),
    [("packs tuna", "works as an? [a-z ]+"), ("Teaches", "Works as an? [a-z ]+"),
     ("milked forty cows", "worked as an? [a-z ]+"), ("drives a coach", "works as an? [a-z ]+"),
     ("sales manager", "(?!works)[a-z' -]+"), ("cab drivers", "(?!works)[a-z ]+s")],
)  # fmt: skip
def test_jobs_said_with_a_verb(text, form):
    for patient in PATIENTS:
        assert re.fullmatch(form, surrogate(text, "PROFESSION", patient))


@pytest.mark.parametrize("text", ["farmer", "attorney", "bus driver"])
def test_nobody_becomes_one_of_the_care_staff(text):
    new = {surrogate(text, "PROFESSION", f"p{i}") for i in range(300)}
    assert not [job for job in new if re.search("nurse|physician|surgeon|ologist|iatrist", job)]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Alder Rheumatology, P.C.", " Rheumatology, P.C."),
        ("Marlow Ridge H.S.", " Ridge H.S."),
        ("Tulip Hollow Chr. Home", " Hollow Chr. Home"),
        ("Marlow Epilepsy Center", " Epilepsy Center"),
    ],
)
def test_abbreviated_kinds_and_specialties_stay(name, kept):
    assert surrogate(name, "HOSPITAL").endswith(kept)


def test_where_nothing_is_a_name_the_feature_behind_of_changes():
    new = surrogate("Hospice of the Dunes", "HOSPITAL")
    assert new.startswith("Hospice of the ")
    assert not new.endswith("Dunes")


def test_a_room_is_one_however_it_is_written():
    numbers = new_values(deid("[[Room 118|ROOM]] [[rm 118|ROOM]] [[Rm. 118|ROOM]]"))
    assert len({number.split()[-1] for number in numbers}) == 1


@pytest.mark.parametrize("job", ["seamstress", "headmistress"])
def test_a_noun_in_ss_is_no_verb(job):
    assert " " not in surrogate(job, "PROFESSION")


@pytest.mark.parametrize("patient", [f"p{i}" for i in range(8)])
def test_what_reads_badly(patient):
    assert surrogate("the Northern", "ORGANIZATION", patient).startswith("the ")
    assert surrogate("Our Lady of the Lakes Hospice", "HOSPITAL", patient).startswith("Our Lady of")
    university = surrogate("University of Washington", "ORGANIZATION", patient)
    assert lexicon().state(university.removeprefix("University of "))
    assert re.fullmatch(r"(?:1st|2nd|3rd|\dth) floor", surrogate("2nd floor", "ROOM", patient))
    assert re.fullmatch(r"O\.R\. #[^4]", surrogate("O.R. #4", "ROOM", patient))
    assert not surrogate("engineer", "PROFESSION", patient).endswith("ess")


def test_what_is_done_in_a_place_stays():
    [new] = values("[[Highlandtown OB|HOSPITAL]]")
    assert new.endswith(" OB")
    assert "Highlandtown" not in new


def test_words_in_small_letters_stay():
    [new] = values("[[Exeter movement clinic|HOSPITAL]]")
    assert new.endswith(" movement clinic")
    assert "Exeter" not in new


@pytest.mark.parametrize("patient", PATIENTS[:6])
@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Getty Street Church of Christ", r"\w+ Street Church of Christ"),
        ("Masjid Noor", r"Masjid [A-Z][\w'-]+"),
        ("Sylva Sr Center", r"[A-Z][\w'-]+ Sr Center"),
    ],
)
def test_the_faith_and_the_kind_of_a_house_stay(text, form, patient):
    new = surrogate(text, "ORGANIZATION", patient)
    assert re.fullmatch(form, new), new


def test_a_town_or_county_in_a_name_becomes_another():
    shop, town = values("[[Walgreens Hopkinsville|HOSPITAL]] in [[Hopkinsville|CITY]]")
    assert shop.endswith(f" {town}")
    # The same town in another note, which does not say that it is one.
    assert values("[[Hopkinsville Dialysis|HOSPITAL]]")[0].endswith(" Dialysis")
    for name, kind in (("King County Health", " County"), ("Kent Co Health", " County")):
        new = surrogate(name, "ORGANIZATION").removesuffix(" Health")
        county = new.removesuffix(" County").removesuffix(" Co")
        assert fold_place(county + kind) in lexicon().counties
        assert county not in name
    state = surrogate("Ohio Dept of Health", "ORGANIZATION").removesuffix(" Dept of Health")
    assert lexicon().state(state)


def test_brands_in_one_word_become_brands():
    for brand in ("BlueCross", "CareSource", "Honda"):
        assert {surrogate(brand, "ORGANIZATION", p) for p in PATIENTS} <= set(known_group(brand))


def test_letters_with_stops_stay_letters():
    for name in ("SMITH COUNTY M.E.", "Smith County M.E."):
        assert re.fullmatch(r"(?i:[a-z. ]+ county) [A-Z]\.[A-Z]\.", surrogate(name, "ORGANIZATION"))


def test_every_chain_that_detection_knows_becomes_another():
    table = tomllib.loads(
        files("incognote.detect.places").joinpath("cues.toml").read_text("utf-8")
    )["known"]
    names = [name for key in ("hospitals", "organizations") for name in table[key].split("\n")]
    assert [name for name in names if name and not known_group(name, whole=True)] == []


@pytest.mark.parametrize(
    "name", ["BlueCross", "Blue Cross of Ohio", "Tricare", "UCARE", "State Farm", "Uber", "BCBS"]
)
def test_a_brand_becomes_a_brand(name):
    groups = [*groups_of("known", "anywhere"), *groups_of("known", "alone")]
    brands = {squeeze(each) for group in groups for each in group}
    for patient in PATIENTS:
        new = surrogate(name, "ORGANIZATION", patient)
        assert squeeze(new) in brands or squeeze(new.rpartition(" of ")[0]) in brands


KIND_STAYS = {
    "TAMARACK RHEUMATOLOGY & OSTEOPOROSIS, P.C.": r"[A-Z]+ RHEUMATOLOGY & OSTEOPOROSIS, P\.C\.",
    "2nd Platoon, 541st Sapper Co": r"\d\w\w Platoon, \d+\w\w Sapper Co",
    "Gassville Consolidated Schools": r"\w+ Consolidated Schools",
    "Le Bonheur Arthritis Clinic": r"Le \w+ Arthritis Clinic",
    "Ironworkers Local 6 Welfare Fund": r"Ironworkers Local \d Welfare Fund",
}


@pytest.mark.parametrize(("name", "form"), KIND_STAYS.items())
def test_what_is_done_there_stays(name, form):
    for patient in PATIENTS:
        assert re.fullmatch(form, surrogate(name, "ORGANIZATION", patient))
