"""Operating points: which threshold, what it achieves, and how sure that is; all methods listed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_choice, check_share, check_unit_interval
from rocbands.core.columns import against_rest, score_column
from rocbands.core.method import resolve_method
from rocbands.core.public import public
from rocbands.core.randomness import Rng
from rocbands.core.result import Words
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.errors import InputError, arg
from rocbands.points.bootstrap import PointBootstrap
from rocbands.points.clopper_pearson import PointClopperPearson
from rocbands.points.eer import find_equal_error
from rocbands.points.likelihood import PointLikelihood
from rocbands.points.method import Fixed, PointMethod
from rocbands.points.result import OperatingPoints
from rocbands.points.thresholds import (
    OPTIMISTIC,
    OWN_RATES,
    Best,
    ErrorWeights,
    find_thresholds,
)
from rocbands.points.wilson import PointWilson

__all__ = ["DEFAULT", "METHODS", "SHARED_FILES", "PointMethod", "operating_points"]

METHODS: dict[str, type[PointMethod]] = {
    "likelihood": PointLikelihood,
    "wilson": PointWilson,
    "clopper-pearson": PointClopperPearson,
    "bootstrap": PointBootstrap,
}
SHARED_FILES: dict[str, str] = {}
DEFAULT: dict[Fixed, str] = {"rates": "likelihood", "thresholds": "wilson"}

_KINDS = ("fpr", "tpr", "threshold", "rate", "precision", "best")


@public
def operating_points(
    y_true: Any,
    y_score: Any = None,
    method: str | PointMethod | None = None,
    *,
    fpr: npt.ArrayLike | None = None,
    tpr: npt.ArrayLike | None = None,
    threshold: npt.ArrayLike | None = None,
    rate: npt.ArrayLike | None = None,
    precision: npt.ArrayLike | None = None,
    best: Best | None = None,
    c_fn: float = 1.0,
    c_fp: float = 1.0,
    prevalence: float | None = None,
    test: tuple[Any, Any] | RocCurve | None = None,
    joint: bool = False,
    level: float = 0.95,
    words: Words = "rates",
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    n_resamples: int | None = None,
    positive: object = None,
    rest: bool = False,
    rng: Rng = "data",
) -> OperatingPoints:
    """Find thresholds, and confidence limits for what they achieve.

    Exactly one of `fpr`, `tpr`, `threshold`, `rate`, `precision` and `best` says which points are
    wanted; all but `best` may be several numbers. A row is called positive when its
    score >= threshold. ``specificity=0.9`` may be written for ``fpr=0.1``, and `sensitivity` or
    `recall` for `tpr`; the answer is then in these words, too.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    method : str or PointMethod, optional
        For fixed rates 'likelihood' (default), 'wilson' or 'bootstrap'; for thresholds 'wilson'
        (default), 'clopper-pearson' or 'likelihood', which is the default for rows with groups or
        weights. See Notes.
    fpr : float or array-like, optional
        Fixed false positive rates: limits are for the height of the true curve there.
    tpr : float or array-like, optional
        Fixed true positive rates: limits are for the true curve's false positive rate there.
    threshold : float or array-like, optional
        Thresholds that were fixed beforehand.
    rate : float or array-like, optional
        Shares of all rows that may be called positive, at most.
    precision : float or array-like, optional
        Precisions (positive predictive values) to reach, at `prevalence`: of the thresholds that do
        on these rows the one with the largest recall.
    best : {'youden', 'corner', 'cost', 'eer'}, optional
        'youden': largest tpr - fpr. 'corner': closest to (0, 1). 'cost': smallest expected cost.
        'eer': the equal error rate, where fpr = 1 - tpr, with a likelihood interval for it.
        All thresholds that are best are returned, if several are.
    c_fn, c_fp : float, default 1
        Costs of a false negative and of a false positive, for `best`.
    prevalence : float, optional
        Share of positives where the threshold will be used: for PPV, NPV and F1, by default that of
        the rows, whose error their limits then include; and for `best`, by default that of the rows
        for 'cost', and one half, which gives both rates the same weight, for the others.
    test : (array-like, array-like) or RocCurve, optional
        Labels and scores of a second set, or its curve. Thresholds are then found on the first set,
        and rates and limits come from the second: nothing is optimistic about them.
    joint : bool, default False
        For thresholds: True makes both rates of a point lie inside their limits together as often
        as `level` says, by limits at the root of `level` each.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    words : {'rates', 'medical', 'learning'}, default 'rates', or those of the question
        Names of the columns in tables: fpr and tpr; specificity and sensitivity, printed with PPV,
        NPV and likelihood ratios; or recall and precision, printed with F1.
    groups, weights, strata : array-like of shape (n,), optional
        The group of each row, its weight, and the stratum in which it was sampled, as
        for :func:`rocbands.roc_curve`; for 'likelihood'. A test set of such rows is passed as a
        curve.
    n_resamples : int, optional
        Test sets drawn by 'wilson' and 'bootstrap' at fixed rates, 2000 by default, only where a
        positive shares its score with a negative; elsewhere they need none.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness where there is any.

    Returns
    -------
    OperatingPoints
        A table, one row for each point: the rates, their limits, the threshold, and PPV, NPV,
        likelihood ratios and F1 with limits.

    Notes
    -----
    At a threshold that was fixed beforehand both counts are binomial and independent.

    At a fixed rate the threshold itself is unknown. 'likelihood' keeps the heights v for which
    some point of the empirical curve agrees with (fpr, v): the smallest log-likelihood ratio of
    both counts, doubled, is at most a chi-square quantile with one degree of freedom. 'bootstrap'
    takes percentiles of the height in stratified resamples, from their exact distribution;
    'wilson' takes Wilson's limits around its mean, with as many cases as give its variance. Both
    are too short where the fpr is worth few negatives. Measured coverage is in
    docs/coverage-points.md.

    At a threshold, with the prevalence of the rows, PPV, NPV and the Jaccard index that F1 is a
    function of are binomial shares given their denominators, and have the method's limits of a
    share. At a fixed rate and a given prevalence the limits of the other rate are mapped, which is
    exact. Otherwise limits of the factors are combined by MOVER on the logarithm, which is close to
    the level for large counts.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> at = rb.operating_points(y, models["logistic"], fpr=[0.05, 0.1], positive="malignant")
    >>> print(at.tpr.round(2), at.tpr_low.round(2), at.tpr_high.round(2))
    [0.53 0.69] [0.36 0.6 ] [0.69 0.77]
    """
    positive = against_rest(positive, rest)
    check_choice(words, get_args(Words), "words")
    kind, wanted = _find_kind(fpr, tpr, threshold, rate, precision, best)
    errors = ErrorWeights.from_arguments(c_fn, c_fp, prevalence, kind, best)
    if test is not None and kind == "threshold":
        raise InputError(
            f"{arg('test')} judges thresholds that are found on the first set",
            f"{arg('threshold')} fixes them",
            f"Pass the test set's labels and scores in place of the first, without {arg('test')}.",
        )
    at_rate = kind in ("fpr", "tpr") or best == "eer"
    fixed: Fixed = "rates" if at_rate and test is None else "thresholds"
    known = {name: cls for name, cls in METHODS.items() if fixed in cls.fixed}
    design = {"groups": groups, "weights": weights, "strata": strata}
    uses = ("groups", "weights")
    roc = as_roc_curve(y_true, y_score, positive=positive, **design, uses=uses)
    judged = test if isinstance(test, RocCurve) else roc
    default = DEFAULT[fixed] if judged.independent else "likelihood"
    chosen = resolve_method(method, known, PointMethod, default, n_resamples=n_resamples)
    share = None if prevalence is None else check_share(prevalence, "prevalence")
    if best == "eer" and test is None:
        return replace(_take_equal_error(roc, chosen, joint, level, share), words=words)
    how: dict[str, Any] = {"joint": joint, "level": level, "prevalence": share, "rng": rng}
    if fixed == "rates":
        found = chosen(roc, **{kind: wanted}, **how)
        return found if found.words == words else replace(found, words=words)
    cut, notes = find_thresholds(roc, kind, wanted, errors)
    if test is not None:
        roc, notes = _take_test_set(test, positive, roc, notes)
    found = chosen(roc, threshold=cut, **how)
    asked = f"best {best}" if best else kind
    return replace(found, asked=asked, notes=found.notes + notes, words=words)


def _take_equal_error(
    roc: RocCurve, method: PointMethod, joint: bool, level: float, prevalence: float | None
) -> OperatingPoints:
    """Check what is asked beside the equal error rate, which has a likelihood interval only."""
    if not isinstance(method, PointLikelihood):
        raise InputError(
            f"The equal error rate has limits by {arg('method', 'likelihood')} only",
            f"got {method.name!r}",
            f"Leave {arg('method')} out.",
        )
    if joint:
        raise InputError(
            f"{arg('joint')} is for both rates of a threshold",
            "the equal error rate is one number",
            f"Leave {arg('joint')} out.",
        )
    return find_equal_error(roc, method, method.check_request(roc, level=level), prevalence)


def _find_kind(*given: Any) -> tuple[str, Any]:
    """Return which kind of point is wanted, and the numbers (or the name) that say where."""
    kinds = [kind for kind, value in zip(_KINDS, given, strict=True) if value is not None]
    if len(kinds) != 1:
        found = " and ".join(arg(kind) for kind in kinds) + " were" if kinds else "none was"
        raise InputError(
            f"Exactly one of {', '.join(arg(kind) for kind in _KINDS)} must be given",
            found,
            f"Pass, for example, {arg('fpr', 0.05)} or {arg('best', 'youden')}.",
        )
    kind = kinds[0]
    value = given[_KINDS.index(kind)]
    if kind == "best":
        check_choice(value, get_args(Best), "best")
        return kind, value
    single = np.ndim(value) == 0
    if kind == "threshold":
        return kind, score_column([value] if single else value, "threshold")
    return kind, check_unit_interval([value] if single else value, kind).ravel()


def _take_test_set(
    test: tuple[Any, Any] | RocCurve,
    positive: object,
    first: RocCurve,
    notes: tuple[str, ...],
) -> tuple[RocCurve, tuple[str, ...]]:
    """Take the set that judges thresholds found on the first, and say so."""
    if isinstance(test, RocCurve):
        second = as_roc_curve(test, None, uses=("groups", "weights"))
    elif isinstance(test, (tuple, list)) and len(test) == 2:
        second = as_roc_curve(*test, positive=positive)
    else:
        raise InputError(
            "must be the labels and the scores of a second set",
            f"got {type(test).__name__}",
            f"Pass {arg('test')} as (y_test, score_test).",
            argument="test",
        )
    note = (
        f"Thresholds were found on {first.n_pos} positives and {first.n_neg} negatives, "
        "and are judged on other rows."
    )
    kept = tuple(each for each in notes if each not in (OPTIMISTIC, OWN_RATES))
    return second, (*kept, note)
