"""Random counts at the distinct scores of a test set: resamples, and halves of the rows.

Counts of both classes are arrays (k,) along the scores; draws are (draws, k).
"""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray

_MANY = 1_000_000_000  # rows, which NumPy's hypergeometric distribution does not take
Counts = tuple[CountArray, CountArray]  # of positives and of negatives


def draw_rows(pos: CountArray, neg: CountArray, draws: int, rng: np.random.Generator) -> Counts:
    """Draw rows of each class with replacement; class sizes stay.

    Examples
    --------
    >>> one, two = draw_rows(np.array([2, 1]), np.array([0, 4]), 5, np.random.default_rng(1))
    >>> set(one.sum(axis=1).tolist()), set(two[:, 1].tolist())
    ({3}, {4})
    """
    one, two = (rng.multinomial(side.sum(), side / side.sum(), draws) for side in (pos, neg))
    return one, two


def draw_halves(pos: CountArray, neg: CountArray, draws: int, rng: np.random.Generator) -> Counts:
    """Draw half of the rows of each class, without replacement.

    Of many rows each is drawn with probability 1/2: their number is then half of all within 1e-4.

    Examples
    --------
    >>> one, two = draw_halves(np.array([2, 2]), np.array([1, 4]), 5, np.random.default_rng(1))
    >>> set(one.sum(axis=1).tolist()), set(two.sum(axis=1).tolist())
    ({2}, {2})
    """
    one, two = (_draw_half(side, draws, rng) for side in (pos, neg))
    return one, two


def _draw_half(counts: CountArray, draws: int, rng: np.random.Generator) -> CountArray:
    total = int(counts.sum())
    if total >= _MANY:
        return rng.binomial(counts, 0.5, (draws, counts.size))
    return rng.multivariate_hypergeometric(counts, total // 2, draws, method="marginals")
