"""Simulated critical values from their definition: one test set, one place after the other."""

from __future__ import annotations

import math

import numpy as np

from tests.oracles import likelihood as band


def counts_of_order(order: np.ndarray, n_neg: int) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative counts of an untied set, from the number of negatives before each positive."""
    fp, tp = [0], [0]
    for before in order:
        while fp[-1] < before:
            fp, tp = [*fp, fp[-1] + 1], [*tp, tp[-1]]
        fp, tp = [*fp, fp[-1]], [*tp, tp[-1] + 1]
    rest = range(fp[-1] + 1, n_neg + 1)
    return np.array([*fp, *rest]), np.array([*tp, *[tp[-1]] * len(rest)])


def diagonal_statistic(order: np.ndarray, n_neg: int, places: int = 2000) -> float:
    """(C1): largest distance of the diagonal, at many places; a little too small."""
    fp, tp = counts_of_order(order, n_neg)
    points = band.points(fp, tp)
    # Distances peak where a rate passes a vertex.
    at = np.unique(np.concatenate([np.linspace(0, 1, places + 1), *points.T]))
    return max(band.distance(points, tp[-1], fp[-1], u, u) for u in at)


def future_statistic(seen: np.ndarray, n_neg: int, later: np.ndarray, later_neg: int) -> float:
    """(C4): largest distance of a vertex of the later curve from the seen one."""
    fp, tp = counts_of_order(seen, n_neg)
    points, future = band.points(fp, tp), (later.size, later_neg)
    later_fp, later_tp = counts_of_order(later, later_neg)
    return max(
        band.distance(points, seen.size, n_neg, u, v, future)
        for u, v in zip(later_fp / later_neg, later_tp / later.size, strict=True)
    )


def level_statistic(
    neg: np.ndarray, pos: np.ndarray, u: np.ndarray, v: np.ndarray, future: band.Future = None
) -> float:
    """Largest distance of the polyline u, v from the curve with these counts at its levels."""
    fp, tp = (np.append(0, np.cumsum(side)) for side in (neg, pos))
    return band.supremum(band.points(fp, tp, 40), tp[-1], fp[-1], u, v, future, 40)


def quantile(values: list[float], level: float) -> float:
    """(C8): at least level (B + 1) of the B draws are at most this."""
    return sorted(values)[math.ceil(level * (len(values) + 1) - 1e-9) - 1]
