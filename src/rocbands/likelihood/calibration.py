"""Where the critical value comes from: the AUC, chance, resampled score levels, a fitted curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.progress import follow
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.chance import both_sides, critical_value, draws_for
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.excess import find_excess
from rocbands.likelihood.future import Sizes, future_critical_value
from rocbands.likelihood.margin import Margins, margins_of
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import raise_along_curves
from rocbands.resample.orders import draw_binormal_orders

CALIBRATIONS = ("auto", "curve", "chance", "bootstrap", "plugin")

# What "auto" does was settled by measurement (docs/likelihood.md). The value that follows the AUC
# is for untied scores. When at least this share of the rows is tied with the other class ...
TIED = 0.1
# ... and the scores take no more levels than this, the levels are resampled. With one level there
# is nothing to resample; with very many the curve has small steps again.
MANY_LEVELS = 300

# Sets that 'bootstrap' draws for each of `n_resamples`, and the share that is computed in full.
DRAWN = 8
ALL = 0.015
FEW_LEVELS = 16  # up to which the approximation looks at corners
_BLOCK = 10_000  # draws that are ordered together
# Array entries held at once, all draws of a batch together.
_BATCH = 1 << 18
# Into how many runs a tested curve is cut at first.
_RUNS = 12
# How closely a drawn value is found: far below what the number of draws can tell.
_CLOSE = 1e-3
# Where a smooth curve is followed, in standard deviations of the negatives' scores.
_PROBITS: FloatArray = np.linspace(-5.5, 5.5, 67)


class CriticalValue(NamedTuple):
    """A critical value, at least `SLACK`, and a sentence that says where it comes from.

    Distances are computed to within `SLACK`: around a curve at distance 0 the edges could cross.
    """

    critical_value: float
    note: str
    draws: int = 0  # of which it is a quantile
    error: float = 0.0  # its Monte Carlo standard error


def choose_calibration(fp: CountArray, tp: CountArray) -> str:
    """Choose what 'auto' does for the curve with these cumulative counts."""
    few = 2 <= fp.size - 1 <= MANY_LEVELS
    return "bootstrap" if few and tied_share(fp, tp) >= TIED else "curve"


def find_critical_values(
    how: str,
    fp: CountArray,
    tp: CountArray,
    levels: Sequence[float],
    future: tuple[int, int] | None,
    n_resamples: int,
    rng: np.random.Generator | None = None,
    *,
    certificate: float = 0.0,
    auc: float | None = None,
) -> list[CriticalValue]:
    """Find critical values for the curve with cumulative counts `fp`, `tp` from (0, 0).

    `how` is not 'auto', see :func:`choose_calibration`; what is drawn needs `rng`. `certificate`
    says how far the AUC may be off because scores were counted in bins; `auc` is the area where
    rows do not count equally.

    Levels that need as many draws share them, where there are any. Those that need more start from
    the same stream, so that each value is what it would be alone.
    """
    if how == "chance":
        values = [_under_chance(int(tp[-1]), int(fp[-1]), level, future) for level in levels]
        note = "Critical value {:.4f}, from the distribution under chance."
        return [CriticalValue(value, note.format(value)) for value in values]
    if how == "curve":
        return [_by_auc(fp, tp, level, future, certificate, auc) for level in levels]
    assert rng is not None, "draws need a source"
    least = n_resamples * (DRAWN if how == "bootstrap" else 1)
    sizes = [draws_for(level, least) for level in levels]
    found: dict[int, dict[float, CriticalValue]] = {}
    kinds = list(dict.fromkeys(sizes))
    for size in kinds:
        own = rng if size == kinds[-1] else deepcopy(rng)
        alike = [level for level, other in zip(levels, sizes, strict=True) if other == size]
        found[size] = _by_draws(how, fp, tp, alike, future, size, own)
    return [found[size][level] for level, size in zip(levels, sizes, strict=True)]


def _by_draws(
    how: str,
    fp: CountArray,
    tp: CountArray,
    levels: Sequence[float],
    future: tuple[int, int] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> dict[float, CriticalValue]:
    if how == "bootstrap":
        pos, neg, future = _canonical_order(np.diff(tp), np.diff(fp), future)
        draws, weights = level_statistics(
            pos, neg, n_resamples, rng, future=future, level=min(levels)
        )
        tied = f"{tied_share(fp, tp):.0%} of the rows are tied"
        source = f"{n_resamples} resamples of the score levels ({tied})"
    else:
        draws = binormal_statistics(fp, tp, n_resamples, rng, level=min(levels))
        weights = np.ones(n_resamples)
        source = f"{n_resamples} samples of a fitted binormal curve"
    order = np.argsort(draws)
    ordered, share = draws[order], np.cumsum(weights[order]) / n_resamples

    def find_quantile(level: float) -> float:
        # The observed set counts as one more draw: with it a quantile holds its level on average.
        place = int(np.searchsorted(share, level * (1.0 + 1.0 / n_resamples) - SLACK))
        return max(float(ordered[min(place, ordered.size - 1)]), SLACK)

    found = {}
    for level in levels:
        value = find_quantile(level)
        off = _find_share_error(draws > value, weights)
        error = find_quantile(min(level + off, 1.0)) - value  # values below may be inexact
        note = f"Critical value {value:.4f}, from {source}."
        found[level] = CriticalValue(value, note, n_resamples, error)
    return found


def _find_share_error(beyond: BoolArray, weights: FloatArray) -> float:
    """Find the standard error of the share of draws beyond a value; some stand for several.

    Those that stand for several are neighbours in an order, one of each run. To the error of so
    many draws is added what the choice within runs does, from differences between neighbours.
    """
    size = float(weights.sum())
    share = float(weights @ beyond) / size
    several = weights * (weights > 1.0)
    apart = np.diff(beyond.astype(np.float64)) ** 2 * several[1:] * several[:-1]
    return math.sqrt(max(share * (1.0 - share), 0.0) / size + float(apart.sum()) / 2.0 / size**2)


def _under_chance(n_pos: int, n_neg: int, level: float, future: tuple[int, int] | None) -> float:
    if future is None:
        return max(critical_value(n_pos, n_neg, level), SLACK)
    return max(future_critical_value(Sizes(n_pos, n_neg, *future), level), SLACK)


def _by_auc(
    fp: CountArray,
    tp: CountArray,
    level: float,
    future: tuple[int, int] | None,
    certificate: float,
    auc: float | None,
) -> CriticalValue:
    """Take the value of chance plus the excess of curves whose AUC is like the observed one."""
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    if auc is None:
        steps = np.subtract(fp[1:], fp[:-1], dtype=np.float64)
        heights = np.add(tp[1:], tp[:-1], dtype=np.float64)
        auc = min(float(steps @ heights) / (2.0 * n_pos * n_neg), 1.0)
    # The noise of two samples of m and m' cases is that of one of mm'/(m + m') cases.
    pos, neg = (
        (n_pos, n_neg)
        if future is None
        else (_joint_size(n_pos, future[0]), _joint_size(n_neg, future[1]))
    )
    excess = find_excess(auc, pos, neg, level, uncertainty=certificate)
    chance = _under_chance(n_pos, n_neg, level, future)
    value = max(chance + excess, SLACK)
    return CriticalValue(
        value,
        f"Critical value {value:.4f}, for curves with an AUC near {auc:.3g} "
        f"(chance: {chance:.4f}).",
    )


def _joint_size(now: int, later: int) -> int:
    return max(round(now * later / (now + later)), 1)


def tied_share(fp: CountArray, tp: CountArray) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    neg, pos = np.diff(fp), np.diff(tp)
    mixed = (neg > 0) & (pos > 0)
    return float((neg + pos)[mixed].sum() / (fp[-1] + tp[-1]))


def _canonical_order(
    pos: CountArray, neg: CountArray, future: tuple[int, int] | None
) -> tuple[CountArray, CountArray, tuple[int, int] | None]:
    """Choose between a curve and its mirror image, which have the same distribution.

    Resampling the same one of the two, whichever was given, makes the band of a mirrored curve the
    exact mirror image of the band, random numbers and all.
    """
    if pos.tolist() <= neg[::-1].tolist():
        return pos, neg, future
    return neg[::-1], pos[::-1], None if future is None else (future[1], future[0])


def level_statistics(
    pos: CountArray,
    neg: CountArray,
    n_draws: int,
    rng: np.random.Generator,
    *,
    future: tuple[int, int] | None = None,
    level: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Draw the statistic of test sets whose scores take the levels that were observed.

    `pos`, `neg`: positives and negatives at each distinct score, the highest first. `future`: class
    sizes of a future set: then each draw is a pair of sets, and the statistic is that of the second
    one's curve. `level`: only quantiles at this level and above are wanted: smaller values may be
    reported larger, though not above that quantile, which saves the work of finding them. Returns
    statistics of some of `n_draws` draws, and how many draws each stands for.

    Notes
    -----
    Half a case is added to each level and class. Without it a level that happened to hold one
    class only would hold it in every draw, and the distribution would be too short.

    Drawing a set takes a hundredth of the time of its statistic, and only the upper tail matters.
    So the draws are ordered by an approximation of the statistic (`_approximate`). All of the first
    `ALL` are computed; after that one, at random, of each run whose length is in proportion to its
    place in the order (stratified two-phase sampling: Neyman 1938, Journal of the American
    Statistical Association 33, 101-116). However bad the approximation, shares of the draws are
    estimated without bias; the better it is, the less they vary.
    """
    least = level if n_draws <= _BLOCK else 0.0  # the quantile of a block may be the larger one
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
    p, q = _smoothed(pos), _smoothed(neg)
    margins = margins_of(n_pos, n_neg, future)
    sides = [(n_neg, q), (n_pos, p)]
    if future is not None:
        sides += [(future[1], q), (future[0], p)]
    small = np.int32 if max(size for size, _ in sides) < 2**31 else np.int64  # half the memory
    drawn = [rng.multinomial(size, shares, n_draws).astype(small) for size, shares in sides]

    def lay_out(rows: CountArray | slice) -> list[FloatArray]:
        """Cumulative counts fp, tp of the drawn curves, and rates u, v of those to be tested."""
        found = [_cumulated(counts[rows].astype(np.int64)) for counts in drawn]
        if future is None:
            both = (_cumulated(shares[None]) for shares in (q, p))
            return [*found, *(np.broadcast_to(side, found[0].shape) for side in both)]
        return [*found[:2], found[2] / future[1], found[3] / future[0]]

    batch = max(1, _BATCH // (8 * pos.size + 100))
    slices = [slice(start, start + 4 * batch) for start in range(0, n_draws, 4 * batch)]
    size = np.concatenate([_approximate(margins, *lay_out(rows)) for rows in slices])
    full = max(int(ALL * n_draws), 1)
    # Runs of length 1 up to `full`, then as long as 1 / full of what is before them.
    steps = np.exp(np.arange(1.0, 1.0 + np.ceil(full * np.log(n_draws / full))) / full)
    ends = np.minimum(np.concatenate((np.arange(full + 1), np.round(full * steps))), n_draws)
    ends = np.unique(np.append(ends, n_draws)).astype(np.int64)
    chosen = np.argsort(-size, kind="stable")[rng.integers(ends[:-1], ends[1:])]
    out, weights, floor = np.empty(chosen.size), np.diff(ends).astype(np.float64), 0.0
    # Curves of a batch are told apart by keys, whole numbers that a float must be able to tell.
    batch = min(batch, chosen.size // 2 + 1, max(2**51 // (max(n_pos, n_neg) + 1), 1))
    for start in range(0, chosen.size, batch):
        part = slice(start, start + batch)
        fp, tp, u, v = (_with_half_turns(side) for side in lay_out(chosen[part]))
        curves = _from_levels(fp, tp, n_pos, n_neg)
        out[part] = _statistics(curves, margins, u, v, floor=floor)
        # The wanted quantile is at least that of the draws so far, if no other one reaches it.
        order = np.argsort(-out[: start + batch])
        above = np.cumsum(weights[order]) > (1.0 - level) * n_draws + 1.0
        floor = max(floor, float(out[order[np.argmax(above)]])) if above.any() else floor
    return out, weights


def _approximate(
    margins: Margins, fp: FloatArray, tp: FloatArray, u: FloatArray, v: FloatArray
) -> FloatArray:
    """Approximate the statistic of each draw, in a few operations.

    Near a tested segment of slope dv / du the drawn curve is nearly parallel to it, (dx, dy) away,
    and the likelihood nearly normal. The distance is then

        (dy du - dx dv)^2 / (du^2 y (1 - y) / m + dv^2 x (1 - x) / n) / 2,

    here at two places of every segment. Rates x, y a third of the way from the tested curve to the
    drawn one bring the normal value close to the likelihood ratio where few cases are expected.
    With few levels curves have corners: there it is the distance from the two next drawn segments.
    """
    best, k = np.zeros(len(fp)), fp.shape[1] - 1
    fp, tp = fp / margins.neg.size, tp / margins.pos.size
    du, dv, dx, dy = (np.diff(side) for side in (u, v, fp, tp))
    few = k <= FEW_LEVELS
    for part, other in ((0.0, -1), (0.15, -1), (0.85, 1)) if few else ((0.15, 0), (0.85, 0)):
        at_u, at_v, x, y = (side[:, :-1] + part * np.diff(side) for side in (u, v, fp, tp))
        ex, ey = x - at_u, y - at_v
        x, y = at_u + ex / 3.0, at_v + ey / 3.0
        x, y = x * (1.0 - x) / margins.neg.effective, y * (1.0 - y) / margins.pos.effective
        if not few:
            spread = np.maximum(du**2 * y + dv**2 * x, 1e-300)
            np.maximum(best, ((ey * du - ex * dv) ** 2 / spread).max(axis=1), out=best)
            continue
        least, x, y = np.full(x.shape, np.inf), np.maximum(x, 1e-300), np.maximum(y, 1e-300)
        for step in (0, other):
            to = np.clip(np.arange(k) + step, 0, k - 1)
            ex, ey, sx, sy = at_u - fp[:, to], at_v - tp[:, to], dx[:, to], dy[:, to]
            along = (ex * sx / x + ey * sy / y) / np.maximum(sx**2 / x + sy**2 / y, 1e-300)
            along = np.clip(along, 0.0, 1.0)
            least = np.minimum(least, (ex - along * sx) ** 2 / x + (ey - along * sy) ** 2 / y)
        np.maximum(best, least.max(axis=1), out=best)
    return best


def binormal_statistics(
    fp: CountArray, tp: CountArray, n_draws: int, rng: np.random.Generator, *, level: float = 0.0
) -> FloatArray:
    """Draw the statistic of untied test sets from a binormal curve fitted to the vertices.

    `fp`, `tp`: cumulative counts at the vertices, from (0, 0).
    """
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    height, slope = match_probits(fp, tp)

    def draw_false_positives(draws: int) -> CountArray:
        return draw_binormal_orders(n_pos, n_neg, height, slope, draws, rng)

    curve = ndtr(_PROBITS), ndtr(height + slope * _PROBITS)
    return curve_statistics(curve, draw_false_positives, n_pos, n_neg, n_draws, level=level)


def curve_statistics(
    curve: tuple[FloatArray, FloatArray],
    draw_false_positives: Callable[[int], CountArray],
    n_pos: int,
    n_neg: int,
    n_draws: int,
    *,
    level: float = 0.0,
) -> FloatArray:
    """Draw the statistic of a smooth true curve for untied test sets.

    `curve`: points of the true curve, fpr and tpr, both rising and strictly between 0 and 1.
    `draw_false_positives`: draws a given number of test sets: row r, column j is the number of
    negatives that precede the (j + 1)-th positive of set r.
    """
    x, y = (np.concatenate(([0.0], side, [1.0]))[None] for side in curve)
    margins = margins_of(n_pos, n_neg, None)
    batch = max(1, min(n_draws, _BATCH // (n_pos + n_neg + x.size)))
    out = np.empty(n_draws)
    starts = range(0, n_draws, batch)
    for start in follow(starts, len(starts)):
        draws = min(start + batch, n_draws) - start
        fp = draw_false_positives(draws)
        curves = Curves.from_rows(both_sides(fp, n_neg), n_pos, n_neg)
        u, v = (_with_half_turns(np.broadcast_to(side, (draws, side.size))) for side in (x, y))
        out[start : start + draws] = _statistics(curves, margins, u, v, level=level)
    return out


def match_probits(fp: CountArray, tp: CountArray) -> tuple[float, float]:
    """Return a, b of Phi(a + b probit(fpr)) that match means and spreads of the vertices' probits.

    Both axes are treated alike. Half a case keeps probits finite, and a tenth keeps the slope near
    1 where there is little to see. Maximum likelihood is in :mod:`rocbands._math.binormal`.
    """
    across = ndtri((fp[1:-1] + 0.5) / (fp[-1] + 1.0))
    up = ndtri((tp[1:-1] + 0.5) / (tp[-1] + 1.0))
    if across.size == 0:
        return 0.0, 1.0
    slope = float(np.clip((up.std() + 0.1) / (across.std() + 0.1), 0.2, 5.0))
    return float(up.mean() - slope * across.mean()), slope


def _smoothed(counts: CountArray) -> FloatArray:
    shares: FloatArray = (counts + 0.5) / (counts.sum() + 0.5 * counts.size)
    return shares


def _cumulated(counts: FloatArray | CountArray) -> FloatArray:
    """Add up along each row, from 0; shares end at exactly 1."""
    total = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=total[:, 1:])
    if counts.dtype.kind == "f":
        total[:, -1] = 1.0
    return total


def _with_half_turns(rows: FloatArray) -> FloatArray:
    """Stack curves and their half turns: the second half serves the band's other side."""
    return np.concatenate((rows, rows[:, -1:] - rows[:, ::-1]))


def _from_levels(fp: FloatArray, tp: FloatArray, n_pos: int, n_neg: int) -> Curves:
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


def _statistics(
    curves: Curves,
    margins: Margins,
    u: FloatArray,
    v: FloatArray,
    *,
    level: float = 0.0,
    floor: float = 0.0,
) -> FloatArray:
    """Return each draw's statistic; row i of `u`, `v` is tested against curve i.

    The second half of the rows are the half turns of the first. `level`: only quantiles at this
    level and above are wanted. `floor`: report smaller values as this one.
    """
    rows, knots = u.shape
    draws = rows // 2
    cut = np.unique(np.linspace(0, knots - 1, min(knots, _RUNS + 1)).astype(np.int64))
    every = np.repeat(np.arange(rows), cut.size)
    at_cuts = nearest(curves, margins, every, u[:, cut].ravel(), v[:, cut].ravel()).distance
    best: FloatArray = at_cuts.reshape(2, draws, cut.size).max(axis=(0, 2))
    # Draws below what is already sure to be below the wanted quantile need no closer look.
    safe = level - 4.0 * np.sqrt(level * (1.0 - level) / draws)
    best = np.maximum(best, max(np.quantile(best, max(safe, 0.0), method="lower"), floor))
    start = np.arange(rows)[:, None] * knots
    first, last = (start + cut[:-1]).ravel(), (start + cut[1:]).ravel()
    row, owner = np.repeat(np.arange(rows), cut.size - 1), np.tile(np.arange(draws), 2)
    points = (u.ravel(), v.ravel())
    raise_along_curves(curves, margins, row, first, last, points, owner, best, tolerance=_CLOSE)
    return best
