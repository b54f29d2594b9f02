"""Resampled rates at given thresholds, at given false positive rates, or on given lines.

The height at a false positive rate has a known distribution, a mixture of binomial ones. Limits
along lines are simultaneous if the curve is displaced by a multiple of its standard error there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, betainc, betainccinv, betaincinv, ndtri

from rocbands._math.products import expand_ranges
from rocbands.core.band import Band, BandMethod, find_edge_error
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.curve import Curve
from rocbands.core.method import Request
from rocbands.core.region import between_steps
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.resample.curves import (
    ClusterSource,
    Rates,
    build_source,
    build_step_source,
    chunk_size,
    interpolate_rows,
    measure_resamples,
)
from rocbands.resample.population import Blocks, Population, draw_class_sizes
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import run_chunks


def resample_rates(
    roc: RocCurve,
    steps: IndexArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Rates of resampled test sets at given thresholds.

    `steps` (k,): step i means score >= thresholds[i - 1], step 0 lies above all scores. Returns fpr
    and tpr, (n_resamples, k) each.
    """
    # All rows between two wanted steps are drawn as one step.
    vertices = np.unique(np.concatenate(([0], steps, [roc.fp.size])))
    place = np.searchsorted(vertices, steps)

    def rates_there(rates: Rates) -> FloatArray:
        return np.stack((rates.x[:, place], rates.y[:, place]), axis=1)

    source = build_step_source(roc, vertices[1:], stratified=stratified)
    both = measure_resamples(source, n_resamples, rng, rates_there)
    return both[:, 0], both[:, 1]


def resample_heights(
    roc: RocCurve,
    fpr: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> FloatArray:
    """Topmost true positive rates of resampled curves at ascending fpr (k,): (n_resamples, k)."""
    # The line x = f is met at the top of vertical segments; slanted ones (ties) are interpolated.
    return _crossings(roc, Lines(fpr, 1.0, 0.0), n_resamples, rng, stratified)[:, 1]


def resample_crossings(
    roc: RocCurve, c: FloatArray, slope: float, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Fpr where resampled curves cross the lines y + slope x = c, ascending (k,): (n, k)."""
    return _crossings(roc, Lines(c, slope, 1.0), n_resamples, rng)[:, 0]


def reweigh_crossings(
    curves: Sequence[RocCurve],
    c: FloatArray,
    slope: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Mean fpr where several curves of the same units cross the lines y + slope x = c: (n, k).

    The clusters of all curves number the same units. A unit has the same weight in all curves of a
    resample. Weights are exponential (the Bayesian bootstrap of Rubin 1981, Ann. Stat. 9, 130), so
    that no curve lacks a class, however few of the units it has.
    """
    sources = [
        ClusterSource(roc.clusters, roc.fp.size) for roc in curves if roc.clusters is not None
    ]
    assert len(sources) == len(curves), "units are numbered"
    size = sources[0].clusters.size

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        weights = stream.standard_exponential((draws, size))
        at, total = np.broadcast_to(c + SAME, (draws, c.size)), np.zeros((draws, c.size))
        for source in sources:
            rates = source.weigh(weights)
            total += interpolate_rows(at, slope * rates.x + rates.y, rates.x)
        return total / len(sources)

    most = max(size, *(source.steps for source in sources))
    return np.concatenate(run_chunks(work, n_resamples, rng, size=chunk_size(most)))


def resample_folds(
    folds: Sequence[RocCurve],
    c: FloatArray,
    slope: float,
    centre: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draw folds with replacement, and rows within them; sum the crossings' deviations.

    `c` (k,): lines as in :func:`resample_crossings`. Returns the sums of (x - centre) and of their
    squares over the folds of each resample, (n_resamples, k) each.
    """
    size = len(folds)
    # picks[b, f]: how often resample b takes fold f. All curves of a fold are drawn at once, and
    # then added up by resample (reduceat over runs of equal b).
    picks = rng.multinomial(size, np.full(size, 1.0 / size), n_resamples)
    total, squares = np.zeros((2, n_resamples, c.size))
    for fold, times in zip(folds, picks.T, strict=True):
        drawn = resample_crossings(fold, c, slope, int(times.sum()), rng) - centre
        start = np.flatnonzero(times)
        place = np.cumsum(times[start]) - times[start]
        total[start] += np.add.reduceat(drawn, place)
        squares[start] += np.add.reduceat(drawn**2, place)
    return total, squares


class Lines(NamedTuple):
    """Parallel lines across x + up y = at, which a curve crosses one after the other."""

    at: FloatArray
    across: float
    up: float


def _crossings(
    roc: RocCurve,
    lines: Lines,
    n_resamples: int,
    rng: np.random.Generator,
    stratified: bool = False,
) -> FloatArray:
    """Return x and y of each resampled curve on each line, shape (n_resamples, 2, k)."""
    if roc.clusters is not None:
        return measure_resamples(
            build_source(roc), n_resamples, rng, lambda rates: _read(rates, lines)
        )
    population = Population.from_runs(roc)

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        sizes = draw_class_sizes(roc.n_neg, roc.n_pos, draws, stream, stratified=stratified)
        return _split_until_crossed(population, lines, *sizes, stream)

    return np.concatenate(run_chunks(work, n_resamples, rng))


def _read(rates: Rates, lines: Lines) -> FloatArray:
    """Read crossings off whole curves."""
    level = lines.across * rates.x + lines.up * rates.y
    at = np.broadcast_to(lines.at + SAME, (len(level), lines.at.size))
    return np.stack(
        (interpolate_rows(at, level, rates.x), interpolate_rows(at, level, rates.y)), axis=1
    )


def _split_until_crossed(
    population: Population, lines: Lines, neg: CountArray, pos: CountArray, rng: np.random.Generator
) -> FloatArray:
    """Split resamples where they cross the lines, and nowhere else."""
    # A line less than SAME below a vertex passes through it: at the top of a vertical segment.
    # Each block is the part of a resampled curve between two boundaries of the score axis, from
    # (x0, y0) to (x1, y1). A block that no line crosses is not split further.
    out = np.ones((neg.size, 2, lines.at.size))
    blocks = Blocks.whole(population, neg, pos)
    while blocks.row.size:
        (x0, y0), (x1, y1) = blocks.find_rates(blocks.start, blocks.end)
        low, high = lines.across * x0 + lines.up * y0, lines.across * x1 + lines.up * y1
        start = np.searchsorted(lines.at + SAME, low)
        count = np.searchsorted(lines.at + SAME, high) - start
        straight = blocks.straight()
        # Straight blocks are complete: a line crosses them in one point.
        done = np.flatnonzero(straight & (count > 0))
        line, block, _ = expand_ranges(start[done], count[done])
        owner = done[block]
        share = np.clip((lines.at[line] - low[owner]) / (high - low)[owner], 0.0, 1.0)
        out[blocks.row[owner], 0, line] = x0[owner] + share * (x1 - x0)[owner]
        out[blocks.row[owner], 1, line] = y0[owner] + share * (y1 - y0)[owner]
        blocks = blocks.take(~straight & (count > 0))
        blocks = blocks.halve(blocks.draw_middle(rng))
    return out


def choose_lines(curves: Sequence[Curve], slope: float, count: int) -> FloatArray:
    """Values of c for about `count` lines y + slope x = c, denser where the curves are long."""
    # Equal steps in c would miss the rise of a curve with very unequal classes. The lines pass
    # through points at equal distances along all curves, measured by x + y from 0 to 2.
    place = np.linspace(0.0, 2.0, count)
    through = [np.interp(place, curve.level(1.0), curve.level(slope)) for curve in curves]
    evenly = np.sort(np.concatenate(through))[:: len(through)]
    return np.unique(np.concatenate(([0.0], evenly, [1.0 + slope])))


# -------------------------------------------------------------------- exact distribution of heights

_NEVER = 1e-17  # smaller probabilities are neglected


@dataclass(frozen=True, eq=False)
class BinomialMixtures:
    """Several distributions, each a mixture of binomial counts of `size` cases.

    Examples
    --------
    >>> fair = BinomialMixtures(10, np.array([1.0]), np.array([0.5]), np.array([0]))
    >>> low, high = fair.interval(0.9)
    >>> print(fair.mean, fair.variance, low, high)
    [5.] [2.5] [2.] [8.]
    """

    size: int  # number of cases
    # weight, share: (terms,) weight and success probability of each term; the terms of a
    # distribution are contiguous.
    weight: FloatArray
    share: FloatArray
    first: IndexArray  # (k,) index of each distribution's first term

    @cached_property
    def mean(self) -> FloatArray:
        """Expected count of each."""
        return self.size * self._total(self.share)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each one's count: n E[p (1 - p)] within the terms, n^2 Var(p) between."""
        apart = self.share - self._each(self.mean) / self.size
        within = self.share * (1.0 - self.share)
        return self.size * self._total(within) + self.size**2 * self._total(apart**2)

    def cdf(self, count: FloatArray) -> FloatArray:
        """Probability that each one's count is at most `count`, one whole number for each."""
        inside = self._each(np.clip(count, 0.0, self.size))
        at_most: FloatArray = np.asarray(bdtr(inside, self.size, self.share), np.float64)
        return np.where(count < 0.0, 0.0, self._total(at_most))

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest count after cutting off (1 - level) / 2 at both ends."""
        tail = (1.0 - level) / 2.0
        return self._first_above(tail + SAME), self._first_above(1.0 - tail - SAME)

    def _first_above(self, target: float) -> FloatArray:
        """Smallest count whose distribution function exceeds `target`, by bisection."""
        # Two probes beside the normal approximation save most bisection steps.
        spread = np.sqrt(np.maximum(self.variance, 0.0))
        guess = self.mean + ndtri(target) * spread
        below = np.full(self.first.size, -1.0)  # the function is at most `target` here,
        enough = np.full(self.first.size, float(self.size))  # and above it here
        for probe in (guess - 0.1 * spread - 1.0, guess + 0.1 * spread + 1.0):
            self._narrow(below, enough, np.floor(probe), target)
        while (enough - below > 1.0).any():
            self._narrow(below, enough, np.floor((below + enough) / 2.0), target)
        return enough

    def _narrow(
        self, below: FloatArray, enough: FloatArray, probe: FloatArray, target: float
    ) -> None:
        # A probe outside the bracket is moved to its end, where it has no effect.
        probe = np.clip(probe, np.maximum(below, 0.0), enough)
        above = (self.cdf(probe) > target) | (probe >= enough)
        enough[above] = probe[above]
        below[~above] = probe[~above]

    def _each(self, of_each: FloatArray) -> FloatArray:
        """Repeat the value of each distribution for all its terms."""
        return np.repeat(of_each, np.diff(self.first, append=self.weight.size))

    def _total(self, of_term: FloatArray) -> FloatArray:
        """Weighted sum of the terms of each distribution."""
        total: FloatArray = np.add.reduceat(self.weight * of_term, self.first)
        return total


def height_distribution(roc: RocCurve, fpr: FloatArray) -> BinomialMixtures:
    """Distribution of the resampled curve's topmost tpr at each fpr below 1, as count of positives.

    Classes are resampled separately, keep their sizes, and share no score.
    """
    # With r = floor(n f), the height at fpr f is the share of positives above the (r + 1)-th
    # highest of n drawn negatives. That one is among the observed negatives with rates from x0 to
    # x1 with probability I(x1; r + 1, n - r) - I(x0; r + 1, n - r), I the incomplete beta function.
    # Given it, the number of positives above is binomial.
    x, y = roc.fpr, np.concatenate(([0], roc.tp))
    flat = np.diff(x) > 0
    height, end = y[:-1][flat], x[1:][flat]
    last = np.append(np.diff(height) > 0, True)  # merge segments of equal height
    height, end = height[last], end[last]
    start = np.concatenate(([0.0], end[:-1]))

    rank = np.minimum(np.floor(roc.n_neg * fpr + SLACK), roc.n_neg - 1.0)
    a, b = rank + 1.0, roc.n_neg - rank
    # Only segments near fpr can contain the negative of that rank: of the order sqrt(n_neg).
    near = np.searchsorted(end, betaincinv(a, b, _NEVER))
    far = np.minimum(np.searchsorted(end, betainccinv(a, b, _NEVER)), end.size - 1)
    terms = far - near + 1
    at, _, first = expand_ranges(near, terms)
    a, b = np.repeat(a, terms), np.repeat(b, terms)
    weight: FloatArray = np.asarray(betainc(a, b, end[at]) - betainc(a, b, start[at]), float)
    return BinomialMixtures(roc.n_pos, weight, height[at] / roc.n_pos, first)


# ------------------------------------------------------------------ simultaneous limits along lines


class Crossings(NamedTuple):
    """Where a curve crosses the lines y + slope x = c, and how far resamples are from it."""

    c: FloatArray  # (k,)
    x: FloatArray  # (k,)
    slope: float
    error: FloatArray  # (k,) standard errors of x
    ratio: FloatArray  # (n,) the largest absolute error of each resample, in units of `error`


def displace_curve(
    method: BandMethod,
    roc: RocCurve,
    requests: Sequence[Request],
    found: Crossings,
    *,
    of: str,
    centre: Curve,
    target: str,
    notes: tuple[str, ...] = (),
) -> list[Band]:
    """Displace a curve, called `of`, to both sides by a multiple of its standard error.

    The multiple is a quantile of `ratio`, another one for each level.
    """
    c, x, slope, error, ratio = found
    bands = []
    for level in (request.level for request in requests):
        # The factor is at least that of a single line, also where resamples cannot differ.
        factor = max(order_statistic(ratio, level), float(ndtri((1.0 + level) / 2.0)))
        region, moved = (
            between_steps(c, x - width * error, x + width * error, slope)
            for width in (factor, factor + float(quantile_error(ratio, level)))
        )
        band = Band(
            *(roc, region, level, method),
            notes=(*notes, f"{factor:.3f} standard errors of {of}."),
            centre=centre,
            target=target,
            simulation=requests[0].simulated(ratio.size, find_edge_error(region, moved)),
        )
        bands.append(band)
    return bands
