from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Span
from incognote.policy import PrepareRules, policy_from
from incognote.prepare import prepare

HEAD = "keep,kind,count,documents,sentence\n"


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    path = tmp_path_factory.mktemp("list") / "list.csv"
    path.write_text(
        HEAD
        + "yes,plain,9,9,The heart is regular.\n,plain,9,9,The lungs are clear.\nno,plain,9,9,He is well.\n",
        encoding="utf-8",
    )
    return str(path)


def view_of(text, listed):
    [view] = prepare(Document("d", text), PrepareRules(inclusion=listed))
    return view


CASES = {
    "signed": ("Mr. Fox came. The heart is regular. He left.", "Mr. Fox came.  He left."),
    "other blanks": ("Came. The  heart is\nregular. Left.", "Came. The  heart is\nregular. Left."),
    "several blanks": ("Came. The  heart  is regular. Left.", "Came.  Left."),
    "other case": ("Came. The Heart is regular. Left.", None),
    "one word more": ("Came. The heart is regular today. Left.", None),
    "one mark more": ("Came. The heart is regular! Left.", None),
    "a digit": ("Came. The heart is regular 2. Left.", None),
    "an accent": ("Came. The héart is regular. Left.", "Came. The heart is regular. Left."),
    "a look-alike": ("Came. The hеart is regular. Left.", "Came. The heart is regular. Left."),
    "a hidden mark": (
        "Came. The he\u00adart is regular. Left.",
        "Came. The heart is regular. Left.",
    ),
    "elsewhere in the note": ("Málaga. The heart is regular. Left.", "Malaga.  Left."),
    "not signed": ("Came. The lungs are clear. Left.", None),
    "refused": ("Came. He is well. Left.", None),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_only_signed_sentences_are_left_out(case, listed):
    text, expected = case
    assert view_of(text, listed).text == (text if expected is None else expected)


def test_offsets_map_back(listed):
    text = "Oﬃce call. The heart is regular. Mr. Fox left."
    view = view_of(text, listed)
    at = view.text.index("Fox")
    span = view.to_source(Span(at, at + 3, "PATIENT"))
    assert text[span.start : span.end] == "Fox"


sentences = st.lists(
    st.sampled_from(["The heart is regular.", "Mr. Fox came.", "Naïve oﬃce.", "A-\nb"]), max_size=6
)


@given(sentences, st.sampled_from([" ", "\n"]))
def test_every_character_that_is_left_maps_to_itself(listed, parts, gap):
    text = gap.join(parts)
    for view in prepare(Document("d", text), PrepareRules(inclusion=listed, unwrap=False)):
        for at, char in enumerate(view.text):
            if char.isascii() and char.isalpha() and char not in "ifb":
                span = view.to_source(Span(at, at + 1, "DATE"))
                assert text[span.start] in (char, "ï", "ﬃ")


def test_sentences_that_are_left_stand_where_the_view_says(listed):
    view = view_of(
        "Mr. Fox came. The heart is regular. He left. The heart is regular. Bye now.", listed
    )
    assert [view.text[start:end] for start, end in view.sentences] == [
        "Mr. Fox came.",
        "He left.",
        "Bye now.",
    ]


def test_a_note_of_listed_sentences_only(listed):
    assert view_of("The heart is regular.", listed).text == ""


def test_missing_file_is_an_error_of_the_policy():
    with pytest.raises(PolicyError, match=r"prepare\.inclusion: there is no file none\.csv"):
        policy_from({"name": "t", "prepare": {"inclusion": "none.csv"}})


def test_a_file_without_signature_column(tmp_path):
    (tmp_path / "a.csv").write_text("sentence\nA b c.\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="needs columns 'keep' and 'sentence'"):
        view_of("A b c.", str(tmp_path / "a.csv"))
