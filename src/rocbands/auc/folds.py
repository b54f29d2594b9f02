"""Confidence intervals from the folds of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.checks import FloatArray, check_choice, check_level, frozen
from rocbands.core.interval import Alternative, FoldInterval, check_alternative
from rocbands.core.placements import Moments, moments
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Folds
from rocbands.core.variances import delong
from rocbands.errors import InputError

__all__ = ["METHODS", "fold_auc_interval"]


class Parts(NamedTuple):
    """What the methods need to know of the folds.

    Attributes
    ----------
    auc : ndarray of shape (k,)
        The AUC of each fold.
    moments : tuple of Moments
        Of the placements in each fold.
    n_pos, n_neg : ndarray of int, shape (k,)
        Class sizes of each fold.
    labels : tuple
        The folds' own names.
    repeats : int
        How often all rows were cut into folds.
    """

    auc: FloatArray
    moments: tuple[Moments, ...]
    n_pos: FloatArray
    n_neg: FloatArray
    labels: tuple[object, ...]
    repeats: int


def fold_auc_interval(
    y_true: Any,
    y_score: Any,
    folds: Any,
    method: str = "t",
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    repeats: int = 1,
    positive: object = None,
) -> FoldInterval:
    """Confidence interval for the AUC from cross-validated scores; the estimate is the folds' mean.

    Scores of different folds come from different models and are never compared.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score : array-like of shape (n,)
        Each row's score by the model that was fitted without its fold.
    folds : array-like of shape (n,)
        The fold of each row. Every fold must hold both classes.
    method : {'t', 'nadeau-bengio', 'influence', 'fold-delong'}
        The first two are for the expected AUC of models trained as these were, the last two for
        the average AUC of just these models:

        - 't': the mean and Student's t of the folds' AUCs, as if folds were independent. They share
          training rows, so that the interval tends to be too narrow.
        - 'nadeau-bengio': the same with 1/k replaced by 1/k + 1/(k - 1).
        - 'influence': the influence curve of the cross-validated AUC, ties counted one half.
        - 'fold-delong': DeLong's variance in each fold; better for small folds, of which each
          needs two cases of both classes.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.
    repeats : int, default 1
        How often the cross-validation was repeated with the rows cut anew; only 'nadeau-bengio'
        can use more than one. Rows then come once for each repetition, and folds of different
        repetitions have different names.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    FoldInterval
        With `fold_estimates`, the `target` of the method, and `unclipped`, the limits as the
        formula gives them: `low` and `high` are clipped to [0, 1].

    Examples
    --------
    >>> y = [1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
    >>> s = [4, 3, 2, 1, 4, 2, 3, 1, 4, 1, 3, 2]
    >>> auc = fold_auc_interval(y, s, folds=[1] * 4 + [2] * 4 + [3] * 4)
    >>> auc.fold_estimates
    array([1.  , 0.75, 0.5 ])
    >>> auc.estimate, round(auc.unclipped[1], 4)
    (0.75, 1.371)
    """
    level = check_level(level)
    check_alternative(alternative)
    check_choice(method, tuple(METHODS), "method")
    parts = _parts(Folds.from_columns(y_true, y_score, folds, positive=positive), repeats, method)
    how = METHODS[method]
    error = how.error(parts)
    tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    df = parts.auc.size - 1.0
    half = -float(stdtrit(df, tail) if how.student else ndtri(tail)) * error
    mean = float(parts.auc.mean())
    unclipped = (
        -math.inf if alternative == "less" else mean - half,
        math.inf if alternative == "greater" else mean + half,
    )
    return FoldInterval(
        quantity="AUC",
        estimate=mean,
        low=min(max(unclipped[0], 0.0), mean),
        high=max(min(unclipped[1], 1.0), mean),
        level=level,
        method=method,
        n_pos=int(parts.n_pos.sum()),
        n_neg=int(parts.n_neg.sum()),
        standard_error=error,
        alternative=alternative,
        target=how.target,
        notes=(how.note,) if error > 0.0 else (how.note, _POINT),
        fold_estimates=frozen(parts.auc),
        unclipped=unclipped,
    )


_POINT = (
    "The variance is estimated as 0, so that limits are the estimate itself; that says nothing "
    "about how far the AUC can be trusted."
)


def _parts(folds: Folds, repeats: int, method: str) -> Parts:
    curves = [RocCurve.from_scores(fold) for fold in folds]
    whole = isinstance(repeats, int | np.integer) and not isinstance(repeats, bool) and repeats >= 1
    if not whole or len(curves) % repeats or len(curves) // repeats < 2:
        raise InputError(
            f"`repeats` must divide the {len(curves)} folds into repetitions of two or more; "
            f"got {repeats!r}."
        )
    if repeats > 1 and method != "nadeau-bengio":
        raise InputError(
            f"Method {method!r} is for one cross-validation, not for {repeats} of the same rows. "
            "Use method='nadeau-bengio', or give the folds of one repetition."
        )
    return Parts(
        np.array([curve.auc for curve in curves]),
        tuple(moments(curve) for curve in curves),
        np.array([float(curve.n_pos) for curve in curves]),
        np.array([float(curve.n_neg) for curve in curves]),
        folds.labels,
        repeats,
    )


def _t(parts: Parts) -> float:
    return float(parts.auc.std(ddof=1)) / math.sqrt(parts.auc.size)


def _nadeau_bengio(parts: Parts) -> float:
    scores = parts.auc.size
    ratio = 1.0 / (scores / parts.repeats - 1.0)  # test rows to training rows
    return float(parts.auc.std(ddof=1)) * math.sqrt(1.0 / scores + ratio)


def _influence(parts: Parts) -> float:
    n_pos, n_neg = parts.n_pos.sum(), parts.n_neg.sum()
    total = n_pos + n_neg
    pos = np.array([fold.pos for fold in parts.moments])
    neg = np.array([fold.neg for fold in parts.moments])
    squares = parts.n_pos * pos * (total / n_pos) ** 2 + parts.n_neg * neg * (total / n_neg) ** 2
    return math.sqrt(float(np.mean(squares / (parts.n_pos + parts.n_neg))) / total)


def _fold_delong(parts: Parts) -> float:
    least = np.minimum(parts.n_pos, parts.n_neg)
    if least.min() < 2:
        fold = int(np.argmin(least))
        kind = "positive" if parts.n_pos[fold] < 2 else "negative"
        raise InputError(
            f"Method 'fold-delong' needs two cases of each class in every fold; fold "
            f"{parts.labels[fold]!r} has one {kind}. Use method='influence', or fewer folds."
        )
    of_folds = zip(parts.moments, parts.n_pos, parts.n_neg, strict=True)
    return math.sqrt(sum(delong(*fold) for fold in of_folds)) / parts.auc.size


class How(NamedTuple):
    """A method: its standard error, its quantiles, and what it is for."""

    error: Callable[[Parts], float]
    student: bool
    target: str
    note: str


_LEARNER = "expected AUC of models trained as the folds' models were"
_MODELS = "average AUC of the folds' models on new cases"
_SHARED = "Folds share training rows, which this interval"

METHODS = {
    "t": How(_t, True, _LEARNER, f"{_SHARED} ignores; it tends to be too narrow."),
    "nadeau-bengio": How(
        _nadeau_bengio, True, _LEARNER, f"{_SHARED} allows for by a rule of thumb."
    ),
    "influence": How(_influence, False, _MODELS, "Not for a model fitted again to all rows."),
    "fold-delong": How(_fold_delong, False, _MODELS, "Not for a model fitted again to all rows."),
}
