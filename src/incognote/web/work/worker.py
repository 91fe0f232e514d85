"""The worker process: claims jobs, does them, gives a sign of life every ten seconds."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from importlib import import_module

from incognote.core.errors import wording
from incognote.web.store import jobs, removal
from incognote.web.store.database.connection import Store
from incognote.web.store.tables import Job
from incognote.web.work.task import Cancelled, Handler, Task

log = logging.getLogger("incognote.web.work")

# Kind of a job -> what does it. Imported when first wanted: some bring heavy libraries along.
HANDLERS = {
    "import": "incognote.web.work.importing:run",
    "suggest": "incognote.web.work.suggesting:run",
    "order": "incognote.web.work.ordering:run",
    "train": "incognote.web.work.training:run",
    "try policy": "incognote.web.work.trying:run",
    "harvest": "incognote.web.work.harvesting:run",
    "release": "incognote.web.work.releasing:run",
    "export": "incognote.web.work.exporting:run",
    "import corpus": "incognote.web.work.corpora:run",
    "import project": "incognote.web.work.moving:run",
    "backup": "incognote.web.work.exporting:back_up",
}
_IDLE_SECONDS = 1.0
_EMPTY_SECONDS = 3600.0  # between two looks into the bin


class Worker:
    def __init__(self, store: Store, heartbeat_ms: int = jobs.HEARTBEAT_MS) -> None:
        self.store = store
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._heartbeat = heartbeat_ms / 1000
        self._stop = threading.Event()

    def stop(self) -> None:
        self._stop.set()

    def run_forever(self) -> None:
        due = 0.0
        while not self._stop.is_set():
            if time.monotonic() >= due:
                removal.empty(self.store)
                due = time.monotonic() + _EMPTY_SECONDS
            if not self.run_one():
                self._stop.wait(_IDLE_SECONDS)

    def run_all(self) -> int:
        """Every job that waits, and those they bring along; how many there were."""
        count = 0
        while self.run_one():
            count += 1
        return count

    def run_one(self) -> bool:
        with self.store.write() as db:
            job = jobs.claim(db, self.name)
        if job is None:
            return False
        self._do(job)
        return True

    def _do(self, job: Job) -> None:
        lost = threading.Event()
        task = Task(
            self.store,
            job.id,
            job.project_id or 0,
            job.account_id,
            job.arguments or {},
            is_cancelled=lost.is_set,
        )
        over = threading.Event()
        pulse = threading.Thread(target=self._beat, args=(task, over, lost), daemon=True)
        pulse.start()
        try:
            result = handler(job.kind)(task)
        except Cancelled:
            log.info("job %s (%s) was cancelled", job.id, job.kind)
        except Exception as error:  # noqa: BLE001 - a job that fails must not end the worker
            log.warning("job %s (%s) failed: %s: %s", job.id, job.kind, task.stage, wording(error))
            with self.store.write(job.account_id) as db:
                jobs.fail(db, job.id, self.name, task.stage, type(error).__name__)
        else:
            with self.store.write(job.account_id) as db:
                jobs.beat(db, job.id, self.name, task.done, task.total)
                jobs.finish(db, job.id, self.name, result)
        finally:
            over.set()
            pulse.join()

    def _beat(self, task: Task, over: threading.Event, lost: threading.Event) -> None:
        while not over.wait(min(self._heartbeat, 2.0)):
            with self.store.write() as db:
                if not jobs.beat(db, task.job, self.name, task.done, task.total):
                    lost.set()
                    return


def handler(kind: str) -> Handler:
    module, _, name = HANDLERS[kind].partition(":")
    found: Handler = getattr(import_module(module), name)
    return found
