"""Many people at once: does a confirmed edit ever get lost?"""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from typing import Any

from bench.workbench.serving import RULES, Person, postgres, served, workbench
from incognote.core.types import Document as Note
from incognote.web.store.database.connection import Store
from incognote.web.store.documents import Incoming, add_documents
from incognote.web.store.tables import Annotation, Document, EditRow, Project

Row = dict[str, Any]
TEXT = " ".join(f"word{number}" for number in range(300))
EDITS = 25


def run(small: bool) -> list[Row]:
    rows = [_load("SQLite", "", 4 if small else 20)]
    with postgres() as url:
        if url:
            rows.append(_load("PostgreSQL", url, 10 if small else 200))
        else:
            print("load on PostgreSQL: skipped, it is not installed")
    return rows


def _load(name: str, database: str, people: int) -> Row:
    """Everybody takes a note, labels words one stroke after another, is done, takes the next."""
    with workbench(people, RULES, database) as (store, project):
        with store.write() as db:
            row = db.get_one(Project, project)
            notes = [Incoming(n, Note(f"n{n}", TEXT)) for n in range(2 * people)]
            for key in add_documents(db, row, None, notes):
                document = db.get_one(Document, key)
                document.state, document.claimable, document.rank = "suggested", True, key
        confirmed: dict[int, list[list[Any]]] = {}
        times: list[float] = []
        errors: list[str] = []
        with served(store) as address:
            threads = [
                threading.Thread(
                    target=_work,
                    args=(address, f"p{number}", project, confirmed, times, errors),
                )
                for number in range(people)
            ]
            begun = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.perf_counter() - begun
        return {
            "database": name,
            "people": people,
            "edits": sum(map(len, confirmed.values())),
            "lost": _lost(store, confirmed),
            "stopped": f"{len(errors)} {_kinds(errors)}".strip(),
            "edits per s": len(times) / seconds,
            "median (ms)": 1000 * statistics.median(times or [0]),
            "slowest 1 % (ms)": 1000 * statistics.quantiles(times or [0, 0], n=100)[-1],
        }


def _kinds(errors: list[str]) -> str:
    """Where people were stopped and by what, the most frequent first."""
    counts = Counter(errors).most_common()
    return "(" + ", ".join(f"{count} {kind}" for kind, count in counts) + ")" if counts else ""


def _work(
    address: str,
    name: str,
    project: int,
    confirmed: dict[int, list[list[Any]]],
    times: list[float],
    errors: list[str],
) -> None:
    rng = random.Random(name)
    doing = "sign-in"
    try:
        person = Person(address, name)
        for _ in range(2):
            doing = "next"
            number = person.ask("POST", f"/projects/{project}/next")["id"]
            if number is None:
                return
            assert isinstance(number, int)
            doing = "open"
            person.ask("GET", f"/assignments/{number}")
            doing = "edit"
            mine = confirmed.setdefault(number, [])
            for edit in range(1, EDITS + 1):
                start = edit * 40
                mark = [start, start + 4, "DATE"]
                body = {"edits": [{"number": edit, "operation": "add", "after": [mark]}]}
                begun = time.perf_counter()
                person.ask("POST", f"/assignments/{number}/edits", body)
                times.append(time.perf_counter() - begun)
                mine.append(mark)
                time.sleep(rng.uniform(0.2, 1.2))  # nobody labels faster
            doing = "done"
            person.ask("POST", f"/assignments/{number}/done", {"revision": EDITS})
        person.close()
    except Exception as error:  # noqa: BLE001 - counted, not hidden
        status = getattr(getattr(error, "response", None), "status_code", "")
        errors.append(" ".join(filter(None, (doing, type(error).__name__, str(status)))))


def _lost(store: Store, confirmed: dict[int, list[list[Any]]]) -> int:
    """Edits that the server confirmed and that are not in the layer or not in the record."""
    lost = 0
    with store.read() as db:
        for number, marks in confirmed.items():
            layer = db.get_one(Annotation, number)
            rows = db.query(EditRow).filter(EditRow.assignment_id == number).count()
            lost += sum(mark not in layer.spans for mark in marks) + max(0, len(marks) - rows)
    return lost
