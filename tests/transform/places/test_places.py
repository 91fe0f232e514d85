from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.transform.conftest import KEY, deid, new_values, policy, surrogate

from incognote.core.types import Document, Span
from incognote.lexicon import fold_place, lexicon
from incognote.transform import Transformer
from incognote.transform.places.geography import state_of_zip
from incognote.transform.word_data import table_of, words_of

PATIENTS = [f"p{i}" for i in range(20)]


def values(marked: str, patient: str = "p1", **rules) -> list[str]:
    return new_values(deid(marked, patient, **rules))


@pytest.mark.parametrize("patient", PATIENTS)
def test_city_state_and_zip_fit_together(patient):
    city, state, zip_code = values("[[Dayton|CITY]], [[OH|STATE]] [[45402|ZIP]]", patient)
    assert state in {found.state for found in lexicon().city(city)}
    assert zip_code in lexicon().zips.of(state, fold_place(city))


@pytest.mark.parametrize("patient", PATIENTS)
def test_a_zip_code_of_its_own_is_that_of_the_city_it_belongs_to(patient):
    """In another note, or in a field of a table, where no city stands beside it."""
    city, state, zip_code = values("[[Dayton|CITY]], [[OH|STATE]] [[45402|ZIP]]", patient)
    assert values("[[45402|ZIP]]", patient) == [zip_code]
    [long] = values("[[45402-1234|ZIP]]", patient)
    assert long[:5] in lexicon().zips.of(state, fold_place(city))
    assert long[5] == "-"


def test_where_cities_stay_zip_codes_stay_in_them():
    city, zip_code = values(
        "[[Dayton|CITY]] [[45402|ZIP]]", labels={"CITY": "keep", "STATE": "keep"}
    )
    assert city == "Dayton"
    assert zip_code != "45402"
    assert zip_code in lexicon().zips.of("OH", "dayton")


def test_a_zip_code_that_no_list_knows_is_one_of_the_surrogate_state():
    state, zip_code = values("[[Ohio|STATE]] ... [[45199|ZIP]]", labels={"CITY": "keep"})
    assert lexicon().zips.town("45199") is None
    assert state_of_zip(zip_code) == lexicon().state(state)


def test_parts_of_one_address_fit_together_over_some_distance():
    """Portland is in Oregon, unless the address says that it is the one in Maine."""
    text = "City: Portland, ZIP code: 04101"
    city, zip_code = Span(6, 14, "CITY"), Span(26, 31, "ZIP")
    transformer = Transformer(policy(), KEY)
    for group, together in (("address@6-31", True), ("", False)):
        spans = [replace(city, group=group), replace(zip_code, group=group)]
        town, code = new_values(transformer.apply(Document("d", text), spans))
        states = {found.state for found in lexicon().city(town)}
        assert (state_of_zip(code) in states) is together


@pytest.mark.parametrize("patient", PATIENTS)
def test_where_states_stay_cities_stay_in_them(patient):
    labels = {"STATE": "keep"}
    city, state = values("[[Dayton|CITY]], [[OH|STATE]]", patient, labels=labels)
    assert state == "OH"
    assert city != "Dayton"
    assert "OH" in {found.state for found in lexicon().city(city)}


def test_a_city_is_the_same_city_with_and_without_its_state():
    city, _, alone, shouted = values(
        "[[Dayton|CITY]], [[OH|STATE]]; born in [[Dayton|CITY]], [[DAYTON|CITY]]"
    )
    assert alone == city
    assert shouted == city.upper()


@pytest.mark.parametrize(
    ("text", "form"),
    [("OH", r"[A-Z]{2}"), ("oh", r"[a-z]{2}"), ("Ohio", r"[A-Z][a-z]+(?: [A-Z][a-z]+)*"),
     ("OHIO", r"[A-Z ]+")],
)  # fmt: skip
def test_states_are_written_as_they_were(text, form):
    new = surrogate(text, "STATE")
    assert re.fullmatch(form, new)
    assert lexicon().state(new) == lexicon().state(surrogate("OH", "STATE")) != "OH"


@pytest.mark.parametrize("text", ["45402", "45402-1234", "02139"])
def test_zip_codes_keep_their_form(text):
    new = surrogate(text, "ZIP")
    assert re.sub(r"\d", "9", new) == re.sub(r"\d", "9", text)
    assert new != text


def test_postal_codes_of_other_countries_keep_their_classes():
    assert re.fullmatch(r"[A-Z]{2}\d \d[A-Z]{2}", surrogate("SY7 9DT", "ZIP"))


@pytest.mark.parametrize("code", ["US", "USA", "MX", "PRT"])
def test_a_country_code_in_its_own_field_becomes_another_code(code):
    new = values(f"[[{code}|COUNTRY]]")[0]
    assert re.fullmatch(rf"[A-Z]{{{len(code)}}}", new)
    assert new != code


def test_a_country_and_its_people_go_together():
    country, people = values("born in [[Vietnam|COUNTRY]], [[Vietnamese|COUNTRY]]")
    lex = lexicon()
    assert lex.countries[country.lower()] == lex.nationalities[people.lower()]
    assert country != "Vietnam"


@pytest.mark.parametrize(
    ("text", "form"),
    [("Emmet County", r"[A-Z]\w+ County"), ("Highway 74", r"Highway \d\d"), ("I-80", r"I-\d\d"),
     ("PO Box 88", r"PO Box \d\d"), ("Lime Kiln Park", r"[A-Z]\w+ [A-Z]\w+ Park")],
)  # fmt: skip
def test_other_places_keep_their_kind(text, form):
    new = surrogate(text, "LOCATION-OTHER")
    assert re.fullmatch(form, new)
    assert new != text


ZIP3 = [("02139", "021"), ("02139-4307", "021"), ("03601", "000"), ("59999", "599"),
        ("82101", "000"), ("00001", "000"), ("SY7 9DT", "000"), ("87801", "000"), ("96901", "000")]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ZIP3, ids=[z[0] for z in ZIP3])
def test_safe_harbor_zip(text, expected):
    assert surrogate(text, "ZIP", labels={"ZIP": "zip3"}) == expected


def test_safe_harbor_zip_can_keep_five_places():
    assert surrogate("02139", "ZIP", labels={"ZIP": {"action": "zip3", "fill": True}}) == "02100"


def test_coordinates_move():
    labels = {"COORDINATES": "surrogate"}
    new = surrogate("42.3601, -71.0589", "COORDINATES", labels=labels)
    assert re.fullmatch(r"\d\d\.\d{4}, -\d\d\.\d{4}", new)
    assert new.split(".")[0] != "42"


def test_a_box_stays_a_box():
    assert re.fullmatch(r"P\.O\. Box \d{4}", surrogate("P.O. Box 2020", "LOCATION-OTHER"))


def test_a_state_taken_for_a_country_becomes_a_state():
    assert lexicon().state(surrogate("Ohio", "COUNTRY"))


@pytest.mark.parametrize(
    ("text", "label", "form"),
    [
        ("Spring Creek Colony", "LOCATION-OTHER", r"(?!Spring)\w+ Creek Colony"),
        ("mile marker 398", "LOCATION-OTHER", r"mile marker \d{3}"),
        ("State Route 231", "LOCATION-OTHER", r"State Route \d{3}"),
        ("Tahoe National Forest", "LOCATION-OTHER", r"\w+ National Forest"),
        (
            "One Elm Plaza",
            "STREET",
            r"(?!One)(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten) \w+ Plaza",
        ),
        ("Korean-American", "COUNTRY", r"[A-Z][A-Za-z ]+-American"),
        ("30 N. Main", "STREET", r"\d\d N\. (?!Main)\w+"),
        ("3rd & Pine, upstairs rear", "STREET", r"\d(?:st|nd|rd|th) & \w+, upstairs rear"),
        ("FLA", "STATE", r"[A-Z. ]+(?<!\.)"),
    ],
)
def test_the_words_around_a_name_stay(text, label, form):
    for patient in PATIENTS:
        new = values(f"[[{text}|{label}]]", patient)[0]
        assert re.fullmatch(form, new), new


def test_a_canadian_province_its_code_postal_code_and_area_code_agree():
    letters, areas = table_of("places")["canadian_letters"], table_of("contacts")["area_codes"]
    for patient in PATIENTS:
        name, code, postal, phone = values(
            "[[Ontario|STATE]] ([[ON|STATE]]) [[K1A 0B1|ZIP]], [[(613) 234-7788|PHONE]]", patient
        )
        province = lexicon().provinces[name.lower()]
        assert lexicon().provinces[code.lower()].codes == province.codes
        assert postal[0] in letters[province.name]
        assert phone[1:4] in areas[province.name].split()


def test_cities_abroad_stay_where_their_provinces_do():
    for patient in PATIENTS:
        city, province = values("[[Campbell River|CITY]], [[BC|STATE]]", patient)
        assert "Canada" in {found.country for found in lexicon().city(city)}
        assert lexicon().regions[province.lower()] == "Canada"


def test_a_city_of_a_country_goes_to_the_surrogate_country():
    for patient in PATIENTS:
        city, country = values("[[Kielce|CITY]], [[Poland|COUNTRY]]", patient)
        assert country in {found.country for found in lexicon().city(city)}


@pytest.mark.parametrize(
    ("before", "part"),
    [("Kenya", "africa"), ("Vietnam", "asia_pacific"), ("Honduras", "americas")],
)
def test_a_country_stays_in_its_part_of_the_world(before, part):
    codes = words_of("places", f"world_{part}")
    names = {lexicon().country_names[code] for code in codes}
    new = {surrogate(before, "COUNTRY", f"p{i}") for i in range(200)}
    assert before in new  # as chance has it: that it never does would tell
    assert len(new) > 15
    assert new <= names


def test_every_country_is_in_one_part_of_the_world():
    parts = ("africa", "middle_east", "europe", "americas", "asia_pacific")
    codes = [code for part in parts for code in words_of("places", f"world_{part}")]
    assert len(codes) == len(set(codes))
    assert set(codes) <= set(lexicon().country_names)
    assert set(words_of("places", "country_codes_2")) - set(codes) == {"US"}


def test_a_country_with_an_article_stays_a_country():
    lex = lexicon()
    country, people = new_values(deid("from [[the Netherlands|COUNTRY]], [[Dutch|COUNTRY]]"))
    assert lex.countries[country.lower()] == lex.nationalities[people.lower()]


@pytest.mark.parametrize("code", ["2650", "600040", "SW1A 1AA", "K1A 0B1"])
def test_safe_harbor_keeps_nothing_of_other_countries_codes(code):
    assert surrogate(code, "ZIP", labels={"ZIP": "zip3"}) == "000"


@pytest.mark.parametrize("place", ["Azores", "Italia"])
def test_a_country_on_no_list_becomes_a_country(place):
    for patient in ("p1", "p2", "p3", "p4"):
        new = surrogate(place, "COUNTRY", patient)
        assert new.lower() in lexicon().countries


def test_the_place_of_a_record_is_one_place():
    """City, state, ZIP code, county and area code agree."""
    for patient in PATIENTS:
        city, state, zip_code, county, number = values(
            "[[Dayton|CITY]], [[OH|STATE]] [[45402|ZIP]], [[Montgomery County|LOCATION-OTHER]], "
            "[[937-224-1000|PHONE]]",
            patient,
        )
        assert zip_code in lexicon().zips.of(state, fold_place(city))
        assert state in lexicon().counties[fold_place(county)]
        assert number[:3] in table_of("contacts")["area_codes"][state].split()


def test_every_state_can_stand_for_every_state_of_its_size():
    new = {values("[[OH|STATE]]", f"patient {n}")[0] for n in range(400)}
    assert "OH" in new
    assert len(new) == 17


def test_cities_of_one_state_stay_apart():
    towns = [city.name for city in lexicon().cities("OH", 20_000)]
    marked = ", ".join(f"[[{town}|CITY]] [[OH|STATE]]" for town in towns)
    for patient in PATIENTS[:5]:
        cities = values(marked, patient)[::2]
        assert len(set(cities)) >= len(set(towns)) - 12


def test_a_town_abroad_is_not_taken_for_one_of_ours():
    for patient in PATIENTS:
        city, country = values("[[Leeds|CITY]], [[UK|COUNTRY]]", patient)
        assert country in {found.country for found in lexicon().city(city)}


def test_continents_are_no_countries():
    for patient in PATIENTS:
        assert values("moved from [[Europe|COUNTRY]]", patient)[0] in (
            "Africa", "Asia", "Europe", "North America", "Oceania", "South America",
        )  # fmt: skip
