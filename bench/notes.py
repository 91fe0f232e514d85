"""The annotated notes the bench measures on.

`dev` are the development notes, `unseen` and `spanish` notes that no shipped model learned from,
`train` is the training corpus, and `held-out` those notes of it that no shipped model saw,
as their cards say.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.detect.learned.model_folder import open_model
from incognote.learn.data import hold_out, notes_of

ROOT = Path(__file__).parents[1]

HELD_OUT = "held-out"
CORPORA = {
    "dev": ROOT / "data" / "dev.jsonl",
    "unseen": ROOT / "data" / "unseen.jsonl",
    "spanish": ROOT / "data" / "spanish_unseen.jsonl",
    "train": ROOT / "data" / "train.jsonl",
    HELD_OUT: ROOT / "data" / "train.jsonl",
}


def notes(corpus: str, groups: Sequence[str] = ()) -> list[AnnotatedDocument]:
    """The notes of a corpus, or those of some groups of authors (the id before the underscore)."""
    docs = read_corpus(CORPORA[corpus])
    if corpus == HELD_OUT:
        unseen = held_out(docs)
        docs = [doc for doc in docs if doc.id in unseen]
    if groups:
        docs = [doc for doc in docs if doc.id.partition("_")[0] in groups]
    if not docs:
        raise SystemExit(f"{corpus}: no notes in the groups {', '.join(groups)}")
    return docs


def held_out(docs: Sequence[AnnotatedDocument]) -> frozenset[str]:
    """The ids of the notes that none of the shipped models was trained on."""
    unseen = frozenset(doc.id for doc in docs)
    for name in ("accurate", "fast"):
        card = open_model(name).card
        if card["notes"] + card["held_out_notes"] != len(docs):
            print(f"{name} was trained on another state of the corpus", file=sys.stderr)
        _, held = hold_out(notes_of(docs), card["held_out_notes"], card["seed"])
        unseen &= {note.id for note in held}
    return unseen
