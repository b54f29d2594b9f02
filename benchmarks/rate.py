"""Bounds at a rate: exact laws of small folds, and large test sets at 200 rates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import rocbands as rb
from benchmarks.clock import seconds
from rocbands.core.checks import FloatArray
from rocbands.rates import RateTable, bound_table
from rocbands.rates.distribution import compute_count_pmf

__all__ = ["TITLE", "rows"]

TITLE = (
    "Bounds at a rate, one thread (start with OPENBLAS_NUM_THREADS=1). Targets: 5 ms for the exact "
    "law of 10 folds of 50, 1 s for 10^5 rows at 200 rates"
)

_RATES = np.arange(1, 201) / 200


def _folds(size: int, folds: int = 10) -> RateTable:
    rng = np.random.default_rng(size)
    y = np.repeat([1.0, 0.0], size // 2)
    order = np.argsort(-(rng.normal(size=(folds, size)) + y), axis=1)
    return RateTable.from_labels(y[order])


def _law(table: RateTable) -> FloatArray:
    """Refit the curve every time: a table keeps it."""
    fresh = RateTable(table.folds, table.n_pos, table.n_neg)
    return compute_count_pmf(fresh.curve, int(table.n_pos[0]), int(table.n_neg[0]))


def _bounds(table: RateTable, method: str) -> FloatArray:
    fresh = RateTable(table.folds, table.n_pos, table.n_neg)
    return bound_table(fresh, method, rng=1).lower


def _one_set(labels: Any, scores: FloatArray, method: str) -> FloatArray:
    return rb.rate_bounds(labels, scores, method=method, rate=_RATES, rng=1).tpr_lower


def rows() -> Iterator[dict[str, object]]:
    """One row for each size: folds at every place, then one test set at 200 rates."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    names = ("parametric", "exact", "conditional")
    for size in (50, 200, 1000):
        table = _folds(size)
        kinds = names if size <= 200 else names[:2]
        calls = [partial(_law, table), *(partial(_bounds, table, name) for name in kinds)]
        times: list[object] = [round(1e3 * t, 2) for t in seconds(*calls, repeats=3)]
        yield _row("10 folds", size, f"all {size + 1}", [*times, ""][:4])
    for size in (10**4, 10**5, 10**6):
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int8)
        scores = rng.normal(size=size) + labels
        calls = [partial(_one_set, labels, scores, name) for name in names]
        times = [round(1e3 * t, 1) for t in seconds(*calls, repeats=2)]
        yield _row("one set", size, "200", ["", *times])


def _row(what: str, size: int, rates: str, times: list[object]) -> dict[str, object]:
    names = ("exact law, ms", "parametric, ms", "exact, ms", "conditional, ms")
    return {"what": what, "rows": size, "rates": rates} | dict(zip(names, times, strict=True))
