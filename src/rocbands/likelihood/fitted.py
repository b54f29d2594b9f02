"""The statistic of simulated test sets: random ones of a smooth curve, such as a fitted one.

Formula (C7) of docs/likelihood.md, section "Critical values".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import CountArray, FloatArray
from rocbands.likelihood.chance import both_sides, simulate
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import Supremum
from rocbands.resample.label_orders import draw_binormal_orders

_RUNS = 12  # into which a tested curve is cut at first
_CLOSE = 1e-3  # error of a drawn value: far below the Monte Carlo error
# Where a smooth curve is followed, in standard deviations of the negatives' scores.
_PROBITS: FloatArray = np.linspace(-5.5, 5.5, 67)


def binormal_statistics(
    fp: CountArray, tp: CountArray, n_draws: int, rng: np.random.Generator, *, level: float = 0.0
) -> FloatArray:
    """Draw the statistic of untied test sets from a binormal curve fitted to the vertices, (C7).

    `fp`, `tp`: cumulative counts at the vertices, from (0, 0).
    """
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    intercept, slope = fit_probit_line(fp, tp)

    def draw_orders(draws: int) -> CountArray:
        return draw_binormal_orders(intercept, slope, n_pos, n_neg, draws, rng)

    curve = ndtr(_PROBITS), ndtr(intercept + slope * _PROBITS)
    return curve_statistics(curve, draw_orders, n_pos, n_neg, n_draws, level=level)


def curve_statistics(
    curve: tuple[FloatArray, FloatArray],
    draw_orders: Callable[[int], CountArray],
    n_pos: int,
    n_neg: int,
    n_draws: int,
    *,
    level: float = 0.0,
) -> FloatArray:
    """Draw the statistic of a smooth true curve for untied test sets.

    `curve`: points of the true curve, fpr and tpr, both rising and strictly between 0 and 1.
    `draw_orders`: draws a given number of test sets (:mod:`rocbands.resample.label_orders`).
    """
    x, y = (np.concatenate(([0.0], side, [1.0]))[None] for side in curve)

    def draw(draws: int) -> FloatArray:
        fp = draw_orders(draws)
        curves = Curves.from_rows(both_sides(fp, n_neg), n_pos, n_neg)
        u, v = (with_half_turns(np.broadcast_to(side, (draws, side.size))) for side in (x, y))
        return find_statistics(curves, u, v, level=level)

    return simulate(n_draws, n_pos + n_neg + x.size, draw)


def fit_probit_line(fp: CountArray, tp: CountArray) -> tuple[float, float]:
    """Fit Phi(intercept + slope probit(fpr)) to the interior vertices by (C7).

    Examples
    --------
    >>> fit_probit_line(np.array([0, 1, 2]), np.array([0, 1, 2]))
    (0.0, 1.0)
    """
    # Half a case keeps probits finite; the tenth keeps the slope near 1 with few vertices.
    across = ndtri((fp[1:-1] + 0.5) / (fp[-1] + 1.0))
    up = ndtri((tp[1:-1] + 0.5) / (tp[-1] + 1.0))
    if across.size == 0:
        return 0.0, 1.0
    slope = float(np.clip((up.std() + 0.1) / (across.std() + 0.1), 0.2, 5.0))
    return float(up.mean() - slope * across.mean()), slope


def with_half_turns(rows: FloatArray) -> FloatArray:
    """Stack curves and their half turns: the second half serves the band's other side."""
    return np.concatenate((rows, rows[:, -1:] - rows[:, ::-1]))


def find_statistics(
    curves: Curves, u: FloatArray, v: FloatArray, *, level: float = 0.0
) -> FloatArray:
    """Return each draw's statistic; row i of `u`, `v` is tested against curve i.

    The second half of the rows are the half turns of the first. `level`: only quantiles at this
    level and above are wanted.
    """
    rows, knots = u.shape
    draws = rows // 2
    cut = np.unique(np.linspace(0, knots - 1, min(knots, _RUNS + 1)).astype(np.int64))
    every = np.repeat(np.arange(rows), cut.size)
    at_cuts = nearest(curves, every, u[:, cut].ravel(), v[:, cut].ravel()).distance
    # Both sides of the band and all cuts of a draw.
    best: FloatArray = at_cuts.reshape(2, draws, cut.size).max(axis=(0, 2))
    # Floor draws that are below the wanted quantile even allowing four standard errors.
    safe = level - 4.0 * np.sqrt(level * (1.0 - level) / draws)
    best = np.maximum(best, np.quantile(best, max(safe, 0.0), method="lower"))
    start = np.arange(rows)[:, None] * knots
    first, last = (start + cut[:-1]).ravel(), (start + cut[1:]).ravel()
    row, owner = np.repeat(np.arange(rows), cut.size - 1), np.tile(np.arange(draws), 2)
    points = (u.ravel(), v.ravel())
    Supremum(curves, owner, best, tolerance=_CLOSE).search_curves(row, first, last, points)
    return best
