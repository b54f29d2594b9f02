"""Costs of two classifiers at 1000 operating conditions, against sorting their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import rocbands as rb
from benchmarks.clock import seconds

__all__ = ["TITLE", "rows"]

TITLE = "Difference of costs at 1000 w, mover limits, against sorting both scores"

CONDITIONS = 1000


def _sorts(*columns: Any) -> None:
    for column in columns:
        np.sort(column)


def rows(sizes: tuple[int, ...] = (10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size, untied scores, a classifier's thresholds falling or in any order."""
    w = np.linspace(0.001, 0.999, CONDITIONS)
    falling = np.log((1.0 - w) / w)
    mixed = np.random.default_rng(1).permutation(falling)
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int64)
        one, two = rng.normal(size=(2, size)) + rng.normal(size=size) + 2 * labels - 1
        ask = partial(rb.cost_difference, labels, one, two, w=w, rng=1)
        calls: list[Callable[[], object]] = [
            partial(ask, thresholds=(falling, 1.1 * falling)),
            partial(ask, thresholds=(falling, mixed)),
            partial(ask, thresholds=(falling, 1.1 * falling), simultaneous=True),
            partial(rb.cost_interval, labels, one, thresholds=falling, w=w),
            partial(_sorts, one, two),
        ]
        times = [1e3 * time for time in seconds(*calls, repeats=3)]
        yield {
            "rows": size,
            "two sorts, ms": round(times[4], 1),
            "difference, ms": round(times[0], 1),
            "times the sorts": round(times[0] / times[4], 2),
            "any order, ms": round(times[1], 1),
            "simultaneous, ms": round(times[2], 1),
            "one classifier, ms": round(times[3], 1),
        }
