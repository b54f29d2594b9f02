"""Critical values when labels are random: a table, and the simulation it was made by."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rocbands.core.cache import keep
from rocbands.core.checks import CountArray, FloatArray, check_simulated_level, freeze
from rocbands.core.progress import follow
from rocbands.core.tolerance import SLACK
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.margin import margins_of
from rocbands.likelihood.nearest import nearest
from rocbands.likelihood.supremum import raise_along_pieces, raise_over_points
from rocbands.resample.orders import draw_chance_orders
from rocbands.resample.quantiles import sample_quantile

# Labels or positions held in memory at once, all draws of a batch together.
_BATCH = 1 << 18
# Up to EVERY cases in the smaller class the distribution is too discrete to interpolate between
# sizes: every size is tabulated. Above, sizes are NODES apart.
EVERY = 50
NODES = (
    60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000, 300_000,
    1_000_000,
)  # fmt: skip
# With a smaller class of at most EVERY cases the distribution settles as the larger one grows.
NODES_SMALL = (60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 10_000, 100_000, 1_000_000)
LEVELS: FloatArray = (
    np.concatenate((np.arange(500, 950, 10), np.arange(950, 990, 5), np.arange(990, 1000))) / 1000.0
)
# Entries are whole multiples of UNIT, rounded up: P(T <= c) moves by less than .0002.
UNIT = 2e-4

# The node, counted from the end, from which the table is continued past its last one.
_FAR = -4
_SIMULATION_SEED = 7
# Raised when the same seed gives other draws: those that are kept on disk are then made again.
EDITION = 1
_SIMULATED_UP_TO = 1000


class Table(NamedTuple):
    """Tabulated critical values; the last axis of each array runs over `LEVELS`.

    Attributes
    ----------
    both_small
        Entry [a - 1, b - 1] for 1 <= a, b <= EVERY, symmetric.
    one_small
        Entry [a - 1, j] for a smaller class of a <= EVERY and a larger of (EVERY, *NODES_SMALL)[j].
    both_large
        Entry [i, j] for classes of (EVERY, *NODES)[i] and (EVERY, *NODES)[j], symmetric.
    """

    both_small: FloatArray
    one_small: FloatArray
    both_large: FloatArray


@cache
def load_table() -> Table:
    """Read the table that lies beside this module."""
    with np.load(Path(__file__).with_name("chance_table.npz")) as data:
        arrays = {name: data[name] * UNIT for name in Table._fields}
    first, second = np.tril_indices(EVERY)
    square = np.empty((EVERY, EVERY, LEVELS.size))
    square[first, second] = square[second, first] = arrays["both_small"]
    i, j = np.tril_indices(1 + len(NODES))
    large = np.empty((1 + len(NODES), 1 + len(NODES), LEVELS.size))
    large[i, j] = large[j, i] = arrays["both_large"]
    return Table(square, arrays["one_small"], large)


@lru_cache(maxsize=256)
def critical_value(n_pos: int, n_neg: int, level: float) -> float:
    """Return the least c with P(T <= c) >= level when labels are assigned by chance.

    `n_pos`, `n_neg`: class sizes; the value is symmetric in them. `level`: probability, strictly
    between 0 and 1. Compare statistics with it as `T <= c + 1e-9`: the distribution has atoms.

    Notes
    -----
    Levels from .5 to .999 come from a table. While the smaller class has fewer than 50 cases
    a level between two tabulated ones is served by the higher. Beyond a million cases the table is
    continued linearly in ln ln n. Other levels go on from the nearest tabulated one by simulated
    differences, with a fixed seed and 20,000 draws or more.
    """
    small, large = sorted((n_pos, n_neg))
    known = min(max(level, LEVELS[0]), LEVELS[-1])
    if small < EVERY:
        value = _at_level_above(_small_row(small, large), known)
    else:
        value = _between_levels(_large_row(small, large), known)
    return value if known == level else _beyond(small, large, level, known, value)


def _beyond(small: int, large: int, level: float, known: float, value: float) -> float:
    """Go on from the table's first or last level by what simulated quantiles differ.

    Where both classes are large the sizes are brought down first, at the same ratio: the shape of
    the distribution changes slowly.
    """
    by = max(1.0, min(large / _SIMULATED_UP_TO, small / EVERY))
    ordered = _simulated(round(small / by), round(large / by), draws_for(level, 20_000))
    step = sample_quantile(ordered, level) - sample_quantile(ordered, known)
    return value + step


def _small_row(small: int, large: int) -> FloatArray:
    """Critical values at all levels for a smaller class below EVERY; no step between its sizes."""
    table = load_table()
    if large <= EVERY:
        row: FloatArray = table.both_small[small - 1, large - 1]
        return row
    nodes = np.log((EVERY, *NODES_SMALL))
    # The distribution converges as the larger class grows: past the last node it has stopped
    # moving.
    place = min(np.log(large), nodes[-1])
    i = int(np.clip(np.searchsorted(nodes, place) - 1, 0, nodes.size - 2))
    part = _share(nodes[i], nodes[i + 1], place)
    low, high = table.one_small[small - 1, i], table.one_small[small - 1, i + 1]
    between: FloatArray = low + part * (high - low)
    return between


def _large_row(small: float, large: float) -> FloatArray:
    """Critical values at all levels for classes of at least EVERY: bilinear in log sizes."""
    last = NODES[-1]
    if large > last:
        # With sizes in the same ratio the values are nearly straight lines in ln ln n, and a class
        # that is ever so much larger than the other one is as good as endless.
        large = min(large, last / EVERY * small)
        far, low = NODES[_FAR], _large_row(last * small / large, last)
        slope = (_large_row(last, last) - _large_row(far, far)) / _iterated(last, far)
        return low + slope * _iterated(max(large, last), last)
    nodes = np.log((EVERY, *NODES))
    value: FloatArray = load_table().both_large
    for size in (small, large):
        place = np.log(size)
        i = int(np.clip(np.searchsorted(nodes, place) - 1, 0, nodes.size - 2))
        value = value[i] + _share(nodes[i], nodes[i + 1], place) * (value[i + 1] - value[i])
    return value


def _iterated(size: float, other: float) -> float:
    """Return ln ln size - ln ln other."""
    return float(np.log(np.log(size) / np.log(other)))


def _share(low: float, high: float, place: float) -> float:
    return (place - low) / (high - low)


def _at_level_above(row: FloatArray, level: float) -> float:
    """Read the first tabulated level that is not below `level`: an atom is never undershot."""
    return float(row[int(np.searchsorted(LEVELS, level - SLACK))])


def _between_levels(row: FloatArray, level: float) -> float:
    """Interpolate in -ln(1 - level), in which the upper quantiles are nearly straight."""
    return float(np.interp(-np.log1p(-level), -np.log1p(-LEVELS), row))


def draws_for(level: float, least: int) -> int:
    """Return how many draws a quantile needs to rest on five values beyond it, or `least`."""
    check_simulated_level(level)
    return max(least, int(np.ceil(5.0 / (1.0 - level))))


@lru_cache(maxsize=32)
def _simulated(small: int, large: int, draws: int) -> FloatArray:
    return keep_chance_draws(_SIMULATION_SEED, small, large, draws)


def keep_chance_draws(seed: int, n_pos: int, n_neg: int, draws: int) -> FloatArray:
    """Draw the statistic of the diagonal with a fixed seed, sorted; kept on disk between runs."""

    def draw() -> FloatArray:
        rng = np.random.default_rng([seed, n_pos, n_neg])
        return np.sort(chance_statistics(n_pos, n_neg, draws, rng))

    return freeze(keep(f"chance-{EDITION}-{seed}-{n_pos}-{n_neg}-{draws}", draw))


def chance_statistics(
    n_pos: int, n_neg: int, n_draws: int, rng: np.random.Generator, *, floor: float = 0.0
) -> FloatArray:
    """Draw the statistic of the diagonal when labels are a random permutation.

    `floor`: report smaller values as this one, which saves the work of finding them. Returns
    (n_draws,), values, each right to within 1e-9.

    Notes
    -----
    The distribution is symmetric in the class sizes, so curves are kept by the cases of the smaller
    class alone: 50 + 1,000,000 costs little more than 50 + 50.
    """
    small, large = sorted((n_pos, n_neg))
    batch = max(1, min(n_draws, _BATCH // _row_cost(small, large)))
    out = np.empty(n_draws)
    starts = range(0, n_draws, batch)
    for start in follow(starts, len(starts)):
        stop = min(start + batch, n_draws)
        rows = draw_chance_orders(small, large, stop - start, rng)
        out[start:stop] = diagonal_statistics(rows, large, floor=floor)
    return out


def diagonal_statistics(fp: CountArray, n_neg: int, *, floor: float = 0.0) -> FloatArray:
    """Return the statistic of the diagonal for untied curves.

    `fp`: `fp[r, j]` negatives precede the (j + 1)-th positive of curve r. `n_neg`: number of
    negatives. `floor`: report smaller values as this one.
    """
    draws, n_pos = fp.shape
    curves = Curves.from_rows(both_sides(fp, n_neg), n_pos, n_neg)
    margins = margins_of(n_pos, n_neg, None)
    owner = np.tile(np.arange(draws), 2)
    grid = _logit_grid(n_pos, n_neg)
    cells = grid.size - 1
    row = np.repeat(np.arange(2 * draws), grid.size)
    place = np.tile(grid, 2 * draws)
    near = nearest(curves, margins, row, place, place)
    best: FloatArray = near.distance.reshape(2, draws, grid.size).max(axis=(0, 2))
    best = np.maximum(best, floor)
    left = np.tile(np.arange(grid.size) < cells, 2 * draws)
    right = np.tile(np.arange(grid.size) > 0, 2 * draws)
    ends = (place[left], place[left], place[right], place[right])
    nears = near.take(left), near.take(right)
    raise_along_pieces(curves, margins, row[left], ends, nears, owner, best)
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
    observed one.
    """
    batch = max(1, min(n_draws, _BATCH // (n_pos + n_neg + future_pos + future_neg)))
    out = np.zeros(n_draws)
    starts = range(0, n_draws, batch)
    for start in follow(starts, len(starts)):
        best = out[start : start + batch]
        seen = draw_chance_orders(n_pos, n_neg, best.size, rng)
        later = draw_chance_orders(future_pos, future_neg, best.size, rng)
        _raise_over_later(seen, n_neg, later, future_neg, best)
        if both_ways:
            _raise_over_later(later, future_neg, seen, n_neg, best)
    return out


def _raise_over_later(
    seen: CountArray, n_neg: int, later: CountArray, later_neg: int, best: FloatArray
) -> None:
    """Raise `best` to the largest distances of later untied curves from seen ones."""
    (draws, n_pos), later_pos = seen.shape, later.shape[1]
    margins = margins_of(n_pos, n_neg, (later_pos, later_neg))
    curves = Curves.from_rows(both_sides(seen, n_neg), n_pos, n_neg)
    # The north-west corners of the later curve are the points farthest out.
    u = both_sides(later, later_neg)[:, 1:] / later_neg
    v = np.broadcast_to(np.arange(1, later_pos + 1) / later_pos, u.shape)
    pieces = min(16, later_pos)
    cut = np.linspace(0, later_pos, pieces + 1).astype(np.int64)
    base = np.arange(2 * draws)[:, None] * later_pos
    first, last = (base + cut[:-1]).ravel(), (base + cut[1:] - 1).ravel()
    row, owner = np.repeat(np.arange(2 * draws), pieces), np.tile(np.arange(draws), 2)
    raise_over_points(curves, margins, row, first, last, (u.ravel(), v.ravel()), owner, best)


def _logit_grid(n_pos: int, n_neg: int) -> FloatArray:
    """Places from 0 to 1, evenly spaced in log odds out to where little can happen.

    Half a case of the larger class from the ends, or a fortieth of one of the smaller class.
    It is only where the search starts: it goes farther out when it has to.
    """
    reach = np.log(2.0 * min(max(n_pos, n_neg), 20 * min(n_pos, n_neg)))
    count = 2 * int(np.ceil(reach / 0.8)) + 1
    inner = 1.0 / (1.0 + np.exp(-np.linspace(-reach, reach, count)))
    grid: FloatArray = np.concatenate(([0.0], inner, [1.0]))
    return grid


def both_sides(fp: CountArray, n_neg: int) -> CountArray:
    """Stack curves and their half turns, each with the origin put in front."""
    origin = np.zeros((2 * fp.shape[0], 1), dtype=np.int64)
    return np.concatenate((origin, np.concatenate((fp, n_neg - fp[:, ::-1]))), axis=1)


def _row_cost(small: int, large: int) -> int:
    """Memory taken by one draw, in array entries."""
    return 2 * small + 100 + (0 if _sparse(small, large) else small + large)


def _sparse(small: int, large: int) -> bool:
    """Tell whether drawing positions beats shuffling labels: sorting costs more per case."""
    return 4 * min(small, large) < max(small, large)
