"""What the compiled lists know, and the laws that lookups keep."""

import pickle
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.lexicon import ETHNICITIES, fold, fold_place, lexicon

LEX = lexicon()


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("O'Brien", "obrien"),
        ("O’Brien", "obrien"),
        ("Muñoz", "munoz"),
        ("ŁUKASZ", "lukasz"),
        ("Søren", "soren"),
        ("St. Paul", "st paul"),
        ("Oʻahu", "oahu"),
    ],
)
def test_fold(written, folded):
    assert fold(written) == folded


@pytest.mark.parametrize("written", ["St. Paul", "SAINT PAUL", "st paul", "Saint-Paul"])
def test_places_have_one_spelling(written):
    assert fold_place(written) == "saint paul"


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_any_text_can_be_asked_about(text):
    assert LEX.surname(text) is None or LEX.surname(text).count >= 0
    assert isinstance(LEX.city(text), tuple)
    assert isinstance(LEX.is_eponym(text), bool)


@pytest.mark.parametrize(
    ("name", "female"), [("Michael", 0.0), ("JENNIFER", 1.0), ("maria", 1.0), ("José", 0.0)]
)
def test_first_names_know_their_sex(name, female):
    assert LEX.first_name(name).female == pytest.approx(female, abs=0.02)


@pytest.mark.parametrize(
    ("surname", "community"),
    [("Nguyen", "api"), ("Hernández", "hispanic"), ("Washington", "black"), ("Schmidt", "white")],
)
def test_surnames_know_their_community(surname, community):
    shares = LEX.surname(surname).ethnicity
    assert ETHNICITIES[shares.index(max(shares))] == community


@pytest.mark.parametrize(
    "name", ["Grace", "Will", "Mark", "Hope", "Young", "Long", "Colon", "Pain"]
)
def test_names_that_are_words(name):
    assert (LEX.first_name(name) or LEX.surname(name)).common_word


@pytest.mark.parametrize("name", ["John", "James", "Smith", "Peter", "Wilson", "Lawrence", "Jack"])
def test_names_that_are_only_names(name):
    assert not (LEX.first_name(name) or LEX.surname(name)).common_word


@pytest.mark.parametrize("nonsense", ["", " ", "xqzzt", "123", "-"])
def test_unknown_words_have_no_entry(nonsense):
    assert LEX.first_name(nonsense) is None
    assert LEX.surname(nonsense) is None
    assert LEX.city(nonsense) == ()
    assert LEX.word_rank(nonsense) is None


@pytest.mark.parametrize("sex", [None, "female", "male"])
@pytest.mark.parametrize("ethnicity", [None, *ETHNICITIES])
def test_surrogate_first_names_fit_what_was_asked(sex, ethnicity):
    pool = LEX.first_names(sex, ethnicity)
    assert len(pool) >= 20
    assert len(set(pool)) == len(pool)
    entries = [LEX.first_name(name) for name in pool]
    counts = [entry.count for entry in entries]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= 6_620  # 2 in 100,000 of 331 million
    if sex:
        assert all((e.female >= 0.9) if sex == "female" else (e.female <= 0.1) for e in entries)
    if ethnicity:
        assert all(e.ethnicity[ETHNICITIES.index(ethnicity)] >= 0.5 for e in entries)


@pytest.mark.parametrize("ethnicity", [None, *ETHNICITIES])
def test_surrogate_surnames(ethnicity):
    pool = LEX.surnames(ethnicity)
    assert len(pool) >= 50
    assert all(LEX.surname(name).count >= 6_620 for name in pool)


@pytest.mark.parametrize("written", ["O'Brien", "McDonald", "Smith", "Garcia"])
def test_surrogates_are_written_as_people_write_them(written):
    assert written in LEX.surnames()


def test_nicknames_go_both_ways():
    assert "bill" in LEX.nicknames("William")
    assert "william" in LEX.nicknames("BILL")
    assert LEX.nicknames("xqzzt") == frozenset()


def test_cities_are_ordered_by_size():
    springfields = [city for city in LEX.city("springfield") if city.country == "United States"]
    sizes = [city.population for city in springfields]
    assert len(springfields) > 10
    assert sizes == sorted(sizes, reverse=True)
    assert {"MO", "MA", "IL"} <= {city.state for city in springfields}


@pytest.mark.parametrize(
    ("code", "state", "town"),
    [("02139", "MA", "cambridge"), ("63101", "MO", "saint louis"), ("99801", "AK", "juneau")],
)
def test_a_zip_code_has_a_town_and_the_town_its_codes(code, state, town):
    assert LEX.zips.town(code) == (state, town)
    assert code in LEX.zips.of(state, town)


def test_unknown_zip_codes_and_towns():
    assert LEX.zips.town("00000") is None
    assert LEX.zips.of("MA", "nowhere") == ()


def test_cities_of_a_state():
    assert LEX.cities("VT")[0].name == "Burlington"
    assert all(c.state == "OH" and c.population >= 50_000 for c in LEX.cities("OH", 50_000))


def test_cities_abroad():
    assert LEX.city("Zürich")[0].country == "Switzerland"
    assert LEX.city("zurich")[0].name == "Zürich"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("N.C.", "NC"),
        ("Calif.", "CA"),
        ("oregon", "OR"),
        ("W. Va.", "WV"),
        ("WV", "WV"),
        ("xx", None),
    ],
)
def test_states(text, code):
    assert LEX.state(text) == code


def test_every_state_has_zip_prefixes():
    assert len(LEX.states) == 56
    assert all(state.zip3 and all(len(p) == 3 for p in state.zip3) for state in LEX.states.values())
    assert "021" in LEX.states["MA"].zip3


@pytest.mark.parametrize(
    ("word", "country"),
    [("vietnamese", "Vietnam"), ("filipina", "Philippines"), ("welsh", "United Kingdom")],
)
def test_nationalities(word, country):
    assert LEX.nationalities[word] == country


def test_countries_and_their_aliases():
    assert LEX.countries["burma"] == "Myanmar"
    assert LEX.countries["usa"] == LEX.countries["united states"] == "United States"


def test_counties_know_their_states():
    assert {"OR", "KS"} == LEX.counties["lane county"]
    assert LEX.counties["orleans parish"] == {"LA"}


@pytest.mark.parametrize("word", ["warfarin", "Metoprolol", "LASIX", "tylenol"])
def test_drugs(word):
    assert LEX.is_drug(word)


@pytest.mark.parametrize("word", ["cholecystitis", "Fracture", "ANEMIA", "femur"])
def test_clinical_words(word):
    assert LEX.is_clinical(word)


@pytest.mark.parametrize(
    "word", ["Parkinson", "Hodgkin's", "FOLEY", "babinski", "Glasgow", "Bankart"]
)
def test_eponyms(word):
    assert LEX.is_eponym(word)


@pytest.mark.parametrize("word", ["Garcia", "Nguyen", "table", "Chicago"])
def test_what_is_no_eponym(word):
    assert not LEX.is_eponym(word)


def test_abbreviations_keep_their_case():
    assert LEX.is_abbreviation("COPD")
    assert not LEX.is_abbreviation("copd")


def test_word_rank_orders_by_frequency():
    assert LEX.word_rank("the") == 0
    assert LEX.word_rank("hospital") < LEX.word_rank("sternum")


@pytest.mark.parametrize(
    ("table", "phrase"),
    [
        ("professions", "civil engineer"),
        ("professions", "plumber"),
        ("profession_heads", "farmer"),
        ("facility_heads", "medical center"),
        ("organization_heads", "credit union"),
        ("streets", "Abbey"),
    ],
)
def test_phrases(table, phrase):
    assert phrase in getattr(LEX, table)


def test_the_file_is_small():
    assert len(files("incognote.lexicon").joinpath("lexicon.zip").read_bytes()) < 6_000_000


def test_entries_can_be_sent_to_workers():
    assert pickle.loads(pickle.dumps(LEX.surname("Smith"))) == LEX.surname("Smith")
    assert pickle.loads(pickle.dumps(LEX.city("Boston")[0])) == LEX.city("Boston")[0]
