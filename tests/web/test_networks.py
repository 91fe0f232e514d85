"""Networks trained from the browser: in a child process, on hard examples, cancelled."""

from __future__ import annotations

import multiprocessing

import pytest

pytest.importorskip("torch", reason="needs incognote[train]")

from tests.toy_encoder import write_toy_encoder
from tests.web.conftest import Bench, eventually
from tests.web.test_loop import notes
from tests.web.test_release import settle

from incognote.web.store import jobs
from incognote.web.store.tables import Job
from incognote.web.work import training
from incognote.web.work.worker import Worker


@pytest.fixture
def settled(quick_bench: Bench, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    folder = tmp_path / "toy"
    folder.mkdir()
    monkeypatch.setattr(training, "BASE", str(write_toy_encoder(folder)))
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "notes.jsonl", notes(8))
    quick_bench.work()
    settle(quick_bench, 8)
    return quick_bench


def test_a_transformer_is_trained_and_goes_on_with_what_it_gets_wrong(settled: Bench):
    manager, project = settled.person("mia"), settled.project
    hard = {"model": "transformer", "hard": True}
    manager.api("POST", f"projects/{project}/models", hard, 409)  # there is none to go on from
    wanted = {"model": "transformer", "minutes": 5}
    manager.api("POST", f"projects/{project}/models", wanted, 202)
    settled.work()
    (first,) = manager.api("GET", f"projects/{project}/models")
    assert (first["kind"], first["state"]) == ("transformer", "candidate")
    assert first["scores"]["after"]["notes"] == first["scores"]["notes"] > 0
    assert "go on from the last one" in manager.get(f"/projects/{project}/learning").text
    manager.api("POST", f"projects/{project}/models", hard, 202)
    settled.work()
    job = manager.api("GET", f"projects/{project}/jobs")[0]
    assert (job["state"], job["error_type"]) in (("done", ""), ("failed", "NothingHard"))
    manager.api("POST", f"models/{first['id']}/use")
    settled.work()
    with settled.store.read() as db:
        assert {job.state for job in db.query(Job).filter(Job.kind == "suggest")} == {"done"}


def test_a_transformer_that_is_cancelled_ends_with_its_process(
    settled: Bench, monkeypatch: pytest.MonkeyPatch
):
    manager, project = settled.person("mia"), settled.project
    body = {"model": "transformer"}
    job = manager.api("POST", f"projects/{project}/models", body, 202)["job"]
    real = training.run_in_child
    # Readers of files that earlier tests in this process have left running are no concern here.
    before = set(multiprocessing.active_children())

    def cancelled(given, *arguments):
        manager.api("DELETE", f"projects/{project}/jobs/{job}")
        eventually(given.is_cancelled, "the worker hears of it")
        real(given, *arguments)

    monkeypatch.setattr(training, "run_in_child", cancelled)
    Worker(settled.store, heartbeat_ms=50).run_all()
    assert manager.api("GET", f"projects/{project}/jobs/{job}")["state"] == jobs.CANCELLED
    assert manager.api("GET", f"projects/{project}/models") == []
    assert set(multiprocessing.active_children()) <= before


def test_a_full_batch_trains_what_the_project_has_trained_before(settled: Bench):
    from incognote.web.store.database.connection import now
    from incognote.web.store.learning import after_batch
    from incognote.web.store.tables import Model

    def wanted() -> list[dict]:
        with settled.store.read() as db:
            return after_batch(db, settled.project)

    assert wanted() == [{"model": "crf"}]
    with settled.store.write() as db:
        for kind in ("fast", "transformer"):
            row = Model(
                project_id=settled.project, kind=kind, folder="x", gold_hash="", created_at=now()
            )
            db.add(row)
    hard = {"model": "transformer", "hard": True}
    assert wanted() == [{"model": "crf"}, {"model": "fast"}, hard]
