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

With weights, rows have their share of the class in place of 1 / n_c. Terms of dependent rows are
added up before they are squared (:mod:`rocbands.design.row_design`). The number of rows n_c is then
the geometric mean of two effective numbers: the least along the curve of the class and the rest,
which alone makes limits too wide, and that of the mean of P_i.

The rest of a class is taken as a random sample of the other classes. With fixed class sizes its
variance is a little too large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.delong import compute_placements
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.core.score_variance import LEAST_OF_GROUPS, SHARE, WEIGHT, ScoreVariance, score_limits
from rocbands.core.tolerance import SAME
from rocbands.design.effective_sizes import find_effective_sizes
from rocbands.design.row_design import RowDesign
from rocbands.multiclass.problems import MultiClass, build_curve, count_members, split_classes


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


def count_cases(data: Sample, curves: Sequence[RocCurve] = ()) -> FloatArray:
    """Least effective number of rows of each class, against the rest; (2, classes).

    Then the variance that heavy rows may add which were not drawn. `curves`: if counted.
    """
    found = np.array((count_members(data), np.zeros(len(data.classes))), np.float64)
    for c, split in enumerate(split_classes(data, "ovr") if data.design else ()):
        roc = curves[c] if curves else build_curve(data, split)
        if not roc.independent:
            sizes = find_effective_sizes(roc)
            found[:, c] = sizes.case_numbers.n_pos, sizes.unseen[0]
    return found


def estimate_average_area(
    data: Sample, kind: MultiClass, level: float, counted: FloatArray
) -> AverageArea:
    """Average the areas of all curves: the macro AUC ('ovr') or Hand and Till's ('ovo').

    `counted`: from :func:`count_cases`.
    """
    cases, unseen = counted
    n_curves = cases.size * (1 if kind == "ovr" else cases.size - 1)
    weight = np.ones(data.codes.size) if data.weights is None else data.weights
    mass, total = np.bincount(data.codes, weight), np.zeros(data.codes.size)
    weights, areas = np.zeros(cases.size), []  # w_c, and the areas of all curves
    for split in split_classes(data, kind):
        rows = slice(None) if split.rows is None else split.rows
        own, pos, c = weight[rows], split.is_positive, split.positive
        placed = compute_placements(pos, split.values, None if data.weights is None else own)
        areas.append(float(placed.pos @ own.compress(pos) / mass[c]))
        others = mass * (np.arange(cases.size) != c)  # of each class
        if split.negative is not None:
            others = mass * (np.arange(cases.size) == split.negative)
        effect: FloatArray = np.empty(pos.size)
        effect[pos] = (placed.pos - areas[-1]) / mass[c]
        effect[~pos] = (placed.neg - areas[-1]) / others.sum()
        total[rows] += own * effect / n_curves
        weights += (others / others.sum() + (np.arange(cases.size) == c)) / n_curves
    area = min(max(math.fsum(areas) / n_curves, 0.0), 1.0)
    design = RowDesign.of_rows(data.codes == 0, data.weights, data.clusters, data.strata)
    # Sums over units of the terms of (1), by class, and their products.
    sums = [design.add_up(total * (data.codes == c)) for c in range(cases.size)]
    own = np.array([float(design.multiply(z, z)) for z in sums])
    number = np.bincount(data.codes, total**2 / weight) * mass  # S / V of the mean of P_i
    varies = own > (SAME * weights) ** 2  # P_i of order 1 that are equal have rounding errors
    number = np.divide(number, own, out=np.full(own.size, np.inf), where=varies)
    cases = np.sqrt(cases * np.clip(number, 1.0, count_members(data)))
    spread = area * (1.0 - area)
    # w_c^2 times the variance of P_i relative to M (1 - M), each with its pseudo observation.
    squares = (own / weights**2 + unseen) * cases**2
    prior = WEIGHT * SHARE * (1.0 - cases / cases.sum())
    parts = weights**2 * (squares + prior) / ((cases - 1.0) * spread + WEIGHT) / cases
    unit = float(parts.sum())
    if design.clustered or design.stratum is not None:  # products across classes
        z = np.sum(sums, axis=0)
        across = float(design.multiply(z, z) - own.sum())
        shared = across / (spread + WEIGHT / (design.n_units - 1.0))
        unit = max(unit + shared, LEAST_OF_GROUPS * unit)
    # As for one AUC, the effective sample size is at most the number of pairs.
    unit = max(unit, 2.0 / (float(cases.sum()) ** 2 - float(cases @ cases)))
    df = math.inf
    if spread > 0.0:  # Satterthwaite's, for variances estimated from the rows of each class
        part = parts / parts.sum()
        df = 1.0 / float((part**2 / (cases - 1.0 + WEIGHT / spread)).sum())
        df = float(design.spare(df))
    low, high = score_limits(area, ScoreVariance(unit, df), (1.0 - level) / 2.0)
    return AverageArea(area, float(low), float(high), math.sqrt(unit * spread))
