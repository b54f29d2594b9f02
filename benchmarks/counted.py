"""All that counts in bins can answer, for 10^8 rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

import rocbands as rb
from rocbands.scale.bins import bin_keys, bin_thresholds

__all__ = ["TITLE", "draw_counts", "rows"]

TITLE = (
    "Answers from counts in bins of 10^8 rows (seconds, with what is printed). Targets: 1 s for "
    "the likelihood band and the joint region, 5 s for the others"
)

_ROWS = 10**8
_DRAWN = 10**6


def draw_counts() -> rb.RocCurve:
    """Draw scores, and give each of their bins its share of 10^8 rows."""
    rng = np.random.default_rng(1)
    counts = []
    for logit, size in ((-2.0, 95 * _ROWS // 100), (-0.5, 5 * _ROWS // 100)):
        keys = bin_keys(1 / (1 + np.exp(-rng.normal(logit, size=_DRAWN))))
        bins, seen = np.unique(keys, return_counts=True)
        counts.append(dict(zip(bins.tolist(), rng.multinomial(size, seen / _DRAWN), strict=True)))
    keys = np.array(sorted(set().union(*counts), reverse=True))
    fp, tp = (np.cumsum([part.get(key, 0) for key in keys.tolist()]) for part in counts)
    return rb.RocCurve.from_counts(bin_thresholds(keys), fp, tp, bins=True)


def _asked(roc: rb.RocCurve) -> dict[str, Callable[[], object]]:
    w = np.arange(1, 100) / 100
    return {
        "likelihood band": lambda: rb.roc_band(roc),
        "joint region": lambda: rb.roc_band(roc, method="joint-region"),
        "fixed-width band": lambda: rb.roc_band(roc, method="fixed-width", rng=1),
        "AUC": lambda: rb.auc_interval(roc),
        "AUC, DeLong": lambda: rb.auc_interval(roc, method="delong"),
        "partial AUC below .01": lambda: rb.partial_auc_interval(roc, fpr=(0, 0.01)),
        "points at low fpr": lambda: rb.operating_points(roc, fpr=[1e-5, 1e-4, 1e-3]),
        "costs": lambda: rb.cost_interval(roc, thresholds=0.5, w=w),
        "recall at rates": lambda: rb.rate_bounds(roc),
    }


def rows() -> Iterator[dict[str, object]]:
    """One row for each answer; the first call, which is what a user waits for."""
    roc = draw_counts()
    for name, ask in _asked(roc).items():
        begin = time.perf_counter()
        shown = repr(ask())
        spent = time.perf_counter() - begin
        assert shown
        yield {"answer": name, "bins": roc.fp.size, "seconds": spent}
