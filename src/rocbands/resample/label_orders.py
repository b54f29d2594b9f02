"""Random test sets of given class sizes: orders of labels without ties, counts at score levels.

An order is the number of negatives that precede each positive, from the highest score down: row r,
column j of an array is for the (j + 1)-th positive of set r.
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
