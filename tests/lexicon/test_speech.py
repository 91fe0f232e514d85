from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.lexicon.speech import tag

CASES = {
    "modal": ("Will increase lisinopril to 20 mg .", "Will", "MD"),
    "name, same word": ("Patient will follow up with Will Young .", "Will", "NNP"),
    "command": ("Mark each item on the chart .", "Mark", "VB"),
    "name after title": ("Seen by Dr . Mark today .", "Mark", "NNP"),
    "verb": ("May resume diet .", "May", "MD"),
    "noun": ("The patient denies pain .", "pain", "NN"),
    "adjective": ("A young man came .", "young", "JJ"),
    "unknown noun by its ending": ("The zorbification was mild .", "zorbification", "NN"),
    "unknown adverb by its ending": ("She walks quixotically .", "quixotically", "RB"),
    "number": ("Take 20 mg .", "20", "CD"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_tag(case):
    sentence, word, expected = case
    words = sentence.split()
    assert tag(words)[words.index(word)] == expected


@given(st.lists(st.text(min_size=1, max_size=8).filter(str.strip), max_size=12))
def test_every_word_gets_one_tag(words):
    assert len(tag(words)) == len(words)
