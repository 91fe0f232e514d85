from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transform.conftest import deid, new_values

from incognote.transform.leaks.canonical import canonical

HIDDEN = [
    ("zero-width", "Kowal\u200bczyk"),
    ("joiner", "K\u2060owalczyk"),
    ("soft-hyphen", "Kowal\u00adczyk"),
    ("combining", "Kow\u0301alczyk\u0308"),
    ("full-width", "Ｋｏｗａｌｃｚｙｋ"),
    ("bold", "𝐊𝐨𝐰𝐚𝐥𝐜𝐳𝐲𝐤"),
    ("direction-mark", "\u202aKowalczyk\u202c"),
    ("spaced", "K O W A L C Z Y K"),
    ("spaced-small", "k o w a l c z y k"),
    ("hyphened", "K-o-w-a-l-c-z-y-k"),
    ("with-first-name", "A n n a  K o w a l c z y k"),
    ("run-together", "a n n a k o w a l c z y k"),
]


@pytest.mark.parametrize("written", [w for _, w in HIDDEN], ids=[name for name, _ in HIDDEN])
@pytest.mark.parametrize("around", ["Told {} twice.", "{}", "(é) {}, fi\ufb01"])
def test_an_original_is_found_however_it_is_written(written, around):
    result = deid(f"[[Anna Kowalczyk|PATIENT]] came. {around.format(written)}")
    plain = "".join(filter(str.isalpha, canonical(result.text).folded))
    assert "kowalczyk" not in plain
    assert any("leak-check" in span.sources for span in result.spans)


def test_accents_do_not_hide():
    result = deid("[[Inés Núñez-Balderrama|PATIENT]] came. Told Balderramá, Nunez.")
    assert "balderram" not in canonical(result.text).folded
    assert "nunez" not in canonical(result.text).folded


HARMLESS = [
    "[[Mary Charge|PATIENT]]\nD I S C H A R G E   S U M M A R Y",
    "[[Ann Otter|PATIENT]] R O M: full. G C S 15. A B C",
    "[[Lee Anders|DOCTOR]] V. A. C. dressing",
]


@pytest.mark.parametrize("marked", HARMLESS)
def test_headings_letter_by_letter_stay(marked):
    text = marked.partition("]]")[2]
    assert deid(marked).text.endswith(text)


SPELLED = [
    ("L O P E Z", r"[A-Z](?: [A-Z])+"),
    ("l o p e z", r"[a-z](?: [a-z])+"),
    ("L-o-p-e-z", r"[A-Z](?:-[a-z])+"),
    ("J o h n  L o p e z", r"[A-Z](?: [a-z])+  [A-Z](?: [a-z])+"),
]


@pytest.mark.parametrize(("spaced", "form"), SPELLED, ids=[s for s, _ in SPELLED])
def test_a_name_letter_by_letter_becomes_one(spaced, form):
    for patient in map(str, range(12)):
        whole, new = new_values(deid(f"[[John Lopez|PATIENT]] [[{spaced}|PATIENT]]", patient))
        assert re.fullmatch(form, new)
        letters = re.sub(r"[\s-]", "", new).lower()
        assert letters in (whole.replace(" ", "").lower(), whole.split()[1].lower())


@given(st.text(max_size=60))
def test_places_lie_in_the_source_and_in_order(text):
    read = canonical(text)
    assert len(read.cased) == len(read.folded)
    ends = [read.place(at, at + 1) for at in range(len(read.folded))]
    assert all(0 <= start < end <= len(text) for start, end in ends)
    assert [start for start, _ in ends] == sorted(start for start, _ in ends)


no_hangul = st.characters(codec="utf-8").filter(lambda char: not "\uac00" <= char <= "\ud7a3")


@given(st.text(no_hangul, max_size=40))
def test_equal_texts_are_read_alike(text):
    nfd = unicodedata.normalize("NFD", text)
    nfc = unicodedata.normalize("NFC", text)
    assert canonical(nfd).folded == canonical(nfc).folded
