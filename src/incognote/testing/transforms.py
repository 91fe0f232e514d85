"""What every transform owes: the same value for the same key, and never the original."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from incognote.core.errors import TransformError
from incognote.core.types import Document, Span
from incognote.policy import LabelRule, explain_policy, load_policy
from incognote.transform import Transformer

_KEY = b"a key for tests only, 32 bytes.."


def check_transform(action: str, label: str, values: Iterable[str], **options: object) -> None:
    """A registered transform on values of one label.

    Each value changes, by the same key into the same text, in whatever document and order; another
    key may change it otherwise; the policy can explain it in a sentence.
    """
    values = list(values)
    assert values, "there are no values"
    default = load_policy()
    policy = replace(default, labels={**default.labels, label: LabelRule(action, options)})
    new = [_replaced(Transformer(policy, _KEY), label, value) for value in values]
    for value, text in zip(values, new, strict=True):
        assert text != value, f"value number {values.index(value)} comes back as it was"
    again = Transformer(policy, _KEY)
    backwards = [_replaced(again, label, value) for value in reversed(values)]
    assert backwards[::-1] == new, "the result depends on the order of documents"
    assert explain_policy(policy)[label].strip(), "explain() says nothing"


def _replaced(transformer: Transformer, label: str, value: str) -> str:
    document = Document("note", f"Note: {value}.", {"patient_id": "1"})
    try:
        result = transformer.apply(document, [Span(6, 6 + len(value), label)])
    except TransformError:  # the pipeline refuses a replacement that equals the original
        return value
    (replacement,) = result.replacements or (None,)
    return value if replacement is None else replacement.text
