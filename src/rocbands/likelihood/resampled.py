"""Law of the statistic when the true curve is a fitted one: tied levels, or a smooth curve."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.likelihood.chance import both_sides
from rocbands.likelihood.curves import Curves, Ints
from rocbands.likelihood.margin import Floats
from rocbands.likelihood.nearest import Margins, margins_of, nearest
from rocbands.likelihood.supremum import raise_along_curves

# Array entries held at once, all draws of a batch together.
_BATCH = 1 << 18
# Into how many runs a tested curve is cut at first.
_RUNS = 12
# How closely a drawn value is found: far below what the number of draws can tell.
_CLOSE = 1e-3
# Where a smooth curve is followed, in standard deviations of the negatives' scores.
_PROBITS: Floats = np.linspace(-5.5, 5.5, 67)


def level_statistics(
    pos: Ints,
    neg: Ints,
    n_draws: int,
    rng: np.random.Generator,
    *,
    future: tuple[int, int] | None = None,
    level: float = 0.0,
) -> Floats:
    """Draw the statistic of test sets whose scores take the levels that were observed.

    Parameters
    ----------
    pos, neg
        Positives and negatives at each distinct score, the highest first.
    n_draws
        Number of test sets.
    rng
        Source of randomness.
    future
        Class sizes of a future set: then each draw is a pair of sets, and the statistic is that
        of the second one's curve.
    level
        Only quantiles at this level and above are wanted: smaller values may be reported larger,
        though not above that quantile, which saves the work of finding them.

    Notes
    -----
    Half a case is added to each level and class. Without it a level that happened to hold one
    class only would hold it in every draw, and the law would be too short.
    """
    n_pos, n_neg = int(pos.sum()), int(neg.sum())
    p, q = _smoothed(pos), _smoothed(neg)
    margins = margins_of(n_pos, n_neg, future)
    batch = max(1, min(n_draws, _BATCH // (8 * pos.size + 100)))
    out = np.empty(n_draws)
    for start in range(0, n_draws, batch):
        draws = min(start + batch, n_draws) - start
        fp, tp = (
            _cumulated(rng.multinomial(n_neg, q, draws)),
            _cumulated(rng.multinomial(n_pos, p, draws)),
        )
        curves = _from_levels(_turned(fp), _turned(tp), n_pos, n_neg)
        if future is None:
            x, y = (np.broadcast_to(_cumulated(s), fp.shape) for s in (q[None], p[None]))
        else:
            x = _cumulated(rng.multinomial(future[1], q, draws)) / future[1]
            y = _cumulated(rng.multinomial(future[0], p, draws)) / future[0]
        out[start : start + draws] = _statistics(curves, margins, _turned(x), _turned(y), level)
    return out


def binormal_statistics(
    fp: Ints, tp: Ints, n_draws: int, rng: np.random.Generator, *, level: float = 0.0
) -> Floats:
    """Draw the statistic of untied test sets from a binormal curve fitted to the vertices.

    Parameters
    ----------
    fp, tp
        Cumulative counts at the vertices, from (0, 0).
    n_draws
        Number of test sets.
    rng
        Source of randomness.
    level
        As for `level_statistics`.
    """
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    height, slope = fit_binormal(fp, tp)
    x, y = ndtr(_PROBITS), ndtr(height + slope * _PROBITS)
    x, y = (np.concatenate(([0.0], side, [1.0]))[None] for side in (x, y))
    margins = margins_of(n_pos, n_neg, None)
    batch = max(1, min(n_draws, _BATCH // (n_pos + n_neg + x.size)))
    out = np.empty(n_draws)
    for start in range(0, n_draws, batch):
        draws = min(start + batch, n_draws) - start
        scores = rng.standard_normal((draws, n_pos + n_neg))
        scores[:, :n_pos] = (scores[:, :n_pos] + height) / slope
        order = np.argsort(-scores, axis=1)
        place = np.flatnonzero(order < n_pos).reshape(draws, n_pos)
        rows = place - np.arange(draws)[:, None] * (n_pos + n_neg) - np.arange(n_pos)
        curves = Curves.from_rows(both_sides(rows, n_neg), n_pos, n_neg)
        u, v = (_turned(np.broadcast_to(side, (draws, side.size))) for side in (x, y))
        out[start : start + draws] = _statistics(curves, margins, u, v, level)
    return out


def fit_binormal(fp: Ints, tp: Ints) -> tuple[float, float]:
    """Fit Phi(a + b probit(fpr)) to the vertices, treating both axes alike.

    Returns
    -------
    height, slope
        The line through the vertices' probits that matches their means and spreads; half a case
        keeps probits finite, and a tenth keeps the slope near 1 where there is little to see.
    """
    across = ndtri((fp[1:-1] + 0.5) / (fp[-1] + 1.0))
    up = ndtri((tp[1:-1] + 0.5) / (tp[-1] + 1.0))
    if across.size == 0:
        return 0.0, 1.0
    slope = float(np.clip((up.std() + 0.1) / (across.std() + 0.1), 0.2, 5.0))
    return float(up.mean() - slope * across.mean()), slope


def _smoothed(counts: Ints) -> Floats:
    shares: Floats = (counts + 0.5) / (counts.sum() + 0.5 * counts.size)
    return shares


def _cumulated(counts: Floats | Ints) -> Floats:
    """Add up along each row, from 0; shares end at exactly 1."""
    total = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    if counts.dtype.kind == "f":
        total[:, -1] = 1.0
    return total


def _turned(rows: Floats) -> Floats:
    """Stack curves and their half turns: the second half serves the band's other side."""
    return np.concatenate((rows, rows[:, -1:] - rows[:, ::-1]))


def _from_levels(fp: Floats, tp: Floats, n_pos: int, n_neg: int) -> Curves:
    """Lay out curves with the same number of levels, one row each, counts cumulated from 0.

    A level that one draw left without positives or without negatives is no slanted segment but
    a level or upright step, and only the step's north-west end matters.
    """
    slanted = (np.diff(fp) > 0) & (np.diff(tp) > 0)
    x0, y1 = fp[:, :-1], tp[:, 1:]
    x1, y0 = np.where(slanted, fp[:, 1:], x0), np.where(slanted, tp[:, :-1], y1)
    origin = np.zeros((fp.shape[0], 1))
    x0, y0, x1, y1 = (np.concatenate((origin, side), axis=1) for side in (x0, y0, x1, y1))
    slanted = np.concatenate((origin > 0, slanted), axis=1)
    row = np.arange(fp.shape[0], dtype=np.float64)[:, None]
    keys = (x0 + row * (n_neg + 1)).ravel(), (y1 + row * (n_pos + 1)).ravel()
    ends = (x0.ravel(), y0.ravel(), x1.ravel(), y1.ravel())
    return Curves(*ends, slanted.ravel(), *keys, n_pos, n_neg)


def _statistics(curves: Curves, margins: Margins, u: Floats, v: Floats, level: float) -> Floats:
    """Return each draw's statistic; row i of ``u``, ``v`` is tested against curve i.

    The second half of the rows are the half turns of the first.
    """
    rows, knots = u.shape
    draws = rows // 2
    cut = np.unique(np.linspace(0, knots - 1, min(knots, _RUNS + 1)).astype(np.int64))
    every = np.repeat(np.arange(rows), cut.size)
    at_cuts = nearest(curves, margins, every, u[:, cut].ravel(), v[:, cut].ravel()).distance
    best: Floats = at_cuts.reshape(2, draws, cut.size).max(axis=(0, 2))
    # Draws below what is already sure to be below the wanted quantile need no closer look.
    safe = level - 4.0 * np.sqrt(level * (1.0 - level) / draws)
    best = np.maximum(best, np.quantile(best, max(safe, 0.0), method="lower"))
    start = np.arange(rows)[:, None] * knots
    first, last = (start + cut[:-1]).ravel(), (start + cut[1:]).ravel()
    row, owner = np.repeat(np.arange(rows), cut.size - 1), np.tile(np.arange(draws), 2)
    points = (u.ravel(), v.ravel())
    raise_along_curves(curves, margins, row, first, last, points, owner, best, tolerance=_CLOSE)
    return best
