"""A cost, or a difference of two costs, as a weighted sum of shares of rows.

The cost of one model is a sum of two shares, of the positives that it misses and of the negatives
that it calls. On the same rows the difference of two models' costs is a sum of the differences of
these shares, to which each row adds 1 (only model 1 is wrong), -1 (only model 2) or 0. Shares,
their effective numbers of rows and their correlation come from
:mod:`rocbands.design.called_sums` and :mod:`rocbands.design.paired_sums`, where independent rows
are the simplest case. Equation numbers are those of Dugas and Gadoury (2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.counts import inside_bins
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.cost.conditions import Conditions
from rocbands.design import called_sums as called
from rocbands.design import paired_sums as paired
from rocbands.design.called_sums import CalledSums, Share, UnitSums
from rocbands.design.paired_sums import PairedSums

_FEW = 5  # errors, or correct decisions, below which a normal approximation is poor
_SKEWED, _TOO_SKEWED = 0.2, 0.4


class CostLimits(NamedTuple):
    """A cost, or a difference of costs, and its limits at each condition."""

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray

    def find_distance(self, other: CostLimits) -> float:
        """Return the largest distance from other limits."""
        ends = ((self.lower, other.lower), (self.upper, other.upper))
        return float(max(np.abs(far - own).max() for own, far in ends))


@dataclass(frozen=True, eq=False)
class CostTerms:
    """Both terms of a cost, or of a difference of two, at k conditions.

    Row 0 of each array is the positives, row 1 the negatives. With fixed class sizes a share is one
    of its class, otherwise one of all rows. Moments are over infinitely many resamples of the test
    set.
    """

    sums: UnitSums
    shares: tuple[Share, Share]
    conditions: Conditions

    @classmethod
    def of_counts(cls, fn: CountArray, fp: CountArray, conditions: Conditions) -> CostTerms:
        """Take numbers of false negatives and false positives, one of each for each condition."""
        n_pos, n_neg = conditions.sizes
        sums = CalledSums.of_counts(n_pos - fn, fp, n_pos, n_neg)
        return cls(sums, find_errors(sums, conditions), conditions)

    @classmethod
    def of_pair(cls, sums: PairedSums, conditions: Conditions) -> CostTerms:
        """Take the rows that exactly one of two models gets wrong."""
        # Errors of model 1 less those of model 2.
        wrong = ([-c for c in right] for right in (paired.RIGHT_POS, paired.RIGHT_NEG))
        shares = sums.find_pair(*wrong, of_classes=conditions.sampling != "full")
        return cls(sums, shares, conditions)

    @property
    def paired(self) -> bool:
        """Whether it is a difference of two models on the same rows."""
        return isinstance(self.sums, PairedSums)

    @cached_property
    def value(self) -> FloatArray:
        """The shares; of a pair, the rows that add less those that subtract."""
        return np.stack([share.value for share in self.shares])

    @cached_property
    def number(self) -> FloatArray:
        """Effective number of rows behind each share."""
        return np.stack([share.number for share in self.shares])

    @cached_property
    def weight(self) -> FloatArray:
        """What a share of 1 adds to the cost."""
        return self.conditions.weight

    @property
    def whole(self) -> Share:
        """Sum of two shares of all rows: of the rows of both classes that count."""
        pos, neg = self.shares
        value, size = pos.value + neg.value, np.minimum(pos.size + neg.size, 1.0)
        number = np.minimum(pos.number, neg.number)
        return Share(np.clip(value, -size, size), number, pos.z + neg.z, pos.stretch, size)

    @property
    def unit(self) -> FloatArray:
        """What one row adds to the cost."""
        return np.asarray(self.weight / self.number)

    @cached_property
    def up(self) -> FloatArray:
        """Effective number of rows that add to the cost."""
        size = np.stack([share.size for share in self.shares])
        return np.asarray(self.number * (size + self.value) / 2.0)

    @cached_property
    def down(self) -> FloatArray:
        """Effective number of rows that subtract from it."""
        size = np.stack([share.size for share in self.shares])
        return np.asarray(self.number * (size - self.value) / 2.0)

    @cached_property
    def correlation(self) -> FloatArray:
        """Correlation of both shares; 0 if class sizes are fixed and rows are independent."""
        return self.sums.correlate(*self.shares)

    @cached_property
    def mean(self) -> FloatArray:
        """The observed cost, and the mean over all resamples: equations 4, 7, 9 and 12."""
        return np.asarray((self.weight * self.value).sum(axis=0))

    # ----------------------------------------------------------------------------- moments

    @property
    def slope(self) -> FloatArray:
        """What the cost gains by a larger share of positives: delta of equation 10."""
        law = self.conditions.share
        p = 0.5 if law is None else law.mean
        pos, neg = self.weight * self.value
        return np.asarray(pos / p - neg / (1.0 - p))

    @property
    def variance(self) -> FloatArray:
        """Variance over all resamples: equations 5 (with its missing 1/n), 8, 10 and 13.

        If n rows are drawn from n_i rows that add x_i each, the variance of their sum is the sum of
        n_i n_j (x_i - x_j)^2 / n over pairs of kinds: 0 without cancellation if nothing varies.
        """
        total, law = np.zeros(self.mean.size), self.conditions.share
        if law is not None:
            total += self.slope**2 * law.variance
            if law.rows is None:  # of a product of independent variables
                of_classes = self.unit**2 * _sum_spread(self.up, self.down, self.number)
                shares = np.array([[law.mean], [1.0 - law.mean]])
                total += law.variance * (of_classes / shares**2).sum(axis=0)
        for size, kinds in self._samples():
            for (n_i, x_i), (n_j, x_j) in combinations(kinds, 2):
                total += n_i * n_j * (x_i - x_j) ** 2 / size
        return total

    @property
    def skewness(self) -> FloatArray:
        """Skewness over all resamples; 0 where nothing varies."""
        third = np.zeros(self.mean.size)
        for size, kinds in self._samples():
            mean = sum((n * x for n, x in kinds), np.zeros(third.shape)) / size
            for n, x in kinds:
                third += n * (x - mean) * np.square(x - mean)
        scale, skewness = self.variance**1.5, np.zeros(third.shape)
        np.divide(third, scale, out=skewness, where=scale > 0)
        return skewness

    def _samples(self) -> Iterator[tuple[FloatArray, list[tuple[FloatArray, FloatArray]]]]:
        """Yield the size of each sample drawn, and number and effect of each kind of rows."""
        unit = self.unit
        classes = [[(self.up[kind], unit[kind]), (self.down[kind], -unit[kind])] for kind in (0, 1)]
        full = self.conditions.sampling == "full"
        samples = [classes[0] + classes[1]] if full else classes
        sizes = [self.number.min(axis=0)] if full else self.number
        for size, kinds in zip(sizes, samples, strict=True):
            others = np.maximum(size - sum(number for number, _ in kinds), 0.0)
            yield size, [*kinds, (others, np.zeros(self.mean.size))]

    # --------------------------------------------------------------------- are rows too few?

    @property
    def reliability(self) -> npt.NDArray[np.str_]:
        """Whether mean and variance suffice: 'ok', 'caution' or 'unreliable' at each condition.

        Judged by the skewness and, because few errors do not show it, by the numbers of errors of
        classes with weight: formula (C7).
        """
        matters, few = self.weight > 0, _FEW - SLACK
        if self.conditions.sampling == "full":
            free = self.number.min(axis=0) - (matters * self.up).sum(axis=0)
            short = (matters & (self.up < few)).any(axis=0) | (free < few)
        else:
            least = np.minimum(self.up, self.number - self.up)
            short = (matters & (least < few)).any(axis=0)
        skewness = np.abs(self.skewness)
        return np.where(
            short | (skewness > _TOO_SKEWED),
            "unreliable",
            np.where(skewness < _SKEWED, "ok", "caution"),
        )

    @property
    def dominant_discordant(self) -> FloatArray:
        """Number of discordant rows in the class that may add more to the variance.

        A class whose rows are all concordant, or all discordant, has no observed variance, so the
        variance is Bonett and Price's, with one more discordant row for either model.
        """
        either = self.up + self.down
        spread = _sum_spread(self.up + 1.0, self.down + 1.0, self.number + 2.0)
        pos, neg = self.unit**2 * spread
        return np.asarray(np.where(pos > neg, either[0], either[1]))

    def describe(self) -> tuple[str, ...]:
        """Say what the design costs at the w nearest to one half."""
        pos, neg = self.number[:, int(np.argmin(np.abs(self.conditions.w - 0.5)))].tolist()
        of_classes = self.conditions.sampling != "full"
        return self.sums.describe((pos, neg), "the cost", of_classes=of_classes)


def _sum_spread(up: FloatArray, down: FloatArray, size: FloatArray) -> FloatArray:
    """Sum over rows of the squared distance from their mean; `up` count 1, `down` -1, others 0.

    A variable that is 1, -1 or 0 with probabilities p, q, r has the variance 4pq + (p + q)r, a sum
    over pairs of outcomes, without cancellation where it is small.
    """
    p, q, r = up / size, down / size, (size - up - down) / size
    return np.asarray(size * (4.0 * p * q + (p + q) * r))


def find_errors(sums: CalledSums, conditions: Conditions) -> tuple[Share, Share]:
    """Shares of missed positives and of called negatives."""
    of_classes = conditions.sampling != "full"
    return sums.find_pair(called.MISSED_POS, called.CALLED_NEG, of_classes=of_classes)


def list_ends(
    roc: RocCurve, thresholds: npt.NDArray[Any], conditions: Conditions
) -> list[CostTerms]:
    """Terms of the fewest and of the most errors at each threshold; they differ inside bins.

    Inside a bin both have the smaller of the effective numbers, so that limits still rise with
    every error.
    """
    above, inside = inside_bins(roc.thresholds, roc.tops, thresholds)
    inside &= roc.binned
    places = [above, above + inside][: 1 + bool(inside.any())]
    sums = [CalledSums.of_curve(roc, place) for place in places]
    classes = []
    for shares in zip(*(find_errors(end, conditions) for end in sums), strict=True):
        least = np.min([share.number for share in shares], axis=0)
        classes.append([share._replace(number=least) for share in shares])
    missed, alarms = classes
    # Fewest errors: all positives of a bin are called, and none of its negatives.
    pairs = zip(missed[::-1], alarms, strict=True)
    return [CostTerms(sums[0], pair, conditions) for pair in pairs]
