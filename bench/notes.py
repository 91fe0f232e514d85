"""The annotated notes the bench measures on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus

ROOT = Path(__file__).parents[1]

CORPORA = {"dev": ROOT / "data" / "dev.jsonl", "train": ROOT / "data" / "train.jsonl"}


def notes(corpus: str, groups: Sequence[str] = ()) -> list[AnnotatedDocument]:
    """The notes of a corpus, or those of some groups of authors (the id before the underscore)."""
    docs = read_corpus(CORPORA[corpus])
    if groups:
        docs = [doc for doc in docs if doc.id.partition("_")[0] in groups]
    if not docs:
        raise SystemExit(f"{corpus}: no notes in the groups {', '.join(groups)}")
    return docs
