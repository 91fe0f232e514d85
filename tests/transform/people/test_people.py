from __future__ import annotations

import re
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transform.conftest import deid, new_values, surrogate

from incognote.lexicon import fold, lexicon
from incognote.lexicon.name_cells import name_cells, name_place
from incognote.lexicon.name_words import full_form, name_sex
from incognote.transform.people import names
from incognote.transform.people.name_words import short_forms
from incognote.transform.word_data import words_of

PATIENTS = [f"p{i}" for i in range(30)]


def known(kind: str, word: str):
    return lexicon().first_name(word) if kind == "first" else lexicon().surname(word)


def values(marked: str, patient: str = "p1", **rules) -> list[str]:
    return new_values(deid(marked, patient, **rules))


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_one_person_in_all_ways_of_writing(patient):
    full, shouted, small, turned, initial, first, last = values(
        "[[John Smith|PATIENT]], [[JOHN SMITH|PATIENT]], [[john smith|PATIENT]], "
        "[[Smith, John Q.|PATIENT]], [[J. Smith|DOCTOR]], [[John|PATIENT]], Mr. [[Smith|PATIENT]]",
        patient,
    )
    assert shouted == full.upper()
    assert small == full.lower()
    given, family = full.split()
    assert re.fullmatch(rf"{family}, {given} [A-Z]\.", turned)
    assert initial == f"{given[0]}. {family}"
    assert (first, last) == (given, family)
    assert given != "John"
    assert family != "Smith"


def test_another_patient_gets_another_name():
    names = {surrogate("Margaret Olsen", "PATIENT", patient) for patient in PATIENTS}
    assert len(names) > 25


def sex_of(name: str) -> float:
    return lexicon().first_name(name).female


@pytest.mark.parametrize(("name", "female"), [("Mary", True), ("Robert", False), ("Carmen", True)])
def test_sex_stays(name, female):
    for patient in PATIENTS:
        assert (sex_of(surrogate(name, "PATIENT", patient)) > 0.5) == female


@pytest.mark.parametrize("cue", ["his wife ", "son ", "Mrs. ", "Mr. ", ""])
def test_names_of_both_sexes_become_such_names(cue):
    """Whatever the note says: another note of the record may say nothing."""
    for patient in PATIENTS:
        new = values(f"{cue}[[Casey|PATIENT]]", patient)[0]
        assert new == surrogate("Casey", "PATIENT", patient)
        assert 0.3 < sex_of(new) < 0.7


def test_a_first_name_is_one_in_every_note_of_a_patient():
    for patient in PATIENTS:
        marked = ("her son [[Casimir|PATIENT]]", "[[Casimir|PATIENT]] asks about a ramp")
        son, alone = (new_values(deid(text, patient))[0] for text in marked)
        assert son == alone


def test_a_double_name_is_found_in_an_address():
    for joint in ("", "-", "."):
        new, address = new_values(
            deid(f"[[Ann Moreno-Hale|DOCTOR]] [[a.moreno{joint}hale@mail.example|EMAIL]]")
        )
        first, family = new.lower().split(" ")
        assert address.split("@")[0] == f"{first[0]}.{family.replace('-', joint)}"


def test_nicknames_follow_their_name():
    assert full_form("beth") == "elizabeth"
    assert full_form("bob") == "robert"
    followed = 0
    for patient in PATIENTS:
        short, full = values("[[Beth|PATIENT]], [[Elizabeth|PATIENT]]", patient)
        assert short != full
        followed += short in short_forms(full.lower())
    assert followed


@pytest.mark.parametrize(
    "name", ["Ben Smith", "Al Jones", "Kim Do", "Pa Houa Xiong", "Xiong, Pa Houa", "Mai Do, MD"]
)
def test_a_name_that_could_be_a_particle_or_a_degree_changes(name):
    words = set(re.findall(r"\w+", name.removesuffix(", MD")))
    stayed = 0
    for patient in PATIENTS[:8]:
        (new,) = values(f"Seen [[{name}|PATIENT]] today", patient)
        stayed += len(words & set(re.findall(r"\w+", new)))
        assert new.endswith(", MD") == name.endswith(", MD")
    assert stayed <= 1  # by chance


def test_a_degree_in_capitals_stays():
    assert surrogate("John Smith MD", "DOCTOR").endswith(" MD")


def test_the_joint_of_two_surnames_stays():
    double, first, second = values(
        "[[Luis Cruz y Morales|PATIENT]], Mr. [[Cruz|PATIENT]], Mr. [[Morales|PATIENT]]"
    )
    assert double.split()[1:] == [first, "y", second]


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_an_abbreviation_behind_the_family_name_is_the_name(patient):
    whole, cut, open_ = values(
        "[[Harper, William|PATIENT]]; [[Harper, Wm.|PATIENT]]; [[Wm Harper|PATIENT]]", patient
    )
    family, given = whole.split(", ")
    assert cut == f"{family}, {given[0]}."
    assert open_ == f"{given} {family}"


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_an_abbreviated_first_name_becomes_an_initial(patient):
    short, full = values("[[Wm. Harper|DOCTOR]], [[William Harper|DOCTOR]]", patient)
    assert short == f"{full[0]}. {full.split()[1]}"


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_a_nickname_is_of_the_full_name(patient):
    short, whole = values("[[Liz|PATIENT]], that is [[Elizabeth Harper|PATIENT]]", patient)
    row = known("first", short.lower())
    assert row is not None
    assert row.female >= 0.5
    assert short in short_forms(whole.split()[0].lower()) or not short_forms(
        whole.split()[0].lower()
    )


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_the_last_name_may_come_first_without_a_comma(patient):
    turned, written, alone = values(
        "[[HARPER WILLIAM|PATIENT]]; [[William Harper|PATIENT]] and Mrs. [[Harper|PATIENT]]; "
        "[[Harper, Ann|PATIENT]]",
        patient,
    )[:3]
    assert turned.split() == written.upper().split()[::-1]
    assert alone.upper() == turned.split()[0]


@pytest.mark.parametrize("written", ["KOWALCZYK WILLIAM", "Kowalczyk W", "Kowalczyk W."])
def test_a_word_that_is_no_first_name_is_a_last_name(written):
    assert surrogate(written, "PATIENT").split()[0].upper() == (
        surrogate("William Kowalczyk", "PATIENT").split()[1].upper()
    )


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_a_wife_may_go_by_her_husbands_name(patient):
    wife, husband = values(
        "Mrs. [[Walter Harper|PATIENT]] came; her husband [[Walter|PATIENT]] did not", patient
    )
    row = known("first", husband.lower())
    assert row is not None
    assert row.female < 0.5
    assert wife.split()[0] == husband


@pytest.mark.parametrize(
    ("his", "hers"),
    [("Kowalski", "Kowalska"), ("Wojciechowski", "Wojciechowska"), ("Petrov", "Petrova")],
)
def test_slavic_women_have_the_surname_of_their_men(his, hers):
    for patient in PATIENTS:
        man, woman = values(f"Mr. [[{his}|PATIENT]], Mrs. [[{hers}|PATIENT]]", patient)
        assert woman != man
        assert woman.startswith(man.rstrip("iy"))
        assert woman.endswith("a")
        [alone] = values(f"Mrs. [[{hers}|PATIENT]]", patient)
        assert alone == woman


def test_an_indian_name_with_such_an_ending_is_no_womans():
    man, other = values("Mr. [[Sachdev|PATIENT]], Mr. [[Sachdeva|PATIENT]]", PATIENTS[0])
    assert not other.startswith(man.rstrip("iy"))


def test_user_names_follow_their_person():
    full, user, mail = values(
        "[[Jolene Mercer|DOCTOR]] ([[jmercer2|USERNAME]], [[jolene.mercer@clinic.org|EMAIL]])"
    )
    given, family = full.lower().replace("'", "").split()
    assert user.startswith(given[0] + family)
    assert mail.startswith(f"{given}.{family}@")


@given(st.text(string.ascii_letters + " ,.'-ñé’", min_size=2, max_size=30))
def test_any_written_name_changes_and_keeps_what_is_no_letter(text):
    text = text.strip()
    if not re.search(r"[A-Za-z]{2}", text):
        return
    new = surrogate(text, "PATIENT")
    drop = r"[A-Za-zÀ-ÿ'’]"
    assert re.sub(drop, "", new) == re.sub(drop, "", text)


@pytest.mark.parametrize("patient", PATIENTS[:8])
@pytest.mark.parametrize("name", ["Wen-Ling Chen", "Thanh-Mai Le", "Min-jun Park", "KIM-LY"])
def test_names_of_two_syllables_stay_such_names(name, patient):
    new, again = values(f"[[{name}|PATIENT]] ... [[{name}|PATIENT]]", patient)
    first, second = new.split()[0].split("-")
    known_syllables = {each.lower() for each in words_of("names", "syllables")}
    assert {first.lower(), second.lower()} <= known_syllables
    assert (second.islower(), second.isupper()) == (
        name.split()[0].split("-")[1].islower(),
        name.isupper(),
    )
    assert again == new


@pytest.mark.parametrize(("name", "sex"), [("Anne-Marie Roy", "female")])
def test_both_halves_of_a_double_first_name_are_of_one_sex(name, sex):
    for patient in PATIENTS:
        halves = values(f"[[{name}|PATIENT]]", patient)[0].split()[0].split("-")
        rows = [known("first", half.lower()) for half in halves]
        assert all(row is not None and (row.female >= 0.5) == (sex == "female") for row in rows)


def test_a_ticket_has_the_last_name_first():
    ticket, given = values("[[KOWALCZYK/ANN|PATIENT]], [[Ann|PATIENT]]")
    assert ticket.split("/")[1] == given.upper()


def test_behind_a_title_a_first_name_is_one_if_it_can_hardly_be_another():
    for patient in PATIENTS:
        child, doctor, full = values(
            "Miss [[Abby|DOCTOR]], Dr. [[Thomas|DOCTOR]], Dr. [[John Thomas|DOCTOR]]", patient
        )
        row = known("first", child.lower())
        assert row is not None
        assert row.female > 0.5
        assert full.split()[1] == doctor


def test_a_family_is_that_of_the_name():
    family, all_of_them = values("Mr. [[Kowalski|PATIENT]] and the [[Kowalskis|PATIENT]]")
    assert all_of_them.startswith(family)
    assert all_of_them.endswith("s")


TURNED = ["{last}, {first} A", "{last} {first} A.", "{last}^{first}^A", "{first} A. {last}"]


@pytest.mark.parametrize("patient", PATIENTS[:8])
def test_the_middle_initial_goes_with_the_name(patient):
    forms = [form.format(first="John", last="Smith") for form in TURNED]
    marked = " on 5. ".join(f"[[{form}|PATIENT]]" for form in forms) + " [[JAS|INITIALS]]"
    *new, initials = values(marked, patient)
    first, last = new[3].split()[0], new[3].split()[2]
    middle = new[3].split()[1][0]
    expected = [form.format(first=first, last=last) for form in TURNED]
    assert new == [re.sub(r"\bA\b", middle, form) for form in expected]
    assert initials == first[0] + middle + last[0]


def test_a_title_inside_a_name_is_a_name():
    assert "KUMARI" not in surrogate("LATHA KUMARI AMMA", "PATIENT")
    assert surrogate("Kumari Devi", "PATIENT").startswith("Kumari ")


OTHER_SCRIPTS = [
    ("Иванов Пётр Сергеевич", "CYRILLIC"), ("Мария Иванова", "CYRILLIC"),
    ("ИВАНОВ П. С.", "CYRILLIC"), ("Γιώργος Παπαδόπουλος", "GREEK"), ("محمد علي", "ARABIC"),
    ("דוד כהן", "HEBREW"), ("王小明", "CJK"), ("王 小明", "CJK"), ("김민수", "HANGUL"),
    ("राजेश कुमार", "DEVANAGARI"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "script"), OTHER_SCRIPTS, ids=[n for n, _ in OTHER_SCRIPTS])
def test_names_keep_their_script_and_their_parts(name, script):
    seen = set()
    for patient in PATIENTS:
        new = surrogate(name, "PATIENT", patient)
        seen.add(new)
        assert all(unicodedata.name(char).startswith(script) for char in new if char.isalpha())
        assert len(new.split()) == len(name.split())
        assert name.isupper() == new.isupper()
    assert len(seen) > len(PATIENTS) // 3


def test_russian_endings_stay():
    for patient in PATIENTS:
        last, _, middle = surrogate("Иванова Мария Сергеевна", "PATIENT", patient).split()
        assert last.endswith(("а", "я"))
        assert middle.endswith("на")


def test_kana_in_the_note_tell_japanese_names():
    new = values("[[田中太郎|PATIENT]]さんは", "p1")[0]
    assert len(new) >= 3
    assert new != "田中太郎"


def test_two_people_of_one_name_tell_nothing_of_each_other():
    for patient in PATIENTS:
        new = values(
            "[[Anna Trinh|PATIENT]], husband [[Peter Trinh|PATIENT]]. Mr. [[Trinh|PATIENT]] left.",
            patient,
        )
        assert sex_of(new[0].split()[0]) > 0.5
        assert sex_of(new[1].split()[0]) < 0.5


def test_parts_agree_across_notes_without_memory():
    full = surrogate("Margaret Olsen", "PATIENT")
    assert surrogate("OLSEN, MARGARET", "PATIENT") == ", ".join(reversed(full.upper().split()))
    assert surrogate("M. Olsen", "PATIENT").split()[1] == full.split()[1]


def test_the_surrogate_of_a_name_is_in_its_cell():
    for name in ("Smith", "Young", "Fatima", "Hassan", "Raghunathan", "Kim", "Begay", "Thomas"):
        cell, _ = name_place(name.lower())
        assert len(cell) >= 100
        new = {surrogate(name, "PATIENT", f"patient {i}").lower() for i in range(200)}
        assert all(name_place(fold(each))[0] == cell for each in new)
        assert len(new) > 60


def test_two_names_never_meet_in_one_surrogate():
    cell, _ = name_place("smith")
    new = {surrogate(cell.name(i), "PATIENT") for i in range(len(cell))}
    assert len(new) == len(cell)


def test_every_listed_name_can_appear_and_a_name_may_be_its_own_surrogate():
    cell, _ = name_place("hassan")
    new = [surrogate("Hassan", "PATIENT", f"patient {i}") for i in range(1500)]
    assert {name.lower() for name in new} == {cell.name(i).lower() for i in range(len(cell))}
    assert 2 <= new.count("Hassan") <= 40


def test_every_name_is_in_one_cell():
    """But for two letters that nobody can speak, as "Jr", which no patient should be called."""
    for kind in ("first", "last"):
        assert min(len(cell) for cell in name_cells(kind) if ":either:" not in cell.key) >= 60
    listed = sum(len(cell) for kind in ("first", "last") for cell in name_cells(kind))
    tables = [lexicon().name_table(kind) for kind in ("first", "last")]
    names = {t.key(row) for t in tables for row in range(len(t))}
    apart = {name for name in names if name_place(name) is None}
    assert listed == len(names - apart)
    assert apart == {n for n in names if len(n) == 2 and n != "ng" and not set(n) & set("aeiouy")}


@pytest.mark.parametrize("given", ["Barnaby", "Siegfried", "Hobart", "Casimir"])
def test_a_given_name_that_is_oftener_a_family_name_becomes_one_that_is_both(given):
    new = {surrogate(given, "PATIENT", f"p{i}") for i in range(30)}
    assert all(lexicon().first_name_bearers(name) >= 100 for name in new)
    assert all(lexicon().surname_bearers(name) >= 100 for name in new)


@pytest.mark.parametrize("short", ["Seb", "Zed"])
def test_a_short_name_on_no_list_is_a_name_and_no_initials(short):
    new = {values(f"[[{short} Vail|PATIENT]]", f"p{i}")[0].split()[0] for i in range(8)}
    assert all(re.search("[aeiouy]", name.lower()) for name in new)
    assert max(map(len, new)) > 3


def test_a_name_on_no_list_becomes_one_of_the_rarest():
    assert name_place("xqvenlothari") is None
    new = {surrogate("Xqvenlothari", "PATIENT", f"p{i}") for i in range(60)}
    assert len(new) > 50
    assert all(lexicon().surname_bearers(name) < 2000 for name in new)


def test_origin_stays():
    for name in ("Hernandez", "Nguyen", "Goldberg", "Okonkwo", "Banerjee"):
        origin = lexicon().origin("last", name)
        for patient in PATIENTS:
            assert lexicon().origin("last", surrogate(name, "PATIENT", patient)) == origin


def test_a_name_has_one_image_whatever_a_note_takes_its_bearer_for():
    for patient in PATIENTS:
        assert surrogate("Smith", "PATIENT", patient) == surrogate("Smith", "DOCTOR", patient)


def test_initials_follow_the_name():
    full, initials, one = values(
        "[[Margaret Olsen|PATIENT]], [[MO|INITIALS]], [[M. Olsen|PATIENT]]"
    )
    assert initials == "".join(word[0] for word in full.split())
    assert one == f"{full[0]}. {full.split()[1]}"


@pytest.mark.parametrize("text", ["tk", "pdl", "cms"])
def test_initials_in_small_letters_stay_initials(text):
    new = surrogate(text, "DOCTOR")
    assert len(new) == len(text)
    assert new.islower()


def images(word: str, patients: int) -> list[str]:
    return [surrogate(word, "PATIENT", f"p{n}") for n in range(patients)]


def test_a_frequent_name_may_be_its_own_surrogate():
    # Among a hundred names, the one that never appears would be the original.
    place = name_place("smith")
    assert place
    assert len(place[0]) < 1000
    assert 0 < images("Smith", 1500).count("Smith") < 15


def test_a_rare_name_never_stays():
    place = name_place("quackenbush")
    assert place
    assert len(place[0]) >= 1000
    assert "Quackenbush" not in images("Quackenbush", 300)


def test_no_full_name_stays():
    for n in range(1500):
        [name] = values("[[John Smith|PATIENT]]", f"p{n}") or ["John Smith"]
        given, family = name.split()
        assert given != "John" or family != "Smith"


def test_two_given_names_do_not_both_stay(monkeypatch):
    # As if the permutation had left each word where it was.
    monkeypatch.setattr(names, "name_image", lambda folded, *_, **__: folded.capitalize())
    [name] = values("[[John James|PATIENT]]")
    assert name.startswith("John ")
    assert name != "John James"


@pytest.mark.parametrize("given", ["Shaquandria", "Prayvion", "Xandelle"])
def test_a_given_name_on_no_list_becomes_a_given_name(given):
    assert name_place(fold(given)) is None
    for patient in PATIENTS:
        new = surrogate(f"{given} Smith", "PATIENT", patient).split()[0]
        place = name_place(fold(new))
        assert place
        assert place[0].kind == "first", new
        alone = values(f"[[{given} Smith|PATIENT]] came. [[{given}|PATIENT]] left.", patient)[-1]
        assert alone == new


def test_a_family_name_on_no_list_becomes_a_family_name():
    for patient in PATIENTS:
        place = name_place(fold(surrogate("Ann Quorvath", "PATIENT", patient).split()[1]))
        assert place
        assert place[0].kind == "last"


@pytest.mark.parametrize("half", ["Fen", "Ling", "Mei"])
def test_halves_of_given_names_keep_the_sex(half):
    sex = name_sex(fold(half))
    assert sex
    for patient in PATIENTS:
        [new] = values(f"[[Xiao-{half} Chen|PATIENT]]", patient)
        assert name_sex(fold(re.split("[- ]", new)[1])) == sex, new


@pytest.mark.parametrize("patient", PATIENTS[:10])
def test_the_number_of_an_alias_changes(patient):
    new = surrogate("Zed 8841", "PATIENT", patient)
    assert re.fullmatch(r"[A-Z][\w']+ \d{4}", new)
    assert "8841" not in new


@pytest.mark.parametrize("patient", PATIENTS[:10])
def test_two_small_letters_are_initials(patient):
    assert re.fullmatch("[a-z]{2}", surrogate("av", "DOCTOR", patient))
    assert surrogate("yu", "PATIENT", patient) == surrogate("Yu", "PATIENT", patient).lower()


def test_a_short_form_does_not_become_its_own_long_form():
    for n in range(400):
        assert surrogate("Tim", "PATIENT", f"p{n}") != "Timothy"


@pytest.mark.parametrize("maria", ["M.ª", "Mª"])
def test_the_sign_for_maria_and_a_spanish_title_inside_a_name_stay(maria):
    (new,) = new_values(deid(f"Vista por [[Dra. {maria} Cruz Blanco|DOCTOR]] en consulta."))
    assert new.startswith(f"Dra. {maria} ")
    assert "Cruz" not in new
