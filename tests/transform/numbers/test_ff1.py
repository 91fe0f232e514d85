"""FF1 against the samples that NIST published with SP 800-38G, and the transform built on it."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.transform.conftest import KEY, surrogate

from incognote.core.errors import UsageError
from incognote.transform.numbers.ff1 import FF1
from incognote.transform.numbers.fpe import Cipher, long_enough

pytest.importorskip("cryptography")

_KEY = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94")
_DIGITS = string.digits + string.ascii_lowercase
_TWEAK = "39383736353433323130"
_TWEAK_36 = "3737373770717273373737"

SAMPLES = [
    (16, 10, "", "0123456789", "2433477484"),
    (16, 10, _TWEAK, "0123456789", "6124200773"),
    (16, 36, _TWEAK_36, "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, "", "0123456789", "2830668132"),
    (24, 10, _TWEAK, "0123456789", "2496655549"),
    (24, 36, _TWEAK_36, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, "", "0123456789", "6657667009"),
    (32, 10, _TWEAK, "0123456789", "1001623463"),
    (32, 36, _TWEAK_36, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
]


@pytest.mark.parametrize(
    ("size", "radix", "tweak", "plain", "sealed"),
    SAMPLES,
    ids=[f"sample-{i + 1}" for i in range(9)],
)
def test_published_samples(size, radix, tweak, plain, sealed):
    cipher = FF1(_KEY[:size], radix)
    numerals = [_DIGITS.index(char) for char in plain]
    out = cipher.encrypt(numerals, bytes.fromhex(tweak))
    assert "".join(_DIGITS[n] for n in out) == sealed
    assert cipher.decrypt(out, bytes.fromhex(tweak)) == numerals


def test_too_few_possible_values_are_refused():
    with pytest.raises(UsageError):
        FF1(_KEY[:16], 10).encrypt([1, 2, 3, 4, 5])


@given(st.text(string.ascii_letters + string.digits + "-/ ", min_size=6, max_size=20))
def test_codes_keep_their_shape_and_come_back(text):
    assume(long_enough(text))
    cipher = Cipher(KEY, "IDNUM")
    sealed = cipher.encrypt(text)
    assert cipher.decrypt(sealed) == text
    for old, new in zip(text, sealed, strict=True):
        assert (old.isdigit(), old.isupper(), old.islower()) == (
            new.isdigit(),
            new.isupper(),
            new.islower(),
        )


def test_the_transform_is_reversible_and_the_same_for_every_patient():
    labels = {"MEDICALRECORD": "fpe"}
    first = surrogate("AB-004417-X", "MEDICALRECORD", "p1", labels=labels)
    assert first == surrogate("AB-004417-X", "MEDICALRECORD", "p2", labels=labels)
    assert Cipher(KEY, "MEDICALRECORD").decrypt(first) == "AB-004417-X"
