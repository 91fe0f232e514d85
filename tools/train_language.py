"""Learns which words say that a note is in English or in Spanish.

    python tools/train_language.py [MEDDOCAN]

From the training notes of both languages in data/, and from MEDDOCAN (its folder `corpus`) where it
is given. A word weighs the logarithm of its odds, three at most. What is annotated in a note is
left out, and so are words that are names: people and places say nothing of the language a note is
written in.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from math import log
from pathlib import Path

from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.lexicon import language
from incognote.lexicon.fold import fold
from incognote.lexicon.lexicon import lexicon

ROOT = Path(__file__).parents[1]
TARGET = Path(language.__file__).with_name("language.json.gz")
FEWEST = 6  # notes that a word must be in, those of our Spanish ones counted three times
CERTAIN = 25  # notes that make a word one although it is a name, too
BEARERS = 3000  # people who make a word a name
PARTICLES = frozenset("de del la las los el san santa".split())  # of names in any language
WEIGHT, LEAST = 3.0, 1.0
OURS = 4.0  # a note of ours for one of MEDDOCAN, which are all of one kind


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("meddocan", type=Path, nargs="?")
    meddocan = parser.parse_args().meddocan
    english = read_corpus(ROOT / "data" / "train.jsonl")
    ours = read_corpus(ROOT / "data" / "spanish.jsonl")
    theirs = [
        doc
        for part in ("train", "dev")
        for doc in (read_corpus(meddocan / part / "xml") if meddocan else ())
    ]
    tables = learn(english, ours, theirs)
    packed = json.dumps(tables, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(packed.encode(), mtime=0))
    sizes = ", ".join(f"{name} {len(table)}" for name, table in tables.items())
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes; words: {sizes}")


def learn(
    english: list[AnnotatedDocument],
    ours: list[AnnotatedDocument],
    theirs: list[AnnotatedDocument],
) -> dict[str, dict[str, int]]:
    in_english, said_in_english = notes_with(english), notes_with(english, names=True)
    in_ours, in_theirs = notes_with(ours), notes_with(theirs)
    spanish_notes = len(theirs) + OURS * len(ours)
    tables: dict[str, dict[str, int]] = {"en": {}, "es": {}}
    for word in {*in_english, *in_ours, *in_theirs}:
        notes = in_english[word] + 3 * in_ours[word] + in_theirs[word]
        if notes < FEWEST or not word.isascii() or word in PARTICLES:
            continue
        if notes < CERTAIN and is_name(word):
            continue
        spanish = (in_theirs[word] + OURS * in_ours[word] + 0.5) / spanish_notes
        odds = log(spanish * len(english) / (in_english[word] + 0.3))
        if odds > 0:  # "de la Cruz" is no Spanish in an English note
            odds = max(0.0, log(spanish * len(english) / (said_in_english[word] + 0.3)))
        if abs(odds) >= LEAST:
            tables["es" if odds > 0 else "en"][word] = round(10 * min(WEIGHT, abs(odds)))
    return tables


def is_name(word: str) -> bool:
    words = lexicon()
    return max(words.first_name_bearers(word) or 0, words.surname_bearers(word) or 0) >= BEARERS


def notes_with(docs: Iterable[AnnotatedDocument], *, names: bool = False) -> Counter[str]:
    """In how many notes a word is; with `names` also inside what is annotated."""
    found: Counter[str] = Counter()
    for doc in docs:
        letters = list(doc.text)
        for span in () if names else doc.spans:
            letters[span.start : span.end] = "\n" * (span.end - span.start)
        found.update({fold(word) for word in language.words_of("".join(letters).lower())})
    return found


if __name__ == "__main__":
    main()
