"""The average AUC of several classes with a score interval from the joint variance.

An average M of AUCs, of one class against the rest (macro AUC) or of all pairs (Hand and Till
2001), is a sum over rows: row i of class c enters several curves with its placement in each
(:mod:`rocbands.core.delong`). To first order the error of M is

    sum over classes c of (1 / n_c) sum over rows i of c of w_c (P_i - M_i),                (1)

with P_i in [0, 1] the mean of the row's placements weighted by their share in M, M_i the same mean
of the curves' areas, and class weights w_c with sum 2. P_i includes the covariance of the curves.
As in :mod:`rocbands.core.score_variance` the variance of each class is estimated relative to
M (1 - M), with half a pseudo observation, and the limits are Wilson's. With two classes and
complementary scores this is 'score-delong'.

The rest of a class is taken as a random sample of the other classes. With fixed class sizes its
variance is a little too large.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.class_sample import ClassSample, MultiClass
from rocbands.core.delong import compute_placements
from rocbands.core.score_variance import SHARE, WEIGHT, ScoreVariance, score_limits


class AverageArea(NamedTuple):
    """An average AUC with its limits.

    Attributes
    ----------
    estimate, low, high : float
        The average and its limits.
    standard_error : float
        Standard error of the average.
    """

    estimate: float
    low: float
    high: float
    standard_error: float


def estimate_average_area(data: ClassSample, kind: MultiClass, level: float) -> AverageArea:
    """Average the areas of all curves: the macro AUC ('ovr') or Hand and Till's ('ovo')."""
    sizes = data.sizes.astype(np.float64)
    n_classes, n = sizes.size, float(sizes.sum())
    each = 1.0 / (n_classes if kind == "ovr" else n_classes * (n_classes - 1))
    total, weights = np.zeros(data.codes.size), np.zeros(n_classes)
    areas = []
    for split in data.split(kind):
        places = compute_placements(split.is_positive, split.values)
        areas.append(places.auc)
        effect: FloatArray = np.empty(split.is_positive.size)
        effect[split.is_positive] = (places.pos - places.auc) / places.pos.size
        effect[~split.is_positive] = (places.neg - places.auc) / places.neg.size
        others = [split.negative] if split.negative is not None else slice(None)
        per_row = np.zeros(n_classes)  # weight of a row of each class in this curve
        per_row[others] = 1.0 / places.neg.size
        per_row[split.positive] = 1.0 / places.pos.size
        weights += each * per_row * sizes
        total[slice(None) if split.rows is None else split.rows] += each * effect
    area = min(max(math.fsum(areas) * each, 0.0), 1.0)
    # Sums over the rows of each class of (P_i - M_i)^2, from the terms of (1).
    squares = np.bincount(data.codes, weights=total**2) * (sizes / weights) ** 2
    spread = area * (1.0 - area)
    # w_c^2 times the variance of P_i relative to M (1 - M), each with its pseudo observation.
    share = (squares + WEIGHT * SHARE * (1.0 - sizes / n)) / ((sizes - 1.0) * spread + WEIGHT)
    parts = weights**2 * share / sizes
    # As for one AUC, the effective sample size is at most the number of pairs.
    n_pairs = (n**2 - float((sizes**2).sum())) / 2.0
    unit = max(float(parts.sum()), 1.0 / n_pairs)
    df = math.inf
    if spread > 0.0:  # Satterthwaite's, for variances estimated from the rows of each class
        part = parts / parts.sum()
        df = 1.0 / float((part**2 / (sizes - 1.0 + WEIGHT / spread)).sum())
    low, high = score_limits(area, ScoreVariance(unit, df), (1.0 - level) / 2.0)
    return AverageArea(area, float(low), float(high), math.sqrt(unit * spread))
