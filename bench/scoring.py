"""`python -m bench.scoring [--notes N]`: processor time of `evaluate` on a large corpus.

Notes of 600 words with 100 mentions each, and as many claims, of which some are wrong: 10,000 of
them have a million mentions. Prints seconds with and without the official i2b2 blocks, and memory.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from incognote.cli import main as incognote
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus import write_corpus

LABELS = ("DATE", "DOCTOR", "PATIENT", "CITY", "PHONE", "AGE", "HOSPITAL", "MEDICALRECORD")
WORDS = "the patient was seen by doctor on monday with pain and fever".split()
MENTIONS, APART = 100, 6  # in a note; words from one to the next


def corpora(notes: int) -> tuple[list[AnnotatedDocument], list[AnnotatedDocument]]:
    """Gold and claims: nine of ten are right, the others too short or beside the mention."""
    rng = random.Random(1)
    gold, claims = [], []
    for number in range(notes):
        words = rng.choices(WORDS, k=MENTIONS * APART)
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word) + 1)
        true, said = [], []
        for first in range(0, len(words), APART):
            label = rng.choice(LABELS)
            true.append(Span(ends[first], ends[first + 2] - 1, label))
            chance = rng.random()
            if chance < 0.9:
                said.append(Span(ends[first], ends[first + 2] - 1, label, 0.9))
            elif chance < 0.95:
                said.append(Span(ends[first], ends[first + 1] - 1, rng.choice(LABELS), 0.5))
            else:
                said.append(Span(ends[first + 3], ends[first + 4] - 1, label, 0.4))
        document = Document(f"{number}", " ".join(words), {"patient_id": f"{number // 3}"})
        gold.append(AnnotatedDocument(document, tuple(true)))
        claims.append(AnnotatedDocument(document, tuple(said)))
    return gold, claims


def seconds(notes: int, *options: str) -> float:
    """Processor time of `incognote evaluate`, reading and writing included."""
    with tempfile.TemporaryDirectory(prefix="incognote-scoring-") as scratch:
        folder = Path(scratch)
        for name, documents in zip(("gold", "claims"), corpora(notes), strict=True):
            write_corpus(documents, folder / f"{name}.jsonl", "jsonl")
        files = [str(folder / f"{name}.jsonl") for name in ("gold", "claims")]
        started = process_time()
        if incognote(["evaluate", *files, "-o", str(folder / "report"), *options]):
            sys.exit(1)
        return process_time() - started


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scoring", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    notes = parser.parse_args(given).notes
    plain, official = seconds(notes), seconds(notes, "--i2b2")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{notes:,} notes, {notes * MENTIONS:,} mentions: {plain:.1f} s of processor time, "
        f"{official:.1f} s with --i2b2; {memory:.1f} GB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
