from __future__ import annotations

import re
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.transform.conftest import deid, new_values, surrogate

from incognote.core.checkdigits import DEA, DNI, IBAN, LUHN, NHS, NIE, NIR, NPI, VIN, scheme_of
from incognote.transform.numbers.identifiers import Identifiers
from incognote.transform.permutation import Cycle, Permutation

VALID = [
    (NPI, "1234567893"),
    (LUHN, "79927398713"),
    (LUHN, "4111111111111111"),
    (DEA, "AB1234563"),
    (VIN, "1M8GDM9AXKP042788"),
    (VIN, "11111111111111111"),
    (IBAN, "GB82WEST12345698765432"),
    (NHS, "9434765919"),
    (DNI, "12345678Z"),
    (NIE, "X1234567L"),
    (NIR, "294037512000591"),
]


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_known_good_numbers_pass(scheme, value):
    assert scheme.valid(value)


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_one_wrong_digit_fails(scheme, value):
    at = len(value) - 1 if scheme is not VIN else 8
    wrong = "0" if value[at] != "0" else "1"
    assert not scheme.valid(value[:at] + wrong + value[at + 1 :])


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_surrogates_of_valid_numbers_are_valid(scheme, value):
    for patient in "abcdefgh":
        new = surrogate(value, "LICENSE", project=patient)
        assert scheme_of(value).valid(new)


@pytest.mark.parametrize("text", ["ΰ", "ΰ-AA7", "ß12", "ŉ/4", "ﬃ9"])
def test_letters_that_are_several_when_folded_become_one(text):
    new = surrogate(text, "IDNUM")
    assert len(new) == len(text)
    assert not set(new) & {c for c in text if c.isalnum() and not c.isascii()}


def test_layout_and_case_stay_around_check_digits():
    new = surrogate("1234-567-893", "LICENSE")
    assert re.fullmatch(r"[12]\d{3}-\d{3}-\d{3}", new)
    assert NPI.valid(new.replace("-", ""))


def shape(text: str) -> str:
    return "".join(
        "9" if char.isdigit() else "A" if char.isupper() else "a" if char.islower() else char
        for char in text
    )


ids = st.text(string.ascii_letters + string.digits + "-/ .", min_size=4, max_size=24).filter(
    lambda t: (
        sum(c.isdigit() for c in t) >= 4
        and t.strip() == t
        and not re.search(r"\.[A-Za-z]{2,4}$", t)
    )
)


@given(ids, st.sampled_from(["MEDICALRECORD", "ACCOUNT", "DEVICE", "IDNUM", "HEALTHPLAN"]))
def test_classes_separators_and_length_stay(text, label):
    assume(not re.fullmatch("[0-9A-F]{16,}", re.sub(r"[\W_]", "", text.upper())))  # maybe a hash
    new = surrogate(text, label)
    assert shape(new) == shape(text)
    first = next(c for c in text if c.isdigit())
    assert (next(c for c in new if c.isdigit()) == "0") == (first == "0")


@given(st.from_regex(r"[0-9]{3}-[0-9]{2}-[0-9]{4}", fullmatch=True))
def test_ssns_are_never_issued_ones(text):
    new = surrogate(text, "SSN")
    area, group, serial = new.split("-")
    assert "900" <= area <= "999"
    assert int(group) in {*range(1, 50), *range(66, 70), 89, 93}
    assert serial != "0000"
    assert new != text


@pytest.mark.parametrize("text", ["xxx-xx-1234", "***-**-0042", "XXX-XX-9981"])
def test_masked_ssns_stay_masked(text):
    new = surrogate(text, "SSN")
    assert new[:7] == text[:7]
    assert new[7:].isdigit()


def test_a_number_is_one_number_in_any_layout_and_under_any_label():
    new = new_values(
        deid("[[0556-2210|MEDICALRECORD]] is [[05562210|IDNUM]], [[0556 2210|ACCOUNT]]")
    )
    assert len({re.sub(r"\D", "", value) for value in new}) == 1


def test_oh_alone_is_no_digit_that_was_said():
    """Ohio, or two letters of a code; "zero" would tell nobody's state."""
    assert len(surrogate("OH", "IDNUM")) == 2
    assert surrogate("OH", "IDNUM").isupper()


def test_said_digits_are_said_digits():
    new = surrogate("one oh seven two", "MEDICALRECORD")
    assert new != "one oh seven two"
    assert len(new.split()) == 4


def test_ids_of_one_length_stay_unique():
    """Two hundred notes numbered from 1 have two hundred numbers afterwards."""
    new = [surrogate(str(n), "IDNUM", f"p{n}") for n in range(1, 1201)]
    assert len(set(new)) == 1200
    assert [len(value) for value in new] == [len(str(n)) for n in range(1, 1201)]
    # A permutation that could never leave a number where it is would tell what it is not.
    assert any(value == str(n) for n, value in enumerate(new, 1))


def test_ids_join_over_patients_labels_and_layouts():
    assert surrogate("100234", "IDNUM", "p1") == surrogate("100234", "MEDICALRECORD", "p2")
    assert surrogate("100-234", "IDNUM", "p1").replace("-", "") == surrogate("100234", "IDNUM")


def test_a_project_and_a_patient_may_have_a_map_of_their_own():
    own = {"numbers": "patient"}
    assert surrogate("100234", "IDNUM", "p1", **own) != surrogate("100234", "IDNUM", "p2", **own)
    assert surrogate("100234", "IDNUM", project="a") != surrogate("100234", "IDNUM", project="b")


UIDS = [
    "1.2.840.113619.2.55.3.2831868886.264.1200000000.512",
    "1.3.6.1.4.1.14519.5.2.1.1706.4001.2149.1234",
    "2.25.329800735698586629295641978511506172918",
]


@pytest.mark.parametrize("uid", UIDS)
def test_uids_stay_valid_uids_and_are_one_in_every_format(uid):
    new = surrogate(uid, "IDNUM")
    assert new != uid
    assert new[:5] == uid[:5] or not uid.startswith("2.25.")
    assert re.fullmatch(r"[0-2](\.(0|[1-9]\d*))+", new)
    assert [len(arc) for arc in new.split(".")] == [len(arc) for arc in uid.split(".")]
    assert surrogate(f"urn:oid:{uid}", "IDNUM", "p2") == f"urn:oid:{new}"


def test_uids_of_standards_name_nobody():
    for uid in ("1.2.840.10008.5.1.4.1.1.2", "2.16.840.1.113883.6.1"):
        assert surrogate(uid, "IDNUM") == uid


@pytest.mark.parametrize("version", "145")
def test_uuids_stay_uuids(version):
    uuid = f"3f2504e0-4f89-{version}1d3-9a0c-0305e82c3301"
    new = surrogate(uuid, "IDNUM")
    assert re.fullmatch(
        rf"[0-9a-f]{{8}}-[0-9a-f]{{4}}-{version}[0-9a-f]{{3}}-9[0-9a-f]{{3}}-[0-9a-f]{{12}}", new
    )
    assert surrogate(f"urn:uuid:{uuid}", "IDNUM", "p2") == f"urn:uuid:{new}"
    assert surrogate(f"{{{uuid.upper()}}}", "IDNUM") == f"{{{new.upper()}}}"


@pytest.mark.parametrize(
    ("value", "prefix"),
    [
        ("4111 1111 1111 1111", "4"),
        ("5500-0000-0000-0004", "55"),
        ("378282246310005", "37"),
        ("6011111111111117", "6011"),
    ],
)
def test_cards_keep_their_brand(value, prefix):
    for other in range(8):
        new = surrogate(value, "ACCOUNT", project=f"project {other}")
        assert new.startswith(prefix)
        assert LUHN.valid(re.sub(r"\D", "", new))


def test_bank_codes_keep_their_country():
    assert re.fullmatch(r"[A-Z]{4}DE[A-Z]{2}\d{3}", surrogate("DEUTDEFF500", "ACCOUNT"))
    assert surrogate("GB82 WEST 1234 5698 7654 32", "ACCOUNT").startswith("GB")


def test_medicare_numbers_keep_their_form():
    letters = "[AC-HJKMNP-RT-Y]"
    form = (
        f"[1-9]{letters}[AC-HJKMNP-RT-Y0-9]\\d-{letters}[AC-HJKMNP-RT-Y0-9]\\d-{letters}{{2}}\\d\\d"
    )
    assert re.fullmatch(form, surrogate("1EG4-TE5-MK73", "HEALTHPLAN"))


def test_words_that_say_what_a_number_is_stay():
    assert re.fullmatch(r"MRN[1-9]\d{5}", surrogate("MRN214337", "MEDICALRECORD"))
    assert surrogate("MRN214337", "MEDICALRECORD")[3:] != "214337"


def test_nothing_but_zeros_is_a_placeholder():
    assert surrogate("000000", "MEDICALRECORD") == "000000"


@given(st.integers(1, 10**6), st.binary(min_size=16, max_size=16))
def test_a_permutation_is_one_to_one(size, key):
    permutation = Permutation(key, size)
    some = range(0, size, max(1, size // 200))
    assert len({permutation(n) for n in some}) == len(some)
    assert all(0 <= permutation(n) < size for n in some)


@pytest.mark.parametrize("size", [1, 2, 9, 64, 65, 100, 1000, 1009])
def test_small_permutations_are_whole(size):
    permutation = Permutation(b"a key of sixteen", size)
    assert sorted(map(permutation, range(size))) == list(range(size))
    assert all(permutation.source(permutation(n)) == n for n in range(size))


@pytest.mark.parametrize("size", [2, 9, 64, 65, 100, 1009])
def test_a_cycle_is_one_to_one_and_leaves_nothing_where_it_was(size):
    cycle = Cycle(b"a key of sixteen", size)
    assert sorted(map(cycle, range(size))) == list(range(size))
    assert all(cycle(n) != n for n in range(size))


def test_french_social_security_numbers_stay_such_numbers():
    # One in ten passes the check of a card, too.
    luhn = next(
        value for n in range(9999) if LUHN.valid(value := NIR.repair(f"294037512{n:04d}00"))
    )
    new = Identifiers(b"k" * 32)(luhn)
    assert new != luhn
    assert new[0] == "2"
    assert 1 <= int(new[3:5]) <= 12
    assert NIR.valid(new)


def test_a_number_with_a_check_letter_is_no_hash():
    assert re.fullmatch(r"\d{15}[A-Z]", surrogate("428190557316402A", "MEDICALRECORD"))
