"""Differences of AUCs of many rows, resampled as sums of placements.

The AUC of a resample is a two-sample U-statistic. Its Hoeffding (1948) decomposition is

    D* = D + mean over positives of (u_i - D) + mean over negatives of (v_j - D) + R,        (1)

with u_i and v_j the placements (for a difference, the differences of two models' placements) in the
observed set. The two means are drawn; R, a sum over pairs, has mean 0, is uncorrelated with them,
and is left out. With the variance V of the score of a pair its variance is at most V / (m n).

Rows are cut into 128 blocks of similar placements. The number of rows drawn from each block is
multinomial, so the means of (1) are exact up to the variance within blocks, about 1 / 128^2 of the
total, which is drawn as a normal variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.delong import compute_placements
from rocbands.core.rows import Rows
from rocbands.resample.population import draw_class_sizes
from rocbands.resample.sums import SumBlocks, add_normal
from rocbands.resample.weights import SortedRows


@dataclass(frozen=True, eq=False)
class PlacementSums:
    """Sums of placements of one test set, to draw the AUC, or a difference of two, of resamples."""

    # DeLong's variance of a resample is the mean of (u*_i - D*)^2 over m - 1, and the same for the
    # negatives, with placements u* in the resample. To first order in the deviations of the
    # resample it is a sum over rows: a row adds the square of its own deviation, and twice the sum
    # of the other class's deviations times the change of their placements by this row. These sums
    # are drawn with the same numbers of rows. If R has the share q of the variance, the terms left
    # out of a variance v are at most 2 q v on average, with a standard deviation of at most
    # 2 v / sqrt(m n v k), k = min(m, n).
    pos: SumBlocks
    neg: SumBlocks
    sizes: tuple[int, int]  # positives and negatives
    difference: float
    pair_variance: float  # bound of the variance V of the score of a pair

    @classmethod
    def of_models(cls, *models: Rows, studentised: bool = False) -> PlacementSums:
        """Sum one model's placements, or the differences of two models' on the same rows.

        `studentised`: also the sums for DeLong's variance.
        """
        labels, m, n = models[0].is_positive, models[0].n_pos, models[0].n_neg
        places: list[tuple[FloatArray, FloatArray]]
        if studentised:
            ordered = [SortedRows.from_rows(s) for s in models]
            # Numbers of the other class on the other side of each row, ties one half.
            sums = (rows.sum_beyond(np.ones(labels.size)) for rows in ordered)
            places = [(below / n, above / m) for below, above in sums]
        else:
            places = [compute_placements(s.is_positive, s.values) for s in models]
        areas = [float(of_pos.mean()) for of_pos, _ in places]
        difference = areas[0] - sum(areas[1:])
        columns = [side[None] for side in subtract_sides(places)]
        if studentised:
            # One more copy of row i changes the placement of each row of the other class beyond
            # it: the sum of their deviations there, times 2 / size, is its effect on the variance.
            apart = np.empty(labels.size)
            apart[labels], apart[~labels] = (side[0] - difference for side in columns)
            moved = subtract_sides([rows.sum_beyond(apart) for rows in ordered])
            for k, (other, size) in enumerate(zip(moved, (n, m), strict=True)):
                each, on_other = columns[k][0], 2.0 / size * (other - other.mean())
                columns[k] = np.stack((each, (each - difference) ** 2, on_other))
        pos, neg = map(SumBlocks.cut, columns)
        return cls(pos, neg, (m, n), difference, bound_pair_variance(areas))

    @property
    def known_variance(self) -> float:
        """Variance of the two means of (1)."""
        m, n = self.sizes
        return self.pos.total_variance / m + self.neg.total_variance / n

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw differences."""
        m, n = self.sizes
        neg, pos = draw_class_sizes(n, m, draws, rng, stratified=False)
        parts = self.pos.draw_means(pos, rng), self.neg.draw_means(neg, rng)
        # Both classes are independent: one normal variable with the sum of their variances.
        inside = np.sqrt(parts[0][1] + parts[1][1])[:, 0, 0] * rng.standard_normal(draws)
        return np.asarray(parts[0][0][:, 0] + parts[1][0][:, 0] - self.difference + inside)

    def draw_studentised(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw differences and their DeLong variances, (2, draws)."""
        m, n = self.sizes
        neg, pos = draw_class_sizes(n, m, draws, rng, stratified=False)
        (of_pos, by_pos, on_neg), (of_neg, by_neg, on_pos) = (
            add_normal(*blocks.draw_means(size, rng), rng).T
            for blocks, size in ((self.pos, pos), (self.neg, neg))
        )
        apart = of_pos + of_neg - 2.0 * self.difference  # D* - D
        # mean (u* - D*)^2 = mean (u - D)^2 + effect of the other class - (D* - D)^2
        variance = (by_pos + on_pos - apart**2) / (pos - 1.0)
        variance += (by_neg + on_neg - apart**2) / (neg - 1.0)
        return np.stack((self.difference + apart, variance))


def find_left_out(sums: Sequence[PlacementSums]) -> float:
    """Largest share of the variance that the remainders R of independent test sets can have."""
    known = sum(each.known_variance for each in sums)
    left = sum(each.pair_variance / (each.sizes[0] * each.sizes[1]) for each in sums)
    return left / known if known > 0.0 else np.inf


def bound_pair_variance(areas: Sequence[float]) -> float:
    """Bound the variance of the score of a pair, from one AUC or from two.

    A score x of one model is in [0, 1]: E x^2 - A^2 <= A (1 - A). For two models
    (x - y)^2 <= |x - y| <= min(x + y, 2 - x - y).
    """
    if len(areas) == 1:
        return areas[0] * (1.0 - areas[0])
    return min(sum(areas), 2.0 - sum(areas))


def subtract_sides(
    places: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray]:
    """Positives and negatives of one model, or those of the first minus those of the second."""
    (pos, neg), *others = places
    for of_pos, of_neg in others:
        pos, neg = pos - of_pos, neg - of_neg
    return pos, neg
