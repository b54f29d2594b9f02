"""Counting an ROC curve against one numpy.argsort of the same scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import rocbands as rb
from benchmarks.clock import peak_bytes, seconds

__all__ = ["TITLE", "rows"]

TITLE = "ROC curve against numpy.argsort"


def rows(sizes: tuple[int, ...] = (10**4, 10**5, 10**6, 10**7)) -> Iterator[dict[str, object]]:
    """One row for each size; the target at 10^7 rows is a ratio of 1.5 and 6 times the input."""
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int8)
        scores = rng.normal(size=size) + labels
        repeats = 3 if size >= 10**7 else 7
        ours, sort = seconds(
            partial(rb.roc_curve, labels, scores), partial(np.argsort, scores), repeats=repeats
        )
        peak = peak_bytes(partial(rb.roc_curve, labels, scores))
        yield {
            "rows": size,
            "roc_curve, s": round(ours, 5),
            "argsort, s": round(sort, 5),
            "ratio": round(ours / sort, 2),
            "peak memory / input": round(peak / (labels.nbytes + scores.nbytes), 2),
        }
