"""Single points on the curve: which threshold, what it achieves, and how sure that is."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_level,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.columns import score_column
from rocbands.core.points import OperatingPoints
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.errors import InputError
from rocbands.points.choice import Best, Weights
from rocbands.points.cuts import (
    OPTIMISTIC,
    OWN_RATES,
    at_thresholds,
    found_thresholds,
    scores_of,
    steps_at,
    words_on_steps,
)
from rocbands.points.heights import HeightMethod, height_limits, shared_scores

__all__ = ["operating_points"]

PointMethod: TypeAlias = HeightMethod | Literal["clopper-pearson"]

_KINDS = ("fpr", "tpr", "threshold", "rate", "best")
_FEW = 5.0  # cases beyond a fixed rate, below which resampled limits are too short


def operating_points(
    y_true: Any,
    y_score: Any = None,
    *,
    fpr: npt.ArrayLike | None = None,
    tpr: npt.ArrayLike | None = None,
    threshold: npt.ArrayLike | None = None,
    rate: npt.ArrayLike | None = None,
    best: Best | None = None,
    c_fn: float = 1.0,
    c_fp: float = 1.0,
    prevalence: float | None = None,
    test: tuple[Any, Any] | RocCurve | None = None,
    joint: bool = False,
    method: PointMethod | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    positive: object = None,
    rng: Any = None,
) -> OperatingPoints:
    """Find thresholds, and confidence limits for what they achieve.

    Exactly one of `fpr`, `tpr`, `threshold`, `rate` and `best` says which points are wanted; all
    but `best` may be several numbers. A row is called positive when its score >= threshold.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    fpr : float or array-like, optional
        Fixed false positive rates: limits are for the height of the true curve there.
    tpr : float or array-like, optional
        Fixed true positive rates: limits are for the true curve's false positive rate there.
    threshold : float or array-like, optional
        Thresholds that were fixed beforehand.
    rate : float or array-like, optional
        Shares of all rows that may be called positive, at most.
    best : {'youden', 'corner', 'cost'}, optional
        'youden': largest tpr - fpr. 'corner': closest to (0, 1). 'cost': smallest expected cost.
        All thresholds that are best are returned, if several are.
    c_fn, c_fp : float, default 1
        Costs of a false negative and of a false positive, for `best`.
    prevalence : float, optional
        Share of positives where the threshold will be used, for `best`. By default that of the
        data for 'cost', and one half, which gives both rates the same weight, for the others.
    test : (array-like, array-like) or RocCurve, optional
        Labels and scores of a second set, or its curve. Thresholds are then found on the first set,
        and rates and limits come from the second: nothing is optimistic about them.
    joint : bool, default False
        For thresholds: True makes both rates of a point lie inside their limits together as often
        as `level` says, by limits at the root of `level` each.
    method : str, optional
        For fixed rates 'likelihood' (default), 'wilson' or 'bootstrap'; for thresholds 'wilson'
        (default) or 'clopper-pearson'. See Notes.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    n_resamples : int, default 2000
        Test sets drawn by 'wilson' and 'bootstrap' at fixed rates, only where a positive shares
        its score with a negative; elsewhere they need none.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness where there is any.

    Returns
    -------
    OperatingPoints
        A table: threshold, fpr, tpr and their limits, one row for each point.

    Notes
    -----
    At a threshold that was fixed beforehand both counts are binomial and independent.

    At a fixed rate the threshold itself is unknown. 'likelihood' keeps the heights v for which
    some point of the empirical curve agrees with (fpr, v): the smallest log-likelihood ratio of
    both counts, doubled, is at most a chi-square quantile with one degree of freedom. 'bootstrap'
    takes percentiles of the height in stratified resamples, from their exact law; 'wilson' takes
    Wilson's limits around that law's mean, with as many cases as give its variance. Both are too
    short where the fpr is worth few negatives. Measured coverage is in docs/coverage-points.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> at = rb.operating_points(y, models["logistic"], fpr=[0.05, 0.1], positive="malignant")
    >>> print(at.tpr.round(2), at.tpr_low.round(2), at.tpr_high.round(2))
    [0.53 0.69] [0.36 0.6 ] [0.69 0.77]
    """
    level = check_level(level)
    check_resamples(n_resamples)
    kind, wanted = _asked(fpr, tpr, threshold, rate, best)
    weights = Weights.of(c_fn, c_fp, prevalence, kind, best)
    judged = test is not None
    if judged and kind == "threshold":
        raise InputError(
            "`test` judges thresholds that are found on the first set; `threshold` fixes them. "
            "Pass the test set's labels and scores in place of the first, without `test`."
        )
    roc = as_roc_curve(y_true, y_score, positive=positive)
    if kind in ("fpr", "tpr") and not judged:
        rule = _method(method, ("likelihood", "wilson", "bootstrap"), kind, joint)
        _single_scores(roc, rule)
        limits = _at_rates(roc, kind, wanted, rule, level, n_resamples, check_rng(rng))
        return OperatingPoints(roc=roc, asked=kind, level=level, method=rule, **limits)
    rule = _method(method, ("wilson", "clopper-pearson"), kind, joint=False)
    cut, notes = found_thresholds(roc, kind, wanted, weights)
    if judged:
        roc, notes = _second(test, positive, roc, notes)
    limits, inside = at_thresholds(roc, cut, rule, level**0.5 if joint else level)
    asked, notes = f"best {best}" if best else kind, notes + inside
    return OperatingPoints(
        roc=roc, asked=asked, level=level, method=rule, joint=joint, notes=notes, **limits
    )


def _asked(*given: Any) -> tuple[str, Any]:
    """Return which kind of point is wanted, and the numbers (or the name) that say where."""
    kinds = [kind for kind, value in zip(_KINDS, given, strict=True) if value is not None]
    if len(kinds) != 1:
        found = " and ".join(f"`{kind}`" for kind in kinds) + " were" if kinds else "none was"
        raise InputError(
            f"Exactly one of {', '.join(f'`{kind}`' for kind in _KINDS)} must be given; {found}. "
            "Pass, for example, fpr=0.05 or best='youden'."
        )
    kind = kinds[0]
    value = given[_KINDS.index(kind)]
    if kind == "best":
        check_choice(value, ("youden", "corner", "cost"), "best")
        return kind, value
    single = np.ndim(value) == 0
    if kind == "threshold":
        return kind, score_column([value] if single else value, "threshold")
    return kind, check_unit_interval([value] if single else value, kind).ravel()


def _method(method: Any, choices: tuple[str, ...], kind: str, joint: bool) -> Any:
    if joint:
        raise InputError(
            f"`joint` is for both rates of a threshold; `{kind}` fixes one of them. "
            "Leave `joint` out."
        )
    if method is None:
        return choices[0]
    check_choice(method, choices, "method")
    return method


def _second(
    test: tuple[Any, Any] | RocCurve | None,
    positive: object,
    first: RocCurve,
    notes: tuple[str, ...],
) -> tuple[RocCurve, tuple[str, ...]]:
    """Take the set that judges thresholds found on the first."""
    if isinstance(test, RocCurve):
        second = as_roc_curve(test, None)
    elif isinstance(test, (tuple, list)) and len(test) == 2:
        second = as_roc_curve(*test, positive=positive)
    else:
        raise InputError(
            "`test` must be the labels and the scores of a second set; "
            f"got {type(test).__name__}. Pass test=(y_test, score_test)."
        )
    words = (
        f"Thresholds were found on {first.n_pos} positives and {first.n_neg} negatives, "
        "and are judged on other rows."
    )
    kept = tuple(note for note in notes if note not in (OPTIMISTIC, OWN_RATES))
    return second, (*kept, words)


def _single_scores(roc: RocCurve, method: str) -> None:
    """Refuse to resample what is hidden in bins."""
    if method != "likelihood" and roc.certificate > 0.0:
        raise InputError(
            f"method={method!r} needs counts of single scores at fixed rates; the curve has bins. "
            "Use method='likelihood', or count every score."
        )


def _at_rates(
    roc: RocCurve,
    kind: str,
    wanted: FloatArray,
    method: HeightMethod,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Limits of one rate where the other is fixed."""
    steps = steps_at(roc, kind, wanted)
    if kind == "fpr":
        found = height_limits(roc, wanted, method, level, n_resamples, rng)
        moving, own, fixed, free = tuple(found), roc.tpr[steps], "fpr", "tpr"
    else:
        turned = height_limits(roc.mirrored, 1.0 - wanted, method, level, n_resamples, rng)
        moving = 1.0 - turned.height, 1.0 - turned.high, 1.0 - turned.low
        own, fixed, free = roc.fpr[steps], "tpr", "fpr"
    out: dict[str, Any] = {"threshold": scores_of(roc, steps)}
    out |= dict.fromkeys((fixed, f"{fixed}_low", f"{fixed}_high"), wanted)
    out |= dict(zip((free, f"{free}_low", f"{free}_high"), moving, strict=True))
    notes = _words_on_method(roc, kind, wanted, method, n_resamples)
    inside = np.abs(moving[0] - own) > 1e-9
    if inside.any():
        i = int(np.argmax(inside))
        end = "upper" if kind == "fpr" else "lower"
        where = "both classes share a score; the threshold itself"
        if roc.binned:
            where = f"the curve is inside a bin; the threshold is its {end} end, which"
        notes += (
            f"At {fixed} {wanted[i]:g} {where} has "
            f"fpr {roc.fpr[steps[i]]:.4g}, tpr {roc.tpr[steps[i]]:.4g}.",
        )
    out["notes"] = notes + words_on_steps(roc, steps) + _words_on_bins(roc, kind, wanted)
    return out


def _words_on_bins(roc: RocCurve, kind: str, wanted: FloatArray) -> tuple[str, ...]:
    """Say how far the rate that is not fixed is known."""
    if not roc.binned:
        return ()
    seen, at = (roc, wanted) if kind == "fpr" else (roc.mirrored, 1.0 - wanted)
    least, own, most = (
        curve.curve.high(at) for curve in (seen.extremes[0], seen, seen.extremes[1])
    )
    known = float(np.maximum(own - least, most - own).max())
    free = "tpr" if kind == "fpr" else "fpr"
    return (f"Counts in bins: the {free} is known to +-{known:.2g} or better.",)


def _words_on_method(
    roc: RocCurve, kind: str, wanted: FloatArray, method: HeightMethod, n_resamples: int
) -> tuple[str, ...]:
    if method == "likelihood":
        return ()
    notes = []
    if shared_scores(roc).any():
        notes.append(f"Both classes share scores: limits come from {n_resamples} resamples.")
    worth = roc.n_neg * wanted if kind == "fpr" else roc.n_pos * (1.0 - wanted)
    if (worth < _FEW).any():
        what = "negatives" if kind == "fpr" else "positives"
        at = f"At {kind} {wanted[np.argmin(worth)]:g}"
        notes.append(
            f"{at} limits hang on {worth.min():.2g} {what}: too short. method='likelihood' holds."
        )
    return tuple(notes)
