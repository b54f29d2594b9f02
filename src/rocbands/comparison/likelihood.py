"""Test of equal curves on two test sets: the two-sample likelihood statistic.

The statistic is the largest log-likelihood ratio between the two empirical curves, as in the
likelihood band for a future test set (:mod:`rocbands.likelihood`, docs/likelihood.md), with either
set as the observed one. It depends only on the order of the scores within each set.

If the labels are random, its distribution does not depend on the scores; if both sets have the same
true curve, it hardly depends on the curve. It is simulated from pairs of sets of the same sizes
with random labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.comparison.equal_curves import EqualCurvesTest
from rocbands.comparison.method import ComparisonRequest
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.chance import (
    FIRST_NODE,
    LEVELS,
    chance_statistics,
    critical_value,
    future_chance_statistics,
)
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.future import Sizes, cap_sizes, scale_down
from rocbands.likelihood.supremum import statistic
from rocbands.resample.quantiles import sample_quantile

LARGEST = 200  # approximate size of the largest class of simulated sets


@dataclass(frozen=True)
class LikelihoodTest(EqualCurvesTest):
    """Test of equal curves on different rows; the interval of the areas' difference is DeLong's.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of simulated pairs of sets with random labels.
    """

    name: ClassVar[str] = "likelihood"
    drawn: ClassVar[str] = "pairs of sets with random labels"
    handles: ClassVar[tuple[Extra, ...]] = ("unpaired",)
    guarantee: ClassVar[str] = "exact for random labels; close to the level, measured"
    idea: ClassVar[str] = "largest log-likelihood ratio between two curves, against random labels"
    references: ClassVar[tuple[str, ...]] = (
        "Owen (1995), Nonparametric likelihood confidence bands for a distribution function, "
        "Journal of the American Statistical Association 90, 516-521.",
    )

    def draw_distances(self, pair: Pair, request: ComparisonRequest) -> tuple[float, int]:
        one, two = pair.curves
        distance = max(compute_distance(one, two), compute_distance(two, one))
        sizes = Sizes(one.n_pos, one.n_neg, two.n_pos, two.n_neg)
        drawn = draw_null_distances(sizes, self.n_resamples, request.rng)
        return distance, int(np.count_nonzero(drawn >= distance - SLACK))


def compute_distance(observed: RocCurve, future: RocCurve) -> float:
    """Largest log-likelihood ratio of any point of the future curve, as in the future band."""
    fp, tp = (np.concatenate(([0], side)) for side in (observed.fp, observed.tp))
    curves = Curves.from_counts(fp, tp, (future.n_pos, future.n_neg))
    return statistic(curves, future.fpr, future.tpr)


def draw_null_distances(sizes: Sizes, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw the statistic of pairs of sets with random labels.

    Large sets are simulated at smaller sizes with the same ratios. Each quantile is corrected by
    the difference between the two sizes in the table of critical values for a single set.
    """
    sizes = _put_smallest_first(cap_sizes(sizes))
    if max(sizes) <= LARGEST or min(sizes) <= FIRST_NODE:
        return future_chance_statistics(*sizes, n_resamples, rng, both_ways=True)
    model = scale_down(sizes, LARGEST, min(sizes) / FIRST_NODE)
    drawn = np.sort(future_chance_statistics(*model, n_resamples, rng, both_ways=True))
    single = np.sort(chance_statistics(model.n_pos, model.n_neg, 4 * n_resamples, rng))
    # The critical value of the full sizes minus that of the reduced ones, level by level.
    moved = [
        critical_value(sizes.n_pos, sizes.n_neg, level) - sample_quantile(single, level)
        for level in LEVELS
    ]
    probability = (1.0 + np.arange(n_resamples)) / (1.0 + n_resamples)
    return np.asarray(drawn + np.interp(probability, LEVELS, moved))


def _put_smallest_first(sizes: Sizes) -> Sizes:
    """Exchange sets or classes so that the smallest size is first: the distribution is the same."""
    a, b, c, d = sizes
    return Sizes(*min((a, b, c, d), (c, d, a, b), (b, a, d, c), (d, c, b, a)))
