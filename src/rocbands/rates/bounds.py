"""Recall at each rate of acting, with limits, from folds or from one test set."""

from __future__ import annotations

import math
import warnings
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_flag,
    check_level,
    check_number,
    check_unit_interval,
)
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.core.scores import Folds, Scores
from rocbands.errors import InputError, RocBandsWarning
from rocbands.rates.baselines import BaselineBeta, BaselineNormal, BaselineT
from rocbands.rates.bootstraps import Adjust, Conditional, Discard
from rocbands.rates.consensus import LARGE, Consensus, Limits
from rocbands.rates.counted import binned_limits, check_counted, table_of, words_on_bins
from rocbands.rates.methods import Exact, Parametric, RateMethod
from rocbands.rates.results import RateBounds, Scheme
from rocbands.rates.table import RateTable

__all__ = ["METHODS", "bounds_of_table", "consensus_of", "default_rates", "rate_bounds"]

METHODS: dict[str, type[RateMethod]] = {
    method.name: method
    for method in (
        Parametric,
        Exact,
        Conditional,
        Discard,
        Adjust,
        BaselineT,
        BaselineNormal,
        BaselineBeta,
    )
}

_GRID = 201
VARIED = 1.5  # times as much as rows explain: from here on ten folds are not of one curve


def rate_bounds(
    y_true: Any,
    y_score: Any = None,
    folds: Any = None,
    method: str | RateMethod = "parametric",
    *,
    level: float = 0.95,
    prediction: bool = False,
    rates: npt.ArrayLike | None = None,
    scheme: Scheme | None = None,
    prevalence: float | None = None,
    positive: object = None,
    rng: Any = None,
) -> RateBounds:
    """Bound the share of positives found when a fixed share of cases is acted on.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted. 'parametric' takes one
        of any size, and in bins.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    folds : array-like of shape (n,), optional
        The fold of each row, where different models have scored them. Scores are compared within
        folds only. Without, all rows are one test set.
    method : str or instance, default 'parametric'
        'parametric', 'exact', 'conditional', 'discard', 'adjust', 'baseline-t', 'baseline-normal'
        or 'baseline-beta', or an instance from `rocbands.rates` with its parameters.
    level : float, default 0.95
        Confidence level at each rate, strictly between 0 and 1.
    prediction : bool, default False
        True: limits for the consensus of new data of the same sizes, instead of the true curve.
    rates : array-like, optional
        Shares of cases acted on. By default every k/n of folds of n rows, up to 2,000; otherwise
        0, 0.005, ..., 1.
    scheme : {'counts', 'reference'}, optional
        How folds are put together. 'counts': act on the same share of each fold and add up what is
        found. 'reference': cut each fold's own ROC curve at the rate of a population with the same
        share of positives for all. By default 'counts', unless the folds' shares of positives are
        so far apart that it would mislead; a warning then says so.
    prevalence : float, optional
        Share of positives of the reference population; by default that of all folds.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness of 'conditional', 'discard' and 'adjust'.

    Returns
    -------
    RateBounds
        Recall and its limits at each rate, and what they are for.

    Notes
    -----
    The folds' labels by rank give one curve: at each rate the chance that the case there is
    positive. Limits are quantiles of the consensus of a new table drawn along that curve; as
    confidence limits for the true curve they are a parametric bootstrap. They assume that all
    folds share one curve: see `RateBounds.heterogeneity`, and prefer 'baseline-t' where for ten
    folds or more it is above 1.5; a note says so. Limits hold at each rate on its own, not at all
    of them together.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> bounds = rb.rate_bounds(y, models["logistic"], positive="malignant", rates=[0.1, 0.3])
    >>> print(bounds.tpr.round(2), bounds.lower.round(2), bounds.upper.round(2))
    [0.26 0.66] [0.25 0.62] [0.27 0.7 ]
    """
    level = check_level(level)
    check_flag(prediction, "prediction")
    rule = _method(method)
    wanted = None if rates is None else _rates(rates)
    roc = None
    if isinstance(y_true, RocCurve) or y_score is None:
        roc = as_roc_curve(y_true, y_score, positive=positive, folds=folds, uses=("folds",))
        table, frame = table_of(roc), roc.frame
        check_counted(roc, table, rule, scheme == "reference" or prevalence is not None)
    else:
        parts = _rows(y_true, y_score, folds, positive)
        table, frame = RateTable.of_scores(parts), parts[0].frame
    consensus, notes = consensus_of(table, wanted, scheme=scheme, prevalence=prevalence)
    if roc is not None and roc.binned and isinstance(rule, Parametric):
        limits = binned_limits(roc, consensus, rule, level, prediction)
        notes += words_on_bins(roc, consensus.rates)
    else:
        limits = rule(consensus, level=level, prediction=prediction, rng=rng)
    table = consensus.table
    return RateBounds(
        rate=consensus.rates,
        tpr=consensus.tpr,
        lower=limits.lower,
        upper=limits.upper,
        model_mean=limits.mean,
        prevalence=consensus.prevalence,
        n_folds=len(table.folds),
        n_pos=int(table.n_pos.sum()),
        n_neg=int(table.n_neg.sum()),
        level=level,
        method=rule.name,
        prediction=bool(prediction),
        scheme=consensus.scheme,
        target=_target(rule, consensus, prediction),
        heterogeneity=consensus.heterogeneity,
        notes=notes + _words(rule, consensus) + _points(rule, consensus, limits),
        frame=frame,
    )


def _rows(y_true: Any, y_score: Any, folds: Any, positive: object) -> list[Scores]:
    """Check rows, of one test set or of folds."""
    if folds is None:
        return [Scores.from_columns(y_true, y_score, positive=positive)]
    return list(Folds.from_columns(y_true, y_score, folds, positive=positive, one_class=True))


def bounds_of_table(
    table: RateTable | npt.ArrayLike,
    method: str | RateMethod = "parametric",
    *,
    level: float = 0.95,
    prediction: bool = False,
    rates: FloatArray | None = None,
    rng: Any = None,
) -> Limits:
    """Return the limits of the recall straight from ranked labels, for studies.

    Parameters
    ----------
    table : RateTable or array-like of shape (folds, n)
        Labels by falling score, one row for each fold; equal scores share their mean label.
    method, level, prediction, rng
        As in `rate_bounds`.
    rates : ndarray, optional
        Shares of cases acted on, rising; by default 0, 1/n, ..., 1.

    Examples
    --------
    >>> limits = bounds_of_table([[1, 1, 0, 0], [1, 0, 1, 0]], "exact")
    >>> print(limits.lower, limits.upper)
    [0.   0.25 0.5  0.75 1.  ] [0.  0.5 1.  1.  1. ]
    """
    labels = table if isinstance(table, RateTable) else RateTable.of_labels(table)
    consensus = Consensus.by_counts(labels, default_rates(labels) if rates is None else rates)
    return _method(method)(consensus, level=level, prediction=prediction, rng=rng)


def default_rates(table: RateTable) -> FloatArray:
    """Every place of the folds, where they are of one size and not too large; or an even grid."""
    sizes = table.sizes
    if (sizes == sizes[0]).all() and sizes[0] <= LARGE:
        return np.arange(int(sizes[0]) + 1) / int(sizes[0])
    return np.arange(_GRID) / (_GRID - 1)


def consensus_of(
    table: RateTable,
    rates: FloatArray | None = None,
    *,
    scheme: Scheme | None = None,
    prevalence: float | None = None,
) -> tuple[Consensus, tuple[str, ...]]:
    """Put folds together by the scheme that is asked for, or that suits them; and say so."""
    if scheme is not None:
        check_choice(scheme, get_args(Scheme), "scheme")
    if prevalence is not None:
        prevalence = check_number(prevalence, "prevalence", above=0.0, below=1.0)
        if scheme == "counts":
            raise InputError(
                "`prevalence` is that of the reference population; scheme='counts' has none. "
                "Use scheme='reference', or leave `prevalence` out."
            )
    apart = table.apart
    shares = table.n_pos / table.sizes
    if apart and scheme != "reference" and prevalence is None:
        found = f"Shares of positives in the folds differ, from {shares.min():.3g} to "
        found += f"{shares.max():.3g}: "
        remedy = (
            "adding up counts at one rate is then biased. Use scheme='reference'."
            if scheme == "counts"
            else "each fold's curve is cut at the rate of a population with their common share "
            "(scheme='reference')."
        )
        warnings.warn(found + remedy, RocBandsWarning, stacklevel=3)
    by_counts = scheme == "counts" or (scheme is None and prevalence is None and not apart)
    wanted = default_rates(table) if rates is None else rates
    if by_counts:
        return Consensus.by_counts(table, wanted), ()
    kept, notes = _with_both_classes(table)
    pi = table.prevalence if prevalence is None else prevalence
    note = f"Rates are those of a population with a share of positives of {pi:.4g}."
    return Consensus.by_reference(kept, wanted, pi), (note, *notes)


def _with_both_classes(table: RateTable) -> tuple[RateTable, tuple[str, ...]]:
    """Drop folds that have no ROC curve."""
    both = (table.n_pos > 0) & (table.n_neg > 0)
    if both.all():
        return table, ()
    if not both.any():
        raise InputError(
            "scheme='reference' needs a fold with both classes; there is none. "
            "Use scheme='counts', or stratify the folds."
        )
    lost = int(np.count_nonzero(~both))
    words = f"{lost} of {both.size} folds hold one class only, have no ROC curve and are left out."
    warnings.warn(f"{words} Stratify the folds.", RocBandsWarning, stacklevel=4)
    folds = tuple(fold for fold, kept in zip(table.folds, both, strict=True) if kept)
    return RateTable(folds, table.n_pos[both], table.n_neg[both]), (words,)


def _rates(rates: npt.ArrayLike) -> FloatArray:
    wanted = np.sort(np.atleast_1d(check_unit_interval(rates, "rates")).ravel())
    if wanted.size == 0:
        raise InputError("`rates` must hold at least one rate; it is empty. Pass, say, rates=0.05.")
    return wanted


def _method(method: Any) -> RateMethod:
    if isinstance(method, tuple(METHODS.values())):
        return method  # type: ignore[return-value]
    if not isinstance(method, str):
        raise InputError(
            f"`method` must be one of {', '.join(METHODS)}, or an instance of such a method; "
            f"got {method!r}."
        )
    check_choice(method, tuple(METHODS), "method")
    return METHODS[method]()


def _target(rule: RateMethod, consensus: Consensus, prediction: bool) -> str:
    folds = len(consensus.table.folds)
    if prediction:
        return f"consensus of {folds} new folds" if folds > 1 else "curve of a new test set"
    if folds == 1:
        return "true curve"
    if rule.folds > 1:
        return f"average of {folds} models' true curves"
    return f"true curve, if {folds} folds share one"


def _explained(folds: int) -> float:
    """Ratio of variances up to which folds may be of one curve: few folds vary more by chance."""
    return max(VARIED, 1.0 + 3.0 * (VARIED - 1.0) / math.sqrt(folds - 1.0))


def _words(rule: RateMethod, consensus: Consensus) -> tuple[str, ...]:
    ratio = consensus.heterogeneity
    if ratio is None or rule.folds > 1 or ratio <= _explained(len(consensus.table.folds)):
        return ()
    return (
        "That is more than one curve explains: the limits are too narrow. "
        "method='baseline-t' allows for it.",
    )


def _points(rule: RateMethod, consensus: Consensus, limits: Limits) -> tuple[str, ...]:
    """Say where limits have no width although the rate leaves room: that is not certainty."""
    pi, rates = consensus.prevalence, consensus.rates
    room = np.minimum(1.0, rates / pi) - np.maximum(0.0, (rates - (1.0 - pi)) / pi)
    same = np.count_nonzero((room > 1e-9) & (limits.upper - limits.lower <= 1e-9))
    if not same:
        return ()
    where = "between these folds" if rule.folds > 1 else "along the curve of these rows"
    other = " method='parametric' allows for what was not seen."
    return (
        f"At {same} of {rates.size} rates the limits are a point, as nothing varies {where}; that "
        f"is not certainty.{'' if rule.name == 'parametric' else other}",
    )
