"""Errors of one classifier at all its thresholds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray
from rocbands.core.columns import score_column
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError

__all__ = ["Errors", "check_thresholds", "errors_between", "inside_both"]


class Errors(NamedTuple):
    """Wrong decisions at each threshold.

    Attributes
    ----------
    fn, fp : ndarray of int64
        Positives below the threshold, negatives not below it.
    n_pos, n_neg : int
        Class sizes.
    """

    fn: CountArray
    fp: CountArray
    n_pos: int
    n_neg: int


def check_thresholds(thresholds: Any, size: int, name: str = "thresholds") -> npt.NDArray[Any]:
    """Return one threshold for each of `size` conditions; a single one is for all of them."""
    if thresholds is None:
        raise InputError(
            f"`{name}` must be chosen before the test set is seen; got None. Choose them on other "
            "rows by cost_thresholds, or pass your own."
        )
    try:
        dimensions = np.ndim(thresholds)
    except ValueError:  # rows of different lengths
        dimensions = 2
    if dimensions > 1:
        raise InputError(
            f"`{name}` must be a number or one-dimensional; each row holds several. Pass one value "
            "for each operating condition."
        )
    column = score_column([thresholds] if dimensions == 0 else thresholds, name)
    if column.size == 1:
        return np.repeat(column, size)
    if size not in (1, column.size):
        raise InputError(
            f"`{name}` must have one value for each operating condition; there are {column.size} "
            f"for {size}. Pass the w that the thresholds were chosen for."
        )
    return column


def errors_between(roc: RocCurve, thresholds: npt.NDArray[Any]) -> tuple[Errors, Errors]:
    """Count the fewest and the most errors that are possible at each threshold.

    They differ only at thresholds inside a bin, where both counts can be any that the bin allows.

    Examples
    --------
    >>> import numpy as np
    >>> roc = RocCurve.from_counts([3, 2, 1], fp=[0, 1, 2], tp=[1, 1, 2], bins=True)
    >>> fewest, most = errors_between(roc, np.array([2, 1.5]))
    >>> fewest.fn, most.fn
    (array([1, 0]), array([1, 1]))
    """
    (fp, tp), (more_fp, more_tp) = roc.counts_at(thresholds)
    fewest = Errors(roc.n_pos - more_tp, fp, roc.n_pos, roc.n_neg)
    return fewest, Errors(roc.n_pos - tp, more_fp, roc.n_pos, roc.n_neg)


def inside_both(roc: RocCurve, thresholds: npt.NDArray[Any]) -> BoolArray:
    """Tell which thresholds lie between the lowest and the highest score of either class.

    Examples
    --------
    >>> import numpy as np
    >>> roc = RocCurve.from_counts([3, 2, 1], fp=[0, 1, 2], tp=[1, 1, 2])
    >>> inside_both(roc, np.array([3, 2, 1]))
    array([False,  True,  True])
    """
    # Counts begin to rise at a class's highest score and are complete at its lowest.
    highest = [int(np.searchsorted(counts, 1)) for counts in (roc.fp, roc.tp)]
    lowest = [int(np.searchsorted(counts, counts[-1])) for counts in (roc.fp, roc.tp)]
    top, bottom = roc.thresholds[max(highest)], roc.thresholds[min(lowest)]
    return np.asarray((bottom <= thresholds) & (thresholds <= top))
