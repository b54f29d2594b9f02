"""Thresholds for operating conditions, chosen without looking at the test set."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray, freeze
from rocbands.core.columns import against_rest, score_column
from rocbands.core.randomness import Rng, digest_arguments, make_generator
from rocbands.core.scores import PairedScores
from rocbands.cost.conditions import check_prevalence, check_shapes, check_w
from rocbands.cost.envelope import cost_curve
from rocbands.errors import InputError, arg, call


def cost_thresholds(
    y_valid: Any, score_valid: Any = None, *, w: Any, positive: object = None, rest: bool = False
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
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.

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
    >>> print(cost_thresholds(y, score, w=[0.1, 0.5, 0.9]))
    [0.75 0.75 0.17]
    """
    try:
        curve = cost_curve(y_valid, score_valid, positive=against_rest(positive, rest))
    except InputError as problem:
        raise problem.rename({"y_true": "y_valid", "y_score": "score_valid"}) from None
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
    check_shapes(share, at, "w")
    return np.asarray(share * (1.0 - at) / (share * (1.0 - at) + (1.0 - share) * at))


def check_thresholds(thresholds: Any, size: int, name: str = "thresholds") -> npt.NDArray[Any]:
    """Return one threshold for each of `size` conditions; a single one is for all of them."""
    if thresholds is None:
        raise InputError(
            "must be chosen before the test set is seen",
            "got None",
            f"Choose them on other rows by {call('cost_thresholds')}, or pass your own.",
            argument=name,
        )
    try:
        dimensions = np.ndim(thresholds)
    except ValueError:  # rows of different lengths
        dimensions = 2
    if dimensions > 1:
        raise InputError(
            "must be a number or one-dimensional",
            "each row has several",
            "Pass one value for each operating condition.",
            argument=name,
        )
    column = score_column([thresholds] if dimensions == 0 else thresholds, name)
    if column.size == 1:
        return np.repeat(column, size)
    if size not in (1, column.size):
        raise InputError(
            "must have one value for each operating condition",
            f"there are {column.size} for {size}",
            f"Pass the {arg('w')} that the thresholds were chosen for.",
            argument=name,
        )
    return column


def choose_half(is_positive: BoolArray, rng: Rng) -> BoolArray:
    """Choose half of the rows of either class at random; there must be two of either.

    With ``rng="data"`` the choice depends on the class sizes and on where the rows are.
    """
    sizes = int(np.count_nonzero(is_positive)), is_positive.size
    generator = make_generator(rng, lambda: digest_arguments(*sizes))
    chosen = np.zeros(is_positive.size, dtype=np.bool_)
    for own in (is_positive, ~is_positive):
        half = np.zeros(np.count_nonzero(own), dtype=np.bool_)
        if half.size < 2:
            raise InputError(
                "Halves of the rows need two rows of either class",
                "one class has only 1",
                "Choose thresholds on other rows.",
            )
        half[generator.choice(half.size, half.size // 2, replace=False)] = True
        chosen[own] = half
    return chosen


def split_rows(scores: PairedScores, rng: Rng) -> tuple[PairedScores, PairedScores]:
    """Split the rows at random: half of either class to choose thresholds, the others to judge.

    `scores`: the rows; there must be two of either class.
    """
    first = choose_half(scores.is_positive, rng)
    choosing, judging = (
        PairedScores(
            freeze(scores.is_positive[part]),
            {name: freeze(column[part]) for name, column in scores.models.items()},
            scores.positive,
            scores.frame,
        )
        for part in (first, ~first)
    )
    return choosing, judging
