"""The exact distribution of the resampled curve's height at a fixed false positive rate."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betainccinv, betaincinv

from rocbands._math.mixtures import BinomialMixtures
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve

__all__ = ["height_law"]

_NEVER = 1e-17  # what is less likely is left out of a law


def height_law(roc: RocCurve, fpr: FloatArray) -> BinomialMixtures:
    """Law of the resampled curve's topmost tpr, as a count of positives, at each fpr below 1.

    Classes are drawn by themselves, each as large as observed, and share no score.
    """
    x, y = roc.fpr, np.concatenate(([0], roc.tp))
    flat = np.diff(x) > 0
    height, end = y[:-1][flat], x[1:][flat]
    last = np.append(np.diff(height) > 0, True)  # pieces of one height are one
    height, end = height[last], end[last]
    start = np.concatenate(([0.0], end[:-1]))

    rank = np.floor(roc.n_neg * fpr + 1e-9)
    a, b = rank + 1.0, roc.n_neg - rank
    # Only pieces near fpr can hold the negative of that rank: some root of n_neg of them.
    near = np.searchsorted(end, betaincinv(a, b, _NEVER))
    far = np.minimum(np.searchsorted(end, betainccinv(a, b, _NEVER)), end.size - 1)
    terms = far - near + 1
    first = np.cumsum(terms) - terms
    at = np.arange(terms.sum()) - np.repeat(first - near, terms)
    a, b = np.repeat(a, terms), np.repeat(b, terms)
    weight: FloatArray = np.asarray(betainc(a, b, end[at]) - betainc(a, b, start[at]), float)
    return BinomialMixtures(roc.n_pos, weight, height[at] / roc.n_pos, first)
