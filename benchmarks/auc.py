"""AUC intervals: DeLong against two sorts, resampling against scipy.stats.bootstrap."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

import rocbands as rb
from benchmarks.clock import seconds
from rocbands.core.checks import FloatArray

__all__ = ["TITLE", "rows"]

TITLE = (
    "AUC intervals: DeLong against two numpy.sort of the scores; 2000 resamples against "
    "scipy.stats.bootstrap with ranks along an axis"
)


def _two_sorts(scores: FloatArray) -> None:
    np.sort(scores)
    np.sort(scores)


def _by_ranks(pos: Any, neg: Any, axis: int = -1) -> Any:
    """Mann-Whitney by ranks, for many resamples at once: one argsort for each of them.

    Resamples have ties only between copies of one row, and so within a class, where they do not
    matter: plain ranks are enough, and quicker than the midranks of scipy.stats.rankdata.
    """
    both = np.concatenate([pos, neg], axis=axis)
    is_pos = np.argsort(both, axis=axis) < pos.shape[axis]
    ranks = np.arange(1, both.shape[axis] + 1)
    n_pos, n_neg = pos.shape[axis], neg.shape[axis]
    return (is_pos @ ranks - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def _scipy(pos: FloatArray, neg: FloatArray) -> object:
    return stats.bootstrap(
        (pos, neg),
        _by_ranks,
        n_resamples=2000,
        batch=100,
        vectorized=True,
        method="percentile",
        rng=1,
    )


def _threads(count: int, call: Callable[[], object]) -> object:
    os.environ["ROCBANDS_NUM_THREADS"] = str(count)
    return call()


def rows(sizes: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size; targets: DeLong at most 2 at 10^6 rows, resampling 5 at 10^4."""
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int8)
        scores = rng.normal(size=size) + labels
        delong, sorts = seconds(
            partial(rb.auc_interval, labels, scores, method="delong"), partial(_two_sorts, scores)
        )
        row: dict[str, object] = {
            "rows": size,
            "DeLong, ms": round(1e3 * delong, 2),
            "two sorts, ms": round(1e3 * sorts, 2),
            "ratio": round(delong / sorts, 2),
        }
        names = ("resampling 1 thread, ms", "2 threads, ms", "scipy, ms", "times faster (1 thread)")
        row |= dict.fromkeys(names, "")
        if size <= 10**4:
            resample = partial(rb.auc_interval, labels, scores, method="bootstrap", rng=1)
            peer = partial(_scipy, scores[labels == 1], scores[labels == 0])
            one, two, theirs = seconds(
                partial(_threads, 1, resample), partial(_threads, 2, resample), peer, repeats=3
            )
            figures = (1e3 * one, 1e3 * two, 1e3 * theirs, theirs / one)
            row |= {name: round(value, 1) for name, value in zip(names, figures, strict=True)}
        yield row
