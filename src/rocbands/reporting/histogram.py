"""Where the scores of both classes lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.reporting.numbers import exact, listed

__all__ = ["scores_section"]

BINS = 40
NARROW = 0.1  # of the range: if nearly all scores lie within less, ranks are shown instead


def scores_section(roc: RocCurve) -> dict[str, Any]:
    """Share of each class in bins of the score, or of its rank where the scores are skewed.

    Returns
    -------
    dict
        `edges` are scores, or with scale 'rank' shares of all rows that score less; `at` are the
        scores at the edges, whatever the scale.
    """
    values = roc.thresholds[::-1].astype(np.float64)
    pos, neg = (np.diff(side, prepend=0)[::-1] for side in (roc.tp, roc.fp))
    total = np.cumsum(pos + neg)
    if _is_plain(values, total):
        low, high = float(values[0]), float(values[-1])
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, BINS + 1)
        place, at, scale = values, edges, "linear"
    else:
        edges = np.linspace(0.0, 1.0, BINS + 1)
        place = (total - 0.5 * (pos + neg)) / total[-1]
        rows = np.minimum(np.searchsorted(total, edges * total[-1]), total.size - 1)
        at, scale = values[rows], "rank"
    shares = [np.histogram(place, edges, weights=side)[0] / side.sum() for side in (pos, neg)]
    return {
        "edges": listed(edges),
        "positives": listed(shares[0]),
        "negatives": listed(shares[1]),
        "scale": scale,
        "at": exact(at),
    }


def _is_plain(values: FloatArray, total: FloatArray) -> bool:
    """Tell whether bins of equal width show the scores: finite, and not heaped in one place."""
    if not np.isfinite(values[[0, -1]]).all() or not np.isfinite(values[-1] - values[0]):
        return False
    ends = np.searchsorted(total, np.array([0.01, 0.99]) * total[-1])
    middle = float(np.diff(values[np.minimum(ends, values.size - 1)])[0])
    whole = float(values[-1] - values[0])
    return values.size == 1 or middle > NARROW * whole
