"""Brier score: the mean squared error of probabilities, with a confidence interval.

An error d = (score - y)^2 lies in [0, 1], so that its variance is at most B (1 - B), where B is its
mean, the Brier score. The interval is Wilson's: all theta with

    |B - theta| <= q sqrt(u theta (1 - theta)),

where u is the variance V of B relative to B (1 - B), and q Student's quantile. One pseudo
observation with the largest variance, V = 1 where B (1 - B) = 1, is added to n cases:

    u = (n V + 1 / n) / (n B (1 - B) + 1).

A model that is nearly always right, and certain of it, has few large errors, and a test set may
have none: plus and minus two standard errors is then far too narrow. Predictions of 0 and 1 have
Wilson's interval of a proportion, as V = B (1 - B) / n. With weights n is their effective number,
with groups the number of groups.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from rocbands.core.arguments import explain
from rocbands.core.checks import FloatArray, check_level, check_unit_interval
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Handling
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import find_ends

HANDLING = Handling(
    "brier_score_interval",
    "calibration",
    "score interval of the mean squared error, with one pseudo observation",
    ("groups", "weights", "class weights", "folds"),
)


class _Errors(NamedTuple):
    """Squared errors of the cases, with the weights of all cases that share one."""

    size: FloatArray  # (k,) the squared errors
    weight: FloatArray  # sum of the weights
    squares: FloatArray  # sum of the squared weights


@explain
def brier_score_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
) -> Interval:
    """Confidence interval for the Brier score, the mean squared error of probabilities.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the probabilities of the positive one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    Interval
        The estimate equals scikit-learn's ``brier_score_loss``; smaller is better.

    Notes
    -----
    Wilson's interval with the estimated variance of the squared errors and one pseudo observation.
    Measured coverage at nominal .95: docs/summary.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.brier_score_interval(rb.load_example()["logistic"])
    >>> print(f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
    0.125 (0.109 to 0.143)
    """
    level = check_level(level)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    errors = _find_errors(roc)
    total = float(errors.weight.sum())
    mean = min(float(errors.weight @ errors.size) / total, 1.0)
    cases, variance, df = _find_variance(roc, errors, mean, total)
    spread = mean * (1.0 - mean)
    unit = (cases * variance + 1.0 / cases) / (cases * spread + 1.0)
    low, high = find_ends(mean, unit, -float(stdtrit(df, (1.0 - level) / 2.0)))
    target = "average Brier score of the folds' models" if roc.folds else "true Brier score"
    return Interval(
        quantity="Brier score",
        estimate=mean,
        low=low,
        high=high,
        level=level,
        method="score",
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        standard_error=math.sqrt(variance),
        target=target,
        frame=roc.frame,
    )


def _find_errors(roc: RocCurve) -> _Errors:
    """Find the squared errors of positives and of negatives at each distinct score."""
    sizes, weights, squares = [], [], []
    for part in roc.folds or (roc,):
        advice = "The Brier score is for probabilities, not for scores of another scale."
        score = check_unit_interval(part.thresholds, "y_score", advice)
        own = part.weights
        counts = [np.diff(side, prepend=0).astype(np.float64) for side in (part.tp, part.fp)]
        sizes += [(1.0 - score) ** 2, score**2]
        weights += counts if own is None else [own.pos, own.neg]
        squares += counts if own is None else [own.pos_squares, own.neg_squares]
    return _Errors(*(np.concatenate(parts) for parts in (sizes, weights, squares)))


def _find_variance(
    roc: RocCurve, errors: _Errors, mean: float, total: float
) -> tuple[float, float, float]:
    """Return the number of independent cases, the variance of the mean, degrees of freedom."""
    if roc.groups is None:
        cases = total**2 / float(errors.squares.sum())
        sum_of_squares = float(errors.squares @ (errors.size - mean) ** 2) / total**2
    else:
        of = roc.groups
        place = np.where(of.is_positive, of.step, of.step + roc.thresholds.size)
        weight = np.ones(place.size) if of.weight is None else of.weight
        if of.weight is None and roc.weights is not None:  # equal within each class
            weight = np.where(of.is_positive, *_weigh_classes(roc))
        sums = np.bincount(of.code, weight * (errors.size[place] - mean), of.size)
        cases = float(of.size)
        sum_of_squares = float(sums @ sums) / total**2
    df = max(cases - 1.0, 1.0)
    return cases, sum_of_squares * cases / df, df


def _weigh_classes(roc: RocCurve) -> tuple[float, float]:
    """Return the weight of a positive and of a negative, where weights differ by class only."""
    own = roc.weights
    if own is None:
        return 1.0, 1.0
    return float(own.pos.sum()) / roc.n_pos, float(own.neg.sum()) / roc.n_neg
