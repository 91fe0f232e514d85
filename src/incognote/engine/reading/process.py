"""The process that reads files, and the end of its pipe in the run.

A hostile or broken file may take all memory, never end, or crash the library that reads it. In a
process of its own it can do no more than end that process. The kernel bounds its memory
(RLIMIT_DATA, where the system has it), the run bounds its time.

It is no `multiprocessing` process: a script that calls incognote need not guard its main module.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from incognote.engine.reading.records import Answer, Chunk, FileRequest, OpenFile, Settled

_CODE = "from incognote.engine.reading.process import serve; serve({}, {})"
# Above this share of its limit, a process that has read its files makes room for a fresh one.
_FULL = 0.6


class ReaderLost(Exception):  # noqa: N818 - reads as what happened
    """The process is gone: `error` is TimeLimit or ReaderDied."""

    def __init__(self, error: str, message: str, *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.error = error
        self.from_outside = from_outside


class ReaderProcess:
    """A process that reads files one after another. Replies come in the order of requests."""

    def __init__(self, stdin: int | None = None) -> None:
        # Imported where it is used: most verbs start no process.
        from multiprocessing.connection import Connection

        ours, theirs = socket.socketpair()
        # The child ends with this process, which alone holds the other end of this pipe.
        leash, held = os.pipe()
        self.environment = _environment()
        with ours, theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
                [sys.executable, "-P", "-c", _CODE.format(theirs.fileno(), leash)],
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=subprocess.DEVNULL,
                # Libraries complain there of what they read, and may quote it.
                stderr=subprocess.DEVNULL,
                env=self.environment,
                pass_fds=(theirs.fileno(), leash),
                start_new_session=True,
            )
            self._pipe = Connection(os.dup(ours.fileno()))
        os.close(leash)
        self._held = held
        self._ahead = 0
        self._early: deque[Any] = deque()
        self.is_lost = False
        self.is_full = False
        self.open_files = 0

    def is_current(self) -> bool:
        """Whether a fresh process would see the same environment and modules."""
        return not self.is_lost and self.environment == _environment()

    def open(self, number: int, request: FileRequest) -> Chunk:
        return self._call(request.seconds, "open", number, request)  # type: ignore[no-any-return]

    def read_ahead(self, number: int, seconds: int) -> None:
        """Asks for the next chunk, to be taken by `next_chunk`."""
        self._send(seconds, "next", number)
        self._ahead += 1

    def next_chunk(self, seconds: int) -> Chunk:
        if not self._early:
            self._ahead -= 1
            return self._receive(seconds)  # type: ignore[no-any-return]
        return self._early.popleft()  # type: ignore[no-any-return]

    def settle(
        self, number: int, answers: list[Answer], seconds: int, *, is_last: bool
    ) -> list[Settled]:
        return self._call(seconds, "settle", number, answers, is_last)  # type: ignore[no-any-return]

    def end(self) -> None:
        self.is_lost = True
        with suppress(OSError):
            self._pipe.close()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1
        if self._process.poll() is None:
            # The whole group: a program that the reader started must not outlive it.
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _call(self, seconds: int, *request: Any) -> Any:
        while self._ahead:  # or both sides would wait for the other to read
            self._ahead -= 1
            self._early.append(self._receive(seconds))
        self._send(seconds, *request)
        return self._receive(seconds)

    def _send(self, seconds: int, *request: Any) -> None:
        try:
            self._pipe.send(request)
        except OSError:
            raise self._died(seconds) from None

    def _receive(self, seconds: int) -> Any:
        try:
            if not self._pipe.poll(seconds or None):
                raise self._died(seconds, timed_out=True)
            reply, self.is_full = self._pipe.recv()
        except (OSError, EOFError):
            raise self._died(seconds) from None
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def _died(self, seconds: int, *, timed_out: bool = False) -> ReaderLost:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if timed_out else 1)
        code = self._process.poll()
        self.end()
        if timed_out:
            return ReaderLost("TimeLimit", f"took longer than {seconds} seconds (--time-limit)")
        return ReaderLost(
            "ReaderDied",
            "the process that read it died, perhaps for lack of memory (--memory-limit)",
            from_outside=code in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP),
        )


def _environment() -> dict[str, str]:
    found = dict(os.environ)
    found["PYTHONPATH"] = os.pathsep.join(each or str(Path.cwd()) for each in sys.path)
    # This pool takes memory as it needs it; the others reserve more than a limit allows.
    found.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return found


def serve(pipe: int, leash: int) -> None:
    """The life of the process: requests in, replies out, until the run closes the pipe."""
    from multiprocessing.connection import Connection

    _limit_core()
    Thread(target=_end_with_parent, args=(leash,), daemon=True).start()
    connection = Connection(pipe)
    files: dict[int, OpenFile] = {}
    limit = 0
    while True:
        try:
            verb, number, *rest = connection.recv()
        except (EOFError, OSError):
            return
        reply: object
        if verb == "open":
            request: FileRequest = rest[0]
            limit = request.memory
            _limit_memory(limit)
            files[number] = OpenFile(request)
            reply = files[number].next_chunk()
            if reply.is_last and not request.keep:
                del files[number]
        elif verb == "next":
            reply = files[number].next_chunk()
        else:
            answers, is_last = rest
            reply = files[number].settle(answers)
            if is_last:
                del files[number]
        try:
            connection.send((reply, limit and _memory_in_use() > _FULL * limit))
        except MemoryError:
            os._exit(1)


def _end_with_parent(leash: int) -> None:
    os.read(leash, 1)
    os._exit(1)


def _limit_core() -> None:
    """A core dump would hold clinical text."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_memory(limit: int) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft or hard, hard))


def _memory_in_use() -> int:
    """The bytes that count for the limit; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as facts:  # noqa: PTH123
            return int(facts.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def can_start() -> bool:
    """Whether this system lets a process be started and spoken to in this way."""
    return hasattr(socket, "AF_UNIX") and hasattr(os, "killpg") and bool(sys.executable)


__all__ = ["ReaderLost", "ReaderProcess", "can_start", "serve"]
