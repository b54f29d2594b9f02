"""The statistic of resampled test sets: observed score levels, or a fitted smooth curve.

Formulas (C7), (C8) and (C12) of docs/likelihood.md, section "Critical values". A reference
implementation is `level_statistic` in tests/oracles/critical_values.py, one set after the other,
compared in tests/likelihood/test_resampled.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.progress import follow
from rocbands.likelihood.chance import both_sides, simulate
from rocbands.likelihood.curves import Curves, ManyCurves
from rocbands.likelihood.margin import Margins, margins_of
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import Supremum
from rocbands.resample.label_orders import draw_binormal_orders, draw_level_counts
from rocbands.resample.two_phase import choose_draws

FULL_SHARE = 0.015  # of the draws, those with the largest approximations: all computed in full
FEW_LEVELS = 16  # up to which the approximation looks at corners
_BLOCK = 10_000  # draws that are ordered together
_BATCH = 1 << 18  # array entries held at once, all draws of a batch together
_RUNS = 12  # into which a tested curve is cut at first
_CLOSE = 1e-3  # error of a drawn value: far below the Monte Carlo error
# Where a smooth curve is followed, in standard deviations of the negatives' scores.
_PROBITS: FloatArray = np.linspace(-5.5, 5.5, 67)


def level_statistics(
    pos: CountArray,
    neg: CountArray,
    n_draws: int,
    rng: np.random.Generator,
    *,
    future: tuple[int, int] | None = None,
    level: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Draw the statistic of test sets whose scores take the levels that were observed, (C7).

    `pos`, `neg`: positives and negatives at each distinct score, the highest first. `future`: class
    sizes of a future set: then each draw is a pair of sets, and the statistic is that of the second
    one's curve. `level`: only quantiles at this level and above are wanted: smaller values may be
    reported larger, though not above that quantile. Returns statistics of some of `n_draws` draws,
    and how many draws each stands for.

    Drawing a set takes a hundredth of the time of its statistic, and only the upper tail matters:
    an approximation (`_approximate`) decides which statistics are computed (`choose_draws`).
    """
    # With several blocks no floor is used: a block's quantile may exceed the overall one.
    least = level if n_draws <= _BLOCK else 0.0
    parts = [
        _draw_block(pos, neg, min(_BLOCK, n_draws - start), rng, future, least)
        for start in follow(range(0, n_draws, _BLOCK), -(-n_draws // _BLOCK))
    ]
    values, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return values, weights


def _draw_block(
    pos: CountArray,
    neg: CountArray,
    n_draws: int,
    rng: np.random.Generator,
    future: tuple[int, int] | None,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Draw sets, and compute the statistic of some of them."""
    n_pos, n_neg = int(pos.sum()), int(neg.sum())
    sizes = [n_neg, n_pos] if future is None else [n_neg, n_pos, future[1], future[0]]
    shares = [_smooth(neg), _smooth(pos)] * (len(sizes) // 2)
    drawn = draw_level_counts(sizes, shares, n_draws, rng)

    def lay_out(rows: CountArray | slice) -> list[FloatArray]:
        """Cumulative counts fp, tp of the drawn curves, and rates u, v of those to be tested."""
        found = [_cumulate(counts[rows].astype(np.int64)) for counts in drawn]
        if future is None:
            true = (_cumulate(share[None]) for share in shares)
            return [*found, *(np.broadcast_to(side, found[0].shape) for side in true)]
        return [*found[:2], found[2] / future[1], found[3] / future[0]]

    # First phase: approximate all draws, four times as many at once as fit in full.
    batch = max(1, _BATCH // (8 * pos.size + 100))
    slices = [slice(start, start + 4 * batch) for start in range(0, n_draws, 4 * batch)]
    margins = margins_of(n_pos, n_neg, future)
    rough = np.concatenate([_approximate(margins, *lay_out(rows)) for rows in slices])
    chosen, weights = choose_draws(rough, max(int(FULL_SHARE * n_draws), 1), rng)
    # Second phase: compute some in full.
    # Curves of a batch are told apart by keys, whole numbers that a float must be able to tell.
    batch = min(batch, chosen.size // 2 + 1, max(2**51 // (max(n_pos, n_neg) + 1), 1))
    out, floor = np.empty(chosen.size), 0.0
    for start in range(0, chosen.size, batch):
        part = slice(start, start + batch)
        fp, tp, u, v = (_with_half_turns(side) for side in lay_out(chosen[part]))
        curves = _from_levels(fp, tp, n_pos, n_neg, future)
        out[part] = _statistics(curves, u, v, floor=floor)
        # The quantile of all draws is at least what more than 1 - level of them exceed already.
        order = np.argsort(-out[: start + batch])
        above = np.cumsum(weights[order]) > (1.0 - level) * n_draws + 1.0
        floor = max(floor, float(out[order[np.argmax(above)]])) if above.any() else floor
    return out, weights


def _approximate(
    margins: Margins, fp: FloatArray, tp: FloatArray, u: FloatArray, v: FloatArray
) -> FloatArray:
    """Approximate twice the statistic of each draw by normal distances at a few places, (C8)."""
    best, k = np.zeros(len(fp)), fp.shape[1] - 1
    fp, tp = fp / margins.neg.size, tp / margins.pos.size
    du, dv = np.diff(u), np.diff(v)
    few = k <= FEW_LEVELS
    # Places along each segment, and the neighbour to look at besides the segment itself.
    for part, neighbour in ((0.0, -1), (0.15, -1), (0.85, 1)) if few else ((0.15, 0), (0.85, 0)):
        at_u, at_v, x, y = (side[:, :-1] + part * np.diff(side) for side in (u, v, fp, tp))
        # A third of the way the normal value is closest to the likelihood ratio of few cases.
        dx, dy = x - at_u, y - at_v
        x, y = at_u + dx / 3.0, at_v + dy / 3.0
        var_x, var_y = x * (1.0 - x) / margins.neg.effective, y * (1.0 - y) / margins.pos.effective
        if few:
            # At corners of the drawn curve its two next segments count.
            square = np.full(x.shape, np.inf)
            for step in (0, neighbour):
                to = np.clip(np.arange(k) + step, 0, k - 1)
                apart = _square_from_segments(at_u, at_v, fp, tp, to, var_x, var_y)
                square = np.minimum(square, apart)
        else:
            # The drawn curve is nearly parallel to the tested segment.
            square = (dy * du - dx * dv) ** 2 / np.maximum(du**2 * var_y + dv**2 * var_x, 1e-300)
        np.maximum(best, square.max(axis=1), out=best)
    return best


def _square_from_segments(
    u: FloatArray, v: FloatArray, fp: FloatArray, tp: FloatArray, segment: CountArray,
    var_x: FloatArray, var_y: FloatArray,
) -> FloatArray:  # fmt: skip
    """Squared distances of points from drawn segments, in units of standard errors."""
    var_x, var_y = np.maximum(var_x, 1e-300), np.maximum(var_y, 1e-300)
    dx, dy = (np.diff(side)[:, segment] for side in (fp, tp))
    ex, ey = u - fp[:, segment], v - tp[:, segment]
    # Project on the segment in units of standard errors.
    along = (ex * dx / var_x + ey * dy / var_y) / np.maximum(dx**2 / var_x + dy**2 / var_y, 1e-300)
    along = np.clip(along, 0.0, 1.0)
    square: FloatArray = (ex - along * dx) ** 2 / var_x + (ey - along * dy) ** 2 / var_y
    return square


def binormal_statistics(
    fp: CountArray, tp: CountArray, n_draws: int, rng: np.random.Generator, *, level: float = 0.0
) -> FloatArray:
    """Draw the statistic of untied test sets from a binormal curve fitted to the vertices, (C12).

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
        u, v = (_with_half_turns(np.broadcast_to(side, (draws, side.size))) for side in (x, y))
        return _statistics(curves, u, v, level=level)

    return simulate(n_draws, n_pos + n_neg + x.size, draw)


def fit_probit_line(fp: CountArray, tp: CountArray) -> tuple[float, float]:
    """Fit Phi(intercept + slope probit(fpr)) to the interior vertices by (C12).

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


def _smooth(counts: CountArray) -> FloatArray:
    """Shares with half a case added to each level, (C7)."""
    shares: FloatArray = (counts + 0.5) / (counts.sum() + 0.5 * counts.size)
    return shares


def _cumulate(counts: FloatArray | CountArray) -> FloatArray:
    """Add up along each row, from 0; shares end at exactly 1."""
    total = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    if counts.dtype.kind == "f":
        total[:, -1] = 1.0
    return total


def _with_half_turns(rows: FloatArray) -> FloatArray:
    """Stack curves and their half turns: the second half serves the band's other side."""
    return np.concatenate((rows, rows[:, -1:] - rows[:, ::-1]))


def _from_levels(
    fp: FloatArray, tp: FloatArray, n_pos: int, n_neg: int, future: tuple[int, int] | None
) -> Curves:
    """Lay out curves with the same number of levels, one row each, counts cumulated from 0.

    A level that one draw left without positives or without negatives is no slanted segment but
    a horizontal or vertical step, and only the step's north-west end matters.
    """
    slanted = (np.diff(fp) > 0) & (np.diff(tp) > 0)  # levels with cases of both classes
    # The north-west end of every step; for slanted segments also the other end.
    x0, y1 = fp[:, :-1], tp[:, 1:]
    x1, y0 = np.where(slanted, fp[:, 1:], x0), np.where(slanted, tp[:, :-1], y1)
    origin = np.zeros((fp.shape[0], 1))  # a piece of its own
    x0, y0, x1, y1 = (np.concatenate((origin, side), axis=1) for side in (x0, y0, x1, y1))
    slanted = np.concatenate((origin > 0, slanted), axis=1)
    # Keys that are sorted over all curves: one binary search serves them all.
    row = np.arange(fp.shape[0], dtype=np.float64)[:, None]
    keys = (x0 + row * (n_neg + 1)).ravel(), (y1 + row * (n_pos + 1)).ravel()
    ends = (x0.ravel(), y0.ravel(), x1.ravel(), y1.ravel())
    return ManyCurves(
        *ends, slanted.ravel(), n_pos, n_neg, x0.shape[1], future, fp_key=keys[0], tp_key=keys[1]
    )


def _statistics(
    curves: Curves, u: FloatArray, v: FloatArray, *, level: float = 0.0, floor: float = 0.0
) -> FloatArray:
    """Return each draw's statistic; row i of `u`, `v` is tested against curve i.

    The second half of the rows are the half turns of the first. `level`: only quantiles at this
    level and above are wanted. `floor`: report smaller values as this one.
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
    best = np.maximum(best, max(np.quantile(best, max(safe, 0.0), method="lower"), floor))
    start = np.arange(rows)[:, None] * knots
    first, last = (start + cut[:-1]).ravel(), (start + cut[1:]).ravel()
    row, owner = np.repeat(np.arange(rows), cut.size - 1), np.tile(np.arange(draws), 2)
    points = (u.ravel(), v.ravel())
    Supremum(curves, owner, best, tolerance=_CLOSE).search_curves(row, first, last, points)
    return best
