"""RTF: the words between the control codes; what tells of people is emptied."""

from __future__ import annotations

import pytest
from tests.formats.kit.planted import left_over

from incognote.core.types import Failure
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
RTF = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl\f0\fswiss Helvetica;}"
    rb"{\info{\title Letter for Quillon}{\author Brandvold}}"
    rb"\f0\fs24 Seen with {\b Quil}lon \u193?lvarez and Jos\'e9 today.\par"
    rb"\pard BP 128/76 \{stable\}\par}"
)
CORNERS = {
    "name of a style": ("x.rtf", r"{\rtf1{\stylesheet{\s1 Quillon;}}x}"),
    "name of a list": ("x.rtf", r"{\rtf1{\*\listtable{\list{\listname Quillon;}}}x}"),
    "what made it": ("x.rtf", r"{\rtf1{\*\generator Quillon}{\*\xmlnstbl{\xmlns1 Quillon}}{\colortbl;Quillon}x}"),
    "theme": ("x.rtf", r"{\rtf1{\*\themedata 5175696c6c6f6e}x}"),
    "comment": ("x.rtf", r"{\rtf1 x{\*\atnauthor Quillon}{\*\annotation Quillon}{\*\bkmkstart Quillon}}"),
    "letters by number": ("x.rtf", r"{\rtf1\uc2 \u81 ??uillon \'51uillon}"),
    "reviewers": ("x.rtf", r"{\rtf1{\*\revtbl{Unknown;}{Quillon;}}x}"),
    "stored data": ("x.rtf", r"{\rtf1{\*\datastore Quillon}x}"),
    "header and footnote": ("x.rtf", r"{\rtf1{\header Quillon}x{\footnote Quillon}}"),
    "hidden": ("x.rtf", r"{\rtf1 x{\v Quillon}}"),
    "field": ("x.rtf", r'{\rtf1{\field{\*\fldinst HYPERLINK "mailto:Quillon"}{\fldrslt Quillon}}}'),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


def test_words_are_read_without_their_codes():
    (document,) = documents(RTF, "x.rtf")
    assert document.text == "Seen with Quillon Álvarez and José today.\nBP 128/76 {stable}"


def test_nothing_planted_survives_and_formatting_does():
    out = masked(RTF, "x.rtf", ["Quillon Álvarez", "José"])
    for word in (b"Quil", b"lon ", b"lvarez", b"Jos", b"Brandvold", b"Letter"):
        assert word not in out
    assert rb"{\fonttbl\f0\fswiss Helvetica;}" in out
    assert rb"{\b [PATIENT]}" in out
    assert rb"\{stable\}" in out


def test_what_changes_nothing_only_empties_the_info_group():
    plain = RTF.replace(rb"{\info{\title Letter for Quillon}{\author Brandvold}}", b"")
    assert unchanged(plain, "x.rtf") == plain


@pytest.mark.parametrize(
    "data",
    [b"", b"{\\rtf1 cut off", b"{\\rtf1}}", b"{" * 900, b"{\\rtf1\\bin4 abcd}"],
    ids=["empty", "cut", "braces", "deep", "binary"],
)
def test_broken_files_are_refused(data):
    (outcome,) = read(data, "x.rtf")
    assert isinstance(outcome, Failure)


def test_outside_file(shared):
    data = (shared / "fixtures/docx/simhospital-note1.rtf").read_bytes()
    assert documents(data, "x.rtf")[0].text.startswith("Cough, fever 3/7\n")


def test_rtf_letters_follow_the_code_page():
    (document,) = documents(rb"{\rtf1\ansi\ansicpg1251 \'c8\'e2\'e0\'ed}", "x.rtf")
    assert document.text == "Иван"
