"""Jobs: one worker each, resumed when a worker dies, cancelled, never tried for ever."""

from __future__ import annotations

import zipfile

import pytest
from tests.web.conftest import Bench, eventually
from tests.web.test_loop import notes
from tests.web.test_release import settle

from incognote.web.store import jobs
from incognote.web.store.database.connection import now
from incognote.web.store.tables import Document, Gold, Job, ReleaseDocument, Source, Suggestion
from incognote.web.work import importing, suggesting, task
from incognote.web.work.worker import Worker


class Killed(BaseException):
    """As if the process had been ended: nothing catches it, nothing tidies up."""


def die_at(monkeypatch, nth: int) -> None:
    real, count = task.Task.step, iter(range(1, 10_000))

    def step(self, *arguments):
        if next(count) == nth:
            raise Killed
        real(self, *arguments)

    monkeypatch.setattr(task.Task, "step", step)


def killed(bench: Bench, monkeypatch, nth: int) -> None:
    """A worker dies at its nth step; a minute later another one takes over."""
    with monkeypatch.context() as patched:
        die_at(patched, nth)
        with pytest.raises(Killed):
            bench.work()
    with bench.store.write() as db:
        (job,) = db.query(Job).filter(Job.state == jobs.RUNNING)
        job.heartbeat -= jobs.DEAD_MS + 1
    bench.work()
    with bench.store.read() as db:
        assert {job.state for job in db.query(Job)} == {jobs.DONE}


def count(bench: Bench, kind: type) -> int:
    with bench.store.read() as db:
        return db.query(kind).count()


def test_a_worker_dies_while_importing(bench: Bench, monkeypatch):
    monkeypatch.setattr(importing, "CHUNK", 4)
    bench.upload(bench.person("mia", "manager"), "notes.jsonl", notes(11))
    killed(bench, monkeypatch, 2)
    assert count(bench, Document) == 11
    assert count(bench, Suggestion) == 11


def test_a_worker_dies_while_suggesting(quick_bench: Bench, monkeypatch):
    monkeypatch.setattr(suggesting, "_CHUNK", 3)
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "notes.jsonl", notes(8), suggest="false")
    quick_bench.work()
    manager.api("POST", f"projects/{quick_bench.project}/jobs", {"kind": "suggest"}, 202)
    killed(quick_bench, monkeypatch, 3)
    assert count(quick_bench, Suggestion) == 8


def test_what_could_not_be_read_is_tried_again(quick_bench: Bench, monkeypatch):
    from incognote.core.types import Failure
    from incognote.pipeline import Pipeline

    real = Pipeline.detect

    def broken(self, given):
        yield from (Failure(note.id, "detect", "Broken") for note in given)

    manager, project = quick_bench.person("mia", "manager"), quick_bench.project
    quick_bench.upload(manager, "notes.jsonl", notes(3))
    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "detect", broken)
        quick_bench.work()
        manager.api("POST", f"projects/{project}/jobs", {"kind": "suggest"}, 202)
        quick_bench.work()  # fails once more, and the job ends
    assert Pipeline.detect is real
    listed = manager.api("GET", f"projects/{project}/documents")["notes"]
    assert {(one["state"], one["reason"]) for one in listed} == {("failed", "detect: Broken")}
    manager.api("POST", f"projects/{project}/jobs", {"kind": "suggest"}, 202)
    quick_bench.work()
    listed = manager.api("GET", f"projects/{project}/documents")["notes"]
    assert {(one["state"], one["reason"]) for one in listed} == {("suggested", "")}


@pytest.fixture
def settled(quick_bench: Bench) -> Bench:
    quick_bench.upload(quick_bench.person("mia", "manager"), "notes.jsonl", notes(10))
    quick_bench.work()
    settle(quick_bench, 10)
    return quick_bench


@pytest.mark.parametrize("kind", ["order", "harvest"])
def test_a_worker_dies_while_doing_small_jobs(settled: Bench, monkeypatch, kind: str):
    settled.person("mia").api("POST", f"projects/{settled.project}/jobs", {"kind": kind}, 202)
    killed(settled, monkeypatch, 1)


def test_a_worker_dies_while_training(settled: Bench, monkeypatch):
    manager = settled.person("mia")
    manager.api("POST", f"projects/{settled.project}/models", {"model": "crf"}, 202)
    killed(settled, monkeypatch, 1)
    assert len(manager.api("GET", f"projects/{settled.project}/models")) == 1


def test_a_worker_dies_while_releasing_and_exporting(settled: Bench, monkeypatch):
    from incognote.web.work import releasing

    monkeypatch.setattr(releasing, "_CHUNK", 3)
    manager = settled.person("mia")
    manager.api("POST", f"projects/{settled.project}/releases", {"name": "r", "wanted": 0.5}, 202)
    killed(settled, monkeypatch, 3)
    assert count(settled, ReleaseDocument) == 10
    manager.api("POST", f"projects/{settled.project}/exports", {"what": "project"}, 202)
    killed(settled, monkeypatch, 4)


def test_a_worker_dies_while_trying_a_policy(settled: Bench, monkeypatch):
    manager = settled.person("mia")
    policy = manager.api("GET", f"projects/{settled.project}/policy")["policy"]
    manager.api("POST", f"projects/{settled.project}/policy/try", {"policy": policy}, 202)
    killed(settled, monkeypatch, 2)


def test_a_worker_dies_while_backing_up(settled: Bench, monkeypatch):
    admin = settled.person("root", admin=True)
    admin.api("POST", "backups", status=202)
    admin.api("POST", "backups", status=202)  # what waits already is not queued twice
    killed(settled, monkeypatch, 2)
    (row,) = admin.api("GET", "backups")
    assert row["name"] in admin.get("/accounts").text
    with zipfile.ZipFile(settled.store.site.folder / "backups" / row["name"]) as archive:
        names = archive.namelist()
    assert "head.json" in names
    assert not any(name.startswith("keys/") for name in names)


def test_a_job_is_claimed_once(bench: Bench):
    with bench.store.write() as db:
        for _ in range(3):
            jobs.enqueue(db, "order", bench.project)
    claimed = []
    for name in ("one", "two", "one", "two"):
        with bench.store.write() as db:
            job = jobs.claim(db, name)
            claimed.append(job.id if job else None)
    assert sorted(filter(None, claimed)) == [1, 2, 3]
    assert claimed[3] is None


def test_only_one_training_at_a_time(bench: Bench):
    with bench.store.write() as db:
        jobs.enqueue(db, "train", bench.project)
        jobs.enqueue(db, "train", bench.project)
        jobs.enqueue(db, "order", bench.project)
    kinds = []
    for _ in range(3):
        with bench.store.write() as db:
            job = jobs.claim(db, "w")
            kinds.append(job.kind if job else None)
    assert kinds == ["train", "order", None]


def test_a_job_that_kills_its_workers_ends(bench: Bench):
    with bench.store.write() as db:
        jobs.enqueue(db, "order", bench.project)
    for _ in range(jobs.ATTEMPTS):
        with bench.store.write() as db:
            job = jobs.claim(db, "w")
            assert job is not None
            job.heartbeat = now() - jobs.DEAD_MS - 1
    with bench.store.write() as db:
        assert jobs.claim(db, "w") is None
    with bench.store.read() as db:
        job = db.query(Job).one()
        assert (job.state, job.error_type) == ("failed", "WorkerLost")


def test_a_job_can_be_cancelled(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "notes.jsonl", notes(3))
    with quick_bench.store.read() as db:
        job = db.query(Job).one().id
    manager.api("DELETE", f"projects/{quick_bench.project}/jobs/{job}")
    assert quick_bench.work() == 0
    manager.api("DELETE", f"projects/{quick_bench.project}/jobs/{job}", status=409)


def test_training_that_is_cancelled_ends_at_once(settled: Bench, monkeypatch):
    manager = settled.person("mia")
    job = None

    worker = Worker(settled.store, heartbeat_ms=50)
    manager.api("POST", f"projects/{settled.project}/models", {"model": "crf"}, 202)
    with settled.store.read() as db:
        job = db.query(Job).filter(Job.state == jobs.QUEUED).one().id
    from incognote.web.work import training

    real = training.run_in_child

    def cancelled(given, *arguments):
        manager.api("DELETE", f"projects/{settled.project}/jobs/{job}")
        eventually(given.is_cancelled, "the worker hears of it")
        real(given, *arguments)

    monkeypatch.setattr(training, "run_in_child", cancelled)
    worker.run_all()
    assert manager.api("GET", f"projects/{settled.project}/jobs/{job}")["state"] == "cancelled"
    assert manager.api("GET", f"projects/{settled.project}/models") == []


def test_a_file_that_cannot_be_read_says_so(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "broken.docx", b"this is no Word file" * 10)
    quick_bench.work()
    job = manager.api("GET", f"projects/{quick_bench.project}/jobs")[-1]
    assert job["state"] == "failed"
    with quick_bench.store.read() as db:
        assert db.query(Source).one().state == "unreadable"
        assert db.query(Gold).count() == 0
