"""Sums over many rows or clusters drawn with replacement, without drawing each of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray

_BLOCKS = 128
_MOST_LEFT_OUT = 1e-3  # fraction of the variance
_MOST_OFF = 0.01  # bias in standard errors
_MOST_SKEWED = 0.1  # skewness of the clusters' contributions: few large ones are not nearly normal


class SumBlocks(NamedTuple):
    """Rows in blocks of neighbours: their fractions, means and covariances."""

    share: FloatArray  # (b,)
    mean: FloatArray  # (b, c)
    inside: FloatArray  # (b, c, c)

    @classmethod
    def cut(cls, values: FloatArray) -> SumBlocks:
        """Cut into blocks of equal size; `values` (c, n), sorted by the first row."""
        n = values.shape[1]
        ordered = values[:, np.argsort(values[0])] if len(values) > 1 else np.sort(values)
        first = np.unique(np.arange(_BLOCKS) * n // _BLOCKS)
        size = np.diff(first, append=n)
        mean = np.add.reduceat(ordered, first, axis=1) / size
        ordered -= np.repeat(mean, size, axis=1)
        inside = [[np.add.reduceat(a * b, first) / size for a in ordered] for b in ordered]
        return cls(size / n, mean.T, np.array(inside).T)

    def draw_means(
        self, sizes: CountArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw means of `sizes` rows from counts in blocks, and covariances within blocks."""
        counts = rng.multinomial(sizes, self.share).astype(np.float64)
        inside = (
            np.tensordot(counts, self.inside, 1) / (sizes.astype(np.float64) ** 2)[:, None, None]
        )
        return counts @ self.mean / sizes[:, None], inside

    @property
    def total_variance(self) -> float:
        """Variance of a single row's contribution to the difference."""
        centre = self.share @ self.mean[:, 0]
        return float(self.share @ (self.inside[:, 0, 0] + (self.mean[:, 0] - centre) ** 2))


def add_normal(mean: FloatArray, inside: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Add normal variables with some covariances; (k, c) and (k, c, c)."""
    size, axes = np.linalg.eigh(inside)
    drawn = np.sqrt(np.maximum(size, 0.0)) * rng.standard_normal(mean.shape)
    return np.asarray(mean + np.einsum("kij,kj->ki", axes, drawn))


@dataclass(frozen=True, eq=False)
class ClusteredResamples:
    """Areas, or differences of areas, of resampled clusters, drawn as sums over clusters.

    If few clusters dominate the sum, or the remainder is large, clusters are drawn instead.
    """

    # Let w(g, h) be the sum, over pairs of a positive of cluster g and a negative of cluster h, of
    # the pair's score minus the area A, and c(g) the number of copies of cluster g. The area of a
    # resample is
    #     A + sum of c(g) c(h) w(g, h) / (number of its pairs).
    # With c = 1 + d this is a sum over clusters of d(g) times centred placements, plus a remainder
    # of products d(g) d(h). The sum is drawn jointly with the numbers of positives and negatives
    # (SumBlocks). The remainder is neglected if it has at most a thousandth of the variance and
    # changes the mean by at most a hundredth of the standard error.
    blocks: SumBlocks  # of clusters: centred placements and shares of the positives and negatives
    size: int
    estimate: float
    least: float  # smallest possible area or difference

    @classmethod
    def of_clusters(
        cls,
        apart: FloatArray,
        n_pos: CountArray,
        n_neg: CountArray,
        estimate: float,
        *,
        pair_variance: float,
        least: float = 0.0,
    ) -> ClusteredResamples | None:
        """Take the contribution of each cluster; None if the remainder may be too large.

        `apart` (g,): sums of placements minus the estimate, over the class sizes. `n_pos`, `n_neg`
        (g,): cases of each cluster. `pair_variance`: upper bound of the variance of a pair's score,
        which lies between `least` and 1.
        """
        pos, neg = n_pos / n_pos.sum(), n_neg / n_neg.sum()
        known = float(apart @ apart)
        # Each w is a sum over the pairs of two clusters. The sum of all w^2 is at most the number
        # of pairs of the largest clusters times the squares of all pairs (Cauchy-Schwarz), and at
        # most its value if every pair had the largest possible deviation. Products of two different
        # deviations have variance 1; squares of a deviation have mean 1 and second moment 3.
        far = max(estimate - least, 1.0 - estimate)
        largest = float(pos.max() * neg.max()) * pair_variance
        left = 3.0 * min(largest, float(pos @ pos) * float(neg @ neg) * far**2)
        off = float(pos @ neg) * far
        skewed = float(np.sum(np.abs(apart) ** 3)) > _MOST_SKEWED * known**1.5
        if left > _MOST_LEFT_OUT * known or off > _MOST_OFF * math.sqrt(known) or skewed:
            return None
        return cls(SumBlocks.cut(np.stack((apart, pos, neg))), apart.size, estimate, least)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Areas of one chunk."""
        sizes = np.full(draws, self.size)
        apart, pos, neg = self.size * add_normal(*self.blocks.draw_means(sizes, rng), rng).T
        return np.asarray(np.clip(self.estimate + apart / (pos * neg), self.least, 1.0))
