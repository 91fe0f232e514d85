from __future__ import annotations

import ipaddress
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transform.conftest import deid, new_values, surrogate

from incognote.transform.word_data import table_of


def layout(text: str) -> str:
    return re.sub(r"\d", "9", text)


PHONES = ["(617) 555-0123", "617-555-0123", "617.555.0123", "1-800-555-0111", "+1 617 555 0123",
          "6175550123", "555-0123", "617-726-2000 ext. 42", "x4410", "2-9981", "6127",
          "+44 20 7946 0018", "01632 960 983"]  # fmt: skip


@pytest.mark.parametrize("text", PHONES)
@pytest.mark.parametrize("label", ["PHONE", "FAX"])
def test_phones_keep_their_layout(text, label):
    for patient in "abcdefghij":
        new = surrogate(text, label, patient)
        assert layout(new) == layout(text)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("jane.roe@partners.org", r"[a-z]+\.[a-z]+@[a-z]+\.example"),
        ("records@clinic.co.uk", r"records@[a-z]+\.example"),
        ("jroe77@mail.hospital.edu", r"[a-z]+\d\d@mail\.[a-z]+\.example"),
    ],
)
def test_mail_keeps_its_shape_under_a_reserved_domain(text, form):
    assert re.fullmatch(form, surrogate(text, "EMAIL"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("www.lakeviewclinic.com", r"www\.[a-z]+\.example"),
        (
            "https://portal.lakeview.org/patients/8812",
            r"https://portal\.[a-z]+\.example/patients/\d{4}",
        ),
        ("lakeview.health/visit", r"[a-z]+\.example/visit"),
        ("http://lakeview.example", r"http://[a-z]+\.example"),
    ],
)
def test_urls_keep_their_shape_under_a_reserved_domain(text, form):
    assert re.fullmatch(form, surrogate(text, "URL"))


_V4 = [
    ipaddress.ip_network(n)
    for n in ("198.18.0.0/15", "10.0.0.0/8", "192.168.0.0/16", "127.0.0.0/8")
]
_V6 = ipaddress.ip_network("2001:db8::/32")


@pytest.mark.parametrize("text", ["2601:44c:8100:77::1e", "fe80:1:2:3:4:5:6:7", "2001:DB8::FF"])
def test_ipv6_lies_in_the_documentation_range(text):
    new = surrogate(text, "IPADDR")
    assert ipaddress.ip_address(new) in _V6
    assert [len(g) for g in new.split(":")][2:] == [len(g) for g in text.split(":")][2:]
    assert new.isupper() == text.isupper()


@pytest.mark.parametrize("text", ["jw/tr", "EWH:klb", "MF57", "jsmith2", "ab"])
def test_user_names_keep_their_pattern(text):
    new = surrogate(text, "USERNAME")
    assert [(c.isalpha(), c.isdigit(), c.isupper()) for c in new] == [
        (c.isalpha(), c.isdigit(), c.isupper()) for c in text
    ]
    assert new != text


@pytest.mark.parametrize("text", ["fe80::1", "::1", "2001:4860:4860::8888", "fe80:0:0:0:1:2:3:4"])
def test_every_ipv6_address_lies_in_the_documentation_range(text):
    for i in range(20):
        new = ipaddress.ip_address(surrogate(text, "IPADDR", f"p{i}"))
        assert new in ipaddress.ip_network("2001:db8::/32")


@pytest.mark.parametrize(
    ("text", "form"),
    [("313-555-0129 #8071", r"[2-9]\d\d-[2-9]\d\d-\d{4} #\d{4}"),
     ("250-555-0109 local 12", r"[2-9]\d\d-[2-9]\d\d-\d{4} local \d\d"),
     ("617-726-2000 ext. 14", r"[2-9]\d\d-[2-9]\d\d-\d{4} ext\. \d\d")],
)  # fmt: skip
def test_extensions_are_numbers_of_their_own(text, form):
    assert re.fullmatch(form, surrogate(text, "PHONE"))


def test_hosts_read_as_institutions():
    new = surrogate("records@copperbasinclinic.org", "EMAIL")
    assert re.fullmatch(r"records@[a-z]+clinic\.example", new)


@pytest.mark.parametrize("patient", "abcdefgh")
def test_numbers_of_one_town_share_their_area_code(patient):
    here, near, far = new_values(
        deid("[[508-555-0117|PHONE]] [[(508) 555-0134|FAX]] [[701-555-0117|PHONE]]", patient)
    )
    assert here[:3] == near[1:4]
    assert (here[:3], far[:3]) != ("508", "701")


@pytest.mark.parametrize(
    ("text", "front"), [("07911 123456", "07700 900"), ("01743 492817", "01632 960")]
)
def test_british_numbers_are_fictional(text, front):
    assert surrogate(text, "PHONE", phones="fictional").startswith(front)


def test_an_address_of_somebody_with_the_same_last_name_has_a_first_name():
    marked = (
        "[[Ada Winslow|PATIENT]], son [[Emmett|PATIENT]], [[emmett.winslow@mail.example|EMAIL]]"
    )
    who, son, address = new_values(deid(marked))
    assert address.startswith(f"{son}.{who.split()[1]}@".lower())


def test_the_path_of_an_address_follows_its_person():
    who, where = new_values(deid("[[Robin Castillo|DOCTOR]], [[www.mindwell.com/rcastillo|URL]]"))
    first, last = who.lower().split()
    assert where.endswith(f"/{first[0]}{last}")


@given(st.ip_addresses(v=4))
def test_ipv4_is_nobodys(address):
    new = ipaddress.ip_address(surrogate(str(address), "IPADDR"))
    assert any(new in network for network in _V4)
    assert not address.is_private or address in _V4[0] or new.is_private


def test_hardware_addresses_are_unique_and_nobodys():
    labels = {"MAC": "surrogate"}
    new = {surrogate(f"A4:83:E7:12:9B:{n:02X}", "MAC", labels=labels) for n in range(256)}
    assert len(new) == 256
    assert all(re.fullmatch(r"[0-9A-F][26AE](:[0-9A-F]{2}){5}", each) for each in new)


def test_numbers_of_a_network_card_lose_its_name():
    assert re.fullmatch(r"2001:db8:[:0-9a-f]+%0", surrogate("fe80::1%eth1", "IPADDR"))


def test_the_area_code_is_one_of_the_surrogate_state():
    for patient in "abcdefgh":
        state, number = new_values(deid("[[OH|STATE]], [[614-292-5000|PHONE]]", patient))
        assert number[:3] in table_of("contacts")["area_codes"][state].split()


def test_numbers_stay_apart():
    new = {surrogate(f"614-292-{n:04d}", "PHONE") for n in range(5000, 5300)}
    assert len(new) == 300
    assert not any("-555-" in each for each in new)


def test_the_fictional_range_is_an_option():
    new = surrogate("614-292-5000", "PHONE", phones="fictional")
    assert re.fullmatch(r"[2-9]\d\d-555-01\d\d", new)


def test_lines_that_everybody_knows_stay():
    for line in ("911", "988"):
        assert surrogate(line, "PHONE") == line


def test_the_country_of_a_number_is_that_of_the_text():
    codes = {"United Kingdom": "44", "Germany": "49", "Spain": "34", "India": "91"}
    for patient in "abcdefghijklmnop":
        _, country, number = new_values(
            deid("[[Leeds|CITY]], [[United Kingdom|COUNTRY]], [[+44 113 496 0000|PHONE]]", patient)
        )
        if country in codes:
            assert number.startswith(f"+{codes[country]}")


def test_an_address_follows_a_name_with_a_particle():
    text = "[[Ruth van Houten|PATIENT]], [[ruth.vanhouten@mail.com|EMAIL]]"
    name, address = new_values(deid(text))
    given, _, family = name.lower().split()
    assert address == f"{given}.van{family}@mail.example"


@pytest.mark.parametrize("local", ["alee", "ann.lee", "alee3"])
def test_an_address_follows_a_short_name(local):
    name, address = new_values(deid(f"[[Ann Lee|DOCTOR]], [[{local}@mail.org|EMAIL]]"))
    given, family = name.lower().replace("'", "").split()
    head = given + "." if "." in local else given[0]
    assert re.fullmatch(rf"{head}{family}\d?@mail\.example", address)
