"""One model's empirical curve along a grid of fpr: heights, slopes, and which rows are called.

A row is called positive at an fpr when its score lies above the curve's threshold there. Rows at
the threshold itself, a slanted piece of the curve, are called with a share: the one that makes the
share of called negatives equal to the fpr.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.resample.population import Population
from rocbands.resample.smooth import smooth_rows

SLOPE_REACH = 0.01  # of fpr, to either side, over which the slope of a smooth curve is taken
KERNEL = {"points": 161, "many": 60, "fine": 6}  # coarser than for drawing: only slopes are needed
MOST_STEPS = 20_000  # of a curve that the kernel is given; more of them are taken in blocks
_BOXES = 1 << 14  # of equal width, from the lowest to the highest score
TIE_WINDOW = 1.5  # standard errors of fpr, to either side, searched for a steeper piece at ties


@dataclass(frozen=True, eq=False)
class CurveAtGrid:
    """One model's curve at the grid."""

    roc: RocCurve
    fpr: FloatArray  # (k,) the grid, rising
    # (k,) the curve's step on which each fpr lies; at a vertical piece the one to the right of it.
    step: IndexArray
    share: FloatArray  # (k,) share of the rows of that step that is called positive
    slope: FloatArray  # (k,) estimated slope of the true curve

    @classmethod
    def from_curve(cls, roc: RocCurve, fpr: FloatArray) -> CurveAtGrid:
        """Evaluate a curve along the grid; at vertical pieces at their top, as `Curve.high`."""
        below_one = np.nextafter(1.0, 0.0)  # so that the step found is one that has a width
        x = roc.fpr
        step = x.searchsorted(np.minimum(fpr + SAME, below_one), side="right") - 1
        first = x[step]
        share = np.clip((fpr - first) / (x[step + 1] - first), 0.0, 1.0)
        return cls(roc, fpr, step, share, estimate_slopes(roc, fpr, step))

    @cached_property
    def tpr(self) -> FloatArray:
        """Height of the empirical curve."""
        below, at = self._count(self.roc.tp)
        return np.asarray((below + self.share * at) / self.roc.n_pos)

    def _count(self, totals: CountArray) -> tuple[FloatArray, FloatArray]:
        """Rows of one class above each step, and at it."""
        below = np.where(self.step > 0, totals[self.step - 1], 0)
        return below.astype(np.float64), (totals[self.step] - below).astype(np.float64)

    def sum_call_products(self, totals: CountArray) -> FloatArray:
        """Sum of C_i C_j over the rows of a class, C_i being the row's call at point i.

        Whoever is called at one fpr is called at all larger ones: of two points on different steps
        the product is the call at the smaller fpr. On the same step both have a share of its rows.

        `totals`: the class: `roc.fp` or `roc.tp`.
        """
        below, at = self._count(totals)
        height = below + self.share * at
        same = self.step[:, None] == self.step
        together = below[:, None] + np.outer(self.share * at, self.share)
        return np.where(same, together, np.minimum.outer(height, height))

    def estimate_covariance(self) -> tuple[FloatArray, FloatArray]:
        """Covariance of the height along the grid: the part of positives and that of negatives.

        The height errs by the mean of C_i - tpr over positives, minus the slope times the mean of
        C_i - fpr over negatives, which move the threshold (Hsieh and Turnbull 1996).
        """
        m, n = self.roc.n_pos, self.roc.n_neg
        pos = self.sum_call_products(self.roc.tp) - m * np.outer(self.tpr, self.tpr)
        neg = self.sum_call_products(self.roc.fp) - n * np.outer(self.fpr, self.fpr)
        neg *= np.outer(self.slope, self.slope)
        return pos / (m * max(m - 1, 1)), neg / (n * max(n - 1, 1))

    @cached_property
    def _steps(self) -> IndexArray:
        return np.unique(self.step)[::-1]  # of rising scores

    def find_cells(self, values: npt.NDArray[Any]) -> IndexArray:
        """Cell of each score; rows in the same cell are called alike at every fpr.

        Even cells lie between the scores of the grid, odd ones are those scores. Of many scores a
        table says the cell: that of all scores in a box, unless a score of the grid is in it.
        """
        rising = self.roc.thresholds[self._steps]
        cells = np.full(values.size, -1)
        low, high = (float(self.roc.thresholds[end]) for end in (-1, 0))
        scale = (_BOXES - 1) / (high - low) if high > low else 0.0
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

    def call_cells(self) -> FloatArray:
        """Return the call of each cell at each fpr, of shape (number of cells, k)."""
        rank = np.searchsorted(-self._steps, -self.step)  # of each point's score
        place, at = np.divmod(np.arange(2 * self._steps.size + 1)[:, None], 2)
        return np.where((at == 1) & (rank == place), self.share, rank < place)


def estimate_slopes(roc: RocCurve, fpr: FloatArray, step: IndexArray) -> FloatArray:
    """Slope of the curve at each fpr, from a kernel estimate and from the curve's own chords.

    A chord spans one standard error of fpr to either side. The more distinct scores it passes, the
    less it is needed and the more it is noise itself: it gets the weight 1 / (number of distinct
    scores). So scores without ties are left to the kernel. Tied scores make a slanted piece with
    corners at its ends, and a threshold that varies past a corner meets another slope: there the
    steeper of the chords to the left and to the right is taken.

    `fpr` (k,): where. `step` (k,): the curve's step on which each fpr lies.
    """
    fpr = np.clip(fpr, SAME, 1.0 - SAME)  # chords have a length
    smooth = smooth_rows(_take_blocks(roc), **KERNEL).curve
    low, high = np.maximum(fpr - SLOPE_REACH, 0.0), np.minimum(fpr + SLOPE_REACH, 1.0)
    rise = np.interp(high, smooth.x, smooth.y) - np.interp(low, smooth.x, smooth.y)
    kernel = rise / (high - low)

    error = np.sqrt(fpr * (1.0 - fpr) / roc.n_neg)  # of the fpr of a fixed threshold
    low, high = np.maximum(fpr - error, 0.0), np.minimum(fpr + error, 1.0)
    first = roc.fpr.searchsorted(low + SLACK, side="right") - 1
    stop = np.maximum(roc.fpr.searchsorted(high - SLACK) - 1, 0)
    moved, windows = (
        np.diff(roc.fp, prepend=-1) > 0,
        zip(first.tolist(), stop.tolist(), strict=True),
    )
    passed = [np.count_nonzero(moved[i:j]) for i, j in windows]
    weight = 1.0 / (np.array(passed) + 1.0)

    far, near = np.minimum(fpr + TIE_WINDOW * error, 1.0), np.maximum(fpr - TIE_WINDOW * error, 0.0)
    at = np.stack([low, high, near, fpr, far])
    y_low, y_high, y_near, y, y_far = (roc.curve.high(at) + roc.curve.low(at)) / 2.0
    chord = (y_high - y_low) / (high - low)
    steeper = np.maximum((y_far - y) / (far - fpr), (y - y_near) / (fpr - near))
    tied = roc.fp[step] - np.where(step > 0, roc.fp[step - 1], 0) >= 2
    return np.asarray(weight * np.where(tied, steeper, chord) + (1.0 - weight) * kernel)


def _take_blocks(roc: RocCurve) -> Population:
    """Both classes in at most `MOST_STEPS` steps: a kernel does not see single rows of so many."""
    block = -(-roc.fp.size // MOST_STEPS)
    last = np.append(np.arange(block, roc.fp.size, block), roc.fp.size) - 1
    neg, pos = (np.concatenate(([0.0], side[last])) for side in (roc.fp, roc.tp))
    return Population(neg, pos)
