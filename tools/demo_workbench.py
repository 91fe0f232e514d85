"""A workbench with sample notes: two annotators have worked, and left something to adjudicate.

`make demo` runs this; so do the tests that take the pictures of the guide. The passwords are no
secret: never put real notes into this workbench.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import select

from incognote.web.flow.edits import Edit, Mark, marks
from incognote.web.store import accounts, assignments, projects
from incognote.web.store.assignments import ANNOTATE, Effort
from incognote.web.store.database import schema
from incognote.web.store.database.connection import Store
from incognote.web.store.site import Site
from incognote.web.store.tables import Account, Annotation, Assignment, Project
from incognote.web.work.importing import add_files
from incognote.web.work.worker import Worker

ROOT = Path(__file__).parents[1]
SAMPLES = (ROOT / "samples/notes", ROOT / "samples/notes.jsonl")
PASSWORD = "demonstration"  # for everybody to know
PEOPLE = {
    "mia": ("Mia Manager", ("manager", "auditor")),
    "anna": ("Anna Annotator", ("annotator",)),
    "ben": ("Ben Annotator", ("annotator",)),
    "ada": ("Ada Adjudicator", ("adjudicator",)),
    "rob": ("Rob Reviewer", ("reviewer",)),
}
GUIDELINES = (
    "Mark every name, place, date, contact and number that could identify the patient, their "
    "family or the staff.\n\n"
    "Titles stay outside: Dr. [Holt]. Ages count from one year on. A day of the week without a "
    "date does not count. When in doubt, mark it and leave a remark (Ctrl+M)."
)


def build(folder: Path, notes: int = 24, policy: str = "") -> Site:
    """A workbench in an empty folder, with `notes` of the open corpus and the samples."""
    site = Site.create(folder)
    store = Store(site)
    schema.upgrade(store.engine)
    with store.write() as db:
        admin, _ = accounts.create_account(db, "admin", "Administrator", PASSWORD, admin=True)
        admin.must_change = False
        for name, (full_name, _) in PEOPLE.items():
            account, _ = accounts.create_account(db, name, full_name, PASSWORD)
            account.must_change = False
        project = projects.create_project(
            db,
            site,
            "Sample notes",
            None,
            projects.Settings(annotators=2, guidelines=GUIDELINES, batch=5),
        )
        if policy:
            project.policy = policy
        for name, (_, roles) in PEOPLE.items():
            member = accounts.by_name(db, name)
            assert member is not None
            accounts.set_roles(db, project.id, member.id, frozenset(roles))
        key = project.id
        with tempfile.TemporaryDirectory() as scratch:
            add_files(store, db, key, [*SAMPLES, _corpus(Path(scratch), notes)])
    worker = Worker(store)
    worker.run_all()
    _annotate(store, key, "anna", 0.97, count=notes // 2 + 2)
    _annotate(store, key, "ben", 0.98, count=notes // 2)
    worker.run_all()
    store.close()
    return site


def _corpus(folder: Path, notes: int) -> Path:
    """Some notes of the open corpus, two for each patient, without their annotations."""
    rows = (ROOT / "data/dev.jsonl").read_text("utf-8").splitlines()
    chosen = [json.loads(row) for row in random.Random(4).sample(rows, min(notes, len(rows)))]
    lines = [
        json.dumps({"id": row["id"], "patient_id": f"P{at // 2:03}", "text": row["text"]})
        for at, row in enumerate(chosen)
    ]
    path = folder / "corpus.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def _annotate(store: Store, project: int, name: str, care: float, count: int) -> None:
    """Plays an annotator who leaves most suggestions as they are and changes some."""
    rng = random.Random(name)
    for _ in range(count):
        with store.write() as db:
            row = db.get_one(Project, project)
            person = db.scalars(select(Account).where(Account.name == name)).one()
            found = assignments.next_for(db, row, person.id, ANNOTATE)
            if found is None:
                return
            assisted = db.get_one(Annotation, found.id)
            spans = marks(assisted.spans) or _suggested(db, found)
            edits = [] if assisted.spans else [Edit(1, "add", (), spans)]
            edits += _changes(spans, rng, care, len(edits) + 1)
            sent = [(edit, Effort(rng.randrange(1500, 9000), 3)) for edit in edits]
            labels = {mark[2] for edit in edits for mark in edit.after}
            revision = assignments.apply_edits(db, found, sent, labels)
            effort = Effort(rng.randrange(20_000, 60_000), rng.randrange(4, 20))
            assignments.finish(db, row, found, revision, effort)


def _suggested(db, found: Assignment) -> tuple[Mark, ...]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    from incognote.web.flow.edits import flat
    from incognote.web.store.documents import suggestion_of

    suggestion = suggestion_of(db, found.document_id)
    return flat((s, e, label) for s, e, label, *_ in suggestion.spans) if suggestion else ()


def _changes(spans: Sequence[Mark], rng: random.Random, care: float, number: int) -> list[Edit]:
    """Marks taken away or given another label, as people do who read differently."""
    confused = {"DOCTOR": "PATIENT", "HOSPITAL": "ORGANIZATION", "CITY": "LOCATION-OTHER"}
    found = []
    for mark in spans:
        if rng.random() < care:
            continue
        other = confused.get(mark[2])
        after = ((mark[0], mark[1], other),) if other and rng.random() < 0.5 else ()
        found.append(Edit(number, "relabel" if after else "remove", (mark,), after))
        number += 1
    return found


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-out/workbench")
    shutil.rmtree(folder, ignore_errors=True)
    print("Making a workbench on sample notes, with the work of two annotators ...", flush=True)
    build(folder)
    names = ", ".join(PEOPLE)
    print(f"Accounts: admin, {names}; password of all: {PASSWORD}")
    print(f"Start it and adjudicate as ada: .venv/bin/incognote web serve {folder}")


if __name__ == "__main__":
    main()
