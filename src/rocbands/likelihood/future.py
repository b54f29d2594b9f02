"""Critical values for the empirical curve of a future test set."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.likelihood.chance import (
    EVERY,
    chance_statistics,
    critical_value,
    draws_for,
    future_chance_statistics,
    sort_and_freeze,
)
from rocbands.resample.quantiles import sample_quantile

# A set this many times larger than the other is as good as endless.
_ENDLESS = 40
# Sizes are brought down to about this many cases of the largest class; see `future_critical_value`.
_LARGEST = 400
_STEP = 0.05
_DRAWS = 5_000
_SEED = 11


class Sizes(NamedTuple):
    """Class sizes of the observed and of the future set."""

    n_pos: int
    n_neg: int
    future_pos: int
    future_neg: int


def future_critical_value(sizes: Sizes, level: float) -> float:
    """Return the least c that the statistic of a future curve keeps to, by chance, at `level`.

    Notes
    -----
    The distribution depends on four sizes, too many for a table: 5,000 pairs of sets, or more at
    high levels, are simulated with a fixed seed, and kept. That alone gives P(T <= c) a standard
    error of .0042 at level .9.

    With 50 cases or more in each observed class, what is simulated is only by how much the value
    exceeds that of the true curve, which is tabulated. That difference hardly depends on the sizes
    as long as their ratios stay the same, so it is taken at sizes brought down to a few hundred
    and rounded to steps of 5%; the true curve's part of it adds half as much error again.
    """
    sizes = _smaller_first(cap_sizes(sizes))
    draws = draws_for(level, _DRAWS)
    true = critical_value(sizes.n_pos, sizes.n_neg, level)
    if sizes.n_pos < EVERY:
        later = sample_quantile(_future_draws(sizes, draws), level)
    else:
        model = scale_down(sizes, _LARGEST, sizes.n_pos / EVERY)
        plain = sample_quantile(_plain_draws(model.n_pos, model.n_neg, 4 * draws), level)
        later = true + sample_quantile(_future_draws(model, draws), level) - plain
    # A second set only adds noise; what is drawn may say otherwise by chance.
    return max(later, true)


def _smaller_first(sizes: Sizes) -> Sizes:
    """Exchange the classes if the positives outnumber the negatives: the distribution is the same.

    A mirrored curve then gets the very same value.
    """
    n_pos, n_neg, future_pos, future_neg = sizes
    if (n_pos, future_pos) <= (n_neg, future_neg):
        return sizes
    return Sizes(n_neg, n_pos, future_neg, future_pos)


def cap_sizes(sizes: Sizes) -> Sizes:
    """Let no set be more than `_ENDLESS` times as large as the other."""
    pos, future_pos = _within_reach(sizes.n_pos, sizes.future_pos)
    neg, future_neg = _within_reach(sizes.n_neg, sizes.future_neg)
    return Sizes(pos, neg, future_pos, future_neg)


def _within_reach(one: int, other: int) -> tuple[int, int]:
    return min(one, _ENDLESS * other), min(other, _ENDLESS * one)


def scale_down(sizes: Sizes, largest: int, most: float) -> Sizes:
    """Divide all sizes by one number, at most `most`, and round them on a logarithmic scale."""
    by = max(1.0, min(max(sizes) / largest, most))
    return Sizes(*(max(1, round(np.exp(_STEP * round(np.log(k / by) / _STEP)))) for k in sizes))


@lru_cache(maxsize=1024)
def _future_draws(sizes: Sizes, draws: int) -> FloatArray:
    rng = np.random.default_rng([_SEED, *sizes])
    return sort_and_freeze(future_chance_statistics(*sizes, draws, rng))


@lru_cache(maxsize=1024)
def _plain_draws(n_pos: int, n_neg: int, draws: int) -> FloatArray:
    rng = np.random.default_rng([_SEED, n_pos, n_neg])
    return sort_and_freeze(chance_statistics(n_pos, n_neg, draws, rng))
