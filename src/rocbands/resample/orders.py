"""Random orders of both classes: all equally likely (a chance model), or binormal.

A test set without ties is an order of its cases. Every function returns, for each drawn order and
each positive from the highest score down, how many negatives precede it: shape (draws, n_pos).
"""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray


def draw_chance_orders(n_pos: int, n_neg: int, draws: int, rng: np.random.Generator) -> CountArray:
    """Draw orders of which all are equally likely."""
    total = n_pos + n_neg
    if 4 * n_pos < n_neg:  # sorting few places is then quicker than shuffling all labels
        place = _draw_subsets(total, n_pos, draws, rng)
    else:
        labels = np.zeros((draws, total), dtype=np.uint8)
        labels[:, :n_pos] = 1
        rng.permuted(labels, axis=1, out=labels)
        place = _find_columns(labels, n_pos)
    return place - np.arange(n_pos)


def draw_binormal_orders(
    n_pos: int, n_neg: int, a: float, b: float, draws: int, rng: np.random.Generator
) -> CountArray:
    """Draw orders of a population with the curve Phi(a + b Phi^-1(fpr))."""
    # Negatives are N(0, 1) and positives N(a / b, 1 / b^2).
    scores = rng.standard_normal((draws, n_pos + n_neg))
    scores[:, :n_pos] = (scores[:, :n_pos] + a) / b
    order = np.argsort(-scores, axis=1)
    return _find_columns(order < n_pos, n_pos) - np.arange(n_pos)


def _find_columns(marks: np.ndarray, size: int) -> CountArray:
    """Columns of the `size` marks in each row."""
    draws, total = marks.shape
    return np.flatnonzero(marks).reshape(draws, size) - np.arange(draws)[:, None] * total


def _draw_subsets(total: int, size: int, draws: int, rng: np.random.Generator) -> CountArray:
    """Draw uniform subsets of range(total), one in each row, ascending."""
    out = np.sort(rng.integers(0, total, (draws, size)), axis=1)
    rows = np.arange(draws)
    # Repeated numbers are drawn again until there are none. That is drawing one at a time without
    # replacement, so that all subsets are equally likely.
    while rows.size:
        part = out[rows]
        again = np.zeros(part.shape, dtype=np.bool_)
        again[:, 1:] = part[:, 1:] == part[:, :-1]
        hit = again.any(axis=1)
        rows, part, again = rows[hit], part[hit], again[hit]
        part[again] = rng.integers(0, total, int(again.sum()))
        out[rows] = np.sort(part, axis=1)
    return out
