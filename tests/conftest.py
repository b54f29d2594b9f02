"""Settings for all tests. Those marked `simulation` are run by `make test-all`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Small products of matrices in several threads take up to eight times the processor time, and
# tests already run side by side; set before NumPy is imported, and handed on to workers. What the
# environment sets is kept: `make test-machines`.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "ROCBANDS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["MPLBACKEND"] = "agg"  # pictures are drawn in memory

# The same few examples in every run; `pytest --hypothesis-profile=thorough` looks for others.
settings.register_profile("rocbands", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("rocbands")

FIRST = "tests/repo/test_site.py"  # half a minute: last, one worker would be alone with it


@pytest.fixture(autouse=True)
def _width_of_text_is_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # which pytest-xdist sets for its workers


@pytest.fixture(autouse=True)
def _no_figure_left() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_collection() -> None:
    gc.disable()  # nothing of what is collected is garbage


def pytest_collection_finish() -> None:
    gc.freeze()  # half a million objects live until the end: each full collection went through them
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
