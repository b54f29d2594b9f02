"""Critical value of limits that are simultaneous over all operating conditions (sup-t).

Multiplier bootstrap with normal multipliers: formula (C8) of docs/formulas.md. The sums are normal,
so their covariance suffices; it is computed from a table of ranks, and the time of a draw does not
depend on the number of rows. All conditions with positive variance are included. With too many
conditions for a covariance matrix the multipliers themselves are drawn, here because they follow
the ranks of paired decisions, in the chunks and streams of `resample.streams`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.cost.counts import DiscordantCounts, PairedDecisions
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value
from rocbands.resample.streams import CHUNK, run_chunks

MOST_CONDITIONS = 2048  # for which the covariance matrix is stored
MOST_NUMBERS = 2**22  # drawn at once
ROUNDING = 1e-12  # relative to a sum of squares: smaller differences may be rounding errors

Decisions = tuple[PairedDecisions, PairedDecisions]


def find_critical_value(
    decisions: Decisions,
    counts: DiscordantCounts,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> CriticalValue:
    """Quantile of the largest of all standardised differences; 0 if no condition has any spread.

    `decisions`: of the positives and of the negatives.
    """
    squares = (counts.unit**2 * (counts.up + counts.down)).sum(axis=0)
    kept = np.flatnonzero(counts.variance > ROUNDING * squares)
    if kept.size == 0:
        return CriticalValue(0.0, 0.0)
    if kept.size < counts.mean.size:
        decisions = decisions[0].select(kept), decisions[1].select(kept)
        counts = counts.select(kept)
    error = np.sqrt(counts.variance)
    if kept.size <= MOST_CONDITIONS:
        correlation = find_covariance(decisions, counts) / np.outer(error, error)
        return find_gaussian_critical_value(correlation, level, n_resamples, rng)
    # The same draws for exchanged models.
    if counts.up.tolist() > counts.down.tolist():
        decisions = decisions[0].exchange(), decisions[1].exchange()
        counts = replace(counts, up=counts.down, down=counts.up)
    multipliers = Multipliers(decisions, counts)

    def draw_largest(draws: int, stream: np.random.Generator) -> FloatArray:
        return np.asarray(np.abs(multipliers.draw(draws, stream) / error).max(axis=1))

    chunk = min(CHUNK, max(1, MOST_NUMBERS // multipliers.width))
    largest = run_chunks(draw_largest, n_resamples, rng, size=chunk)
    return CriticalValue.from_draws(np.concatenate(largest), level)


def find_covariance(decisions: Decisions, counts: DiscordantCounts) -> FloatArray:
    """Covariance of the differences of costs between conditions."""
    moved = counts.up - counts.down
    total = np.zeros((moved.shape[1],) * 2)
    sizes, full = counts.sizes.ravel(), counts.sampling == "full"
    for own, unit, step, size in zip(decisions, counts.unit, moved, sizes, strict=True):
        products = _sum_products(own)
        if not full:
            products -= np.outer(step, step) / size
        total += np.outer(unit, unit) * products
    if full:
        total -= np.outer(counts.mean, counts.mean) / sizes[0]
    return total


def _sum_products(decisions: PairedDecisions) -> FloatArray:
    """Sum over rows of d_i d_j, with d = 1 where only classifier 1 calls a row, -1 where only 2.

    With a, b the calls of 1 and 2, (a - b)(a' - b') is aa' + bb' - ab' - a'b: two counts of rows
    that reach the higher of two thresholds, and a table of rows that reach one of each kind.
    """
    reach, (least_1, least_2) = decisions.tabulate(), decisions.least
    crossed = reach[np.ix_(least_1, least_2)]
    by_1 = reach[:, 0][np.maximum.outer(least_1, least_1)]
    by_2 = reach[0, :][np.maximum.outer(least_2, least_2)]
    return np.asarray(by_1 + by_2 - crossed - crossed.T, np.float64)


class Multipliers:
    """Draws of the sums themselves, for more conditions than a covariance can be stored for.

    Rows of a class that reach the same thresholds share one normal number with their number as
    variance.
    """

    def __init__(self, decisions: Decisions, counts: DiscordantCounts) -> None:
        self._counts = counts
        self._classes = [_sort_distinct_rows(own) for own in decisions]
        self.width = sum(scale.size for scale, _ in self._classes) + counts.mean.size

    def draw(self, draws: int, stream: np.random.Generator) -> FloatArray:
        """Draw sums at all conditions, one row for each draw."""
        counts, full = self._counts, self._counts.sampling == "full"
        total, everything = np.zeros((draws, counts.mean.size)), np.zeros((draws, 1))
        moved, sizes = counts.up - counts.down, counts.sizes.ravel()
        # A row that only classifier 1 calls positive lowers its cost if positive, raises it if
        # negative.
        for (scale, sides), unit, step, size, sign in zip(
            self._classes, counts.unit, moved, sizes, (-1.0, 1.0), strict=True
        ):
            numbers = stream.standard_normal((draws, scale.size)) * scale
            called = []
            for order, first in sides:
                before = np.zeros((draws, scale.size + 1))
                np.cumsum(numbers[:, order], axis=1, out=before[:, 1:])
                called.append(before[:, -1:] - before[:, first])
            whole = before[:, -1:]
            everything += whole
            centre = 0.0 if full else whole * step / size
            total += unit * (sign * (called[0] - called[1]) - centre)
        if full:
            total -= everything * counts.mean / sizes[0]
        return total


def _sort_distinct_rows(
    decisions: PairedDecisions,
) -> tuple[FloatArray, list[tuple[IndexArray, IndexArray]]]:
    """Root of the number of rows with equal ranks; their order and the called ones, by model."""
    rank_1, rank_2 = decisions.rank
    cells = rank_1 * (int(rank_2.max()) + 1) + rank_2
    _, where, many = np.unique(cells, return_index=True, return_counts=True)
    sides = []
    for rank, least in zip(decisions.rank, decisions.least, strict=True):
        order = np.argsort(rank[where], kind="stable")
        sides.append((order, np.searchsorted(rank[where][order], least)))
    return np.sqrt(many), sides
