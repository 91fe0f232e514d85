"""Invisible letters: tag letters, and stand-ins of RTF."""

from __future__ import annotations

import json

import pytest
from tests.formats.kit.whole import deidentified, pipeline

from incognote.core.types import Document, Failure
from incognote.testing.formats import documents, read

NAMES = ("Quackenbush", "CANARYZEBU", "7741902", "enbush")


def tagged(text: str) -> str:
    """The same letters once more, in the block of tags."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


HIDDEN = [
    f"Patient {tagged('John Quackenbush')} was seen.",
    f"Mr. Quack{tagged('enbush')} left.",
    f"Mr. Q{tagged('x')}uackenbush left.",
]


@pytest.mark.parametrize("text", HIDDEN)
@pytest.mark.parametrize("name", ["x.txt", "x.csv", "x.json", "x.xml", "x.hl7", "x.rtf"])
def test_a_file_with_tag_letters_is_refused(text, name):
    """Read as letters they would break the names they stand in, left out they would stay."""
    escaped = json.dumps(text)
    units = text.encode("utf-16-be")
    whole = {
        "x.csv": f"id,text\n1,{text}\n",
        "x.json": f'{{"text": {escaped}}}',
        "x.xml": f"<r><a>{text}</a></r>",
        "x.hl7": f"MSH|^~\\&|A\rNTE|1||{text}\r",
        "x.rtf": r"{\rtf1 "
        + "".join(rf"\u{int.from_bytes(units[i : i + 2])}?" for i in range(0, len(units), 2))
        + "}",
    }
    found = read(whole.get(name, text).encode(), name)
    failures = [each for each in found if isinstance(each, Failure)]
    assert failures
    assert not [each for each in NAMES if each in repr(failures)]


@pytest.mark.parametrize("text", HIDDEN)
def test_a_string_with_tag_letters_is_refused(text):
    [failure] = pipeline().deid([Document("1", text)])
    assert isinstance(failure, Failure)
    assert failure.message == "holds tag letters, which are invisible text"


def test_flags_are_no_hidden_text():
    flag = "\U0001f3f4" + tagged("gbsct") + "\U000e007f"
    assert deidentified(f"Moved from Scotland {flag} in good health.", "x.txt").decode().count(flag)


@pytest.mark.parametrize(
    "body",
    [
        r"\uc60 Note. \u65 Patient CANARYZEBU Quackenbush, MRN 7741902. ",
        r"\uc9 \u65 CANARYZEB\par Mr. Quackenbush left.",
        r"\uc300 \u65 {Patient John Quackenbush} was seen.",
        r"\uc99 \u65\b Patient CANARYZEBU Quackenbush. ",
        r"\uc40 {\uc50 \u65 CANARYZEBU Quackenbush 7741902}",
    ],
)
def test_stand_ins_of_rtf_hide_nothing(body):
    out = deidentified(rf"{{\rtf1\ansi {body}}}", "x.rtf").decode()
    assert [each for each in NAMES if each in out] == []


def test_a_stand_in_goes_together_with_its_letter():
    data = rb"{\rtf1\ansi Mr. Jos\u233 e Quackenbush. Temp 38\u176\'b0C.}"
    assert [d.text for d in documents(data, "x.rtf")] == ["Mr. José Quackenbush. Temp 38°C."]
    out = deidentified(data, "x.rtf").decode()
    assert out.endswith(r"Temp 38\u176\'b0C.}")
    assert " e " not in out
