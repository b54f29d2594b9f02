"""Simulated critical values: of random labels, with a table, and of samples of a smooth curve.

Formulas (C1) to (C4), and (C7) for smooth curves such as a fitted one, of docs/likelihood.md,
section "Critical values". Reference implementations are `diagonal_statistic` and `future_statistic`
in tests/oracles/critical_values.py, compared in tests/likelihood/test_chance.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import (
    HIGHEST_SIMULATED,
    CountArray,
    FloatArray,
    check_simulated_level,
    freeze,
)
from rocbands.core.progress import follow
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.cache import keep
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import Ends, Supremum
from rocbands.resample.label_orders import draw_binormal_orders, draw_label_orders, is_sparse
from rocbands.resample.quantiles import sample_quantile

_BATCH = 1 << 18  # labels or positions held in memory at once, all draws of a batch together
# With fewer cases in the smaller class the distribution is too discrete to interpolate between its
# sizes: every size is tabulated. From here on sizes are NODES apart, this one being the first.
FIRST_NODE = 50
NODES = (
    60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000, 300_000,
    1_000_000,
)  # fmt: skip
# With a small smaller class the distribution converges as the larger one grows: fewer nodes do.
NODES_SMALL = (60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 10_000, 100_000, 1_000_000)
LEVELS: FloatArray = (
    np.concatenate((np.arange(500, 950, 10), np.arange(950, 990, 5), np.arange(990, 1000))) / 1000.0
)
_SCALE: FloatArray = -np.log1p(-LEVELS)  # in which upper quantiles are nearly straight lines
# Entries are whole multiples of UNIT, rounded up: P(T <= c) moves by less than .0002.
UNIT = 2e-4

_FAR = -4  # the node F of (C3), counted from the end
_SIMULATION_SEED = 7  # of levels outside the table
# Raise it when the same seed gives other draws: those kept on disk are then made again.
EDITION = 1
_SIMULATED_UP_TO = 1000  # cases of the larger class


class ChanceTable(NamedTuple):
    """Tabulated critical values; the last axis of each array runs over `LEVELS`.

    Attributes
    ----------
    both_small
        Entry [a - 1, b - 1] for 1 <= a, b <= FIRST_NODE, symmetric.
    one_small
        Entry [a - 1, j] for a smaller class of a <= FIRST_NODE and a larger one of
        (FIRST_NODE, *NODES_SMALL)[j].
    both_large
        Entry [i, j] for classes of (FIRST_NODE, *NODES)[i] and [j], symmetric.
    """

    both_small: FloatArray
    one_small: FloatArray
    both_large: FloatArray


@cache
def load_table() -> ChanceTable:
    """Read the table that lies beside this module."""
    with np.load(Path(__file__).with_name("chance_table.npz")) as data:
        arrays = {name: data[name] * UNIT for name in ChanceTable._fields}
    # Both tables are symmetric: one triangle is stored.
    first, second = np.tril_indices(FIRST_NODE)
    square = np.empty((FIRST_NODE, FIRST_NODE, LEVELS.size))
    square[first, second] = square[second, first] = arrays["both_small"]
    i, j = np.tril_indices(1 + len(NODES))
    large = np.empty((1 + len(NODES), 1 + len(NODES), LEVELS.size))
    large[i, j] = large[j, i] = arrays["both_large"]
    return ChanceTable(square, arrays["one_small"], large)


class Quantiles(NamedTuple):
    """Critical values of given class sizes at all tabulated levels, and how to read them."""

    row: FloatArray  # at LEVELS; never falls
    discrete: bool  # whether the next higher tabulated level is read
    draw: Callable[[float], FloatArray]  # enough sorted draws of the statistic for a level

    def read(self, level: float, row: FloatArray | None = None) -> float:
        """Read `row`, or another row of values at LEVELS that never falls, as the result does.

        Outside the table the difference of two simulated quantiles is added to the nearest level.
        """
        row = self.row if row is None else row
        known = min(max(level, LEVELS[0]), LEVELS[-1])
        if self.discrete:  # the next level, so that an atom is not undershot
            value = float(row[int(np.searchsorted(LEVELS, known - SLACK))])
        else:
            value = float(np.interp(-np.log1p(-known), _SCALE, row))
        if known == level:
            return value
        check_simulated_level(level)
        # Levels on one side of the table share their draws: no higher one has a lower value.
        ordered = self.draw(HIGHEST_SIMULATED if level > known else known)
        return value + (sample_quantile(ordered, level) - sample_quantile(ordered, known))


def critical_value(n_pos: int, n_neg: int, level: float) -> float:
    """Return the least c with P(T <= c) >= level when labels are assigned by chance.

    `n_pos`, `n_neg`: class sizes; the value is symmetric in them. `level`: probability, strictly
    between 0 and 1. Compare statistics with it as `T <= c + 1e-9`: the distribution has atoms.

    Levels from .5 to .999 come from a table, (C2). While the smaller class has fewer than 50 cases
    the next higher tabulated level is taken. Beyond a million cases the table is extrapolated,
    (C3). Other levels differ from the nearest tabulated one by simulated quantiles.
    """
    return chance_quantiles(*sorted((n_pos, n_neg))).read(level)


@lru_cache(maxsize=256)
def chance_quantiles(small: int, large: int) -> Quantiles:
    """Return the critical values of chance, the smaller class first."""
    discrete = small < FIRST_NODE
    row = _small_row(small, large) if discrete else _large_row(small, large)

    def draw(level: float) -> FloatArray:
        # Where both classes are large it is simulated at smaller sizes of the same ratio: the shape
        # of the distribution changes slowly.
        by = max(1.0, min(large / _SIMULATED_UP_TO, small / FIRST_NODE))
        sizes = round(small / by), round(large / by)
        return keep_chance_draws(_SIMULATION_SEED, *sizes, draws_for(level, 20_000))

    # Entries never fall; what is extrapolated might.
    return Quantiles(freeze(np.maximum.accumulate(row)), discrete, draw)


def _small_row(small: int, large: int) -> FloatArray:
    """Critical values at all levels for a smaller class below FIRST_NODE: its own row."""
    table = load_table()
    if large <= FIRST_NODE:
        row: FloatArray = table.both_small[small - 1, large - 1]
        return row
    # The distribution converges as the larger class grows: past the last node it no longer changes.
    nodes = (FIRST_NODE, *NODES_SMALL)
    return _interpolate(table.one_small[small - 1], nodes, min(large, nodes[-1]))


def _large_row(small: float, large: float) -> FloatArray:
    """Critical values at all levels for larger classes: bilinear in log sizes, (C2)."""
    last = NODES[-1]
    if large > last:
        # (C3): sizes in the same ratio, at most that of the table. Quantiles grow linearly in
        # ln ln n, as those of the supremum of a stationary process.
        large = min(large, last / FIRST_NODE * small)
        far, low = NODES[_FAR], _large_row(last * small / large, last)
        slope = (_large_row(last, last) - _large_row(far, far)) / _log_log_ratio(last, far)
        return low + slope * _log_log_ratio(max(large, last), last)
    # One axis after the other; the last axis, of the levels, stays.
    value: FloatArray = load_table().both_large
    for size in (small, large):
        value = _interpolate(value, (FIRST_NODE, *NODES), size)
    return value


def _log_log_ratio(size: float, other: float) -> float:
    """Return ln ln size - ln ln other."""
    return float(np.log(np.log(size) / np.log(other)))


def _interpolate(table: FloatArray, sizes: Sequence[int], size: float) -> FloatArray:
    """Interpolate linearly in the log size along the first axis."""
    nodes, place = np.log(sizes), np.log(size)
    i = int(np.clip(np.searchsorted(nodes, place) - 1, 0, nodes.size - 2))
    part = (place - nodes[i]) / (nodes[i + 1] - nodes[i])  # beyond 0 to 1 outside the nodes
    value: FloatArray = table[i] + part * (table[i + 1] - table[i])
    return value


def draws_for(level: float, least: int) -> int:
    """Return how many draws a quantile needs to rest on five values beyond it, or `least`."""
    check_simulated_level(level)
    return max(least, int(np.ceil(5.0 / (1.0 - level))))


@lru_cache(maxsize=256)
def keep_chance_draws(seed: int, n_pos: int, n_neg: int, draws: int) -> FloatArray:
    """Draw the statistic of the diagonal with a fixed seed, sorted; kept on disk between runs."""

    def draw() -> FloatArray:
        # A generator of its own: the draws extend the table, and must not depend on the data.
        rng = np.random.default_rng([seed, n_pos, n_neg])
        return np.sort(chance_statistics(n_pos, n_neg, draws, rng))  # sorted for quantiles

    return freeze(keep(f"chance-{EDITION}-{seed}-{n_pos}-{n_neg}-{draws}", draws, draw))


def simulate(n_draws: int, entries: int, draw: Callable[[int], FloatArray]) -> FloatArray:
    """Draw statistics in batches; `entries`: array entries that one draw takes."""
    batch = max(1, min(n_draws, _BATCH // entries))
    starts = range(0, n_draws, batch)
    parts = [draw(min(batch, n_draws - start)) for start in follow(starts, len(starts))]
    return np.concatenate(parts)


def chance_statistics(
    n_pos: int, n_neg: int, n_draws: int, rng: np.random.Generator, *, floor: float = 0.0
) -> FloatArray:
    """Draw the statistic of the diagonal when labels are a random permutation, (C1).

    `floor`: report smaller values as this one, which saves the work of finding them. Returns
    (n_draws,), values, each right to within 1e-9.

    The distribution is symmetric in the class sizes, so curves are kept by the cases of the smaller
    class alone: 50 + 1,000,000 costs little more than 50 + 50.
    """
    small, large = sorted((n_pos, n_neg))

    def draw(draws: int) -> FloatArray:
        return diagonal_statistics(draw_label_orders(small, large, draws, rng), large, floor=floor)

    entries = 2 * small + 100 + (0 if is_sparse(small, large) else small + large)
    return simulate(n_draws, entries, draw)


def diagonal_statistics(fp: CountArray, n_neg: int, *, floor: float = 0.0) -> FloatArray:
    """Return the statistic of the diagonal for untied curves.

    `fp`: `fp[r, j]` negatives precede the (j + 1)-th positive of curve r. `n_neg`: number of
    negatives. `floor`: report smaller values as this one.
    """
    draws, n_pos = fp.shape
    curves = Curves.from_rows(both_sides(fp, n_neg), n_pos, n_neg)
    owner = np.tile(np.arange(draws), 2)  # curves and their half turns belong to the same draw
    grid = _logit_grid(n_pos, n_neg)
    row = np.repeat(np.arange(2 * draws), grid.size)
    place = np.tile(grid, 2 * draws)
    near = nearest(curves, row, place, place)
    # Largest distance above and below at the places, then along the pieces between them.
    best: FloatArray = near.distance.reshape(2, draws, grid.size).max(axis=(0, 2))
    best = np.maximum(best, floor)
    left = np.tile(np.arange(grid.size) < grid.size - 1, 2 * draws)
    right = np.tile(np.arange(grid.size) > 0, 2 * draws)
    a, b = (Ends(place[side], place[side], near.take(side)) for side in (left, right))
    Supremum(curves, owner, best).search_pieces(row[left], a, b)
    return best


def future_chance_statistics(
    n_pos: int,
    n_neg: int,
    future_pos: int,
    future_neg: int,
    n_draws: int,
    rng: np.random.Generator,
    *,
    both_ways: bool = False,
) -> FloatArray:
    """Draw the future-curve statistic when two sets are labelled by chance.

    `n_pos`, `n_neg`: class sizes of the observed set. `future_pos`, `future_neg`: class sizes of
    the future set. `both_ways`: take the larger of the two statistics when either set is the
    observed one, for comparisons of two curves, which are symmetric.
    """

    def draw(draws: int) -> FloatArray:
        best = np.zeros(draws)
        seen = draw_label_orders(n_pos, n_neg, draws, rng)
        later = draw_label_orders(future_pos, future_neg, draws, rng)
        _raise_to_future(best, seen, n_neg, later, future_neg)
        if both_ways:
            _raise_to_future(best, later, future_neg, seen, n_neg)
        return best

    return simulate(n_draws, n_pos + n_neg + future_pos + future_neg, draw)


def _raise_to_future(
    best: FloatArray, seen: CountArray, n_neg: int, later: CountArray, later_neg: int
) -> None:
    """Raise `best` to the largest distances of later untied curves from seen ones, (C4)."""
    (draws, n_pos), later_pos = seen.shape, later.shape[1]
    curves = Curves.from_rows(both_sides(seen, n_neg), n_pos, n_neg, (later_pos, later_neg))
    # The north-west corners of the later curve are the points farthest out.
    u = both_sides(later, later_neg)[:, 1:] / later_neg
    v = np.broadcast_to(np.arange(1, later_pos + 1) / later_pos, u.shape)
    pieces = min(16, later_pos)  # runs of corners, which the search drops or cuts
    cut = np.linspace(0, later_pos, pieces + 1).astype(np.int64)
    base = np.arange(2 * draws)[:, None] * later_pos
    first, last = (base + cut[:-1]).ravel(), (base + cut[1:] - 1).ravel()
    # The second half of the rows are the half turns, which serve the lower side.
    row, owner = np.repeat(np.arange(2 * draws), pieces), np.tile(np.arange(draws), 2)
    Supremum(curves, owner, best).search_points(row, first, last, (u.ravel(), v.ravel()))


def _logit_grid(n_pos: int, n_neg: int) -> FloatArray:
    """Rates from 0 to 1, evenly spaced in log odds, where the search starts.

    The outermost are half a case of the larger class from 0 and 1, or a fortieth of one of the
    smaller class. The spacing of at most 0.8 affects only the time: the search goes on in between.
    """
    widest = np.log(2.0 * min(max(n_pos, n_neg), 20 * min(n_pos, n_neg)))
    count = 2 * int(np.ceil(widest / 0.8)) + 1
    inner = 1.0 / (1.0 + np.exp(-np.linspace(-widest, widest, count)))
    grid: FloatArray = np.concatenate(([0.0], inner, [1.0]))
    return grid


def both_sides(fp: CountArray, n_neg: int) -> CountArray:
    """Stack curves and their half turns, each with the origin put in front."""
    origin = np.zeros((2 * fp.shape[0], 1), dtype=np.int64)
    return np.concatenate((origin, np.concatenate((fp, n_neg - fp[:, ::-1]))), axis=1)


# ------------------------------------------------------------------------ samples of a smooth curve

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
