"""Computations in their processes: progress, cancelling, ends from outside, several at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.client import Server, wait_until

LONG = {"auc": 0.8, "band_width": 0.01}  # a plan that takes a minute
SHORT = {"auc": 0.8, "width": 0.2}


def find_worker(server: Server) -> int:
    """The only process of a job: the one that the server of processes has started."""

    def listed() -> list[int]:
        out = subprocess.run(
            ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
        ).stdout
        pairs = [tuple(map(int, line.split())) for line in out.splitlines()]
        own = {pid for pid, above in pairs if above == server.process.pid}
        return [pid for pid, above in pairs if above in own]

    wait_until(lambda: len(listed()) == 1, "one job runs")
    return listed()[0]


def find_parent(pid: int) -> int:
    asked = ["ps", "-o", "ppid=", "-p", str(pid)]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


def test_cancel(server: Server) -> None:
    job = server.start("plan", **LONG)
    server.wait(job, "running")
    status, _, _ = server.ask("DELETE", f"/api/jobs/{job}")
    assert status == 200
    found = server.job(job)
    assert (found["state"], found["result"], found["error"]) == ("cancelled", None, None)
    assert server.result("plan", **SHORT)["sentence"].startswith("Plan ")
    assert server.ask("DELETE", f"/api/jobs/{job}")[0] == 200  # once more
    assert server.job(job)["state"] == "cancelled"
    assert server.ask("GET", f"/api/jobs/{job}/files/plan.svg")[0] == 404


def test_at_most_two_jobs_compute_at_once(server: Server) -> None:
    jobs = [server.start("plan", **LONG) for _ in range(3)]
    for job in jobs[:2]:
        server.wait(job, "running")
    assert server.job(jobs[2])["state"] == "waiting"
    server.ask("DELETE", f"/api/jobs/{jobs[2]}")
    assert server.job(jobs[2])["state"] == "cancelled"
    last = server.start("plan", **SHORT)
    server.ask("DELETE", f"/api/jobs/{jobs[0]}")
    assert server.wait(last)["state"] == "done"
    server.ask("DELETE", f"/api/jobs/{jobs[1]}")
    assert [server.job(job)["state"] for job in jobs] == ["cancelled"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_killed_process_is_an_error_and_the_next_job_works(server: Server) -> None:
    job = server.start("plan", **LONG)
    os.kill(find_worker(server), signal.SIGKILL)
    found = server.wait(job)
    assert found["state"] == "failed"
    assert found["error"]["message"].startswith("The computation was ended from outside")
    assert server.result("plan", **SHORT)["sentence"].startswith("Plan ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_without_the_process_that_jobs_are_copies_of(base: Path) -> None:
    with Server(base) as server:
        job = server.start("plan", **LONG)
        worker = find_worker(server)
        os.kill(find_parent(worker), signal.SIGKILL)
        server.ask("DELETE", f"/api/jobs/{job}")
        assert server.job(job)["state"] in ("cancelled", "failed")
        ended = [server.run("plan", **SHORT)["state"] for _ in range(3)]
        assert ended[-1] == "done"
        assert set(ended) <= {"done", "failed"}


def test_odd_values_are_reported_and_the_next_job_works(server: Server) -> None:
    found = server.error("plan", auc=0.8, width={"not": "a number"})
    assert found["message"]
    assert server.result("plan", **SHORT)["sentence"].startswith("Plan ")


def test_progress_of_many_rows(server: Server) -> None:
    rows = b"".join(
        b"%d,%.6f,%.6f\n" % (i % 2, (i * 37) % 9973, (i * 91) % 7919) for i in range(5000)
    )
    upload = server.upload(b"outcome,score_a,score_b\n" + rows)
    asked = {"label": "outcome", "positive": "1", "scores": ["score_a", "score_b"]}
    job, seen = server.start("analyse", upload=upload, **asked), []
    while (found := server.job(job))["state"] in ("waiting", "running"):
        if found["progress"] and found["progress"] not in seen:
            seen.append(found["progress"])
    assert found["state"] == "done"
    titles = list(dict.fromkeys(each["title"] for each in seen))
    assert titles[-1] == "Making the report"
    shares = [each["done"] / each["total"] for each in seen if each["total"]]
    assert shares  # how many are seen depends on the machine
    assert all(0 <= share <= 1 for share in shares)


def test_a_file_that_is_gone_is_said(server: Server) -> None:
    upload = server.upload(b"y,s\n1,2\n0,1\n1,3\n0,0\n")
    for path in server.base.rglob("upload.csv"):
        path.unlink()
    error = server.error("preview", upload=upload)
    assert "scores.csv" in error["message"] or "cannot be read" in error["message"]
    assert str(server.base) not in error["message"]
