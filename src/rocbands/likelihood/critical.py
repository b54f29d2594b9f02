"""Critical values of the likelihood band under chance: a table, and simulation beyond it."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.likelihood.chance import chance_statistics
from rocbands.likelihood.margin import Floats

# Up to EVERY cases in the smaller class the law is too discrete to interpolate between sizes:
# every size is tabulated. Above, sizes are NODES apart.
EVERY = 50
NODES = (
    60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000, 300_000,
    1_000_000,
)  # fmt: skip
# With a smaller class of at most EVERY cases the law settles as the larger one grows.
NODES_SMALL = (60, 75, 100, 140, 200, 300, 500, 1_000, 2_000, 10_000, 100_000, 1_000_000)
LEVELS: Floats = (
    np.concatenate((np.arange(500, 950, 10), np.arange(950, 990, 5), np.arange(990, 1000))) / 1000.0
)
# Entries are whole multiples of UNIT, rounded up: P(T <= c) moves by less than .0002.
UNIT = 2e-4

# The node, counted from the end, from which the table is continued past its last one.
_FAR = -4
_SIMULATION_SEED = 7
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

    both_small: Floats
    one_small: Floats
    both_large: Floats


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

    Parameters
    ----------
    n_pos, n_neg
        Class sizes; the value is symmetric in them.
    level
        Probability, strictly between 0 and 1.

    Returns
    -------
    float
        Compare statistics with it as ``T <= c + 1e-9``: the law has atoms.

    Notes
    -----
    Levels from .5 to .999 come from a table. While the smaller class has fewer than 50 cases
    a level between two tabulated ones is served by the higher. Beyond a million cases the table is
    continued linearly in ln ln n. Other levels go on from the nearest tabulated one by simulated
    differences, with a fixed seed and 20,000 draws or more.
    """
    small, large = sorted((n_pos, n_neg))
    nearest = min(max(level, LEVELS[0]), LEVELS[-1])
    if small < EVERY:
        value = _at_level_above(_small_row(small, large), nearest)
    else:
        value = _between_levels(_large_row(small, large), nearest)
    return value if nearest == level else _beyond(small, large, level, nearest, value)


def _beyond(small: int, large: int, level: float, nearest: float, value: float) -> float:
    """Go on from the table's first or last level by what simulated quantiles differ.

    Where both classes are large the sizes are brought down first, at the same ratio: the shape of
    the law changes slowly.
    """
    by = max(1.0, min(large / _SIMULATED_UP_TO, small / EVERY))
    ordered = _simulated(round(small / by), round(large / by), draws_for(level, 20_000))
    step = empirical_quantile(ordered, level) - empirical_quantile(ordered, nearest)
    return value + step


def _small_row(small: int, large: int) -> Floats:
    """Critical values at all levels for a smaller class below EVERY; no step between its sizes."""
    table = load_table()
    if large <= EVERY:
        row: Floats = table.both_small[small - 1, large - 1]
        return row
    nodes = np.log((EVERY, *NODES_SMALL))
    # The law converges as the larger class grows: past the last node it has stopped moving.
    place = min(np.log(large), nodes[-1])
    i = int(np.clip(np.searchsorted(nodes, place) - 1, 0, nodes.size - 2))
    part = _share(nodes[i], nodes[i + 1], place)
    low, high = table.one_small[small - 1, i], table.one_small[small - 1, i + 1]
    between: Floats = low + part * (high - low)
    return between


def _large_row(small: float, large: float) -> Floats:
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
    value: Floats = load_table().both_large
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


def _at_level_above(row: Floats, level: float) -> float:
    """Read the first tabulated level that is not below ``level``: an atom is never undershot."""
    return float(row[int(np.searchsorted(LEVELS, level - 1e-9))])


def _between_levels(row: Floats, level: float) -> float:
    """Interpolate in -ln(1 - level), in which the upper quantiles are nearly straight."""
    return float(np.interp(-np.log1p(-level), -np.log1p(-LEVELS), row))


def empirical_quantile(ordered: Floats, level: float) -> float:
    """Return the smallest drawn value whose empirical probability reaches ``level``."""
    rank = int(np.ceil(level * ordered.size - 1e-6)) - 1
    return float(ordered[min(max(rank, 0), ordered.size - 1)])


def draws_for(level: float, least: int) -> int:
    """Return how many draws a quantile needs to rest on five values beyond it, or ``least``."""
    return max(least, int(np.ceil(5.0 / (1.0 - level))))


@lru_cache(maxsize=32)
def _simulated(small: int, large: int, draws: int) -> Floats:
    rng = np.random.default_rng([_SIMULATION_SEED, small, large])
    return frozen_draws(chance_statistics(small, large, draws, rng))


def frozen_draws(values: npt.NDArray[np.float64]) -> Floats:
    """Sort, and protect what the cache hands out."""
    values.sort()
    values.flags.writeable = False
    return values
