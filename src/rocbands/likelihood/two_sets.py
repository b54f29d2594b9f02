"""Are the curves of two test sets equal? The future statistic, with either set as the future."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.chance import (
    EVERY,
    LEVELS,
    chance_statistics,
    critical_value,
    future_chance_statistics,
    sort_and_freeze,
)
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.future import Sizes, cap_sizes, scale_down
from rocbands.likelihood.margin import margins_of
from rocbands.likelihood.supremum import statistic
from rocbands.resample.quantiles import sample_quantile

# Simulated sets have about this many cases of the largest class, where there are more.
_LARGEST = 200
_SEED = 13


class TwoSets(NamedTuple):
    """How far two curves lie apart, and how often chance alone takes them as far."""

    statistic: float
    pvalue: float


def equal_curves(one: RocCurve, two: RocCurve, draws: int) -> TwoSets:
    """Test whether two independent test sets have the same true ROC curve.

    Parameters
    ----------
    one, two
        The observed curves; scores of the two need not have the same scale.
    draws
        Number of pairs of sets to label by chance.

    Notes
    -----
    The largest log-likelihood ratio between the curves does not depend on the scores' law when both
    sets are labelled by chance, and hardly depends on the true curve otherwise. Sets of more than
    a few hundred cases are simulated at smaller sizes of the same ratios, and the drawn values are
    moved by what the table of true curves says that the sizes matter.
    """
    observed = max(_distance(one, two), _distance(two, one))
    sizes = _one_way_round(cap_sizes(Sizes(one.n_pos, one.n_neg, two.n_pos, two.n_neg)))
    exceeding = np.count_nonzero(_null_draws(sizes, draws) >= observed - SLACK)
    return TwoSets(observed, (1 + int(exceeding)) / (1 + draws))


def _distance(seen: RocCurve, later: RocCurve) -> float:
    fp, tp = (np.concatenate(([0], side)) for side in (seen.fp, seen.tp))
    margins = margins_of(seen.n_pos, seen.n_neg, (later.n_pos, later.n_neg))
    return statistic(Curves.from_counts(fp, tp), margins, later.fpr, later.tpr)


def _one_way_round(sizes: Sizes) -> Sizes:
    """Exchange the sets, or the classes, so that the smallest size is first: the law is the same.

    The test then says the same whichever set, and whichever class, is called the first.
    """
    a, b, c, d = sizes
    return Sizes(*min((a, b, c, d), (c, d, a, b), (b, a, d, c), (d, c, b, a)))


@lru_cache(maxsize=64)
def _null_draws(sizes: Sizes, draws: int) -> FloatArray:
    """Draw the statistic under chance, ascending."""
    small = max(sizes) <= _LARGEST or min(sizes) <= EVERY
    model = sizes if small else scale_down(sizes, _LARGEST, min(sizes) / EVERY)
    rng = np.random.default_rng([_SEED, *model])
    drawn = sort_and_freeze(future_chance_statistics(*model, draws, rng, both_ways=True))
    if small:
        return drawn
    plain = sort_and_freeze(chance_statistics(model.n_pos, model.n_neg, 4 * draws, rng))
    moved = [
        critical_value(sizes.n_pos, sizes.n_neg, level) - sample_quantile(plain, level)
        for level in LEVELS
    ]
    place = (1.0 + np.arange(draws)) / (1.0 + draws)
    return sort_and_freeze(drawn + np.interp(place, LEVELS, moved))
