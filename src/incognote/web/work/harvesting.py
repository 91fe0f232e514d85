"""Proposals from what the project has settled: staff names that keep coming, words that people keep
unmarking, forms and sentences that repeat."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import select

from incognote.core.types import Result
from incognote.learn.harvest import frequent_sentences, templates
from incognote.web.flow.draw import LEARN
from incognote.web.store.learning import gold_notes, propose
from incognote.web.store.tables import Document, Suggestion
from incognote.web.work.task import Task

_OFTEN = 3  # notes in which a name or a correction must stand
_MOST = 50


def run(task: Task) -> dict[str, Any]:
    task.stage = "harvest"
    with task.store.read() as db:
        # Measuring notes teach nothing: figures from them would flatter.
        notes = list(gold_notes(db, task.project, LEARN))
        rows = db.execute(
            select(Suggestion.document_id, Suggestion.spans)
            .join(Document, Document.id == Suggestion.document_id)
            .where(Document.project_id == task.project)
            .order_by(Suggestion.id)
        )
        suggested = {key: spans for key, spans in rows}  # noqa: C416 - the last run wins
    task.step(0, len(notes))
    missed: Counter[tuple[str, str]] = Counter()
    unmarked: Counter[tuple[str, str]] = Counter()
    results = []
    for note in notes:
        gold = {(span.start, span.end, span.label) for span in note.spans}
        said = {(s, e, label) for s, e, label, *_ in suggested.get(int(note.id), [])}
        missed.update({(_words(note.text, *mark), mark[2]) for mark in gold - said})
        free = [mark for mark in said if not any(_touch(mark, other) for other in gold)]
        unmarked.update({(_words(note.text, *mark), mark[2]) for mark in free})
        results.append(Result(note.document, note.spans))
    found: list[tuple[str, dict[str, Any]]] = [
        ("term", {"word": word, "label": label}) for word, label in _frequent(missed)
    ]
    found += [("never", {"word": word, "label": label}) for word, label in _frequent(unmarked)]
    found += [
        (
            "template",
            {
                "syntax": one.syntax,
                "pattern": one.pattern,
                "labels": list(one.labels),
                "support": one.support,
            },
        )
        for one in templates(results)[:_MOST]
    ]
    found += [
        ("sentence", {"sentence": one.sentence})
        for one in frequent_sentences(results, most=_MOST)
        if not one.clinical
    ]
    with task.store.write(task.account) as db:
        for kind, content in found:
            propose(db, task.project, None, kind, content)
    task.step(len(notes))
    return {"proposals": len(found)}


def _words(text: str, start: int, end: int, _label: str) -> str:
    return " ".join(text[start:end].split())


def _touch(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _frequent(counts: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """What stands in several notes; single letters and numbers are no rule for anything."""
    return [
        (word, label)
        for (word, label), count in counts.most_common(_MOST)
        if count >= _OFTEN and len(word) > 2 and any(c.isalpha() for c in word)
    ]
