"""Views: what detectors read maps back to what the document says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.texts import characters

from incognote.core.types import Document, Span, Tokens
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.prepare.fold import fold
from incognote.prepare.lines import unwrap, windows
from incognote.prepare.sentences import split_sentences
from incognote.prepare.tokens import tokenize

_TEXT = st.text(
    st.one_of(
        st.sampled_from("aZé -\n\r\t.'’ﬁß\u00ad\u0301\u200b“1"),
        characters(),
    ),
    max_size=200,
)


def _words(text):
    tokens = tokenize(text)
    return [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]


@given(_TEXT)
@example("Garc\u0301ia and Smi-\nth")
def test_every_token_maps_back_in_order(text):
    for view in prepare(Document("d", text), PrepareRules(window=50)):
        at = 0
        for start, end in zip(view.tokens.starts, view.tokens.ends, strict=True):
            span = view.to_source(Span(start, end, "DATE"))
            assert 0 <= span.start < span.end <= len(text)
            assert span.start >= at or view.text[start:end] != text[span.start : span.end]
            at = max(at, span.start)


@given(_TEXT)
def test_tokens_are_disjoint_and_cover_what_is_not_blank(text):
    tokens = tokenize(text)
    covered = set()
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        assert not covered & set(range(start, end))
        covered |= set(range(start, end))
    assert all(i in covered for i, c in enumerate(text) if c.isalnum())


@given(_TEXT)
def test_gaps_and_words_in_turns_are_the_text(text):
    tokens = tokenize(text)
    assert tokens == Tokens.cut(text, tokens.starts, tokens.ends)
    written = "".join(gap + word for gap, word in zip(tokens.gaps, tokens.words, strict=True))
    assert written == text[: tokens.ends[-1] if len(tokens) else 0]
    assert not "".join(tokens.gaps).strip()


@given(_TEXT)
def test_sentences_are_disjoint_ordered_and_lose_no_token(text):
    sentences = split_sentences(text)
    assert all(a[1] <= b[0] for a, b in pairwise(sentences))
    inside = {i for s, e in sentences for i in range(s, e)}
    assert all(i in inside for i, c in enumerate(text) if not c.isspace())


@given(_TEXT)
def test_unwrap_changes_line_ends_only(text):
    unwrapped = unwrap(text)
    assert len(unwrapped) == len(text)
    assert all(a == b or (a == "\n" and b == " ") for a, b in zip(text, unwrapped, strict=True))


@given(_TEXT, st.integers(2, 40))
def test_windows_cover_the_text_and_overlap(text, size):
    cuts = windows(text, size)
    assert (cuts[0][0], cuts[-1][1]) == (0, len(text))
    assert all(e - s <= size for s, e in cuts)
    for before, after in pairwise(cuts):
        assert before[0] < after[0] <= before[1] < after[1]
        assert before[1] - after[0] <= size // 10


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n", ""], ids=["blank", "line", "paragraph", "none"])
@pytest.mark.parametrize("at", range(440, 510, 7))
def test_what_stands_at_the_end_of_a_window_is_read_whole(gap, at):
    """A name of two words, wherever it lies, stands whole in some window, with a word before it."""
    text = (("filler" + gap) * 200)[:at] + " Dr. Ada Quillfeather " + ("more" + gap) * 200
    views = prepare(Document("d", text), PrepareRules(window=500, unwrap=False))
    assert len(views) > 1
    assert any("Dr. Ada Quillfeather" in view.text for view in views)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Martí­nez", "Martinez"),
        ("Núñez", "Nunez"),
        ("Nu\u0301n\u0303ez", "Nunez"),
        ("O’Brien", "O'Brien"),
        ("Łukasz Øst", "Lukasz Ost"),
        ("Strauß", "Strauss"),
        ("ﬁnal", "final"),
        ("Smi-\nth", "Smith"),
        ("Smi-  \r\n   th", "Smith"),
        ("Anne-\nMarie", "Anne-\nMarie"),
        ("10–20", "10-20"),
        ("日本", "日本"),
        ("Jоhn Sмith, Мary, smitһ", "John Smith, Mary, smith"),
        ("Олег, РОМА, 5 μg, TNFα, ΔF508", "Олег, РОМА, 5 μg, TNFα, ΔF508"),
        ("a\r\nb", "a \nb"),
    ],
)
def test_fold(text, plain):
    assert fold(text)[0] == plain


def test_a_name_broken_across_lines_is_one_name():
    text = "Seen by Dr. Abercrom-\nbie today."
    view = prepare(Document("d", text), PrepareRules())[0]
    start = view.text.index("Abercrombie")
    span = view.to_source(Span(start, start + len("Abercrombie"), "DOCTOR"))
    assert text[span.start : span.end] == "Abercrom-\nbie"


def test_wrapped_lines_are_joined_and_lists_are_not():
    text = (
        "The patient was discussed at length with her daughter, whose name is Rosa\n"
        "Delgado, and with the team of the ward before she was sent home again.\n"
        "- aspirin\n- lisinopril\n"
    )
    view = unwrap(text)
    assert "Rosa Delgado" in view
    assert "again.\n- aspirin\n- lisinopril\n" in view


LINES = {
    "a letterhead": (
        "Valley Eye Surgery Center, Outpatient Pavilion, Suite 310, North Tower\n17200 Ventura Blvd",
        0,
    ),
    "columns": (
        "Requested by A. Klinghoffer of the eye clinic  for the      Unit  A1\nTotal of all      4",
        0,
    ),
    "ends in the middle of a phrase": (
        "ADMITTED BY HER FAMILY DOCTOR TO THE SURGICAL WARD OF THE HOSPITAL ON\nMonday, for surgery",
        1,
    ),
    "a clause": (
        "he was then seen by the doctor on call, whose name was written down as\nRosa Delgado",
        1,
    ),
    "many lines of one length": (
        (
            "SEEN AND EXAMINED WITH THE TEAM, AGREE WITH THE PLAN AS WRITTEN BY ADA\n"
            "QUILLFEATHER, MEDICATIONS REVIEWED, NO CHANGES MADE TODAY, FOLLOW UP AT\n"
            "CLINIC"
        ),
        2,
    ),
    "short lines": ("seen by Rosa\nDelgado", 0),
}


@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_which_line_ends_are_wraps(case):
    text, wraps = case
    assert text.count("\n") - unwrap(text).count("\n") == wraps


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("O'Brien's 58M", ["O'Brien", "'s", "58", "M"]),
        ("d/w Anne-Marie", ["d", "/", "w", "Anne", "-", "Marie"]),
        ("p30277 jd_45", ["p", "30277", "jd", "_", "45"]),
        ("(555) 123-4567", ["(", "555", ")", "123", "-", "4567"]),
    ],
)
def test_tokens(text, words):
    assert _words(text) == words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Seen by Dr. Smith. Doing well.", 2),
        ("Seen by J. Smith on Mon. Jan. 5.", 1),
        ("Take 5 mg q.d. Call us.", 1),
        ("HPI\n58 year old man\nPMH: DM", 3),
        ("pain better. no fever. seen by dr. smith.", 3),
        ("1. Aspirin daily.\n2. Rest.", 2),
        ("Is she well? Yes! Good.", 3),
        ("", 0),
    ],
)
def test_sentences(text, count):
    assert len(split_sentences(text)) == count


def test_empty_document_has_no_view():
    assert prepare(Document("d", ""), PrepareRules()) == []


@pytest.mark.parametrize(
    ("unit", "sentences"),
    [
        (".", 1),
        ("!", 1),
        (".)", 1),
        ("a.", 1),
        ("O'", 1),
        ("-", 1),
        ("! ", 200_000),
        ("A\n", 200_000),
    ],
)
def test_long_repetitive_text_is_read_to_its_end(unit, sentences):
    """Where a pattern looks at a run of full stops again from each of them, this takes hours."""
    assert len(split_sentences(unit * 200_000)) == sentences


@pytest.mark.parametrize(
    "mark", [*"\u00ad\u200b\u200f\u202e\u2066\u034f\ufe0f\U000e0061"], ids=ascii
)
def test_marks_that_nobody_sees_are_not_read(mark):
    assert fold(f"{mark}Sm{mark}ith{mark}")[0] == "Smith"
