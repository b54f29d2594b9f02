"""Jobs on an executor: all are done, few are under way, and a failure calls off the rest."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rocbands_studies.executors import submit_jobs


def test_every_job_is_done_once_and_known_by_its_place() -> None:
    with ThreadPoolExecutor(3) as threads:
        found = list(submit_jobs(lambda n: n * n, {n: n for n in range(50)}, threads, 4))
    assert sorted(found) == [(n, n * n) for n in range(50)]


def test_no_more_than_asked_are_under_way() -> None:
    lock, submitted, done, most = threading.Lock(), 0, 0, 0

    class Watched(ThreadPoolExecutor):
        def submit(self, *args, **how):  # type: ignore[no-untyped-def]
            nonlocal submitted, most
            with lock:
                submitted += 1
                most = max(most, submitted - done)
            return super().submit(*args, **how)

    with Watched(2) as threads:
        for _ in submit_jobs(lambda n: n, dict(enumerate(range(30))), threads, 5):
            with lock:
                done += 1
    assert submitted == 30
    assert most == 5


def test_a_failure_calls_off_what_is_not_begun() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 0:
            raise KeyError("gone")
        time.sleep(0.05)
        return number

    with ThreadPoolExecutor(1) as threads, pytest.raises(KeyError, match="gone"):
        list(submit_jobs(work, {n: n for n in range(100)}, threads, 100))
    assert len(begun) < 20


def test_nothing_to_do() -> None:
    with ThreadPoolExecutor(1) as threads:
        assert list(submit_jobs(len, {}, threads, 3)) == []
