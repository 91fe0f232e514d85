"""What the tests of the transform room share."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from incognote.core.types import Document, Result, Span
from incognote.link import people_in
from incognote.policy import policy_from
from incognote.testing import parse_markup
from incognote.transform import Transformer

DATA = Path(__file__).parents[2] / "data"
KEY = b"a secret of at least sixteen bytes"


def policy(labels: dict[str, Any] | None = None, **transform: Any):
    rules = {"default": "surrogate", "TIME": "keep", **(labels or {})}
    return policy_from({"name": "test", "labels": rules, "transform": transform})


@cache
def _transformer(rules: str, key: bytes) -> Transformer:
    labels, transform = json.loads(rules)
    return Transformer(policy(labels, **transform), key)


def deid(marked: str, patient: str = "p1", key: bytes = KEY, **rules: Any) -> Result:
    """A marked text transformed: `labels` are the policy's, `meta` and `known` the document's, the
    rest are keys of the transform section."""
    text, spans = parse_markup(marked)
    labels = rules.pop("labels", None)
    meta = {"patient_id": patient, **rules.pop("meta", {})}
    known = rules.pop("known", ())
    transformer = _transformer(json.dumps([labels, rules], sort_keys=True), key)
    document = Document("d", text, meta, known=known)
    return transformer.apply(document, spans, people_in(document, spans))


def new_values(result: Result) -> list[str]:
    """What each span became, in order; unchanged ones as they were."""
    new = {each.span: each.text for each in result.replacements}
    return [new.get(s, result.document.text[s.start : s.end]) for s in result.spans]


def surrogate(text: str, label: str, patient: str = "p1", **rules: Any) -> str:
    return new_values(deid(f"[[{text}|{label}]]", patient, **rules))[0]


def corpus_notes(name: str) -> list[tuple[Document, list[Span]]]:
    """The notes of data/ with their gold spans."""
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [
        (
            Document(row["id"], row["text"]),
            [Span(each["start"], each["end"], each["type"]) for each in row["spans"]],
        )
        for row in rows
    ]


@pytest.fixture(scope="session")
def dev_notes() -> list[tuple[Document, list[Span]]]:
    return corpus_notes("dev")
