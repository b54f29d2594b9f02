"""Sign flips: the null distribution of a studentised sum of few residuals.

The error of an AUC is a sum of residuals, one for each row. With ten positives and an AUC near 1, a
few of them make up most of the variance, and the studentised sum varies less than Student's t,
because a large residual increases both the sum and its standard error. Random signs keep the sizes
of all residuals and so reproduce this; all models have the same sign in a row (wild bootstrap with
Rademacher signs: Liu 1988, Annals of Statistics 16, 1696-1708; for two exchangeable models it is an
exact test, Fisher 1935).

Signs do not change sums of squares. A draw is therefore determined by its two class sums p and q:
its covariance matrix is that of the rows minus products of p and q.

Draws are those of T2 and of all |t| statistics of several models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands._math.products import find_root, gram, times
from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.tolerance import SLACK
from rocbands.resample.streams import run_chunks

AT_ONCE = 16_384  # rows squared at once, to save memory
MOST_UNITS = 128  # largest residuals, with single signs; the sum of all others is drawn as normal


@dataclass(frozen=True, eq=False)
class SignFlips:
    """Residuals of both classes, prepared for drawing."""

    heavy: FloatArray  # (u, 2 k) residuals of the units with the largest ones: positives, negatives
    rest: FloatArray  # (r, 2 k) root of the other units' contribution to the sums of products
    products: FloatArray  # (2 k, 2 k) sums of products over all units
    weights: FloatArray  # (2, 2) factors of products within and across classes: g / (g - 1)
    lost: FloatArray  # (2, 2) factors of products of class sums: 1 / (g - 1)

    @classmethod
    def from_residuals(
        cls,
        pos: FloatArray,
        neg: FloatArray,
        weights: FloatArray,
        lost: FloatArray,
        *,
        shared: bool,
    ) -> SignFlips:
        """Prepare residuals that were divided by the class size.

        `pos`, `neg`: one row for each unit. `weights`, `lost`: factors of products.
        `shared`: whether row i of both is the same unit.
        """
        k = pos.shape[1]
        across = pos.T @ neg if shared else np.zeros((k, k))
        products = np.block([[gram(pos), across], [across.T, gram(neg)]])
        sizes = [_square_rows(side) for side in (pos, neg)]
        size = sizes[0] + sizes[1] if shared else np.concatenate(sizes)
        units = np.arange(min(size.size, MOST_UNITS))
        if size.size > MOST_UNITS:
            units = _find_largest(size, MOST_UNITS)
        heavy = np.zeros((units.size, 2 * k))
        if shared:
            heavy[:, :k], heavy[:, k:] = pos[units], neg[units]
        else:
            of_pos = units < len(pos)
            heavy[of_pos, :k] = pos[units[of_pos]]
            heavy[~of_pos, k:] = neg[units[~of_pos] - len(pos)]
        rest = np.zeros((0, 2 * k))
        if units.size < size.size:
            rest = find_root(products - gram(heavy))
        return cls(heavy, rest, products, weights, lost)

    def draw(self, draws: int, stream: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw the sums of residuals of the positives and of the negatives, each (draws, k)."""
        bits = stream.integers(0, 2, (draws, len(self.heavy)), dtype=np.int8)
        sums = times(2.0 * bits.astype(np.float64) - 1.0, self.heavy)
        if len(self.rest):
            sums += times(stream.standard_normal((draws, len(self.rest))), self.rest)
        k = sums.shape[1] // 2
        return sums[:, :k], sums[:, k:]

    def student(
        self, sums: Sequence[FloatArray], by: Sequence[FloatArray], added: float = 0.0
    ) -> FloatArray:
        """Absolute value of t of each contrast in each draw.

        `by`: weights (k, c) of the contrasts, of the positives' and of the negatives' residuals.
        `added`: added to each variance, in the draws and for the observed rows.
        """
        # With class sums p and q of a contrast, |p + q| over the root of
        #     sum of weights_ij by_i' products_ij by_j - lost_pp p^2 - 2 lost_pq p q - lost_qq q^2.
        parts = [times(side, weight) for side, weight in zip(sums, by, strict=True)]
        variance = np.full_like(parts[0], added)
        k = len(by[0])
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            block = self.products[i * k : (i + 1) * k, j * k : (j + 1) * k]
            variance += self.weights[i, j] * np.einsum("ac,ab,bc->c", by[i], block, by[j])
            if self.lost[i, j]:
                variance -= self.lost[i, j] * parts[i] * parts[j]
        gap = np.abs(parts[0] + parts[1])
        least = 1e-12 * gap**2  # if all residuals but one are 0, the variance is lost in rounding
        found: FloatArray = np.divide(
            gap, np.sqrt(np.maximum(variance, least)), out=np.zeros_like(gap), where=gap > 1e-15
        )
        return found

    def hotelling(
        self, sums: Sequence[FloatArray], by: Sequence[FloatArray], added: FloatArray | float = 0.0
    ) -> FloatArray:
        """T2 of independent contrasts `by` in each draw; `added` to their covariance matrix."""
        # A draw has the covariance A - U D U' with U = (p, q) and D = `lost`. In coordinates in
        # which A is the unit matrix, with M = U'U, Woodbury's identity gives
        #     T2 = 1' M (I - D M)^-1 1.
        k = len(by[0])
        whole = np.zeros((by[0].shape[1],) * 2) + added
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            block = self.products[i * k : (i + 1) * k, j * k : (j + 1) * k]
            whole += self.weights[i, j] * (by[i].T @ block @ by[j])
        values, vectors = np.linalg.eigh(whole)
        white = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]))
        p, q = (times(side, weight @ white) for side, weight in zip(sums, by, strict=True))
        pp, pq, qq = (np.einsum("dc,dc->d", *two) for two in ((p, p), (p, q), (q, q)))
        (d, e), (_, f) = self.lost
        # I - D M and its determinant
        a, b = 1.0 - d * pp - e * pq, -d * pq - e * qq
        c, g = -e * pp - f * pq, 1.0 - e * pq - f * qq
        det = a * g - b * c
        # (I - D M)^-1 1, times the row sums of M
        x, y = g - b, a - c
        top = (pp + pq) * x + (pq + qq) * y
        found: FloatArray = np.divide(top, det, out=np.full_like(top, np.inf), where=det > 1e-12)
        return found


def _find_largest(values: FloatArray, number: int) -> IndexArray:
    """Return the indices of the largest values; of equal ones, but for rounding, the first."""
    last = float(np.partition(values, -number)[-number])
    above = np.flatnonzero(values > last * (1.0 + SLACK))
    equal = np.flatnonzero(np.abs(values - last) <= last * SLACK)
    return np.sort(np.concatenate((above, equal[: number - above.size])))


def _square_rows(rows: FloatArray) -> FloatArray:
    """Sum of squares of each row, without squares of many rows in memory."""
    parts = (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
    return np.concatenate([np.square(part).sum(axis=1) for part in parts])


# --------------------------------------------------------------------------- studentised statistics

CHUNK = 2500  # draws of one thread at a time

Weights = tuple[FloatArray, FloatArray]  # of the positives' and of the negatives' residuals


class FlippedStatistics(NamedTuple):
    """Draws of T2 (index 0) and of |t| of each pair (index 1, ..., c) for equal models."""

    maxima: FloatArray  # (draws,) largest |t| of all pairs
    counts: FloatArray  # (1 + c,) number of draws at or above the observed value
    far: FloatArray  # (1 + c,) value that a draw exceeds with probability `tail`
    tail: float

    @classmethod
    def draw(
        cls,
        flips: SignFlips,
        observed: FloatArray,
        n_resamples: int,
        rng: np.random.Generator,
        *,
        joint: Weights | None,
        joint_added: FloatArray,
        pairs: Weights,
        pairs_added: float,
        constant: BoolArray,
        normal: BoolArray,
    ) -> FlippedStatistics:
        """Draw all statistics, and count those at or above the `observed` ones, (1 + c,).

        `joint`: (k, p) independent contrasts of T2; None without a joint test. `joint_added`: added
        to their covariance. `pairs`: (k, c) contrasts of the |t| statistics. `pairs_added`: added
        to their variances. `constant`: (c,) contrasts that are exactly 0. `normal`: (c,) contrasts
        whose residuals do not vary; they get independent normal variables.
        """

        def work(draws: int, stream: np.random.Generator) -> list[FloatArray]:
            sums = flips.draw(draws, stream)
            every = np.zeros((draws, observed.size))
            if joint is not None:
                every[:, 0] = flips.hotelling(sums, joint, joint_added)
            t = every[:, 1:]
            t[:] = flips.student(sums, pairs, pairs_added)
            t[:, constant] = 0.0
            if normal.any():
                t[:, normal] = np.abs(stream.standard_normal((draws, int(normal.sum()))))
            return [t.max(axis=1), (every >= observed).sum(axis=0), every.max(axis=0)]

        chunks = run_chunks(work, n_resamples, rng, size=CHUNK)
        maxima, counts, largest = zip(*chunks, strict=True)
        # A value with tail probability p exceeds all n draws of a chunk with probability
        # (1 - p)^n, about exp(-n p). For the median of the chunks' maxima this is 1/2.
        tail = math.log(2.0) / min(CHUNK, n_resamples)
        far = np.median(largest, axis=0)
        return cls(np.concatenate(maxima), np.sum(counts, axis=0), far, tail)

    def find_pvalues(
        self, observed: FloatArray, tails: FloatArray, far_tails: FloatArray, *, first: int
    ) -> FloatArray:
        """Share of draws at or above the observed values, with a parametric tail beyond `far`.

        `tails`, `far_tails`: upper tail probabilities at the observed values and at `far`, by
        Student's or Hotelling's distribution. Beyond `far`, where draws are too few to count, the
        p-value is tails * tail / far_tails: continuous at `far`. `first`: index of the first
        statistic.
        """
        place = slice(first, first + observed.size)
        beyond = (observed > self.far[place]) | (self.far[place] == 0.0)
        scale = np.ones_like(far_tails)
        np.divide(self.tail, far_tails, out=scale, where=(far_tails > 0.0) & (far_tails < 1.0))
        counted = self.counts[place] / self.maxima.size
        return np.asarray(np.where(beyond, np.minimum(tails * scale, 1.0), counted))
