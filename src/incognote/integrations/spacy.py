"""spaCy: a component that marks PHI in a Doc.

    import incognote.integrations.spacy  # registers the factory

    nlp.add_pipe("incognote", config={"policy": "i2b2-2014"})
    doc.spans["phi"]

Spans are aligned to spaCy's tokens, outwards: a token that holds any PHI belongs to the span.
"""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc

from incognote.api import Deidentifier
from incognote.policy import DEFAULT


@Language.factory("incognote", default_config={"policy": DEFAULT, "group": "phi"})
def make_component(nlp: Language, name: str, policy: str, group: str) -> PhiComponent:
    del nlp, name
    return PhiComponent(policy, group)


class PhiComponent:
    """Adds a group of spans to each Doc."""

    def __init__(self, policy: str, group: str) -> None:
        self._deidentifier = Deidentifier(policy)
        self._group = group

    def __call__(self, doc: Doc) -> Doc:
        result = self._deidentifier.detect(doc.text)
        doc.spans[self._group] = [
            found
            for span in result.spans
            if (found := doc.char_span(span.start, span.end, span.label, alignment_mode="expand"))
        ]
        return doc
