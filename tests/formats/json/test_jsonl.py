"""JSON Lines: only the literals that change are rewritten, and bad rows do not stop good ones."""

from __future__ import annotations

import codecs
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.kit.rewriting import NEW, one_row_is_refused, only_the_name_changes, rewrite
from tests.texts import characters

from incognote.core.types import Span
from incognote.formats.json.lines import JsonLinesFormat
from incognote.policy import FormatRules

ROWS = {
    "plain": b'{"id": "1", "text": "Smith"}\n',
    "spacing and order": b'{ "text" :"Smith",\t"z":1.50,"id":7 }\r\n',
    "numbers as written": b'{"text": "Smith", "n": 1e5, "m": 100000000000000000000.10}',
    "escapes elsewhere": b'{"text": "Smith", "other": "\\u00e9\\/"}\n',
    "nested elsewhere": b'{"text": "Smith", "o": {"text": "a", "l": [1, {"b": null}]}}\n',
    "mark": codecs.BOM_UTF8 + b'{"text": "Smith"}\n',
    "utf-16": codecs.BOM_UTF16_LE + '{"text": "Señor Smith"}\r\n'.encode("utf-16-le"),
    "latin-1": '{"text": "Señor Smith"}\n'.encode("latin-1"),
    "blank lines": b'\n{"text": "Smith"}\n\n',
    "no line end": b'{"text": "Smith"}',
}


@pytest.mark.parametrize("data", ROWS.values(), ids=ROWS)
def test_only_the_literal_changes(data: bytes) -> None:
    only_the_name_changes(JsonLinesFormat(), data)


def test_new_characters_are_escaped_where_the_line_was_ascii() -> None:
    out = rewrite(JsonLinesFormat(), b'{"text": "Smith"}\n')
    assert out.data.isascii()
    assert json.loads(out.data)["text"] == NEW
    raw = rewrite(JsonLinesFormat(), '{"text": "é Smith"}\n'.encode())
    assert NEW.encode() in raw.data


def test_row_ids_patients_and_meta() -> None:
    rows = b'{"id": 7, "patient_id": "P1", "note_type": "ED", "text": "a"}\n{"text": "b"}\n'
    rules = FormatRules(labels={"id": "keep", "patient_id": "keep"})
    first, second = rewrite(JsonLinesFormat(), rows, rules).documents
    assert (first.id, first.patient_id, first.meta["note_type"]) == ("7", "P1", "ED")
    assert (second.id, second.patient_id) == ("file:2", None)
    assert "text" not in first.meta


def test_fields_that_are_phi_as_a_whole() -> None:
    rules = FormatRules(text=("note",), labels={"author": "DOCTOR", "id": "keep"})
    row = b'{"note": "seen", "author": "Smith", "id": "x"}\n'
    note, author = rewrite(JsonLinesFormat(), row, rules).documents
    assert (note.free_text, author.free_text) == (True, False)
    assert author.given == (Span(0, 5, "DOCTOR"),)
    assert note.id == author.id == "x"
    assert note.locator != author.locator


@pytest.mark.parametrize("text", ["null", '""'])
def test_a_row_without_a_note_is_a_document_and_stays(text: str) -> None:
    data = f'{{"id": "1", "text": {text}}}\n'.encode()
    out = rewrite(JsonLinesFormat(), data, FormatRules(labels={"id": "keep"}))
    assert out.texts == [""]
    assert out.data == data


BAD = {
    "not JSON": (b'{"text": "Smith"', "not valid JSON"),
    "not an object": (b'["Smith"]', "not a JSON object"),
    "two objects": (b'{"text": "Smith"} {"text": "Smith"}', "not valid JSON"),
    "single quotes": (b"{'text': 'Smith'}", "not valid JSON"),
    "trailing comma": (b'{"text": "Smith",}', "not valid JSON"),
    "raw control character": (b'{"text": "Smith\tx"}', "not valid JSON"),
    "text is a number": (b'{"text": 5}', "not a string"),
    "text is a list": (b'{"text": ["Smith"]}', "not a string"),
    "text twice": (b'{"text": "Smith", "text": "Smith"}', "twice"),
    "NUL": (b'{"id": "1", "text": "Smith\\u0000"}', "NUL"),
    "lone surrogate": (b'{"id": "1", "text": "Smith \\ud800"}', "surrogate"),
    "mixed encodings": ("{'text': 'é ".encode() + b"\xe9 Smith'}", "mixed"),
    "number too long": (b'{"text": "Smith", "n": ' + b"9" * 5000 + b"}", "not valid JSON"),
    "nested too deeply": (b'{"text": "Smith", "n": ' + b"[" * 100_000 + b"}", "nested"),
}


@pytest.mark.parametrize(("row", "reason"), BAD.values(), ids=BAD)
def test_a_bad_row_is_refused_and_its_neighbours_are_not(row: bytes, reason: str) -> None:
    before, after = b'{"id": "before", "text": "a"}\n', b'{"id": "after", "text": "b"}\n'
    one_row_is_refused(JsonLinesFormat(), before, row + b"\n", after, reason)


def test_a_refused_row_keeps_its_id_where_the_policy_does() -> None:
    row = b'{"id": "n-7", "text": "\\u0000"}'
    (failure,) = rewrite(JsonLinesFormat(), row).failures
    assert failure.document_id == "file:1"
    (failure,) = rewrite(JsonLinesFormat(), row, FormatRules(labels={"id": "keep"})).failures
    assert failure.document_id == "n-7"


def test_a_field_the_user_named_must_be_there() -> None:
    rules = FormatRules(patient="mrn")
    (failure,) = rewrite(JsonLinesFormat(), b'{"text": "a", "patient_id": "1"}', rules).failures
    assert "'mrn'" in failure.message
    rules = FormatRules(text=("note",))
    (failure,) = rewrite(JsonLinesFormat(), b'{"text": "a"}', rules).failures
    assert "'note'" in failure.message


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"a": 1}\n{"a": 2}\n', True),
        (b'\xef\xbb\xbf{"a": 1}\n', True),
        (b'{"a": "a very long row', True),
        (b'{\n  "a": 1\n}\n', False),
        (b"Seen by {team}\n", False),
        (b"", False),
    ],
)
def test_sniff(head: bytes, expected: bool) -> None:
    assert JsonLinesFormat().sniff(head) is expected


_TEXT = st.text(characters(exclude="\0"))
# No name of a field that means something, such as "id".
_KEY = st.text(characters(exclude=string.ascii_letters))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEY, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(_KEY, _VALUES, max_size=4), _TEXT, st.booleans())
def test_any_object_keeps_everything_but_its_text(row: dict, text: str, escape: bool) -> None:
    row = {**row, "text": text}
    data = json.dumps(row, ensure_ascii=escape).encode()
    untouched = rewrite(JsonLinesFormat(), data, old="\0")
    assert not untouched.failures
    assert untouched.data == data
    rules = FormatRules(unnamed="keep")
    out = rewrite(JsonLinesFormat(), data, rules, old=text or "\0", new='\u2028é"\\\n')
    assert out.texts == [text]
    assert {**json.loads(out.data), "text": text} == row
