"""Limits of the recall in the population, with a random share of positives.

In a random sample of rows the recall R = A / pi at a rate r, where A is the share of all rows that
are positive and acted on, varies for three reasons: which positives score high, where the threshold
is, and how many rows are positive. To first order a row with label Y, acted on (c = 1) or not, adds

    Y c - v Y - l (c - r),    l = Pr(positive | score at the threshold),

to A - v pi, which is 0 at the true recall v. Its variance is a polynomial,

    V(v) = pi v (1 - v) (1 - 2 l) + l^2 r (1 - r),

and the limits are the recalls v with (found - v n_pos)^2 <= z^2 n V(v): a score interval, with the
variance at the hypothesised recall. If all cases acted on are positive (l = 1, v = r / pi) it
is Wilson's interval of pi, and if none at the threshold is (l = 0), Wilson's interval of v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.method import DESIGNED, Extra, Request
from rocbands.core.references import WILSON
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.called_sums import CALLED, SPARED, CalledSums
from rocbands.design.effective_number import Pool, count_effective
from rocbands.design.paired_sums import sum_between
from rocbands.design.row_design import RowDesign
from rocbands.rates.consensus import Consensus
from rocbands.rates.method import Limits, RateMethod, Sampling
from rocbands.rates.table import RateTable, find_positions

WINDOW = 1.7  # standard deviations of a rank, over which the share of positives is averaged
_FEW = 20  # cases of a class
_PRIOR = 0.5  # rows of each class added there, so that the share is never 0 or 1
_GRID = 65  # recalls tested before the bisection
_BLOCK = 64  # recalls and rates tested at once: arrays of 32 kB
_HALVINGS = 36
TINY = 1e-300


@dataclass(frozen=True)
class Score(RateMethod):
    """Score interval of the recall at a rate, for a share of positives that is random.

    The variance has terms for the positives that are found, for the threshold and for the class
    share, and is taken at the hypothesised recall. Measured coverage: docs/rates.md.

    Limits of the false positive rate follow by swapping the classes, at one minus the rate.
    """

    name: ClassVar[str] = "score"
    guarantee: ClassVar[str] = "about the level, for a random share of positives (measured)"
    idea: ClassVar[str] = "score interval, with the variance at the hypothesised recall"
    references: ClassVar[tuple[str, ...]] = (WILSON,)
    handles: ClassVar[tuple[Extra, ...]] = (
        *(*DESIGNED, "class weights", "folds", "bins", "full sampling"),
    )
    sampling: ClassVar[Sampling] = "full"

    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        z, rates, table = float(ndtri(1.0 - request.tail)), consensus.rates, consensus.table
        found, share = _observe(table, rates)
        n_pos, n_neg = float(table.n_pos.sum()), float(table.n_neg.sum())
        n, roc = n_pos + n_neg, table.roc
        own = other = z**2 / n
        notes: tuple[str, ...] = ()
        if roc is not None and {*DESIGNED, "class weights"} & {*roc.design}:
            design, *numbers = count_effective_rows(roc, rates, share.mean(axis=0))
            q = design.stretch_share(design.all).quantile(request.tail)
            own, other = (q**2 / number for number in numbers)
            usual = float(np.median(numbers[0]))
            notes = design.describe({"rows": (sum(table.totals), usual)}, "the share found")
        if min(n_pos, n_neg) < _FEW:
            notes += (
                "Few cases of a class: with 10 positives measured coverage was 0.90 or more at "
                "0.95, in the worst population 0.80 at 0.90; with 6 negatives 0.94 at 0.99.",
            )
        lower, upper = _invert(found / n_pos, n_pos / n, rates, share, own)
        # Negatives not acted on: the same problem with swapped classes, at one minus the rate.
        left = 1.0 - (rates * n - found) / n_neg
        least, most = _invert(left, n_neg / n, 1.0 - rates, 1.0 - share, other)
        swapped = np.stack((1.0 - most, 1.0 - least))
        return Limits(lower, upper, None, swapped, share.mean(axis=0), notes=notes)

    def confine(
        self, consensus: Consensus, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Clip limits to [0, 1] only: the feasible range depends on the unknown share."""
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

    def describe_target(self, consensus: Consensus, future: tuple[int, int] | None) -> str:
        shared = "" if consensus.n_folds == 1 else f", if {consensus.n_folds} folds share one curve"
        return f"recall in the population{shared}"


def _observe(table: RateTable, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Positives found, and their share close to the threshold: one row, or with bins four.

    The limits of the four contain those of every order of the scores in the bins: the fewest and
    the most positives found, each with the smallest and the largest share. Limits rise with the
    count, and the variance is a convex function of the share.
    """
    tables = [table]
    if table.roc is not None and table.roc.binned:
        tables = [RateTable.from_roc(end) for end in table.roc.extremes]
    found = [one.counts(rates).sum(axis=0) for one in tables]
    place = np.stack([find_positions(rates, float(n)) for n in table.sizes])
    reach = np.maximum(WINDOW * np.sqrt(place * (1.0 - rates)), 1.0)
    first, last = np.maximum(place - reach, 0.0), np.minimum(place + reach, table.sizes[:, None])
    rows = (last - first).sum(axis=0)
    before, upto = ([one.counts_at(at).sum(axis=0) for one in tables] for at in (first, last))
    # The extreme curves have the fewest and the most positives above any rank.
    near = [upto[0] - before[-1], upto[-1] - before[0]][: len(tables)]
    share = [(np.clip(count, 0.0, rows) + _PRIOR) / (rows + 2.0 * _PRIOR) for count in near]
    return np.repeat(found, len(tables), axis=0), np.tile(share, (len(tables), 1))


def _invert(
    found: FloatArray,
    prevalence: float,
    rates: FloatArray,
    share: FloatArray,
    scale: FloatArray | float,
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest recall that the score test accepts; `scale`: z^2 over the rows."""
    centre = np.clip(found, 0.0, 1.0)
    threshold_variance = share**2 * rates * (1.0 - rates)

    def is_accepted(v: FloatArray) -> BoolArray:
        # The largest share of positives compatible with this recall at this rate.
        most = np.minimum(rates / np.maximum(v, TINY), (1.0 - rates) / np.maximum(1.0 - v, TINY))
        pi = np.minimum(prevalence, most)
        variance = pi * v * (1.0 - v) * (1.0 - 2.0 * share) + threshold_variance
        return np.asarray((prevalence * (found - v)) ** 2 <= scale * np.maximum(variance, 0.0))

    # From the observed recall to 0 and to 1: the outermost accepted recall of a grid, then
    # bisection between it and the next one.
    way = np.stack((-centre, 1.0 - centre))
    inside = np.zeros(way.shape)
    steps = np.arange(1, _GRID).reshape(-1, 1, 1, 1) / (_GRID - 1)
    for places in np.array_split(steps, min(1 + way.size // _BLOCK, _GRID - 1)):
        accepted = is_accepted(centre + places * way)
        inside = np.maximum(inside, np.where(accepted, places, 0.0).max(axis=0))
    outside = np.minimum(inside + 1 / (_GRID - 1), 1.0)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        good = is_accepted(centre + middle * way)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    lower, upper = centre + inside * way
    return np.asarray(lower.min(axis=0)), np.asarray(upper.max(axis=0))


def count_effective_rows(
    roc: RocCurve, rates: FloatArray, near: FloatArray
) -> tuple[RowDesign, FloatArray, FloatArray]:
    """Design of the rows, and their effective numbers for the recall and for 1 - fpr at each rate.

    A recall v is a mean over all rows: a row adds e = y (c - v) - l (c - r), of which only the
    fraction c may be acted on, to prevalence (recall - v). So its effective number is that of e,
    whose mean is 0 (:mod:`rocbands.design.effective_number`, with the rows acted on as the pool).

    Only a share f of the rows at a threshold may be acted on. Their sums over units are A + f B,
    with A of the rows above and B of those at the threshold, and products of sums are

        (1 - f) <A, A> + f <A + B, A + B> - f (1 - f) <B, B>,

    formula (R6) of docs/formulas.md. `near`: share l of positives close to the threshold.
    """
    design = RowDesign.of_curve(roc)
    step = design.step
    assert step is not None
    up = design.sums_above.weight.sum(axis=0)
    up /= up[-1]
    last = np.minimum(np.searchsorted(up, rates + SAME, side="right") - 1, up.size - 2)
    # Beside large weights those of a step may add nothing.
    share = np.maximum(up[last + 1] - up[last], np.finfo(np.float64).tiny)
    part = np.clip((rates - up[last]) / share, 0.0, 1.0)
    part[part < SAME] = 0.0
    k, ends = rates.size, np.concatenate((last, last + (part > 0.0)))
    sums = CalledSums.add_up(design, ends)
    tied = _sum_tied(design, last)
    f, g = part[:, None, None], (part * (1.0 - part))[:, None, None]
    products, single = (
        (1.0 - f) * both[:k] + f * both[k:] - g * own
        for both, own in zip((sums.products, sums.single), tied, strict=True)
    )
    above, upto, total = sums.weights[:k, :2], sums.weights[k:, :2], sums.weights[:k, 2:]
    mass = float(total[0].sum())
    tpr, fpr = ((above + part[:, None] * (upto - above)) / total).T

    def count(pos: FloatArray, neg: FloatArray, side: tuple[float, ...], at: slice) -> FloatArray:
        """Effective number for y (c + pos) + (1 - y) neg - l (c - r)."""
        slope = np.stack((1.0 - near, -near), 1)
        start = np.stack((pos, neg), 1) + (near * rates)[:, None]
        z = np.concatenate((slope, start), 1) / mass
        # Rows above the threshold, at it and below it.
        kinds = ((above, 1.0), (upto - above, part[:, None]), (total - upto, 0.0))
        spread = sum((rows * (start + c * slope) ** 2).sum(axis=1) for rows, c in kinds) / mass
        pool = Pool(
            sums.weights[at] @ side / mass,
            *(
                np.einsum("i,kij,j->k", side, gram[at], side) / mass**2
                for gram in (sums.single, sums.units)
            ),
        )
        variance, alone = (np.einsum("ki,kij,kj->k", z, m, z) for m in (products, single))
        units = design.units[2]
        with np.errstate(divide="ignore", invalid="ignore"):  # an empty pool at rates 0 and 1
            alone = alone if design.clustered else 0.0
            number = count_effective(spread, variance, pool, units, single=alone)
        return np.asarray(np.where(pool.share > 0.0, number, units.kish))

    none = np.zeros(k)
    recall = count(-tpr, none, CALLED, slice(k, None))
    return design, recall, count(-rates, fpr - rates, SPARED, slice(k))


def _sum_tied(design: RowDesign, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Products <B, B> of the rows at some steps, in all units and if rows were units."""
    assert design.step is not None
    cut, place = np.unique(steps, return_inverse=True)
    at = np.searchsorted(cut, design.step)
    rows = np.flatnonzero(cut[np.minimum(at, cut.size - 1)] == design.step)
    kind = np.where(design.is_positive[rows], 0, 1)
    ends = at[rows], at[rows] + 1
    _, _, products, _, single = sum_between(design, rows, ends, kind, (0, 1), cut.size)
    for gram in (products, single):
        gram[:, 2:] = gram[:, :, 2:] = 0.0
    return products[place], single[place]
