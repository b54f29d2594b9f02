"""Settings for all tests, and which of them `make check` leaves out."""

from __future__ import annotations

import gc
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

# Small products of matrices in several threads take up to eight times the processor time, and
# tests already run side by side; set before NumPy is imported, and handed on to workers.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# The same few examples in every run; `pytest --hypothesis-profile=thorough` looks for others.
settings.register_profile("rocbands", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("rocbands")

# `make check` leaves out tests that need a browser, a cluster, processes or simulations, by folder
# or file, and single ones that take long, which slow.txt lists. `pytest -n auto --write-slow` of
# all tests writes that list again, of some tests their part of it.
SLOW_PLACES = (
    "papers/tests/",
    "tests/coverage/",
    "tests/engines/",
    "tests/fuzz/",
    "tests/cli/test_examples.py",
    "tests/cli/test_process.py",
    "tests/repo/test_benchmarks.py",
    "tests/repo/test_consoles.py",
    "tests/repo/test_site.py",
    "tests/reporting/test_browser.py",
    "tests/scale/test_clusters.py",
    "tests/scale/test_postgres.py",
    "tests/study/test_engine.py",
    "tests/typing/",
)
SLOW_TESTS = Path(__file__).with_name("slow.txt")
FIRST = "tests/repo/test_site.py"  # half a minute: last, one worker would be alone with it
LONG = 0.4  # seconds of a test, all its cases together


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-slow", action="store_true", help="list long tests in slow.txt")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-slow") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Clock())


def pytest_collection() -> None:
    gc.disable()  # nothing of what is collected is garbage


def pytest_collection_finish() -> None:
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
    slow = frozenset(SLOW_TESTS.read_text(encoding="utf-8").split())
    for item in items:
        if item.nodeid.startswith(SLOW_PLACES) or item.nodeid.split("[")[0] in slow:
            item.add_marker(pytest.mark.slow)


class _Clock:
    """Adds up how long tests take, over all workers."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.split("[")[0]] += report.duration  # type: ignore[assignment]

    def pytest_sessionfinish(self) -> None:
        not_run = set(SLOW_TESTS.read_text(encoding="utf-8").split()) - self.seconds.keys()
        long = {name for name, spent in self.seconds.items() if spent > LONG}
        names = sorted(name for name in long | not_run if not name.startswith(SLOW_PLACES))
        SLOW_TESTS.write_text("\n".join(names) + "\n", encoding="utf-8")
