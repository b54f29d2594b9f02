"""Computations in processes of their own: their start, progress, end, and cancelling.

A process begins as a copy of one that has already loaded the library ('forkserver'), so it starts
at once, and its memory is freed when it ends. It writes files into its folder, the last of which
says how it ended; if that is missing, the process was killed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import secrets
import shutil
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from rocbands.app.store import Store

MOST_AT_ONCE = 2  # processes
MOST_JOBS = 40  # kept at a time
OUTCOME = "outcome.json"
_SHARE = 0.5  # of the computer's memory, that a job may take
_ENDED = ("done", "failed", "cancelled")
# Loaded before the first job needs them.
_PRELOAD = ["rocbands.app.work", "jinja2", "rocbands.plot.roc"]
_KILLED = (
    "The computation was ended from outside, most likely because the memory was full. Close other "
    "programs, choose fewer columns, or count the rows by 'rocbands count' on the command line."
)


@dataclass(eq=False)
class Job:
    """One computation."""

    id: str
    task: str
    request: Mapping[str, Any]
    folder: Path
    state: str = "waiting"  # or 'running', 'done', 'failed', 'cancelled'
    progress: dict[str, Any] | None = None
    fault: str = _KILLED  # what is said of it if it fails and wrote nothing
    process: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def to_dict(self) -> dict[str, Any]:
        """Return what the page may know."""
        found = {"id": self.id, "task": self.task, "state": self.state, "progress": self.progress}
        ended: dict[str, Any] = {"result": None, "error": None}
        if self.state == "failed":
            ended["error"] = {"message": self.fault, "field": None, "row": None}
        if self.state in ("done", "failed"):
            ended |= self.read_outcome() or {}
        return found | ended

    def read_outcome(self) -> dict[str, Any] | None:
        """Return how the process says that it ended; None if it was killed."""
        try:
            found: dict[str, Any] = json.loads((self.folder / OUTCOME).read_text("utf-8"))
        except FileNotFoundError:
            return None
        return found


def _load_ahead(folder: Path) -> Any:
    """Start to load the library in the process that jobs are copies of; return how jobs start.

    Its socket is in `folder`: that of multiprocessing would stay after a server that was killed.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    vars(multiprocessing.current_process())["_config"]["tempdir"] = str(folder)  # of its socket
    try:
        forkserver.ensure_running()
    except OSError:  # the folder of temporary files has too long a name for a socket
        return multiprocessing.get_context("spawn")
    return context


class Jobs:
    """All computations of a server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, Job] = {}
        self._slots = threading.Semaphore(MOST_AT_ONCE)
        self._context: Any = _load_ahead(store.folder)

    def start(self, task: str, request: Mapping[str, Any]) -> Job:
        """Start a computation, or let it wait; the oldest is dropped if there are too many."""
        job = Job(secrets.token_urlsafe(12), task, request, self._store.make_folder())
        self._jobs[job.id] = job
        for old in list(self._jobs)[:-MOST_JOBS]:
            self.cancel(old)
            shutil.rmtree(self._jobs.pop(old).folder, ignore_errors=True)
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def find(self, key: str) -> Job | None:
        """Return a job; None if there is none, or no longer."""
        return self._jobs.get(key)

    def cancel(self, key: str) -> None:
        """End a job that is under way."""
        job = self._jobs[key]
        with job.lock:
            if job.state not in _ENDED:
                job.state = "cancelled"
                if job.process is not None:
                    job.process.kill()

    def close(self) -> None:
        """End all of them."""
        for key in list(self._jobs):
            self.cancel(key)

    def _run(self, job: Job) -> None:
        """Wait for a slot, then for the process."""
        with self._slots:
            receiver, sender = self._context.Pipe(duplex=False)
            with job.lock:
                if job.state == "cancelled":
                    return
                arguments = (job.task, dict(job.request), job.folder, sender)
                process = self._context.Process(target=_compute, args=arguments, daemon=True)
                try:
                    process.start()
                except (EOFError, OSError):  # the process that jobs are copies of was killed
                    job.state = "failed"
                    return
                finally:
                    sender.close()
                job.process, job.state = process, "running"
            self._follow(job, receiver)
            job.process.join()
            outcome = job.read_outcome()
            with job.lock:
                if job.state != "cancelled":
                    job.state = "done" if outcome and "result" in outcome else "failed"
                job.process.close()
                job.process = None

    @staticmethod
    def _follow(job: Job, receiver: Connection) -> None:
        """Take the progress that a process reports until it ends."""
        with receiver:
            while True:
                try:
                    found = json.loads(receiver.recv_bytes())
                except (EOFError, OSError):
                    return
                if "fault" in found:
                    job.fault = found["fault"]
                else:
                    job.progress = found


def _compute(task: str, request: dict[str, Any], folder: Path, sender: Connection) -> None:
    """Compute in the job's process, and write how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the server
    threading.Thread(target=_end_with_server, daemon=True).start()
    _limit_memory()
    from rocbands.app.work import refuse_disk, run_task
    from rocbands.errors import RocBandsError
    from rocbands.io.writing import write_text

    def send(**found: Any) -> None:
        sender.send_bytes(json.dumps(found).encode())

    def report(done: int, total: int | None, title: str) -> None:
        send(done=done, total=total, title=title)

    outcome = run_task(task, request, folder, report)
    try:
        write_text(folder / OUTCOME, json.dumps(outcome))
    except (OSError, RocBandsError):  # for example a full disk
        send(fault=refuse_disk(folder))


def _limit_memory() -> None:
    """Let a job fail before it takes the memory of the whole computer.

    A small file can be very large once it is unpacked. Should the system still run out of memory,
    it ends this process first.
    """
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    with suppress(ImportError, OSError, ValueError, AttributeError):  # not on Windows
        import resource

        most = int(_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        resource.setrlimit(
            resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1])
        )


def _end_with_server() -> None:
    """End this process when the server's has ended."""
    server = multiprocessing.parent_process()
    if server is not None:
        wait([server.sentinel])
        os._exit(1)
