"""Parts of a report in several threads: the same report, in the same order."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.sample import Sample
from rocbands.errors import RocBandsWarning, warn
from rocbands.reporting import jobs
from rocbands.reporting.request import ReportRequest
from rocbands.resample import streams


@pytest.fixture
def small_reports_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(streams.THREADS, "3")
    for module in (jobs, streams):
        monkeypatch.setattr(module, "MANY", 0)


def rows() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3 == 0
    return y, {name: rng.normal(size=60).round(k) + y for k, name in enumerate("abc")}


def test_a_report_does_not_depend_on_threads(request: pytest.FixtureRequest) -> None:
    alone = rb.report(rb.Sample(*rows()), path=None, rng=1)
    request.getfixturevalue("small_reports_in_threads")
    heard: list[tuple[int, int | None]] = []

    def listen(done: int, total: int | None) -> None:
        assert threading.current_thread() is threading.main_thread()
        heard.append((done, total))

    together = rb.report(rb.Sample(*rows()), path=None, rng=1, progress=listen)
    assert together.payload == alone.payload
    total = heard[-1][0]
    assert heard == [(done, total) for done in range(total + 1)]


@pytest.mark.usefixtures("small_reports_in_threads")
def test_what_jobs_say_comes_in_their_order() -> None:
    asked = ReportRequest.from_models(Sample(*rows()), rng=1)
    ended = threading.Event()

    def first(own: ReportRequest) -> str:
        ended.wait(10)  # the second is done by then
        own.omitted.add("one", "why", "a")
        warn("First.")
        return "a"

    def second(own: ReportRequest) -> str:
        own.omitted.add("two", "why")
        own.omitted.add("one", "why", "b")
        warn("Second.")
        ended.set()
        return "b"

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert jobs.run_jobs(asked, [first, second], lambda done, total: None) == ["a", "b"]
    assert [str(one.message) for one in said] == ["First.", "Second."]
    assert all(issubclass(one.category, RocBandsWarning) for one in said)
    assert [(part["section"], part["models"]) for part in asked.omitted.to_list()] == [
        ("one", ["a", "b"]),
        ("two", []),
    ]


@pytest.mark.usefixtures("small_reports_in_threads")
def test_an_error_in_a_job_is_raised() -> None:
    asked = ReportRequest.from_models(Sample(*rows()), rng=1)

    def fail(own: ReportRequest) -> None:
        raise rb.InputError("must be so")

    with pytest.raises(rb.InputError, match="must be so"):
        jobs.run_jobs(asked, [lambda own: 1, fail], lambda done, total: None)
