"""Random test sets of given class sizes: orders of labels, and counts at the distinct scores.

An order is the number of negatives that precede each positive, from the highest score down, without
ties: row r, column j of an array is for the (j + 1)-th positive of set r. Counts of both classes,
of resamples or of halves of the rows, are arrays (k,) along the scores; draws are (draws, k).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rocbands.core.checks import CountArray


def draw_label_orders(n_pos: int, n_neg: int, draws: int, rng: np.random.Generator) -> CountArray:
    """Permute labels at random.

    Examples
    --------
    >>> draw_label_orders(2, 3, 1, np.random.default_rng(1))
    array([[1, 1]])
    """
    total = n_pos + n_neg
    if is_sparse(n_pos, n_neg) and n_pos < n_neg:
        position = _draw_subsets(total, n_pos, draws, rng)
    else:
        labels = np.zeros((draws, total), dtype=np.uint8)
        labels[:, :n_pos] = 1
        rng.permuted(labels, axis=1, out=labels)
        position = _positions_of_positives(labels, n_pos)
    return position - np.arange(n_pos)


def draw_binormal_orders(
    intercept: float, slope: float, n_pos: int, n_neg: int, draws: int, rng: np.random.Generator
) -> CountArray:
    """Order normal scores whose true curve is Phi(intercept + slope probit(fpr))."""
    # Negatives are N(0, 1), positives N(intercept / slope, 1 / slope^2).
    scores = rng.standard_normal((draws, n_pos + n_neg))
    scores[:, :n_pos] = (scores[:, :n_pos] + intercept) / slope
    order = np.argsort(-scores, axis=1)
    return _positions_of_positives(order < n_pos, n_pos) - np.arange(n_pos)


def is_sparse(n_pos: int, n_neg: int) -> bool:
    """Tell whether drawing sorted positions is faster than permuting labels."""
    return 4 * min(n_pos, n_neg) < max(n_pos, n_neg)


def _positions_of_positives(labels: Any, n_pos: int) -> CountArray:
    draws, total = labels.shape
    flat: CountArray = np.flatnonzero(labels).reshape(draws, n_pos)
    return np.asarray(flat - np.arange(draws)[:, None] * total)


def _draw_subsets(total: int, size: int, draws: int, rng: np.random.Generator) -> CountArray:
    """Draw sorted uniform subsets of range(total), one per row."""
    # Collisions are redrawn until none is left. This is sampling one at a time without
    # replacement, so every subset is equally likely.
    out = np.sort(rng.integers(0, total, (draws, size)), axis=1)
    bad = np.arange(draws)
    while bad.size:
        rows = out[bad]
        again = np.zeros(rows.shape, dtype=bool)
        again[:, 1:] = rows[:, 1:] == rows[:, :-1]
        hit = again.any(axis=1)
        bad, rows, again = bad[hit], rows[hit], again[hit]
        rows[again] = rng.integers(0, total, int(again.sum()))
        out[bad] = np.sort(rows, axis=1)
    return out


# -------------------------------------------------------------------- counts at the distinct scores

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
