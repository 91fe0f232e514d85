"""JSON: every value by its key and path, keys where the policy says so, files in base64."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.kit.planted import left_over

from incognote.core.types import Failure
from incognote.formats.embedded import is_base64_file
from incognote.formats.json.scan import leaves, parse
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
LONG_B64 = base64.b64encode(b"Seen with Quillon, who is well. " * 20).decode()
CORNERS = {
    "base64 for addresses": ("x.json", json.dumps({"scan": LONG_B64.replace("+", "-").replace("/", "_").rstrip("=")})),
    "base64 anywhere": ("x.json", json.dumps({"scan": LONG_B64})),
    "data uri": ("x.json", json.dumps({"scan": "data:text/plain;base64," + LONG_B64})),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [(LONG_B64, True), ("ACGT" * 100, False), ("0123456789abcdef" * 40, False), ("word " * 99, False)],
    ids=["base64", "bases", "hexadecimal", "words"],
)  # fmt: skip
def test_what_counts_as_a_file_in_base64(text, expected):
    assert is_base64_file(text) is expected


def test_keys_are_read_where_the_policy_says_so():
    data = b'{"Quillon": {"steps": 5}}'
    assert unchanged(data, "x.json", FormatRules(keys=True)) == data
    assert masked(data, "x.json", [NAME]) == data
    out = masked(data, "x.json", [NAME], FormatRules(keys=True))
    assert json.loads(out) == {"[PATIENT]": {"steps": 5}}


def test_keys_give_context():
    found = documents(b'{"seenWith": "Ann", "ward_phone": "none", "n": 123456}', "x.json")
    assert [d.text for d in found] == ["seen With: Ann", "n: 123456"]


def test_keys_that_say_what_they_hold():
    found = documents(b'{"patientName": "Ann", "visit": {"mrn": 12345}}', "x.json")
    assert [(d.text, d.given[0].label) for d in found] == [
        ("Ann", "PATIENT"),
        ("12345", "MEDICALRECORD"),
    ]


def test_items_of_a_list_know_of_themselves_and_of_what_is_above():
    rows = [{"mrn": f"{n}", "note": f"note {n}"} for n in range(2)]
    data = json.dumps({"hospital": "Fenwick", "rows": rows}).encode()
    known = {d.text: d.known for d in documents(data, "x.json") if d.free_text}
    assert known == {
        f"note: note {n}": (("MEDICALRECORD", f"{n}"), ("HOSPITAL", "Fenwick")) for n in range(2)
    }


def test_a_masked_number_stays_valid_json():
    out = masked(b'{"mrn": 12345}', "x.json", [])
    assert json.loads(out) == {"mrn": "[MEDICALRECORD]"}


def test_deep_nesting_is_refused():
    (outcome,) = read(b"[" * 100_000 + b"]" * 100_000, "x.json")
    assert isinstance(outcome, Failure)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES, st.sampled_from([None, 2]), st.booleans())
def test_the_scanner_finds_every_leaf_where_it_stands(value, indent, ascii_only):
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    tree = parse(raw)
    found = leaves(raw)
    for leaf in found:
        assert json.loads(raw[leaf.start : leaf.end]) == leaf.value
        node = tree
        for step in leaf.path:
            node = node[step]
        assert node == leaf.value
    assert len(found) == _count(tree)


def _count(value) -> int:
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list):
        return sum(map(_count, value))
    return isinstance(value, str | int | float) and not isinstance(value, bool)


@pytest.mark.parametrize("stamp", ["2021-11-23T10:22:00Z", "2021-11-23 10:22"])
def test_a_stamp_is_a_date_whatever_its_key_is_called(stamp):
    (document,) = documents(json.dumps({"admitted": stamp}).encode(), "x.json")
    assert [(span.label, document.text) for span in document.given] == [("DATE", "2021-11-23")]
