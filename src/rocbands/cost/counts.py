"""Counts of errors at all thresholds, for one classifier and for two.

The cost of one classifier and the difference of two are the same kind of sum: at each operating
condition every row adds its class's `unit`, subtracts it, or adds nothing. For one classifier
(:class:`ErrorCounts`) errors add. For the difference (:class:`DiscordantCounts`) errors of only
classifier 1 add and errors of only classifier 2 subtract. Equation numbers are those of Dugas and
Gadoury (2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Derived
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.counts import inside_bins
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.share import VaryingShare
from rocbands.design import paired_sums
from rocbands.design.called_sums import (
    ALL,
    CALLED_NEG,
    MISSED_POS,
    NEGATIVES,
    POSITIVES,
    CalledSums,
    Share,
    UnitSums,
)
from rocbands.design.paired_sums import PairedSums
from rocbands.design.row_design import RowDesign

_FEW = 5  # errors, or correct decisions, below which a normal approximation is poor
_SKEWED, _TOO_SKEWED = 0.2, 0.4
_AT_ONCE = 2048  # conditions of a table of ranks: 32 MB


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedCounts:
    """Weighted sum of two counts at k conditions; row 0 is the positives, row 1 the negatives.

    Class sizes are fixed (stratified) or random (full). All moments are over infinitely many
    resamples of the test set. Rows with a design have effective numbers in place of counts.
    """

    up: npt.NDArray[Any]  # (2, k) number of rows of each class that add to the sum
    down: npt.NDArray[Any]  # (2, k) number of rows of each class that subtract from it
    unit: FloatArray  # (2, k) what one row of each class adds or subtracts
    n_pos: int
    n_neg: int
    sampling: Sampling
    varying: VaryingShare | None = None  # the share of positives, if it varies
    sums: UnitSums | None = None  # over units of rows with a design
    shares: tuple[Share, ...] = ()  # of both classes, if rows have a design

    def weigh(self, sums: UnitSums, *shares: Share) -> Self:
        """Replace counts by effective ones."""
        n, value, size = (
            np.stack([getattr(share, name) for share in shares])
            for name in ("number", "value", "size")
        )
        up, down = n * (size + value) / 2.0, n * (size - value) / 2.0
        return replace(self, up=up, down=down, unit=self.weight / n, sums=sums, shares=shares)

    @cached_property
    def sizes(self) -> npt.NDArray[Any]:
        """Denominator of each class's counts, shape (2, 1), or (2, k) if effective."""
        if self.shares:
            return np.stack([share.number for share in self.shares])
        n = self.n_pos + self.n_neg
        return np.array([[n], [n]] if self.sampling == "full" else [[self.n_pos], [self.n_neg]])

    @property
    def weight(self) -> FloatArray:
        """What a share of 1 adds to the sum."""
        return np.asarray(self.unit * self.sizes)

    @cached_property
    def share(self) -> FloatArray:
        """Share of rows that add, minus share of rows that subtract."""
        return np.asarray((self.up - self.down) / self.sizes)

    @cached_property
    def spread(self) -> FloatArray:
        """Variance of what one row adds to a share.

        A variable that is 1, -1 or 0 with probabilities p, q, r has the variance 4pq + (p + q)r, a
        sum over pairs of outcomes, without cancellation where it is small.
        """
        p, q = self.up / self.sizes, self.down / self.sizes
        rest = (self.sizes - self.up - self.down) / self.sizes
        return np.asarray(4.0 * p * q + (p + q) * rest)

    @cached_property
    def correlation(self) -> FloatArray:
        """Correlation of the two shares; 0 if class sizes are fixed and rows are independent."""
        if self.sums is not None:
            return self.sums.correlate(*self.shares)
        if self.sampling != "full":
            return np.zeros(self.unit.shape[1])
        both = np.sqrt(self.spread[0] * self.spread[1])
        known = both > 0.0
        product = -self.share[0] * self.share[1] / np.where(known, both, 1.0)
        return np.where(known, np.clip(product, -1.0, 1.0), 0.0)

    @cached_property
    def mean(self) -> FloatArray:
        """The observed sum, and the mean over all resamples: equations 4, 7, 9 and 12."""
        return np.asarray((self.unit * (self.up - self.down)).sum(axis=0))

    @property
    def slope(self) -> FloatArray:
        """What the sum gains by a larger share of positives: delta of equation 10."""
        p = 0.5 if self.varying is None else self.varying.mean
        pos, neg = self.weight * self.share
        return np.asarray(pos / p - neg / (1.0 - p))

    @property
    def class_variances(self) -> FloatArray:
        """Contribution of each class to the variance."""
        return np.asarray(self.unit**2 * self.sizes * self.spread)

    @property
    def variance(self) -> FloatArray:
        """Variance over all resamples: equations 5 (with its missing 1/n), 8, 10 and 13.

        If n rows are drawn from n_i rows that add x_i each, the variance of their sum is the sum of
        n_i n_j (x_i - x_j)^2 / n over pairs of kinds: 0 without cancellation if nothing varies.
        """
        total = np.zeros(self.unit.shape[1])
        if self.varying is not None:
            p, variance = self.varying.mean, self.varying.variance
            total += self.slope**2 * variance
            if self.varying.rows is None:  # of a product of independent variables
                part = self.class_variances / np.square([[p], [1.0 - p]])
                total += variance * part.sum(axis=0)
        for size, kinds in self._samples():
            for (n_i, x_i), (n_j, x_j) in combinations(kinds, 2):
                total += n_i * n_j * (x_i - x_j) ** 2 / size
        return total

    @property
    def skewness(self) -> FloatArray:
        """Skewness over all resamples; 0 where nothing varies."""
        third = np.zeros(self.unit.shape[1])
        for size, kinds in self._samples():
            mean = sum((n * x for n, x in kinds), np.zeros(third.shape)) / size
            third += sum((n * (x - mean) ** 3 for n, x in kinds), np.zeros(third.shape))
        scale, skewness = self.variance**1.5, np.zeros(third.shape)
        np.divide(third, scale, out=skewness, where=scale > 0)
        return skewness

    def _samples(self) -> Iterator[tuple[FloatArray, list[tuple[FloatArray, FloatArray]]]]:
        """Return the size of each sample drawn, and number and effect of each kind of rows."""
        classes = [
            [(up.astype(np.float64), unit), (down.astype(np.float64), -unit)]
            for up, down, unit in zip(self.up, self.down, self.unit, strict=True)
        ]
        full = self.sampling == "full"
        parts = [classes[0] + classes[1]] if full else classes
        sizes = [self.sizes.min(axis=0)] if full else self.sizes
        for size, kinds in zip(sizes, parts, strict=True):
            others = np.maximum(size - sum(number for number, _ in kinds), 0.0)
            yield size, [*kinds, (others, np.zeros(self.unit.shape[1]))]


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorCounts(WeightedCounts):
    """Errors of one classifier at each threshold, and what they cost."""

    roc: RocCurve | None = None  # the test set; None for counts alone
    thresholds: npt.NDArray[Any] | None = None  # (k,) the thresholds at which errors were counted

    @classmethod
    def from_errors(
        cls, fn: CountArray, fp: CountArray, sizes: tuple[int, int], conditions: Conditions
    ) -> ErrorCounts:
        """Take numbers of false negatives and false positives, one of each for each condition."""
        wrong = np.stack((fn, fp))
        return cls(
            up=wrong,
            down=np.zeros_like(wrong),
            unit=conditions.unit,
            n_pos=sizes[0],
            n_neg=sizes[1],
            sampling=conditions.sampling,
            varying=conditions.share,
        )

    fn = Derived[CountArray](lambda counts: counts.up[0], "Positives below the threshold.")
    fp = Derived[CountArray](lambda counts: counts.up[1], "Negatives not below the threshold.")

    @property
    def reliability(self) -> npt.NDArray[np.str_]:
        """Whether mean and variance suffice: 'ok', 'caution' or 'unreliable' at each condition.

        Judged by the skewness and, because few errors do not show it, by the numbers of errors of
        classes with weight: formula (C7).
        """
        matters = self.unit > 0
        if self.sampling != "full":
            least = np.minimum(self.up, self.sizes - self.up)
            few = (matters & (least < _FEW)).any(axis=0)
        else:
            free = self.sizes.min(axis=0) - (matters * self.up).sum(axis=0)
            few = (matters & (self.up < _FEW)).any(axis=0) | (free < _FEW)
        skewness = np.abs(self.skewness)
        return np.where(
            few | (skewness > _TOO_SKEWED),
            "unreliable",
            np.where(skewness < _SKEWED, "ok", "caution"),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class DiscordantCounts(WeightedCounts):
    """Cost of classifier 1 minus cost of classifier 2 on the same rows.

    Only rows that the classifiers decide differently matter: `up` counts those that only classifier
    1 gets wrong, `down` those that only classifier 2 gets wrong.
    """

    def select(self, conditions: IndexArray) -> DiscordantCounts:
        """Return the same difference at some of the conditions."""
        columns = {name: getattr(self, name)[:, conditions] for name in ("up", "down", "unit")}
        return replace(self, **columns)

    @property
    def dominant_discordant(self) -> CountArray:
        """Number of discordant rows in the class that may add more to the variance.

        A class whose rows are all concordant, or all discordant, has no observed variance, so the
        variance is Bonett and Price's, with one more discordant row for either classifier.
        """
        added = 1 if self.sampling == "full" else 2
        more = replace(
            self,
            up=self.up + 1,
            down=self.down + 1,
            n_pos=self.n_pos + added,
            n_neg=self.n_neg + added,
        )
        either, parts = self.up + self.down, more.class_variances
        return np.asarray(np.where(parts[0] > parts[1], either[0], either[1]))


def count_errors(
    roc: RocCurve, thresholds: npt.NDArray[Any], conditions: Conditions
) -> tuple[ErrorCounts, ErrorCounts]:
    """Count the fewest and the most errors that are possible at each threshold.

    They differ only at thresholds inside a bin.
    """
    (fp, tp), (more_fp, more_tp) = roc.counts_at(thresholds)
    sizes = roc.n_pos, roc.n_neg
    fewest = ErrorCounts.from_errors(roc.n_pos - more_tp, fp, sizes, conditions)
    most = ErrorCounts.from_errors(roc.n_pos - tp, more_fp, sizes, conditions)
    one, two = (replace(part, roc=roc, thresholds=thresholds) for part in (fewest, most))
    return one, two


def weigh_errors(ends: tuple[ErrorCounts, ErrorCounts]) -> list[ErrorCounts]:
    """Weigh the fewest and the most errors of rows with a design; one if they are the same.

    Inside a bin both have the smaller of the effective numbers, so that limits still rise with
    every error.
    """
    roc, cut = ends[0].roc, ends[0].thresholds
    assert roc is not None
    assert cut is not None
    above, inside = inside_bins(roc.thresholds, roc.tops, cut)
    inside &= roc.binned
    places = [above, above + inside][: 1 + bool(inside.any())]
    design = RowDesign.of_curve(roc)
    every = [CalledSums.add_up(design, place) for place in places]
    sides = []
    for part, of, own in ((MISSED_POS, POSITIVES, 0), (CALLED_NEG, NEGATIVES, 1)):
        full = ends[0].sampling == "full"
        base, near = (ALL, 2) if full else (of, own)
        shares = [sums.find_share(part, base, sums.near[near]) for sums in every]
        least = np.min([share.number for share in shares], axis=0)
        sides.append([share._replace(number=least) for share in shares])
    # Fewest errors: all positives of a bin are called, and none of its negatives.
    both = zip(ends, sides[0][::-1], sides[1], strict=False)
    return [end.weigh(every[0], missed, raised) for end, missed, raised in both]


def weigh_discordant(
    pair: Pair,
    cuts: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    counts: DiscordantCounts,
    decisions: tuple[PairedDecisions, PairedDecisions],
) -> tuple[DiscordantCounts, list[FloatArray]]:
    """Weigh the rows decided differently, if they have a design; also return both costs."""
    design, full = RowDesign.of_pair(pair), counts.sampling == "full"
    sums = PairedSums.add_up(design, (pair.one.values, pair.two.values), cuts)
    gaps, missed = [], np.zeros((2, 2, cuts[0].size))
    for own, (right, of, share) in enumerate(
        (
            (paired_sums.RIGHT_POS, paired_sums.POSITIVES, design.pos),
            (paired_sums.RIGHT_NEG, paired_sums.NEGATIVES, design.neg),
        )
    ):
        base, near = (paired_sums.ALL, 2) if full else (of, own)
        # Errors of model 1 less those of model 2.
        gaps.append(sums.find_gap([-c for c in right], base, sums.near[near]))
        part = (design.all if full else share)[design.is_positive == (own == 0)]
        for model in (0, 1):
            rank, least = decisions[own].rank[model], decisions[own].least[model]
            called = _sum_reaching(rank, least, part)
            missed[model, own] = called if own else part.sum() - called
    return counts.weigh(sums, *gaps), list((counts.weight * missed).sum(axis=1))


def is_inside_both(roc: RocCurve, thresholds: npt.NDArray[Any]) -> BoolArray:
    """Tell which thresholds lie between the lowest and the highest score of either class."""
    # Counts begin to rise at a class's highest score and are complete at its lowest.
    highest = [int(np.searchsorted(counts, 1)) for counts in (roc.fp, roc.tp)]
    lowest = [int(np.searchsorted(counts, counts[-1])) for counts in (roc.fp, roc.tp)]
    top, bottom = roc.thresholds[max(highest)], roc.thresholds[min(lowest)]
    return np.asarray((bottom <= thresholds) & (thresholds <= top))


@dataclass(frozen=True)
class PairedDecisions:
    """What two classifiers decide about the rows of one class, at k conditions.

    Scores matter only by the thresholds they reach, so each is replaced by its rank among its
    classifier's thresholds: row i is called positive at condition j when ``rank[i] >= least[j]``.
    """

    rank: tuple[IndexArray, IndexArray]  # (n,) number of distinct thresholds that each row reaches
    least: tuple[IndexArray, IndexArray]  # (k,) ranks of the conditions' thresholds, from 1 on

    @classmethod
    def from_scores(
        cls,
        scores: tuple[npt.NDArray[Any], npt.NDArray[Any]],
        thresholds: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    ) -> PairedDecisions:
        """Rank two classifiers' scores of the same rows among their thresholds."""
        one, two = map(_rank, scores, thresholds)
        return cls((one[0], two[0]), (one[1], two[1]))

    size = Derived[int](lambda decisions: decisions.rank[0].size, "Number of rows.")

    def select(self, conditions: IndexArray) -> PairedDecisions:
        """Return the same decisions at some of the conditions, with ranks renumbered."""
        one, two = self.least
        return PairedDecisions.from_scores(self.rank, (one[conditions], two[conditions]))

    def exchange(self) -> PairedDecisions:
        """Return the decisions with the classifiers exchanged."""
        return PairedDecisions(self.rank[::-1], self.least[::-1])

    @cached_property
    def called(self) -> list[CountArray]:
        """Number of rows that each classifier calls positive, at each condition."""
        return [
            _sum_reaching(*side).astype(np.int64)
            for side in zip(self.rank, self.least, strict=True)
        ]

    def count_by_both(self) -> CountArray:
        """Count the rows that both call positive, at each condition."""
        order = np.lexsort(self.least[::-1])
        rising = [least[order] for least in self.least]
        if (np.diff(rising[1]) < 0).any():
            return self._count_by_both_in_any_order()
        # If both thresholds rise with j, each classifier calls a row positive at its first
        # conditions only, so both do at the smaller number of these.
        many = [
            np.searchsorted(least, np.arange(int(rank.max(initial=0)) + 1), side="right")[rank]
            for least, rank in zip(rising, self.rank, strict=True)
        ]
        both = np.empty(order.size, np.int64)
        both[order] = _sum_reaching(np.minimum(*many), np.arange(1, order.size + 1))
        return both

    def count_discordant(self) -> tuple[CountArray, CountArray]:
        """Count the rows that only classifier 1, and that only classifier 2 calls positive."""
        both = self.count_by_both()
        return self.called[0] - both, self.called[1] - both

    def _count_by_both_in_any_order(self) -> CountArray:
        parts = [self]
        if (size := self.least[0].size) > _AT_ONCE:
            starts = range(0, size, _AT_ONCE)
            parts = [self.select(np.arange(size)[start : start + _AT_ONCE]) for start in starts]
        return np.concatenate([part.tabulate()[part.least] for part in parts])

    def tabulate(self) -> CountArray:
        """Count the rows whose ranks are at least i and j, in a table of all i and j."""
        shape = [
            max(int(rank.max(initial=0)), int(least.max(initial=0))) + 1
            for rank, least in zip(self.rank, self.least, strict=True)
        ]
        cells = np.bincount(self.rank[0] * shape[1] + self.rank[1], minlength=shape[0] * shape[1])
        table = cells.reshape(shape)[::-1, ::-1].astype(np.int64)
        return np.asarray(table.cumsum(axis=0).cumsum(axis=1)[::-1, ::-1])


def count_discordant(
    pair: Pair, thresholds: tuple[npt.NDArray[Any], npt.NDArray[Any]], conditions: Conditions
) -> tuple[DiscordantCounts, tuple[PairedDecisions, PairedDecisions]]:
    """Count the rows decided differently; also return the decisions for each class."""
    one, two = pair.one.values, pair.two.values
    positives, negatives = (
        PairedDecisions.from_scores((one[own], two[own]), thresholds)
        for own in (pair.one.is_positive, ~pair.one.is_positive)
    )
    only_1_pos, only_2_pos = positives.count_discordant()
    only_1_neg, only_2_neg = negatives.count_discordant()
    # Errors of classifier 1 alone: positives that only classifier 2 calls positive, and negatives
    # that only classifier 1 does.
    counts = DiscordantCounts(
        up=np.stack((only_2_pos, only_1_neg)),
        down=np.stack((only_1_pos, only_2_neg)),
        unit=conditions.unit,
        n_pos=positives.size,
        n_neg=negatives.size,
        sampling=conditions.sampling,
        varying=conditions.share,
    )
    return counts, (positives, negatives)


def _rank(scores: npt.NDArray[Any], thresholds: npt.NDArray[Any]) -> tuple[IndexArray, IndexArray]:
    steps, place = np.unique(thresholds, return_inverse=True)
    if scores.size and scores.dtype.kind in "iu" and np.can_cast(scores.dtype, np.int64):
        low, high = int(scores.min()), int(scores.max())
        if high - low < 2**16:  # a lookup table is several times as fast
            reached = np.searchsorted(steps, np.arange(low, high + 1), side="right")
            return reached[np.subtract(scores, low, dtype=np.intp)], place.reshape(-1) + 1
    return np.searchsorted(steps, scores, side="right"), place.reshape(-1) + 1


def _sum_reaching(
    rank: IndexArray, least: IndexArray, weight: FloatArray | None = None
) -> npt.NDArray[Any]:
    """Count the ranks that are at least `least`, or add up their weights."""
    top = max(int(rank.max(initial=0)), int(least.max(initial=0)))
    # Cumulated from the highest rank down: at_least[r] rows have the rank r or more.
    at_least = np.bincount(rank, weight, minlength=top + 1)[::-1].cumsum()[::-1]
    return np.asarray(at_least[least])
