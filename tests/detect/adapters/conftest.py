from __future__ import annotations

import pickle

import pytest

from incognote.core.types import Document
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import render_markup


@pytest.fixture
def marked():
    """What a detector finds in texts, as marked texts; the detector travels through pickle."""

    def marked(detector, *texts):
        views = [prepare(Document(str(i), t), PrepareRules())[0] for i, t in enumerate(texts)]
        found = pickle.loads(pickle.dumps(detector)).detect(views)
        return [render_markup(text, spans) for text, spans in zip(texts, found, strict=True)]

    return marked
