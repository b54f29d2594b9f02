"""Test of equal curves on two test sets: the two-sample likelihood statistic.

The likelihood band for a future test set asks whether the future curve lies within a critical
distance of the observed one, where the distance is the largest log-likelihood ratio between them
(:mod:`rocbands.likelihood`, docs/likelihood.md). Here either set is the future of the other, and
the larger of the two distances is the statistic. It depends on the order of the scores within each
set alone, so the two sets need not have the same scale.

Under labels by chance its distribution does not depend on the scores, and where both sets have the
same true curve it hardly depends on the curve: the statistic is compared with that of pairs of
sets of the same sizes, labelled by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.comparison.delong import compare_areas
from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome
from rocbands.comparison.venkatraman import NO_INTERVAL
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Resampling
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.chance import (
    EVERY,
    LEVELS,
    chance_statistics,
    critical_value,
    future_chance_statistics,
)
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.future import Sizes, cap_sizes, scale_down
from rocbands.likelihood.supremum import statistic
from rocbands.resample.quantiles import sample_quantile

LARGEST = 200  # cases of the largest class of simulated sets, about, where there are more


@dataclass(frozen=True)
class LikelihoodTest(Resampling, ComparisonMethod):
    """Test of equal curves on different rows; the interval of the areas' difference is DeLong's.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of pairs of sets that are labelled by chance.
    """

    name: ClassVar[str] = "likelihood"
    hypothesis: ClassVar[str] = "equal ROC curves"
    signed: ClassVar[bool] = False
    handles: ClassVar[tuple[Extra, ...]] = ("unpaired",)
    guarantee: ClassVar[str] = "exact for chance; close to the level, measured"
    idea: ClassVar[str] = "largest log-likelihood ratio between two curves, against chance labels"
    references: ClassVar[tuple[str, ...]] = (
        "Owen (1995), Nonparametric likelihood confidence bands for a distribution function, "
        "Journal of the American Statistical Association 90, 516-521.",
    )

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        one, two = pair.curves
        distance = max(compute_distance(one, two), compute_distance(two, one))
        sizes = Sizes(one.n_pos, one.n_neg, two.n_pos, two.n_neg)
        drawn = draw_null_distances(sizes, self.n_resamples, request.rng)
        exceeding = int(np.count_nonzero(drawn >= distance - SLACK))
        pvalue = (1 + exceeding) / (1 + self.n_resamples)
        count = self.n_resamples
        error = math.sqrt(pvalue * (1.0 - pvalue) / count)
        simulation = request.simulated(count, pvalue_error=error)
        notes: tuple[str, ...] = (
            f"The p-value is for the whole curves, from {self.n_resamples} pairs of sets labelled "
            "by chance; the interval is for the areas, which can be equal while the curves are "
            "not.",
        )
        if pair.smallest_class < 2:
            found = Outcome(-1.0, 1.0, distance, pvalue, interval_method="none")
            return found._replace(notes=(*notes, NO_INTERVAL), simulation=simulation)
        areas = compare_areas(pair, request)._replace(simulation=simulation)
        return areas._replace(
            statistic=distance, pvalue=pvalue, df=None, notes=(*notes, *areas.notes)
        )


def compute_distance(observed: RocCurve, future: RocCurve) -> float:
    """Largest log-likelihood ratio of any point of the future curve, as the future band has it."""
    fp, tp = (np.concatenate(([0], side)) for side in (observed.fp, observed.tp))
    curves = Curves.from_counts(fp, tp, (future.n_pos, future.n_neg))
    return statistic(curves, future.fpr, future.tpr)


def draw_null_distances(sizes: Sizes, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw the statistic of pairs of sets labelled by chance.

    Large sets are simulated at smaller sizes of the same ratios. The drawn values are then moved,
    quantile by quantile, by the difference that the table of critical values for a single set shows
    between the two sizes.
    """
    sizes = _put_smallest_first(cap_sizes(sizes))
    if max(sizes) <= LARGEST or min(sizes) <= EVERY:
        return future_chance_statistics(*sizes, n_resamples, rng, both_ways=True)
    model = scale_down(sizes, LARGEST, min(sizes) / EVERY)
    drawn = np.sort(future_chance_statistics(*model, n_resamples, rng, both_ways=True))
    single = np.sort(chance_statistics(model.n_pos, model.n_neg, 4 * n_resamples, rng))
    moved = [
        critical_value(sizes.n_pos, sizes.n_neg, level) - sample_quantile(single, level)
        for level in LEVELS
    ]
    probability = (1.0 + np.arange(n_resamples)) / (1.0 + n_resamples)
    return np.asarray(drawn + np.interp(probability, LEVELS, moved))


def _put_smallest_first(sizes: Sizes) -> Sizes:
    """Exchange the sets, or the classes, so that the smallest size is first.

    The distribution is the same, so the test gives the same result whichever set, and whichever
    class, is called the first.
    """
    a, b, c, d = sizes
    return Sizes(*min((a, b, c, d), (c, d, a, b), (b, a, d, c), (d, c, b, a)))
