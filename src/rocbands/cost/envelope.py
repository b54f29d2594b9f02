"""The cost curve: the lower envelope of all thresholds' cost lines, dual to the ROC hull."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.checks import IndexArray
from rocbands.core.columns import Column, Labels
from rocbands.core.counting import cut_pieces
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import Handling
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.cost.curve import CostCurve

AnyArray: TypeAlias = npt.NDArray[Any]

HANDLING = Handling(
    "cost_curve",
    "cost",
    "smallest cost at every operating condition",
    ("clusters", "weights", "class weights", "strata", "bins"),
)
REFERENCES = (
    "Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier "
    "performance, Machine Learning 65, 95-130.",
)


@explain
def cost_curve(
    y_true: Labels | Data, y_score: Column | None = None, *, positive: object = None
) -> CostCurve:
    """Smallest normalised cost at every operating condition, and the thresholds that attain it.

    At a threshold the cost is w (1 - tpr) + (1 - w) fpr: a straight line in w. The cost curve is
    the lower envelope of all these lines, including calling every row or no row positive.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    CostCurve
        Breakpoints, their costs and thresholds. It is optimistic, because its thresholds are the
        best ones for these rows.

    See Also
    --------
    rocbands.operating_condition : w from costs and a share of positives.
    rocbands.cost_interval : confidence intervals for thresholds chosen beforehand.

    References
    ----------
    Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier
    performance, Machine Learning 65, 95-130.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve = rb.cost_curve([1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17])
    >>> print(curve.w.round(3), curve.cost.round(3), curve.threshold)
    [0.    0.667 1.   ] [0.    0.333 0.   ] [0.75 0.17]
    >>> print(curve.at(0.5).round(3), curve.trivial(0.5), curve.threshold_at(0.5))
    0.25 0.5 0.75
    """
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    fp, tp = roc.vertices
    if fp.size <= roc.fp.size:  # a score that no row has is no vertex, and would shift the others
        fp, tp = (np.concatenate(([0], counts)) for counts in (roc.fp, roc.tp))
    # Counts are whole numbers, whose hull is exact; weights have rates.
    sides = (roc.fpr, roc.tpr) if "weights" in roc.design else (fp, tp)
    corners = find_upper_hull(*sides)
    x, y = (side[corners] for side in sides)
    across, up = np.diff(x) / x[-1], np.diff(y) / y[-1]
    x, y = x / x[-1], y / y[-1]
    # A hull edge of slope s is where two thresholds cost the same: w = 1 / (1 + s).
    turns = np.maximum.accumulate(across / (across + up))
    breaks = np.concatenate(([0.0], turns, [1.0]))
    # A corner on a vertical first or a horizontal last edge is best at w = 0 or w = 1 only.
    wide = breaks[1:] > breaks[:-1]
    w = breaks[:-1][wide]
    cost = w * (1.0 - y[wide]) + (1.0 - w) * x[wide]
    return CostCurve(
        w=np.append(w, 1.0),
        cost=np.append(cost, 0.0),
        threshold=_find_thresholds(roc, corners[wide]),
        hull_fp=fp[corners],
        hull_tp=tp[corners],
        hull_fpr=x,
        hull_tpr=y,
        roc=roc,
        floor=cost_curve(roc.extremes[1]) if roc.binned else None,
    )


def find_upper_hull(fp: AnyArray, tp: AnyArray) -> IndexArray:
    """Find the corners of the upper convex hull of an increasing chain of distinct points.

    A point on or below the line through its two neighbours is no corner, so all such points are
    removed, round after round, until none is left: about twenty rounds, each of half the size.
    Corners at whole numbers up to n are rare, which also bounds the worst case.

    Examples
    --------
    >>> find_upper_hull(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 3]))
    array([0, 1, 4])
    """
    # The hull of the pieces' hulls is the hull of all points, and needs less memory.
    parts = [part.start + _find_corners(fp[part], tp[part]) for part in cut_pieces(fp.size)]
    kept = np.concatenate(parts)
    return kept if len(parts) == 1 else np.asarray(kept[_find_corners(fp[kept], tp[kept])])


def _find_corners(fp: AnyArray, tp: AnyArray) -> IndexArray:
    if int(fp[-1]) * int(tp[-1]) >= 2**62:
        fp, tp = fp.astype(object), tp.astype(object)  # products of whole numbers stay exact
    # Rates are rounded: a corner is more than this above the line through its neighbours.
    least = SAME if fp.dtype.kind == "f" else 0
    kept = np.arange(fp.size)
    while True:
        across, up = np.diff(fp[kept]), np.diff(tp[kept])
        turns = np.ones(kept.size, dtype=np.bool_)
        length = across[:-1] + across[1:] + up[:-1] + up[1:]
        turns[1:-1] = up[:-1] * across[1:] - up[1:] * across[:-1] > least * length
        if turns.all():
            return kept
        kept = kept[turns]


def _find_thresholds(roc: RocCurve, steps: IndexArray) -> Any:
    """Thresholds of some steps; step 0 calls no row positive."""
    if (steps > 0).all():
        return roc.thresholds[steps - 1]
    return np.where(steps > 0, roc.thresholds[steps - 1].astype(np.float64), np.inf)
