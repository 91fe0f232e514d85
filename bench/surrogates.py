"""How fast spans become surrogates: `python -m bench.surrogates`, one core, gold spans of dev.

Each round has a fresh key and each note its own scope, so nothing is remembered between notes.
"""

from __future__ import annotations

import statistics
import time

from bench.notes import notes
from incognote.policy import load_policy
from incognote.transform import Transformer

ROUNDS = 9


def speed() -> float:
    """Characters a second of processor time, median of the rounds."""
    marked = [(note.document, note.spans) for note in notes("dev")]
    characters = sum(len(document.text) for document, _ in marked)
    policy = load_policy()
    rates = []
    for number in range(ROUNDS + 1):
        transformer = Transformer(policy, f"the key of round {number}".encode())
        start = time.process_time()
        for document, spans in marked:
            transformer.apply(document, spans)
        rates.append(characters / (time.process_time() - start))
    return statistics.median(rates[1:])  # the first round loads the word lists


if __name__ == "__main__":
    print(f"{speed() / 1e6:.2f} million characters a second")
