"""Misread characters of scanned notes are put right for the rules, one for one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.core.types import Document, View
from incognote.detect.patterns import PatternDetector
from incognote.detect.scans import legible
from incognote.policy import PrepareRules
from incognote.prepare import prepare

SCAN = "D.O.B. O4/l2/1937  Ph 74O-555-O155  Adm l0/O2/2O21\n"


def view_of(text: str) -> View:
    (view,) = prepare(Document("scan", text), PrepareRules())
    return view


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("O4/l2/1937", "04/12/1937"),
        ("74O-555-O155", "740-555-0155"),
        ("Maeve Ga11agher", "Maeve Gallagher"),
        ("YARBR0UGH", "YARBROUGH"),
        ("norma1 exam", "normal exam"),
        ("O2 sat 94", "O2 sat 94"),
        ("lisinopril 10", "lisinopril 10"),
        ("Il nodo", "Il nodo"),
    ],
)
def test_a_scan_reads_as_it_was_meant(written: str, meant: str) -> None:
    assert legible(view_of(SCAN + written)).text.endswith(meant)


@pytest.mark.parametrize(
    "clean", ["O2 at 2l NC, A1c 7.1, B12 low.", "Ga11agher is one slip.", "T1c N0 M0, p16 pos"]
)
def test_a_clean_note_is_left_alone(clean: str) -> None:
    view = view_of(clean)
    assert legible(view) is view


def test_what_a_scan_hides_is_found_where_it_stands() -> None:
    (spans,) = PatternDetector().detect([view_of(SCAN)])
    found = {SCAN[span.start : span.end]: span.label for span in spans}
    assert found == {"O4/l2/1937": "DATE", "74O-555-O155": "PHONE", "l0/O2/2O21": "DATE"}


@given(st.text(alphabet="O0l1I|/-. aBc9\n", max_size=80))
@settings(max_examples=150, deadline=None)
def test_offsets_and_tokens_stay_true(text: str) -> None:
    before = view_of(SCAN + text)
    after = legible(before)
    assert len(after.text) == len(after.cased) == len(before.text)
    ends = [0, *after.tokens.ends]
    for start, end, last in zip(after.tokens.starts, after.tokens.ends, ends, strict=False):
        assert last <= start < end <= len(after.text)
    covered = {at for s, e in zip(after.tokens.starts, after.tokens.ends, strict=True)
               for at in range(s, e)}  # fmt: skip
    assert covered == {
        at
        for s, e in zip(before.tokens.starts, before.tokens.ends, strict=True)
        for at in range(s, e)
    }
