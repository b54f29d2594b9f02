"""Curves known in bins only: how far what is hidden inside the bins can move them.

A bin that contains p positives and q negatives is a box in the unit square. The curve enters it at
the lower left corner and leaves it at the upper right one; in between it is some monotone path. So
it runs between two staircases: positives first in every bin (up, then right), and negatives first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.pieces import PIECE, bisect


class Steps(NamedTuple):
    """Thresholds and cumulative counts, one for each step of a curve."""

    thresholds: npt.NDArray[Any]
    fp: CountArray
    tp: CountArray


def certificate(fp: CountArray, tp: CountArray) -> float:
    """Largest error of the area under the curve: half of all boxes, as shares of the square."""
    neg, pos = (np.diff(side, prepend=0).astype(np.float64) for side in (fp, tp))
    return float(np.dot(neg / float(fp[-1]), pos / float(tp[-1]))) / 2.0


def split_bins(steps: Steps, *, positives_first: bool) -> Steps:
    """Make two steps, of one class each, of every bin that contains both classes.

    Thresholds are nominal: the upper step of a bin gets the next number above the bin's lower end.
    """
    before = [np.concatenate(([0], side[:-1])) for side in (steps.fp, steps.tp)]
    mixed = np.flatnonzero((steps.fp > before[0]) & (steps.tp > before[1]))
    if not mixed.size:
        return steps
    cut = steps.thresholds
    if cut.dtype.kind != "f":
        cut = cut.astype(np.float64)
    up = np.nextafter(cut[mixed], cut.dtype.type(np.inf))
    fp, tp = (before[0], steps.tp) if positives_first else (steps.fp, before[1])
    return Steps(
        np.insert(cut, mixed, up),
        np.insert(steps.fp, mixed, fp[mixed]),
        np.insert(steps.tp, mixed, tp[mixed]),
    )


def inside_bins(
    thresholds: npt.NDArray[Any], tops: npt.NDArray[Any] | None, cut: npt.NDArray[Any]
) -> tuple[IndexArray, BoolArray]:
    """Return how many whole bins lie at or above each cut, and whether it cuts the next one."""
    rising = thresholds[::-1]
    if (rising.flags.c_contiguous and rising.dtype == cut.dtype) or rising.size <= PIECE:
        whole = np.asarray(thresholds.size - rising.searchsorted(cut))
    else:
        whole = bisect(thresholds.size, lambda step: thresholds[step] >= cut, cut.shape)
    following = np.minimum(whole, thresholds.size - 1)
    if tops is None:
        top = np.where(following > 0, thresholds[following - 1], np.inf)
    else:
        top = tops[following]
    return whole, (whole < thresholds.size) & (cut < top)


def stairs(x: FloatArray, y: FloatArray, *, up_first: bool) -> tuple[FloatArray, FloatArray]:
    """Vertices of the staircase through points of a rising curve."""
    twice_x, twice_y = np.repeat(x, 2), np.repeat(y, 2)
    return (twice_x[:-1], twice_y[1:]) if up_first else (twice_x[1:], twice_y[:-1])
