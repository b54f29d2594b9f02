"""Bands for the differences of several groups' curves, simultaneous over groups and fpr.

Groups have no rows in common, so that each pair has the band of two test sets
(:mod:`rocbands.comparison.difference_band`), with one critical value for all pairs: the quantile of
the largest deviation of any pair at any fpr.

Each group may instead be compared with the pooled rows of all others. These K differences share
rows; each band has the level to the power of 1 / K. For jointly normal deviations the joint level
is at least the product (Royen 2014, Far East Journal of Theoretical Statistics 48, 139-145). So it
is for pairs of groups with weights, or of rows that depend on each other, perhaps across groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocbands._math.products import find_root
from rocbands.comparison.difference_band import HANDLING, assemble_band, check_fpr_range
from rocbands.comparison.difference_spread import (
    CURVES,
    DifferenceSpread,
    UnpairedSpread,
    estimate_spread,
)
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid
from rocbands.comparison.grid_sums import add_curve
from rocbands.comparison.result import DifferenceBand
from rocbands.core.checks import FloatArray, check_resamples, check_rng
from rocbands.core.method import Request
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng, key_curve
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.core.tolerance import SAME
from rocbands.resample.gaussian_maximum import CriticalValue, draw_normal
from rocbands.resample.streams import run_chunks

Against: TypeAlias = Literal["pairs", "rest"] | str  # a way to compare groups, or one of them
WAYS = ("pairs", "rest")
REST = "the rest"


def pair_groups(
    curves: Mapping[str, RocCurve], against: Against, pool: Callable[[str], RocCurve] | None = None
) -> dict[tuple[str, str], Pair]:
    """Return pairs of groups as two test sets: all, each and all others, or each and one of them.

    `against`: 'pairs', 'rest', or the name of a group. `pool`: function that returns the curve of
    all others; by default counts are added up.
    """
    if against == "rest" and len(curves) > 2:
        pool = pool or (lambda name: pool_curves([curves[k] for k in curves if k != name]))
        found = {(name, REST): (roc, pool(name)) for name, roc in curves.items()}
    elif against not in WAYS:
        reference = curves[against]
        found = {(a, against): (roc, reference) for a, roc in curves.items() if a != against}
    else:
        found = {(a, b): (curves[a], curves[b]) for a, b in combinations(curves, 2)}
    return {names: Pair.of_two_sets(*both, names) for names, both in found.items()}


def build_group_differences(
    curves: Mapping[str, RocCurve],
    pairs: Mapping[tuple[str, str], Pair],
    *,
    level: float,
    fpr: tuple[float, float],
    n_resamples: int,
    rng: Rng,
) -> tuple[DifferenceBand, ...]:
    """Simultaneous bands of the differences of two or more groups; arguments as `difference_band`.

    `pairs`: from :func:`pair_groups`.
    """
    check_resamples(n_resamples)
    grid = build_grid(*check_fpr_range(fpr))
    asked = Request(level, check_rng(rng))

    def build(pair: Pair, value: CriticalValue, spread: DifferenceSpread) -> DifferenceBand:
        drawn = asked.simulated(n_resamples, spread.find_edge_error(value))
        return assemble_band(
            pair.curves, spread, grid, value.value, level, drawn, names=pair.names, paired=False
        )

    # Draws are in an order that does not depend on the groups' names.
    ordered = sorted(curves, key=lambda name: key_curve(curves[name]))
    if any(REST in names or pair.asked != ("unpaired",) for names, pair in pairs.items()):
        each = math.exp(math.log(level) / len(pairs))  # level^(1 / K)
        found = {}
        for names in sorted(pairs, key=lambda both: sorted(map([REST, *ordered].index, both))):
            pair = pairs[names]
            HANDLING.check(pair.asked)
            at_grid = (CurveAtGrid.from_curve(roc, grid) for roc in pair.curves)
            spread = estimate_spread(pair, *at_grid)
            value = spread.find_critical_value(each, n_resamples, asked.rng)
            found[names] = build(pair, value, spread)
        return tuple(found[names] for names in pairs)
    curves_at = {name: CurveAtGrid.from_curve(curves[name], grid) for name in ordered}
    spreads = {
        (one, two): UnpairedSpread.add_up(curves_at[one], curves_at[two]) for one, two in pairs
    }
    value = _find_critical_value(curves_at, spreads, level, n_resamples, asked.rng)
    return tuple(build(pairs[names], value, spread) for names, spread in spreads.items())


def _find_critical_value(
    at_grid: Mapping[str, CurveAtGrid],
    spreads: Mapping[tuple[str, str], UnpairedSpread],
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> CriticalValue:
    """Quantile of the largest deviation of any pair, in standard errors, by drawing all curves."""
    roots = {}
    for name, curve in at_grid.items():
        roots[name] = _factor_covariance(add_curve(curve).covariance)
    errors = {pair: np.sqrt(spread.variance) for pair, spread in spreads.items()}

    def draw_maxima(draws: int, stream: np.random.Generator) -> FloatArray:
        drawn = {name: draw_normal(root, draws, stream) for name, root in roots.items()}
        largest = np.zeros(draws)
        for (one, two), error in errors.items():
            np.maximum(largest, np.abs((drawn[one] - drawn[two]) / error).max(axis=1), out=largest)
        return largest

    maxima = np.concatenate(run_chunks(draw_maxima, n_resamples, rng, size=CURVES))
    return CriticalValue.from_draws(maxima, level).at_least(float(ndtri((1.0 + level) / 2.0)))


def _factor_covariance(covariance: FloatArray) -> FloatArray:
    """Return a matrix R with R'R = `covariance`; a variance may be 0."""
    # The tolerance of `find_root` is relative to the mean variance. Where a variance is 0 its
    # covariances may differ from 0 by rounding, and must not become large correlations.
    variance = np.diag(covariance)
    least = max(SAME * float(variance.max()), float(np.finfo(np.float64).tiny))
    error = np.sqrt(np.maximum(variance, least))
    return np.asarray(find_root(covariance / np.outer(error, error)) * error)
