"""Texts that other tools already redacted, aligned to their originals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate import measure
from incognote.evaluate.scoring.redacted import from_redacted

SHORT = "Seen by Ann Lee on 3/4/20."
SHORT_CASES = {
    "tags": ("Seen by [DOCTOR] on [DATE].", [("Ann Lee", "DOCTOR"), ("3/4/20", "DATE")]),
    "starred tags": (
        "Seen by [**NAME**] on [**DATE**].",
        [("Ann Lee", "NAME"), ("3/4/20", "DATE")],
    ),
    "numbered tags": (
        "Seen by {DOCTOR_2} on <DATE-1>.",
        [("Ann Lee", "DOCTOR"), ("3/4/20", "DATE")],
    ),
    "a tag that says nothing": ("Seen by [REDACTED] on 3/4/20.", [("Ann Lee", "PHI")]),
    "surrogates": ("Seen by Bo Woods on 5/6/21.", [("Ann Lee", "PHI"), ("3/4/20", "PHI")]),
    "removed": ("Seen by on 3/4/20.", [("Ann Lee", "PHI")]),
    "nothing": (SHORT, []),
    "blanks changed": ("Seen  by\nAnn Lee on 3/4/20.", []),
    "half a name": ("Seen by Ann [NAME] on 3/4/20.", [("Lee", "NAME")]),
}


def spans_of(text: str, redacted: str) -> list[tuple[str, str]]:
    doc = from_redacted(Document("n1", text), redacted)
    return [(text[s.start : s.end], s.label) for s in doc.spans]


@pytest.mark.parametrize("case", SHORT_CASES)
def test_a_sentence(case: str) -> None:
    redacted, expected = SHORT_CASES[case]
    assert spans_of(SHORT, redacted) == expected


NOTE = """Patient: John Smith
DOB: 03/04/1950

Mr. Smith is a 72 year old man seen by Dr. Alice O'Brien on March 5, 2022 at
Boston General Hospital. Call (617) 555-0123 or j.smith@mail.com. Smith was well.
"""
FOUND = [
    *("John Smith", "03/04/1950", "Smith", "72", "Alice O'Brien", "March 5, 2022"),
    *("Boston General Hospital", "617) 555-0123", "j.smith@mail.com", "Smith"),
]
TOOLS = {
    "PhysioNet": """Patient: [**Known firstname 12**] [**Known lastname 34**]
DOB: [**1950-3-4**]

Mr. [**Known lastname 34**] is a [**Age over 90 **] year old man seen by Dr. [**First Name4 (NamePattern1) 1**] [**Last Name (NamePattern4) **] on [**2022-3-5**] at
[**Hospital1 18**]. Call [**Telephone/Fax (1) 99**] or [**E-mail 3**]. [**Known lastname 34**] was well.
""",
    "Presidio": """Patient: <PERSON>
DOB: <DATE_TIME>

Mr. <PERSON> is a <AGE> year old man seen by Dr. <PERSON> on <DATE_TIME> at
<LOCATION>. Call <PHONE_NUMBER> or <EMAIL_ADDRESS>. <PERSON> was well.
""",
    "crossed out": """Patient: XXXX XXXX
DOB: XXXX

Mr. XXXX is a XXXX year old man seen by Dr. XXXX XXXX on XXXX at
XXXX. Call XXXX or XXXX. XXXX was well.
""",
    "starred out": """Patient: **** *****
DOB: **********

Mr. ***** is a ** year old man seen by Dr. ***** ******* on ************* at
***********************. Call ************** or ****************. ***** was well.
""",
    "longer and shorter surrogates": """Patient: Bartholomew Featherstone
DOB: 1/2/51

Mr. Featherstone is a 71 year old man seen by Dr. Bo Li on 1 May at
Saint Elsewhere Clinic of the Lakes. Call 4155550199 or b@x.org. Featherstone was well.
""",
    "without line breaks": (
        "Patient: [NAME] DOB: [DATE] Mr. [NAME] is a [AGE] year old man seen by Dr. [NAME] on "
        "[DATE] at [HOSPITAL]. Call [PHONE] or [EMAIL]. [NAME] was well."
    ),
    "deleted": """Patient: 
DOB: 

Mr.  is a  year old man seen by Dr.  on  at
. Call  or .  was well.
""",  # noqa: W291
}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_other_tools_leave(tool: str) -> None:
    assert [surface for surface, _ in spans_of(NOTE, TOOLS[tool])] == FOUND


def test_a_redaction_that_swallows_lines() -> None:
    redacted = (
        "Patient: [REDACTED] is a [AGE] year old man seen by Dr. " + NOTE.partition("Dr. ")[2]
    )
    first, second = spans_of(NOTE, redacted)
    assert first[0].startswith("John Smith\nDOB")
    assert first[0].endswith("Mr. Smith")
    assert second == ("72", "AGE")


def test_the_redaction_of_another_note_is_refused() -> None:
    other = "Operative report. " + " ".join(f"word{i}" for i in range(60))
    with pytest.raises(UsageError, match="'n1': the redacted text is no redaction"):
        spans_of(NOTE, other)


WORDS = st.lists(st.sampled_from("the pain in his left knee is old Smith".split()), max_size=60)


@given(WORDS, WORDS)
def test_what_counts_as_left_stands_in_the_redacted_text(text: list[str], other: list[str]) -> None:
    """Whatever the alignment does, no word is called left that is gone."""
    redacted = [word for word in text if word != "Smith"] + other[:5]
    try:
        doc = from_redacted(Document("1", " ".join(text)), " ".join(redacted))
    except UsageError:
        reject()
    hidden = {at for span in doc.spans for at in range(span.start, span.end)}
    left = [w[0] for w in re.finditer(r"\w+", doc.text) if w.start() not in hidden]
    rest = iter(redacted)
    assert all(word in rest for word in left)


def test_what_a_redaction_hides_without_a_name_counts_in_every_subset() -> None:
    gold = AnnotatedDocument(Document("n1", SHORT), (Span(8, 15, "DOCTOR"), Span(19, 25, "DATE")))
    measured = measure([gold], [from_redacted(gold.document, "Seen by Bo Woods on 5/6/21.")])
    recall = {name: measured["words"][name]["recall"] for name in ("group A", "group B", "all")}
    assert recall == {"group A": 1, "group B": 1, "all": 1}
    assert measured["words"]["group A"]["precision"] == 1
