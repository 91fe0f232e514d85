"""What the notes of one site teach without anybody's annotation: names that keep coming, and the
sentences that are most worth a person's look.

Everything is a proposal. Names go into a table that a person signs; sentences are questions, with
the ensemble's doubtful answer, whose corrected answers a model can be trained on.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from incognote.core.labels import SAFE
from incognote.core.types import Result, Span
from incognote.detect.templates import syntax_of
from incognote.learn.harvest import sentences_of
from incognote.lexicon import lexicon

# Who and what belongs to a site: in notes of several patients the same.
SITE_LABELS = ("DOCTOR", "HOSPITAL", "ORGANIZATION", "ROOM", "LOCATION-OTHER")
CONSISTENT = 0.7
_SURE = 0.95
_WORDS = re.compile(r"\w+(?:['-]\w+)*")
_LONGEST = 5  # words of a name


@dataclass(frozen=True, slots=True)
class SiteName:
    """A name, in how many documents it was found as what, and in which share of those that have
    it at all."""

    term: str = field(repr=False)
    label: str
    documents: int
    share: float


def site_names(
    results: Sequence[Result], documents: int = 5, share: float = CONSISTENT
) -> list[SiteName]:
    """Names of staff and places that are found in several patients' notes, and where they appear
    are mostly found: in the other notes they were missed."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    patients: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for result in results:
        document = result.document
        for span in result.spans:
            if span.label in SITE_LABELS:
                term = " ".join(document.text[span.start : span.end].split())
                key = (term.casefold(), span.label)
                found[key].add(document.id)
                patients[key].add(document.patient_id or document.id)
    wanted = {key for key, ids in found.items() if len(ids) >= documents and _is_name(key[0])}
    wanted = {key for key in wanted if len(patients[key]) > 1}
    present = _documents_with({term for term, _ in wanted}, results)
    listed = [
        SiteName(term, label, len(found[term, label]), len(found[term, label]) / present[term])
        for term, label in wanted
        if present[term] and len(found[term, label]) / present[term] >= share
    ]
    return sorted(listed, key=lambda one: (-one.documents, one.term, one.label))


def _is_name(term: str) -> bool:
    """A single ordinary word would hide too much: "Hope" is a ward here and a word elsewhere."""
    words = _WORDS.findall(term)
    if not words or len(words) > _LONGEST or len(term) < 4:
        return False
    return len(words) > 1 or not lexicon().is_ordinary(words[0])


def _documents_with(terms: set[str], results: Sequence[Result]) -> Counter[str]:
    """In how many documents each term appears as whole words, found or not."""
    present: Counter[str] = Counter()
    sizes = {len(_WORDS.findall(term)) for term in terms}
    plain = {" ".join(_WORDS.findall(term)): term for term in terms}
    for result in results:
        words = [word.casefold() for word in _WORDS.findall(result.document.text)]
        here = {
            plain[run]
            for size in sizes
            for i in range(len(words) - size + 1)
            if (run := " ".join(words[i : i + size])) in plain
        }
        present.update(here)
    return present


def names_file(names: Sequence[SiteName]) -> str:
    """The table that a person signs, and that the detector `dictionary` reads."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("keep", "term", "label", "documents", "share"))
    for one in names:
        rows.writerow(("", one.term, one.label, one.documents, f"{one.share:.2f}"))
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence in which the ensemble is in doubt. Offsets are those of the sentence; `start` is
    where it appears in its document."""

    document: str
    start: int
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    doubt: float
    alike: int  # sentences of this shape in doubt


def questions(results: Iterable[Result], most: int = 200) -> list[Question]:
    """The sentences that teach most: the least sure find or the surest one that was turned down
    decides, and of each shape the most doubtful is asked for all of its like."""
    best: dict[str, Question] = {}
    alike: Counter[str] = Counter()
    for result in results:
        text = result.document.text
        turned_down = [d.span for d in result.dropped if d.reason.startswith("safe:")]
        for start, end in sentences_of(result):
            spans = [s for s in result.spans if start <= s.start and s.end <= end]
            lost = [s for s in turned_down if start <= s.start and s.end <= end]
            doubt = _doubt(spans, lost)
            if doubt <= 0:
                continue
            shape = syntax_of(text[start:end])
            alike[shape] += 1
            if shape not in best or doubt > best[shape].doubt:
                moved = tuple(span.moved(span.start - start, span.end - start) for span in spans)
                best[shape] = Question(
                    result.document.id, start, text[start:end], moved, round(doubt, 4), 0
                )
    ranked = sorted(best.items(), key=lambda item: (-item[1].doubt, -alike[item[0]], item[0]))
    return [
        Question(one.document, one.start, one.text, one.spans, one.doubt, alike[shape])
        for shape, one in ranked[:most]
    ]


def _doubt(spans: Sequence[Span], turned_down: Sequence[Span]) -> float:
    unsure = [1.0 - s.score for s in spans if s.label != SAFE and s.score < _SURE]
    lost = [s.score * 0.5 for s in turned_down if s.label != SAFE]
    return max([*unsure, *lost], default=0.0)


def questions_file(asked: Sequence[Question]) -> str:
    """One JSON object a line, in the corpus form: with corrected `spans` it is training data."""
    return "".join(
        json.dumps(
            {
                "id": f"{one.document}@{one.start}",
                "text": one.text,
                "spans": [
                    {
                        "start": span.start,
                        "end": span.end,
                        "type": span.label,
                        "text": one.text[span.start : span.end],
                    }
                    for span in one.spans
                ],
                "doubt": one.doubt,
                "alike": one.alike,
            },
            ensure_ascii=False,
        )
        + "\n"
        for one in asked
    )
