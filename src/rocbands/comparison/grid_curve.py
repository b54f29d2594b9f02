"""One model's empirical curve along a grid of fpr: heights, slopes, and which rows are called.

The call C_i of a row at the i-th fpr is 1 if its score is above the threshold there. Rows at the
threshold, on a sloped segment of the curve, have a fractional call, which makes the mean call of
the negatives equal to the fpr.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.comparison.curve_limits import limit_heights, take_middles
from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers
from rocbands.core.tolerance import SAME, SLACK
from rocbands.design.effective_sizes import (
    EffectiveSizes,
    count_independent_cases,
    find_effective_sizes,
)
from rocbands.likelihood.weighted import Side
from rocbands.resample.population import Population, smooth_rows

POINTS = 101  # number of grid points
HALF_CHORD = 0.01  # of fpr, to either side, for the slope of the smooth curve
KERNEL = {"points": 161, "many": 60, "fine": 6}  # coarser than for drawing: only slopes are needed
MOST_STEPS = 20_000  # of a curve for the kernel; more are combined into blocks
_BOXES = 1 << 14  # of equal width, from the lowest to the highest score
TIE_WINDOW = 1.5  # standard errors of fpr, to either side, searched for a steeper chord at ties


@dataclass(frozen=True, eq=False)
class CurveAtGrid:
    """One model's curve at the grid."""

    roc: RocCurve
    fpr: FloatArray  # (k,) the grid, rising
    step: IndexArray  # (k,) step of the curve at each fpr; at a vertical segment the one after it
    share: FloatArray  # (k,) call of the rows of that step
    slope: FloatArray  # (k,) estimated slope of the true curve

    @classmethod
    def from_curve(
        cls, roc: RocCurve, fpr: FloatArray, sizes: CaseNumbers | None = None
    ) -> CurveAtGrid:
        """Evaluate a curve along the grid; at vertical segments at their top, as `Curve.high`.

        `sizes`: the numbers of independent cases on which slopes rest, if known.
        """
        below_one = np.nextafter(1.0, 0.0)  # the step found has a positive width
        x = roc.curve.x
        step = x.searchsorted(np.minimum(fpr + SAME, below_one), side="right") - 1
        first = x[step]
        share = np.clip((fpr - first) / (x[step + 1] - first), 0.0, 1.0)
        sizes = count_independent_cases(roc) if sizes is None else sizes
        return cls(roc, fpr, step, share, estimate_slopes(roc, fpr, step, sizes))

    @cached_property
    def tpr(self) -> FloatArray:
        """Height of the empirical curve."""
        y = self.roc.curve.y
        first = y[self.step]
        return np.asarray(first + self.share * (y[self.step + 1] - first))

    @property
    def vertices(self) -> IndexArray:
        """Number of steps whose rows are called, at each fpr; at a step itself the nearer end."""
        return np.asarray(self.step + (self.share >= 0.5 - SLACK))

    @cached_property
    def influence(self) -> tuple[FloatArray, FloatArray]:
        """Effect of a negative, and of a positive, of each cell on the height: (cells, k) each.

        The error of the height is the mean of C - tpr over positives minus the slope times the mean
        of C - fpr over negatives, which move the threshold (Hsieh and Turnbull 1996).
        """
        calls = self.call_cells()
        return self.slope * (self.fpr - calls), calls - self.tpr

    @cached_property
    def sizes(self) -> CaseNumbers:
        """Independent positives and negatives; (k,) local effective ones with a design."""
        if self.roc.independent:
            return CaseNumbers(self.roc.n_pos, self.roc.n_neg)
        pos, neg = self._effective.pos, self._effective.neg
        local: Any = (np.interp(self.fpr, neg.rate, side.number) for side in (pos, neg))
        return CaseNumbers(*local)

    @cached_property
    def _effective(self) -> EffectiveSizes:
        return find_effective_sizes(self.roc)

    def limit_heights(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest true height within `critical_value` standard errors; kept."""
        if critical_value not in self._limits:
            self._limits[critical_value] = self.limit_heights_at(self.fpr, critical_value)
        return self._limits[critical_value]

    def limit_heights_at(
        self, fpr: FloatArray, critical_value: float
    ) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest true height at other points than those of the grid."""
        return limit_heights(self.roc, fpr, critical_value, self._sides)

    @cached_property
    def _sides(self) -> tuple[Side, Side] | None:
        return None if self.roc.independent else take_middles(self._effective)

    @cached_property
    def _limits(self) -> dict[float, tuple[FloatArray, FloatArray]]:
        return {}

    @cached_property
    def _steps(self) -> IndexArray:
        return np.unique(self.step)[::-1]  # of rising scores

    def find_cells(self, values: npt.NDArray[Any]) -> IndexArray:
        """Cell of each score; rows in the same cell have the same calls at every fpr."""
        # Even cells lie between the scores of the grid, odd ones are those scores.
        rising = self.roc.thresholds[self._steps]
        cells = np.full(values.size, -1)
        low, high = (float(self.roc.thresholds[end]) for end in (-1, 0))
        scale = (_BOXES - 1) / (high - low) if high > low else 0.0
        # With many scores the cell is looked up by the score's box, unless a score of the grid is
        # in that box (-1): 12 ms, not 50 ms for 10^6 rows and 101 points.
        if values.size > _BOXES and 0.0 < scale < math.inf:
            boxes, own = (
                ((v - np.float64(low)) * scale).astype(np.int64) for v in (values, rising)
            )
            table = 2 * np.cumsum(np.bincount(own + 1, minlength=_BOXES + 1)[:_BOXES])
            table[own] = -1
            np.take(table, boxes, out=cells)
        left = np.flatnonzero(cells < 0)
        place = np.searchsorted(rising, values[left])
        at = rising[np.minimum(place, rising.size - 1)] == values[left]
        cells[left] = 2 * place + at
        return cells

    def place_steps(self) -> IndexArray:
        """Cell of each step of the curve."""
        at = np.zeros(self.roc.fp.size, dtype=np.intp)
        at[self._steps] = 1
        return np.asarray(2 * (self._steps.size - np.cumsum(at)) + at)

    def sum_cells(self, total: FloatArray | CountArray) -> FloatArray:
        """Sum over each cell, from cumulative sums over the steps."""
        ends = np.sort(np.concatenate((self._steps, self._steps + 1)))
        above = np.where(ends > 0, total[ends - 1], 0)
        return np.diff(above, prepend=0.0, append=total[-1])[::-1]

    def call_cells(self) -> FloatArray:
        """Return the call of each cell at each fpr, of shape (number of cells, k)."""
        rank = np.searchsorted(-self._steps, -self.step)  # of each point's score
        place, at = np.divmod(np.arange(2 * self._steps.size + 1)[:, None], 2)
        return np.where((at == 1) & (rank == place), self.share, rank < place)


def build_grid(low: float, high: float) -> FloatArray:
    """Points evenly spaced in arcsin(sqrt(fpr)), in which a binomial rate has constant variance.

    They are closer together near 0, where curves are steep, and near 1.
    """
    angles = np.linspace(math.asin(math.sqrt(low)), math.asin(math.sqrt(high)), POINTS)
    points: FloatArray = np.sin(angles) ** 2
    points[[0, -1]] = low, high
    return points


def count_cases(curves: Iterable[RocCurve], *, paired: bool) -> list[CaseNumbers]:
    """Independent cases of each curve; on the same rows the fewer of both models."""
    sizes = [count_independent_cases(roc) for roc in curves]
    return [CaseNumbers(*map(min, zip(*sizes, strict=True)))] * len(sizes) if paired else sizes


def estimate_slopes(
    roc: RocCurve, fpr: FloatArray, step: IndexArray, sizes: CaseNumbers
) -> FloatArray:
    """Slope of the curve at each fpr: a weighted mean of a kernel estimate and of chords.

    A chord spans one standard error of fpr to either side. It gets the weight 1 / (1 + number of
    distinct scores that it passes), so that scores without ties are left to the kernel. Ties make
    sloped segments with corners at their ends, and past a corner the slope is another one: there
    the steeper of the chords to the left and to the right is used.
    """
    fpr = np.clip(fpr, SAME, 1.0 - SAME)  # chords have positive length
    smooth = smooth_rows(_take_blocks(roc, sizes), **KERNEL).curve
    low, high = np.maximum(fpr - HALF_CHORD, 0.0), np.minimum(fpr + HALF_CHORD, 1.0)
    rise = np.interp(high, smooth.x, smooth.y) - np.interp(low, smooth.x, smooth.y)
    kernel = rise / (high - low)

    error = np.sqrt(fpr * (1.0 - fpr) / sizes.n_neg)  # of the fpr of a fixed threshold
    low, high = np.maximum(fpr - error, 0.0), np.minimum(fpr + error, 1.0)
    first = roc.curve.x.searchsorted(low + SLACK, side="right") - 1
    stop = np.maximum(roc.curve.x.searchsorted(high - SLACK) - 1, 0)
    # Steps i, ..., j - 1 at which the number of negatives grows; the very first one always counts.
    passed = [
        np.count_nonzero(np.diff(roc.fp[max(i - 1, 0) : j])) + (i == 0 < j)
        for i, j in zip(first.tolist(), stop.tolist(), strict=True)
    ]
    weight = 1.0 / (np.array(passed) + 1.0)

    far, near = np.minimum(fpr + TIE_WINDOW * error, 1.0), np.maximum(fpr - TIE_WINDOW * error, 0.0)
    at = np.stack([low, high, near, fpr, far])
    y_low, y_high, y_near, y, y_far = (roc.curve.high(at) + roc.curve.low(at)) / 2.0
    chord = (y_high - y_low) / (high - low)
    steeper = np.maximum((y_far - y) / (far - fpr), (y - y_near) / (fpr - near))
    tied = roc.fp[step] - np.where(step > 0, roc.fp[step - 1], 0) >= 2
    return np.asarray(weight * np.where(tied, steeper, chord) + (1.0 - weight) * kernel)


def _take_blocks(roc: RocCurve, sizes: CaseNumbers) -> Population:
    """Combine steps into at most `MOST_STEPS` blocks, which is fine enough for a kernel."""
    block = -(-roc.fp.size // MOST_STEPS)
    last = np.append(np.arange(0, roc.fp.size, block), roc.fp.size)
    x, y = (column[last] for column in (roc.curve.x, roc.curve.y))
    return Population(sizes.n_neg * x, sizes.n_pos * y)
