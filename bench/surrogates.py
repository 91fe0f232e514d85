"""How fast spans become surrogates: `python -m bench.surrogates`, one core, gold spans.

Each round has a fresh key and each note its own scope, so nothing is remembered between notes. The
word lists are loaded before; the first round then meets every note for the first time, as a run
over an archive does.
"""

from __future__ import annotations

import statistics
import time

from bench.notes import notes
from incognote.policy import load_policy
from incognote.transform import Transformer

ROUNDS = 9
# The development notes are as dense with PHI as an archive, the training notes much denser.
CORPORA = ("dev", "train")


def speeds(corpus: str) -> list[float]:
    """Characters a second of processor time, round by round."""
    policy = load_policy()
    [other] = set(CORPORA) - {corpus}
    for note in notes(other)[:200]:
        Transformer(policy, b"a key to load the word lists with").apply(note.document, note.spans)
    marked = [(note.document, note.spans) for note in notes(corpus)]
    characters = sum(len(document.text) for document, _ in marked)
    rates = []
    for number in range(ROUNDS):
        transformer = Transformer(policy, f"the key of round {number}".encode())
        start = time.process_time()
        for document, spans in marked:
            transformer.apply(document, spans)
        rates.append(characters / (time.process_time() - start))
    return rates


if __name__ == "__main__":
    for corpus in CORPORA:
        first, *later = (rate / 1e6 for rate in speeds(corpus))
        median = statistics.median(later)
        print(f"{corpus}: {first:.2f} million characters a second at first, {median:.2f} later")
