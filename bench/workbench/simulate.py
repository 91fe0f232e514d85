"""Gold as the annotator, through the API: how many actions notes take with and without suggestions,
and how fast the project learns with each ordering."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from bench.notes import HELD_OUT, notes
from bench.workbench.serving import DEFAULT, RULES, Person, served, workbench
from incognote.core.types import AnnotatedDocument
from incognote.web.figures.measuring import scores
from incognote.web.flow.edits import flat, marks
from incognote.web.flow.effort import actions_needed
from incognote.web.flow.ordering import ORDERINGS
from incognote.web.store import jobs
from incognote.web.store.database.connection import Store
from incognote.web.store.tables import Document, Model, Project
from incognote.web.work.ensemble import ensemble, pipeline_of
from incognote.web.work.importing import add_files
from incognote.web.work.worker import Worker

Row = dict[str, Any]


def _import(store: Store, project: int, chosen: Sequence[AnnotatedDocument]) -> None:
    path = store.site.folder / "notes.jsonl"
    rows = [json.dumps({"id": doc.id, "text": doc.text}) for doc in chosen]
    path.write_text("\n".join(rows), "utf-8")
    with store.write() as db:
        add_files(store, db, project, [path])
    Worker(store).run_all()
    with store.write() as db:
        # Everything is learnt from here: the test notes are not in the project at all.
        for document in db.query(Document):
            document.purpose = "learn"


def _play(person: Person, project: int, gold: dict[str, AnnotatedDocument]) -> Row | None:
    """Takes the next note, corrects it to its gold, is done; what it took."""
    number = person.ask("POST", f"/projects/{project}/next")["id"]
    if number is None:
        return None
    note: Any = person.ask("GET", f"/assignments/{number}")
    wanted = flat((s.start, s.end, s.label) for s in gold[note["text"]].spans)
    there = marks(note["spans"])
    gone = [list(mark) for mark in there if mark not in wanted]
    come = [list(mark) for mark in wanted if mark not in there]
    revision = 0
    if gone or come:
        edit = {"number": 1, "operation": "correct", "before": gone, "after": come}
        revision = int(
            str(person.ask("POST", f"/assignments/{number}/edits", {"edits": [edit]})["revision"])
        )
    person.ask("POST", f"/assignments/{number}/done", {"revision": revision})
    return {
        "actions": actions_needed(there, wanted),
        "unassisted": actions_needed((), wanted),
        "words": len(gold[note["text"]].text.split()),
    }


def actions(small: bool) -> list[Row]:
    """On notes that no shipped model has seen, in groups by author."""
    rows = []
    for corpus in (HELD_OUT, "dev"):
        chosen = notes(corpus)[: 10 if small else None]
        gold = {doc.text: doc for doc in chosen}
        with workbench(1, DEFAULT, suggestions="everybody", batch=500) as (store, project):
            _import(store, project, chosen)
            with served(store) as address:
                person = Person(address, "p0")
                played = []
                while row := _play(person, project, gold):
                    played.append(row)
                person.close()
        with_, without = (sum(row[name] for row in played) for name in ("actions", "unassisted"))
        rows.append(
            {
                "notes": corpus,
                "count": len(played),
                "actions without": without,
                "actions with": with_,
                "per note without": without / len(played),
                "per note with": with_ / len(played),
                "saved": f"{1 - with_ / without:.1%}",
                "notes that needed none": sum(row["actions"] == 0 for row in played),
            }
        )
    return rows


def ordering(small: bool) -> list[Row]:
    """Rules and a CRF that learns after each batch of 20, on a pool of training notes."""
    everything = notes("train")
    random.Random(1).shuffle(everything)
    pool, held = everything[: 60 if small else 160], everything[-40:]
    rows = []
    for how in ORDERINGS:
        for suggestions in ("everybody", "nobody"):
            if suggestions == "nobody" and how != "random":
                continue
            rows += _learn(how, suggestions, pool, held)
    return rows


def _learn(
    how: str,
    suggestions: str,
    pool: Sequence[AnnotatedDocument],
    held: Sequence[AnnotatedDocument],
) -> list[Row]:
    gold = {doc.text: doc for doc in pool}
    rows: list[Row] = []
    with workbench(1, RULES, ordering=how, suggestions=suggestions, batch=20) as (store, project):
        _import(store, project, pool)
        worker = Worker(store)
        with served(store) as address:
            person = Person(address, "p0")
            spent = {"notes": 0, "words": 0, "actions": 0}
            while row := _play(person, project, gold):
                spent["notes"] += 1
                spent["words"] += row["words"]
                spent["actions"] += row["actions"]
                if spent["notes"] % 20 == 0:
                    worker.run_all()  # the batch is full: the server has queued the training
                    with store.write() as db:
                        model = db.query(Model).order_by(Model.id.desc()).first()
                        assert model is not None
                        db.query(Model).filter(Model.state == "in use").update({"state": "retired"})
                        model.state = "in use"
                        jobs.enqueue(db, "suggest", project)
                    worker.run_all()
                    rows.append(
                        {
                            "ordering": how,
                            "suggestions": suggestions,
                            **spent,
                            **_f1(store, project, held),
                        }
                    )
            person.close()
    return rows


def _f1(store: Store, project: int, held: Sequence[AnnotatedDocument]) -> Row:
    with store.read() as db:
        policy = ensemble(db, store.site, db.get_one(Project, project))
    outcomes = pipeline_of(policy).detect([doc.document for doc in held])
    found = [
        AnnotatedDocument(doc.document, getattr(outcome, "spans", ()))
        for doc, outcome in zip(held, outcomes, strict=True)
    ]
    measured = scores(held, found)
    return {"F1": measured.f1, "recall": measured.recall}
