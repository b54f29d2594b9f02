"""Null distribution of T2 and of all |t| statistics, drawn by sign flips of the rows' residuals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.resample.sign_flips import SignFlips
from rocbands.resample.streams import run_chunks

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
