"""Law of the statistic under chance: random labels, and the diagonal as the tested curve."""

from __future__ import annotations

import numpy as np

from rocbands.likelihood.curves import Curves, Ints
from rocbands.likelihood.margin import Floats
from rocbands.likelihood.nearest import margins_of, nearest
from rocbands.likelihood.supremum import raise_along_pieces, raise_over_points

# Labels or positions held in memory at once, all draws of a batch together.
_BATCH = 1 << 18


def chance_statistics(
    n_pos: int, n_neg: int, n_draws: int, rng: np.random.Generator, *, floor: float = 0.0
) -> Floats:
    """Draw the statistic of the diagonal when labels are a random permutation.

    Parameters
    ----------
    n_pos, n_neg
        Class sizes.
    n_draws
        Number of permutations.
    rng
        Source of randomness.
    floor
        Report smaller values as this one, which saves the work of finding them.

    Returns
    -------
    ndarray of shape (n_draws,)
        Values, each right to within 1e-9.

    Notes
    -----
    The law is symmetric in the class sizes, so curves are kept by the cases of the smaller
    class alone: 50 + 1,000,000 costs little more than 50 + 50.
    """
    small, large = sorted((n_pos, n_neg))
    batch = max(1, min(n_draws, _BATCH // _row_cost(small, large)))
    out = np.empty(n_draws)
    for start in range(0, n_draws, batch):
        stop = min(start + batch, n_draws)
        rows = random_rows(small, large, stop - start, rng)
        out[start:stop] = diagonal_statistics(rows, large, floor=floor)
    return out


def diagonal_statistics(fp: Ints, n_neg: int, *, floor: float = 0.0) -> Floats:
    """Return the statistic of the diagonal for untied curves.

    Parameters
    ----------
    fp
        ``fp[r, j]`` negatives precede the (j + 1)-th positive of curve r.
    n_neg
        Number of negatives.
    floor
        Report smaller values as this one.
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
    best: Floats = near.distance.reshape(2, draws, grid.size).max(axis=(0, 2))
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
) -> Floats:
    """Draw the future-curve statistic when two sets are labelled by chance.

    Parameters
    ----------
    n_pos, n_neg
        Class sizes of the observed set.
    future_pos, future_neg
        Class sizes of the future set.
    n_draws
        Number of pairs of sets.
    rng
        Source of randomness.
    both_ways
        Take the larger of the two statistics when either set is the observed one.
    """
    batch = max(1, min(n_draws, _BATCH // (n_pos + n_neg + future_pos + future_neg)))
    out = np.zeros(n_draws)
    for start in range(0, n_draws, batch):
        best = out[start : start + batch]
        seen = random_rows(n_pos, n_neg, best.size, rng)
        later = random_rows(future_pos, future_neg, best.size, rng)
        _raise_over_later(seen, n_neg, later, future_neg, best)
        if both_ways:
            _raise_over_later(later, future_neg, seen, n_neg, best)
    return out


def _raise_over_later(seen: Ints, n_neg: int, later: Ints, later_neg: int, best: Floats) -> None:
    """Raise ``best`` to the largest distances of later untied curves from seen ones."""
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


def _logit_grid(n_pos: int, n_neg: int) -> Floats:
    """Places from 0 to 1, evenly spaced in log odds out to where little can happen.

    Half a case of the larger class from the ends, or a fortieth of one of the smaller class.
    It is only where the search starts: it goes farther out when it has to.
    """
    reach = np.log(2.0 * min(max(n_pos, n_neg), 20 * min(n_pos, n_neg)))
    count = 2 * int(np.ceil(reach / 0.8)) + 1
    inner = 1.0 / (1.0 + np.exp(-np.linspace(-reach, reach, count)))
    grid: Floats = np.concatenate(([0.0], inner, [1.0]))
    return grid


def both_sides(fp: Ints, n_neg: int) -> Ints:
    """Stack curves and their half turns, each with the origin put in front."""
    origin = np.zeros((2 * fp.shape[0], 1), dtype=np.int64)
    return np.concatenate((origin, np.concatenate((fp, n_neg - fp[:, ::-1]))), axis=1)


def _row_cost(small: int, large: int) -> int:
    """Memory taken by one draw, in array entries."""
    return 2 * small + 100 + (0 if _sparse(small, large) else small + large)


def _sparse(small: int, large: int) -> bool:
    """Tell whether drawing positions beats shuffling labels: sorting costs more per case."""
    return 4 * min(small, large) < max(small, large)


def random_rows(n_pos: int, n_neg: int, draws: int, rng: np.random.Generator) -> Ints:
    """Draw random label orders; return how many negatives precede each positive."""
    total = n_pos + n_neg
    if _sparse(n_pos, n_neg) and n_pos < n_neg:
        position = _random_subsets(total, n_pos, draws, rng)
    else:
        labels = np.zeros((draws, total), dtype=np.uint8)
        labels[:, :n_pos] = 1
        rng.permuted(labels, axis=1, out=labels)
        flat = np.flatnonzero(labels).reshape(draws, n_pos)
        position = flat - np.arange(draws)[:, None] * total
    return position - np.arange(n_pos)


def _random_subsets(total: int, size: int, draws: int, rng: np.random.Generator) -> Ints:
    """Draw sorted uniform subsets of range(total), one per row.

    Collisions are drawn again until none is left: that is sampling one at a time without
    replacement, so every subset is equally likely.
    """
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
