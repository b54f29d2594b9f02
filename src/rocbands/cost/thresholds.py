"""Thresholds for operating conditions, chosen without looking at the test set."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.cost.conditions import check_prevalence, check_w
from rocbands.cost.envelope import cost_curve
from rocbands.errors import rename_arguments

__all__ = ["calibrated_thresholds", "cost_thresholds"]


def cost_thresholds(
    y_valid: Any, score_valid: Any = None, w: Any = None, *, positive: object = None
) -> npt.NDArray[Any]:
    """Thresholds that are best on a validation set, one for each operating condition.

    Parameters
    ----------
    y_valid : array-like of shape (n,), or RocCurve
        Labels of the validation set; or, in place of labels and scores, its curve.
    score_valid : array-like of shape (n,)
        Its scores. None of its rows may be in the test set that the thresholds will be judged on.
    w : float or array-like
        Operating conditions, from 0 to 1.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    ndarray
        Scores of the validation set, or inf where no row should be called positive; they fall as w
        grows. Where two are equally good, the lower one. Rows whose score is inf are called
        positive at every threshold, inf as well.

    See Also
    --------
    rocbands.calibrated_thresholds : thresholds for scores that are probabilities.
    rocbands.cost_interval : what such thresholds cost, with limits.

    Examples
    --------
    >>> y, score = [1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17]
    >>> print(cost_thresholds(y, score, [0.1, 0.5, 0.9]))
    [0.75 0.75 0.17]
    """
    with rename_arguments(y_true="y_valid", y_score="score_valid"):
        curve = cost_curve(y_valid, score_valid, positive=positive)
    return curve.threshold_at(w)


def calibrated_thresholds(w: npt.ArrayLike, prevalence: float = 0.5) -> FloatArray:
    """Thresholds for scores that are calibrated probabilities of being positive.

    Parameters
    ----------
    w : float or array-like
        Operating conditions, from 0 to 1.
    prevalence : float, default 0.5
        Share of positives in the data that the probabilities were learned from.

    Returns
    -------
    ndarray
        p (1 - w) / (p (1 - w) + (1 - p) w) with p the prevalence; 1 - w for one half.

    Examples
    --------
    >>> print(calibrated_thresholds([0.1, 0.5], prevalence=0.1))
    [0.5 0.1]
    """
    at, share = check_w(w), check_prevalence(prevalence)
    return np.asarray(share * (1.0 - at) / (share * (1.0 - at) + (1.0 - share) * at))
