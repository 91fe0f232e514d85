"""What is removed can be put back for 30 days, and is erased then: rows and bytes."""

from __future__ import annotations

from tests.web.conftest import NOTE, Bench
from tests.web.test_loop import notes

from incognote.web.store import removal
from incognote.web.store.audit import verify
from incognote.web.store.database.connection import now
from incognote.web.store.tables import Document, Job, Project, Source, Text


def listed(bench: Bench, query: str = "") -> list[dict]:
    manager = bench.person("mia", "manager")
    return manager.api("GET", f"projects/{bench.project}/documents?{query}")["notes"]


def age(bench: Bench) -> None:
    """30 days go by."""
    with bench.store.write() as db:
        for note in db.query(Document).filter(Document.removed_at.is_not(None)):
            note.removed_at -= removal.KEPT_MS + 1
        for job in db.query(Job).filter(Job.finished_at.is_not(None)):
            job.finished_at = now() - removal.KEPT_MS - 1


def test_a_file_goes_into_the_bin_and_comes_back(bench: Bench):
    manager = bench.person("mia", "manager")
    source = bench.upload(manager, "notes.jsonl", notes(3))["id"]
    path = f"projects/{bench.project}/sources/{source}"
    manager.api("DELETE", path, status=409)  # it is being read
    bench.work()
    assert manager.api("DELETE", path) == {"notes": 3}
    assert listed(bench) == []
    again = manager.post(
        f"/api/v1/projects/{bench.project}/sources?name=notes.jsonl", content=notes(3)
    )
    assert again.status_code == 409
    assert "bin" in again.json()["error"]
    ids = [row["id"] for row in listed(bench, "removed=true")]
    manager.api("POST", f"projects/{bench.project}/documents/put-back", {"ids": ids})
    assert len(listed(bench)) == 3
    (row,) = manager.api("GET", f"projects/{bench.project}/sources")
    assert row["state"] == "read"


def test_what_was_removed_is_erased_with_its_bytes(bench: Bench):
    manager = bench.person("mia", "manager")
    source = bench.upload(manager, "notes.jsonl", notes(2))["id"]
    kept = bench.upload(manager, "kept.txt", NOTE.encode())["id"]
    bench.work()
    site = bench.store.site
    path = site.source(bench.project, source)
    manager.api("DELETE", f"projects/{bench.project}/sources/{source}")
    assert removal.empty(bench.store) == 0
    assert path.exists()
    age(bench)
    assert removal.empty(bench.store) == 2
    assert not path.exists()
    with bench.store.read() as db:
        assert [row.id for row in db.query(Source)] == [kept]
        assert db.query(Text).count() == 1
    assert site.source(bench.project, kept).exists()
    assert bench.upload(manager, "notes.jsonl", notes(2))["id"] != source


def test_a_file_that_lost_some_notes_stays(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    source = quick_bench.upload(manager, "notes.jsonl", notes(3))["id"]
    quick_bench.work()
    ids = [row["id"] for row in listed(quick_bench)][:2]
    manager.api("POST", f"projects/{quick_bench.project}/documents/remove", {"ids": ids})
    age(quick_bench)
    assert removal.empty(quick_bench.store) == 2
    assert quick_bench.store.site.source(quick_bench.project, source).exists()


def test_old_exports_are_erased(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    path = f"projects/{quick_bench.project}/exports"
    job = manager.api("POST", path, {"what": "policy"}, 202)["job"]
    quick_bench.work()
    removal.empty(quick_bench.store)
    assert manager.get(f"/api/v1/{path}/{job}").status_code == 200
    age(quick_bench)
    removal.empty(quick_bench.store)
    assert manager.get(f"/api/v1/{path}/{job}").status_code == 404


def test_a_project_is_closed_opened_again_and_erased(bench: Bench):
    manager, anna = bench.person("mia", "manager"), bench.person("anna", "annotator")
    admin = bench.person("root", admin=True)
    bench.upload(manager, "notes.jsonl", notes(3))
    bench.work()
    task = anna.api("POST", f"projects/{bench.project}/next")["id"]
    path = f"projects/{bench.project}"
    job = manager.api("POST", f"{path}/exports", {"what": "policy"}, 202)["job"]
    bench.work()
    waiting = manager.api("POST", f"{path}/jobs", {"kind": "harvest"}, 202)["id"]
    admin.api("POST", f"{path}/close")
    assert manager.api("GET", "projects") == []
    manager.api("GET", path, status=404)
    anna.api("GET", f"assignments/{task}", status=404)
    with bench.store.read() as db:
        assert db.get_one(Job, waiting).state == "cancelled"
    assert "Open again" in admin.get("/").text
    assert removal.empty(bench.store) == 0
    admin.api("DELETE", f"{path}/close")
    assert anna.api("GET", f"assignments/{task}")["id"] == task
    admin.api("POST", f"{path}/close")
    with bench.store.write() as db:
        db.get_one(Project, bench.project).closed_at -= removal.KEPT_MS + 1
    site = bench.store.site
    removal.empty(bench.store)
    with bench.store.read() as db:
        assert db.query(Project).count() == db.query(Document).count() == db.query(Job).count() == 0
        assert verify(db, site.audit_key)[1] is None
    for folder in ("sources", "models", "policies"):
        assert not (site.folder / folder / str(bench.project)).exists()
    assert not site.export(job).exists()
    admin.api("POST", f"{path}/close", status=404)


def test_two_annotators_for_notes_that_wait(quick_bench: Bench):
    """Who asks for two after the import gets two, but not for what was begun."""
    manager = quick_bench.person("mia", "manager")
    anna = quick_bench.person("anna", "annotator")
    quick_bench.upload(manager, "notes.jsonl", notes(3))
    quick_bench.work()
    begun = anna.api("POST", f"projects/{quick_bench.project}/next")["id"]
    note = anna.api("GET", f"assignments/{begun}")["document"]
    manager.api("PATCH", f"projects/{quick_bench.project}", {"annotators": 2})
    with quick_bench.store.read() as db:
        wanted = {row.id: row.annotators for row in db.query(Document)}
    assert wanted.pop(note) == 1
    assert set(wanted.values()) == {2}
