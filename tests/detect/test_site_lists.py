"""The detectors that need only a few lines of policy: dictionary and regex."""

from __future__ import annotations

import pickle

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Failure
from incognote.detect.dictionary import DictionaryDetector
from incognote.detect.regex import RegexDetector
from incognote.pipeline import Pipeline
from incognote.policy import PrepareRules, policy_from
from incognote.prepare import prepare
from incognote.testing import render_markup


def marked(detector, text):
    [view] = prepare(Document("d", text), PrepareRules())
    [spans] = pickle.loads(pickle.dumps(detector)).detect([view])
    return render_markup(text, spans)


def test_words_in_the_policy():
    detector = DictionaryDetector("HOSPITAL", words=["North Wing Clinic"])
    text = "seen at north wing  clinic, North Wing"
    assert marked(detector, text) == "seen at [[north wing  clinic|HOSPITAL]], North Wing"


def test_text_file(tmp_path):
    (tmp_path / "staff.txt").write_text("Ada Quill\n\nBo Rand\n", encoding="utf-8")
    detector = DictionaryDetector("DOCTOR", file=str(tmp_path / "staff.txt"))
    assert (
        marked(detector, "Ada Quill and Bo Rand") == "[[Ada Quill|DOCTOR]] and [[Bo Rand|DOCTOR]]"
    )


def test_csv_file_with_labels(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text('term,label\n"Quill, Ada",DOCTOR\nElm House,\n', encoding="utf-8-sig")
    detector = DictionaryDetector("ORGANIZATION", file=str(path))
    assert detector.labels == {"DOCTOR", "ORGANIZATION"}
    assert (
        marked(detector, "Quill, Ada of Elm House")
        == "[[Quill, Ada|DOCTOR]] of [[Elm House|ORGANIZATION]]"
    )


BAD = {
    "no label": (["x"], "", "no label named ''"),
    "unknown label": (["x"], "NOPE", "no label named 'NOPE'"),
    "empty entry": ([" "], "CITY", "an entry is empty"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_dictionary(case):
    words, label, message = case
    with pytest.raises(PolicyError, match=message):
        DictionaryDetector(label, words=words)


def test_missing_file(tmp_path):
    with pytest.raises(PolicyError, match="No such file"):
        DictionaryDetector("CITY", file=str(tmp_path / "none.txt"))


def test_csv_without_terms(tmp_path):
    (tmp_path / "a.csv").write_text("name\nx\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="column named 'term'"):
        DictionaryDetector("CITY", file=str(tmp_path / "a.csv"))


def test_regex_whole_match_and_group():
    detector = RegexDetector("IDNUM", [r"badge (?P<phi>[A-Z]{2}\d+)", r"\bQ-\d+"])
    assert marked(detector, "é badge AB12, Q-7") == "é badge [[AB12|IDNUM]], [[Q-7|IDNUM]]"


def test_regex_case():
    assert marked(RegexDetector("CITY", ["elm"], ignore_case=True), "ELM") == "[[ELM|CITY]]"
    assert marked(RegexDetector("CITY", ["elm"]), "ELM") == "ELM"


@pytest.mark.parametrize("pattern", ["(", "(?<=a)b", r"(a)\1"])
def test_regex_that_could_hang_or_is_broken(pattern):
    with pytest.raises(PolicyError, match="not a regular expression RE2 can run"):
        RegexDetector("CITY", [pattern])


def test_regex_runs_in_linear_time():
    """A backtracking engine needs 2^5000 steps here: it would never return."""
    assert marked(RegexDetector("CITY", ["(a|aa)+$"]), "a" * 5000 + "b") == "a" * 5000 + "b"


@pytest.mark.parametrize(
    ("use", "options"),
    [
        ("dictionary", {"label": "DOCTOR", "words": ["Quackenbush"]}),
        ("regex", {"label": "DOCTOR", "patterns": ["Quackenbush"]}),
    ],
)
def test_a_list_that_names_a_language_serves_it(use, options):
    note = (
        "Der Patient wurde gestern von der Ambulanz in die Klinik gebracht und dort von Frau "
        "Quackenbush untersucht. Er hatte seit drei Tagen Schmerzen und konnte nicht schlafen."
    )

    def read(**more):
        rules = {"use": use, "options": {**options, **more}}
        tree = {"name": "t", "detectors": {"names": {}, "site": rules}}
        policy = policy_from({**tree, "labels": {"default": "keep"}})
        return Pipeline(policy).detect([Document("d", note)])[0]

    assert isinstance(read(), Failure)  # `names` reads English and Spanish
    assert [span.label for span in read(languages=["de"]).spans] == ["DOCTOR"]
    assert isinstance(read(languages=["ca"]), Failure)
