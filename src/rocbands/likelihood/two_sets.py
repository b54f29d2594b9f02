"""Are the curves of two test sets equal? The future statistic, with either set as the future."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rocbands.core.roc import RocCurve
from rocbands.likelihood.chance import chance_statistics, future_chance_statistics
from rocbands.likelihood.critical import (
    EVERY,
    LEVELS,
    critical_value,
    empirical_quantile,
    frozen_draws,
)
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.future import Sizes, brought_down, capped
from rocbands.likelihood.margin import Floats
from rocbands.likelihood.nearest import margins_of
from rocbands.likelihood.statistic import statistic

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
    sizes = _one_way_round(capped(Sizes(one.n_pos, one.n_neg, two.n_pos, two.n_neg)))
    exceeding = np.count_nonzero(_null_draws(sizes, draws) >= observed - 1e-9)
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
def _null_draws(sizes: Sizes, draws: int) -> Floats:
    """Draw the statistic under chance, ascending."""
    small = max(sizes) <= _LARGEST or min(sizes) <= EVERY
    model = sizes if small else brought_down(sizes, _LARGEST, min(sizes) / EVERY)
    rng = np.random.default_rng([_SEED, *model])
    drawn = frozen_draws(future_chance_statistics(*model, draws, rng, both_ways=True))
    if small:
        return drawn
    plain = frozen_draws(chance_statistics(model.n_pos, model.n_neg, 4 * draws, rng))
    moved = [
        critical_value(sizes.n_pos, sizes.n_neg, level) - empirical_quantile(plain, level)
        for level in LEVELS
    ]
    place = (1.0 + np.arange(draws)) / (1.0 + draws)
    return frozen_draws(drawn + np.interp(place, LEVELS, moved))
