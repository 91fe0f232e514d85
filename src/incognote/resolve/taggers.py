"""Who says what part of speech a word is: the built-in tagger, or that of a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.core.caches import cached
from incognote.core.errors import MissingExtra, PolicyError
from incognote.lexicon import speech

# One Penn tag for each word of a sentence.
Tag = Callable[[Sequence[str]], list[str]]
BUILT_IN_LANGUAGE = "en"

_NEEDED = ("tok2vec", "transformer", "tagger")


def check_tagger(name: str) -> None:
    """Refuses a tagger that is not there, before the first document is read."""
    if not name:
        return
    if find_spec("spacy") is None:
        raise MissingExtra(f"resolve.speech.tagger {name!r}", "spacy")
    if not Path(name).is_dir() and not (name.isidentifier() and find_spec(name)):
        raise PolicyError(f"resolve.speech.tagger: the spaCy model {name!r} is not installed")


def tagger(name: str) -> Tag:
    """The tagger of a spaCy model, or the built-in one if no name is given."""
    return _spacy(name) if name else speech.tag


@cached(4)
def _spacy(model: str) -> Tag:
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.load(model)
    if "tagger" not in pipeline.pipe_names:
        raise PolicyError(f"resolve.speech.tagger: the spaCy model {model!r} has no tagger")
    steps: list[Callable[[Any], Any]] = [
        step for name, step in pipeline.pipeline if name in _NEEDED
    ]

    def tag(words: Sequence[str]) -> list[str]:
        # Our own words: where spaCy would split otherwise, tags would not fit the claims.
        sentence = Doc(pipeline.vocab, words=list(words))
        for step in steps:
            sentence = step(sentence)
        return [word.tag_ for word in sentence]

    return tag
